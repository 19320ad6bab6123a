"""Chinese engineering words with the English stems that bear them out, since evidence is mostly in English."""

from collections.abc import Mapping
from functools import cache

_ENTRIES = """
捕获 captur,catch;阻塞 block,unblock,hang,stall;解除 unblock,remov,lift,releas;运算 op,comput,calcul,vector,arith,math
维 dim;不符 mismatch,match,unexpect;残留 stale,leftov,residu,remain,exist;非因果 causal,noncausal;数据结构 data,struct
未被使用 unus,dead;卡 gpu,h100,a100,devic,card;向量化 vector;标量化 scalar;并发数 concurr;核数 core,cpu;机型 node,machin
广播给 broadcast;分母 denomin,latenc,divid;口径 metric,throughput,measur;推算 deriv,comput,estimat,calcul;估算 estimat
估计 estimat;换算 convert,convers;折算 convert;转码 transcod,encod;解引用 derefer;空指针 null,nullptr;野指针 dangl
悬空 dangl;内联 inlin;外联 outlin;柯里 curri;闭包 closur,lambda;匿名 anonym,lambda;生成器 generat;迭代器 iter
上下文管理器 context,with;装饰 decor;元类 metaclass;混入 mixin;接口层 api,interfac;抽象 abstract;具现 concret
单例 singleton;懒初始化 lazi,lazy;预分配 prealloc,alloc;预留 reserv;预处理 preprocess;后处理 postprocess
前处理 preprocess;预检 precheck,preflight,check,valid;预检查 precheck,check,valid,implement;自检 check,self
健康 health;探活 health,live,probe;存活 aliv,live;就绪 readi,ready;冷热 hot,cold;热点 hot;热路径 hot,path
慢路径 slow,path;快路径 fast,path;快速 fast,quick;缓慢 slow;逐渐 gradual;急 eager;急切 eager;贪心 greedi,greedy
贪婪 greedi,greedy;束搜索 beam;温和 mild;退避 backoff;指数退避 backoff,exponenti;抖 jitter;重连 reconnect
断连 disconnect;断开 disconnect;掉线 disconnect,offlin;上线 onlin,enabl,launch;下线 offlin,remov;灰度 canari,rollout
金丝雀 canari;蓝绿 blue;回放 replay;录制 record;采集 collect,captur;埋点 metric,telemetr;遥测 telemetr
仪表盘 dashboard;面板 dashboard,panel;图表 chart,graph,plot;曲线 curv;直方图 histogram;分位 percentil,p50,p90,p99
均值 mean,averag;方差 varianc;中位数 median;求余 mod;取模 mod;移位 shift;位运算 bit,shift;掩码位 mask,bit
字节序 endian;大端 endian;小端 endian;校验位 checksum,pariti;奇偶 odd,even,pariti;素数 prime;质数 prime
整除 divis,multipl,%;倍数 multipl,divis,%;余量 slack,margin;裕量 margin,slack;冗余度 redund;副作用 side,effect
幂等 idempot;可重入 reentr;线程安全 thread,safe;协议栈 stack,protocol;握手包 handshak;报文 packet,messag
包头 header;负荷 payload,load;载荷 payload;元信息 metadata,meta;清单 manifest,list;索引表 index,tabl;倒排 invert
正排 forward;主键 key,primari;外键 key,foreign;事务 transact;回查 lookup;脏 dirti,dirty,stale;脏页 dirti,page
换页 swap,page;换出 swap,evict;换入 swap;落盘 disk,persist,flush;磁盘 disk;硬盘 disk;固态 ssd;网卡 nic
交换机 switch;拓扑 topolog;亲和 affin;绑核 affin,pin,cpu;隔离性 isol;命名冲突 conflict,collis;冲突 conflict,collis
重名 duplic,conflict;撞名 conflict;遮蔽 shadow;覆盖写 overwrit;就地 inplac,place;原地 inplac,place;拷出 copi,copy
搬运 copi,move,transfer;搬移 move;展平 flatten;压平 flatten;升维 unsqueez,dim;降维 squeez,dim;转置 transpos
补零 pad,zero;截取 slice,trunc;切片 slice;拼装 assembl,concat;组批 batch;攒批 batch;分桶 bucket;桶 bucket
令牌数 token;词数 token;首包 ttft,first;首字 ttft,first;尾包 last;流控 flow,throttl;背压 backpressur;限速 rate,limit
限额 quota,limit;额度 quota,budget;预算 budget;份额 share,fraction;占比 ratio,share,fraction;比重 ratio,weight
环 ring,cycl;环形 ring,circular;链表 link,list;跳表 skip;堆排 heap;红黑 tree;字典树 trie;前缀树 trie,radix
布隆 bloom;位图 bitmap;位集 bitset;滑窗 slid,window;窗 window;帧 frame;关键帧 keyfram,frame;码率 bitrat
采样率 sampl,rate;分辨率 resolut;像素 pixel;通道数 channel;色彩 color;灰阶 gray;音轨 audio,track;字幕 subtitl
说话人 speaker;语种 languag;方言 dialect;词性 pos;句法 syntax;分句 sentenc;断句 sentenc,split;标点符号 punctuat
正负样本 sampl;样本 sampl,exampl;标注 label,annot,mark;标签 label,tag;真值 truth,gold,refer;基线 baselin
消融 ablat;超参 hyperparam,param;随机数 random,seed,rng;打散 shuffl;洗牌 shuffl;权值 weight;偏差 bias,drift,deviat
漂移 drift;饱和度 satur;溢出位 overflow,carri;下标 index,subscript,idx;脚标 index;行号 line,lineno;列号 column
向量化 vectoriz;基础设施 infra;累积 cumul,accumul,cu_;累计 cumul,accumul;泄露 leak,expos;补全 complet
进程组 process,group,pg;集中 central;均匀 uniform;非均匀 uniform,nonuniform;关闭竞态 shutdown,race
打包 pack,packag,wheel;缺失 miss,lack,absent;向量化执行 vectoriz;标量化 scalar;本地化 local;容器化 contain
模块化 modul;参数化 parametr;序列化格式 serializ;可视化 visual;自动化测试 autom,test;泛化 general;特化 special
实例化 instanti;模板化 templat;池化模型 pool;归档 archiv;归因 attribut;加快 accelerat,speed,fast,reduc,perf
更快 fast,speed,accelerat,perf;变快 fast,speed;修饰符 qualifi,modif,__;限定符 qualifi;昇腾 ascend,npu
最佳实践 best,practic;最佳 best,optim;实践 practic;分离式 disagg,pd;分离 disagg,separ,split
前置条件 prerequisit,requir;前置 prerequisit,pre;桩函数 stub,implement,mock;桩 stub,mock;未实现 implement,notimplement
尚未实现 implement,notimplement;误解 confus,misread,mislead;易误解 confus,mislead;误导 mislead,confus
容易 eas,confus,prone;透传 pass,passthrough,forward;中间 mid,middl,inter;工具块 tool,block;静默 silent,quiet
丢弃 drop,discard;其后 subsequ,after,follow,next;后续 subsequ,follow,next,later;精确 accura,precis,exact
更精确 accura,precis;准确 accura,correct;服务端 server,serv;聊天模板 chat,templat;扩展生成 extend,generat
损坏 corrupt,broken,damag;标准 standard;预算 budget;显存预算 memor,budget;克隆 clone;线性 linear
非线性 nonlinear,linear;抽象 abstract;授权 authoriz,permit;字母 alphabet,letter;字母顺序 alphabet,order
块表 block,table;无损 lossless;有损 lossi,lossy;继承 inherit,base,class;转置 transpos;变通 workaround;嵌入 embed
嵌入模型 embed;工具解析 tool,pars;解析器 pars;填充位置 pad,posit;权限 permiss,permission,auth,privileg
只读 read,readonly;可写 write,writabl;读写 read,write;阶段 stag,phase;分阶段 stag,phase;按节点 node
候选项 candid,choic;可选项 option,choic;选项 option,choic,flag;成员变量 member,field;环境 env,environ
虚拟环境 venv,env;依赖管理 depend;包管理 packag,pip,uv;轮子 wheel;源码包 sdist;别名 alias;快捷 shortcut
快速路径 fast,path;慢路径 slow,path;热路径 hot,path;关键路径 critic,path;代码路径 path;执行路径 path
预分配 prealloc,alloc;预计算 precomput,comput;预加载 preload,load;预处理 preprocess,process;后处理 postprocess,process
自检 check,self;自测 test;自动化 autom;自动选择 auto,select;自动检测 auto,detect;手写 hand,manual;内联 inlin
内嵌 embed,inlin;外置 extern;内置 built,builtin,intern;原地 inplac,in-plac;就地 inplac;常驻 persist,resid
驻留 resid,persist;双缓冲 doubl,buffer;环形 ring;环形缓冲 ring,buffer;树形 tree;网格 grid;栅格 grid;屏障 barrier
栅栏 fence,barrier;信号量 semaphor;信号 signal;互斥 mutex,lock;原子 atom;原子操作 atom;自旋 spin;忙等 spin,busy
吞吐率 throughput;首字延迟 ttft;首词延迟 ttft;首令牌延迟 ttft;时延 latenc;抖动 jitter;尾延迟 latenc,p99
带宽利用率 bandwidth;算力 comput,flop;浮点运算 flop,float;计算量 comput,flop;访存 memor,load,access;访问 access
内存访问 memor,access;输出张量 output,tensor;输入张量 input,tensor;隐藏状态 hidden;隐藏层 hidden,layer;注意力头 head
查询 queri,query,q;键 key,k;值 valu,v;头维 head,dim;词嵌入 embed;位置 posit,locat,place;位置信息 posit
旋转 rotari,rope,rotat;缩放系数 scal;温度 temperatur;惩罚 penalti,penalty;奖励 reward;强化学习 rl,reinforc
权重更新 weight,updat;权重同步 weight,sync;参数同步 sync,param;热更新 hot,updat,reload;重载 reload,overload
重启 restart;关停 shutdown;关机 shutdown;优雅退出 grace,shutdown;清空 clear,flush,empti;刷新 refresh,flush;重置 reset
会话 session;租户 tenant;配额 quota;限流 rate,limit,throttl;节流 throttl;排队 queue;准入 admiss,admit;驱逐 evict
淘汰 evict;命中 hit;未命中 miss;命中率 hit;失效 invalid,expir,stale;过期时间 ttl,expir;保活 keepaliv,alive
网络 network,net;套接字 socket;管道 pipe;共享库 shared,librari;远程 remot;本机 local,host;本地 local;跨节点 node,cross
跨层 cross,layer;跨进程 process,ipc;层间 layer;逐层 layer,layerwis;逐块 block,chunk;逐元素 element;按通道 channel
通道 channel;分组 group;组 group;单组 one,singl,group;多组 group;多头 head,mha;单头 head;多图 imag,multi
多轮 turn,multi;单轮 turn;批内 batch;跨批 batch;变长 varlen,variabl,rag;定长 fix,length;不等长 varlen,rag
紧凑 compact,pack;连续 contigu,continu;非连续 contigu,noncontigu;对称 symm,symmetr;非对称 asymm;日期 date
时间戳 timestamp,time;时区 timezon,tz;时钟 clock,time;计时器 timer,tim;周期 period,cycl,interv;间隔 interv,period
延时 delay,latenc;超期 expir;截止 deadlin;排除 exclud,skip,ignor;包含 includ,contain;筛选 filter,select;过滤 filter
匹配 match;查找 lookup,find,search;遍历 iter,travers,walk;迭代 iter,loop;递增 increment;递减 decrement
累加 accumul,add,sum;求和 sum;求积 product;取整 round,ceil,floor;截尾 trunc;舍入 round;饱和 satur
黑名单 blacklist,blocklist,deny;白名单 whitelist,allowlist,allow;占位符 placehold;通配符 wildcard,glob;转义 escap
大小写 case;驼峰 camel;蛇形 snake;连字符 hyphen,dash;下划线 underscor;标点 punctuat;缩进 indent;空行 blank,line
开源 open,sourc;许可证 licens;版权 copyright;作者名单 author,contributor;贡献指南 contribut;行为准则 conduct
问题模板 templat;拉取请求模板 templat;变更日志 changelog;发布说明 releas,note;路线图 roadmap;提案 propos,rfc
设计文档 design,doc;视觉语言 vision,vl,vlm;语言模型 llm,model,languag;音视频 audio,video;转写 transcrib,transcript,asr
翻译 translat;摘要 summar;分类 classif;打分 scor;评分 scor;重排 rerank,reorder,permut;检索增强 rag;向量库 vector
相似度 similar;奖励模型 reward;学习率 lr,learn;梯度 grad,gradient;反向传播 backward;损失 loss;优化 optim,perf,improv
收敛 converg;精调 finetun,tun;蒸馏 distil;剪裁 clip,prune;稀疏化 spars;低秩 lora,rank;适配层 adapt;专家数 expert
负载均衡 balanc,eplb;冗余专家 redund,expert;无头 headless;交互式 interact;批量推理 batch;离线 offlin;在线 onlin,serv
在线服务 serv,onlin;离线推理 offlin;流式输出 stream;非流式 stream;长连接 connect,keepaliv;短连接 connect;握手 handshak
引导 bootstrap,guid,boot;自举 bootstrap;注册中心 regist,registri;崩溃转储 dump,crash;堆栈 stack,trace
栈跟踪 trace,stack;回溯 traceback,backtrac;断点 breakpoint,debug;单步 step;调试信息 debug;调试日志 debug,log
详细日志 verbos,log;静默失败 silent,fail;噪声 nois,noisi;噪音 nois;绝对容差 absolut,atol,toler;绝对值 abs,absolut
绝对误差 absolut,error,toler;绝对路径 absolut,path;全局 global;全量 full,all;全精度 full,precis;全注意力 full,attent
固定 pin,fix,lock,==;有限 finit;哨兵 sentinel;哨兵值 sentinel;产物 asset,artifact,output;收到 receiv,get;复现 repro
超大 oversiz,larg;超出 exceed,beyond,oversiz,outsid;发送 send,sent;发送端 send;接收端 receiv;发送方 send;接收方 receiv
交错 interleav;锚点 anchor;控制 control,flag,env,opt,enabl;生产者 produc;消费者 consum;所有权 owner
不受支持 unsupport,support;回退到 fall,fallback,revert,back;回退至 fall,fallback,revert,back;拆分 split,separ,decompos
分割 split,separ,partit,divid
拆出 split,extract,separ;重写 overrid,rewrit;覆写 overrid,overwrit;占位 placehold;收尾 final,epilogu,tail
融入 fus,merg;合入 merg,land;回载 load;载入 load;权重加载 load,weight;读取 read,load,fetch;越界读取 bound,read
最低 min,>=,least,requir;最低版本 min,>=,requir,version;最高 max;最大 max;最小 min;最大值 max;最小值 min
平均 averag,mean;次数 count,num,time;缓存 cach;缓冲 buffer;缓冲区 buffer;内核 kernel;算子 op,operator,kernel
调度 schedul,dispatch;调度器 schedul;量化 quant,fp8,fp4,int8,int4,nvfp,mxfp;反量化 dequant;并行 parallel
张量并行 tensor,tp;流水线并行 pipeline,pp;专家并行 expert,ep;数据并行 data,dp;上下文并行 context,cp,dcp,pcp
序列并行 sequenc,sp;张量 tensor;注意力 attent,attn,mla,mha,gqa,fmha;稀疏 spars;稠密 dens;分块 chunk,block,tile
分页 pag;页 page;块 block,chunk,tile;专家 expert,moe;混合专家 moe,expert;路由 rout;门控 gat
激活 activat,silu,gelu,glu,relu;激活函数 activat,silu,gelu,glu,relu;归一化 norm;融合 fus
合并 merg,combin,consolidat,fus;拼接 concat,cat;规约 reduc;归约 reduc;全归约 allreduc,all
通信 comm,nccl,communicat,ipc,transfer;集合通信 collectiv,nccl,allreduc;广播 broadcast;传输 transfer,transport,send
连接器 connector;连接 connect,connector;解耦 disagg,decoupl,separat;预填充 prefill;解码 decod;预取 prefetch;采样 sampl
采样器 sampler,sampl;投机 spec,specul,draft,mtp,eagle;推测 spec,specul,draft,mtp,eagle;投机解码 spec,specul,draft,mtp
推测解码 spec,specul,draft,mtp;投机采样 spec,specul;草稿 draft;草稿模型 draft;推理 infer,serv,reason;训练 train
微调 tun,lora,finetun;模型 model;大模型 model,llm;视觉 vision,visual,vl,imag,vit;图像 imag;图片 imag;视频 video
音频 audio,speech;语音 speech,audio,asr;多模态 multimod,multi,mm;编码器 encod;解码器 decod;编码 encod;池化 pool
分词 tokeniz;分词器 tokeniz;词元 token;令牌 token;词表 vocab;词汇表 vocab;模板 templat;聊天 chat;对话 chat,convers
提示 prompt,messag,hint,warn;提示词 prompt;前缀 prefix;后缀 suffix;前缀缓存 prefix;批 batch;批次 batch;批处理 batch
批量 batch,bulk;请求 request,req;响应 respons,resp;队列 queue;线程 thread;进程 process,proc,worker
多进程 multiprocess,process,worker;多线程 thread;协程 async,corout;异步 async;同步 sync;锁 lock;死锁 deadlock,hang
活锁 livelock;卡死 hang,stall,stuck,deadlock,livelock,freez;挂起 hang,suspend;竞态 race;竞争 race,conten
崩溃 crash,segfault,abort,fault,error;段错误 segfault,segment;内存 memor,mem,ram,smem,oom;显存 memor,vram,mem,oom
共享内存 shared,smem,shm;全局内存 global,gmem;泄漏 leak;溢出 overflow,exceed,spill;下溢 underflow
越界 bound,oob,range,overflow;寄存器 regist;线程块 block,cta,threadblock;集群 cluster;簇 cluster;波 wave;流 stream
事件 event;图 graph,imag,figur;计算图 graph;编译 compil,build,jit,nvcc;编译器 compil;预编译 precompil,aot,prebuilt
即时编译 jit;构建 build;安装 install,setup,pip,uv;镜像 imag,docker,mirror;容器 contain,docker;依赖项 depend,requir
依赖版本 depend,requir;流水线 pipelin,ci,workflow;工作流 workflow,ci;持续集成 ci;夜间 nightli,night;每夜 nightli,night
发布流程 releas,publish;发版 releas;基准 bench,benchmark,baselin;基准测试 bench,benchmark;压测 stress,bench
回归 regress;回归测试 regress,test;准确率 accurac;精度 precis,accurac,dtype,fp;数值 numer,valu,number
误差 error,tolerance,diff;容差 toler,atol,rtol;随机 random,rand,seed;种子 seed;确定性 determin
非确定性 nondetermin,determin;性能 perf,perform,speed,fast,optim,latenc,throughput
延迟 latenc,delay,lazi,lazy,defer,postpon,ttft;吞吐 throughput;吞吐量 throughput;加速 accelerat,speed,fast,perf,optim
提速 speed,fast,accelerat;开销 overhead,cost;耗时 time,latenc,cost,slow;编译时间 compil;优化器 optimiz
自动调优 autotun,tun;调优 tun,tune;调参 tun;启发式 heurist;阈值 threshold,limit,max,min
上限 max,limit,upper,cap,ceil,most;下限 min,limit,lower,floor,least;对齐 align;填充 pad,fill;掩码 mask;因果 causal
滑动窗口 slid,window,swa;窗口 window;步长 strid,step;偏移 offset;偏置 bias;索引 index,indic,idx;指针 ptr,pointer
引用 refer,ref;句柄 handl;描述符 descript;元数据 metadata,meta;布局 layout;形状 shape;维度 dim,dimens,head
头 head,header;头数 head;头维度 head,dim;秩 rank;层 layer;隐藏 hidden,hid;权重 weight;参数量 param
检查点 checkpoint,ckpt;加载 load;加载器 loader,load;卸载 offload,unload,uninstall;持久化 persist;序列化 serializ,pickl
反序列化 deserializ;解析 pars,resolv;校验和 checksum,hash;校验 check,valid,verif,assert;验证 valid,verif,check,assert
断言 assert,check;检测 detect,check;探测 probe,detect;监控 monitor,metric;指标 metric,stat;日志 log;日志记录 log
追踪 trac;跟踪 track,trac;计时 tim;性能分析 profil;剖析 profil;路径 path,rout;端点 endpoint,rout
接口 api,interfac,endpoint;服务器 server,serv;服务 serv,servic,server;客户端 client;网关 gateway,rout
负载 load,payload,workload;心跳 heartbeat;健康检查 health;超时 timeout,time;重试 retri,retry
降级到 fall,fallback,downgrad;兜底 fallback,fall,default;后备 fallback,fall;安全 secur,safe,vulnerab,cve
安全性 secur,safe;漏洞 vulnerab,cve,secur,exploit;安全漏洞 vulnerab,cve,secur;注入 inject;认证 auth;鉴权 auth
密钥 key,secret;令牌桶 token,bucket;沙箱 sandbox;不安全 unsaf,insecur;兼容 compat,backward,alias,support
向后兼容 backward,compat;不兼容 incompat,break,breaking;破坏性 break,breaking,incompat;弃用警告 deprecat;警告 warn
告警 warn,alert;异常 error,exception,except,rais,abnorm;报错 error,rais,except,fail;错误信息 error,messag
错误消息 error,messag;错误码 code,status;硬件 hardwar,gpu,sm,arch;显卡 gpu;架构 arch,architectur,sm;设备 devic,gpu
驱动 driver;多卡 multi,gpu;单卡 singl,gpu;多节点 multi,node;单机 singl,node;多机 multi,node;节点 node;主机 host
分布式 distribut,dist;副本 replica,copi;分片 shard;切分 split,shard,partit;分区 partit;状态空间 ssm,mamba
线性注意力 linear,gdn,kda,mamba;递归 recurs,recurr;循环 loop,cycl,recurr;卷积 conv;矩阵 matrix,gemm,matmul,mm
矩阵乘 gemm,matmul,mm;矩阵乘法 gemm,matmul,mm;向量 vector,vec;标量 scalar;缩放 scal;缩放因子 scal;尺度 scal
指数 expon,exp;对数 log;概率 prob,logprob;负 neg;正 posit;零 zero,0;无穷 inf;无穷大 inf;极端 extrem
极小 extrem,tini,small;极大值 extrem,max,larg;扩散 diffus;去噪 denois;生成 generat,gen,produc,creat;输出 output,out
输入 input;输入输出 io,input,output;结构化输出 structur;工具调用 tool;函数调用 function,tool,call;思维链 reason,think
思考 think,reason;引用标注 citat;引文 citat;停止词 stop;结束符 eos;流式 stream;增量 increment,delta;快照 snapshot
检索 retriev,search;搜索 search;排序 sort,order,rank;去重 dedup,duplic;重复 duplic,repeat,twice
冗余 redund,unnecess,duplic;多余 redund,unnecess,extra,superflu;无用 unus,dead,useless;未使用 unus,dead
死代码 dead,unus;遗留 legac,old;旧版 legac,old,previous,v1;遗漏 miss,forgot,omit;缺少 miss,lack,without
稳定 stabil,stabl,flak;不稳定 flak,unstabl,stabil;稳定性 stabil,flak;偶发 flak,intermitt,sporad;健壮 robust
可读性 readab;可维护性 maintain;模糊测试 fuzz;模糊测试器 fuzz;冒烟 smoke;端到端 e2e,end;集成测试 integr;单测 unit,test
覆盖率 coverag;测试矩阵 matrix,test;参考实现 refer,ref;参考 refer,ref;零拷贝 zero,copi;拷贝 copi,copy
复制 copi,copy,clone,replic;视图 view;工作区 workspac;工作空间 workspac;暂存 scratch,stag,temp;临时 temp,tmp,scratch
分配 alloc,assign;分配器 alloc;释放 free,releas,dispos;回收 reclaim,recycl,gc,free;复用 reus,shar;池 pool;内存池 pool
惰性 lazi,lazy;懒加载 lazi,lazy;预热 warm;热身 warm;冷启动 cold,start;启动 start,launch,startup,boot
启动时 start,launch,startup;核函数 kernel;发射 launch,issu;派发 dispatch;分发 dispatch,distribut;打包的 pack
压缩 compress,pack;解压 decompress;展开 unrol,expand;折叠 fold;尾声 epilog;序言 prolog;拆包 unpack,unwrap
解包 unpack,unwrap;包装 wrap;封装 wrap,encapsul;装饰器 decor;绑定 bind;注册表 regist,registri;注册 regist;工厂 factori
基类 base;父类 base,parent;子类 subclass,child;枚举 enum;宏定义 macro,defin;泛型 generic;类型注解 type,annot,typ
类型标注 type,annot,typ;类型检查 mypy,type;静态检查 mypy,lint;代码风格 style,lint,format;格式化 format;排版 format
拼写 typo,spell;错别字 typo;措辞 word,reword;文案 word,text;文档字符串 docstr;注释 comment;代码所有者 codeown
审阅 review,codeown;审查 review;评审 review;评论 comment;评审意见 comment,review;上下文 context;上下文长度 context,len
序列 sequenc,seq;序列长度 seq,len;长度 len,length;最大长度 max,len;批大小 batch,size;块大小 block,chunk,size
容量 capac,size;大小 size;尺寸 size,dimens,shape;字节 byte;比特 bit;位 bit;位宽 bit,width;宽度 width;高度 height
深度 depth;广度 breadth;自适应 adapt;动态 dynam;静态 static;适配 adapt,support,compat,port;适配器 adapt,lora;移植 port
后端 backend;算法 algorithm;策略 polic,strateg;路由器 router,rout;规划 plan;规划器 planner,plan;执行器 execut,executor
运行器 runner,run;运行时 runtim;引擎 engin;管理器 manag;控制器 control;处理器 process,processor,handler;渲染 render
渲染器 render;构建器 build,builder;代理 proxi,agent;中间件 middlewar;插件 plugin;钩子 hook;回调 callback
数据集 dataset;数据 data;数据类型 dtype,type;浮点 float,fp;半精度 half,fp16,float16;整型 int;布尔 bool;字段 field
键值 kv,key;键值缓存 kv,cach;映射 map,mapp;哈希 hash;集合 set,collect;列表 list;元组 tuple;树 tree;基数树 radix
堆 heap;栈 stack;链 chain;单独 separ,standalon,own,individu,alon;独立 standalon,separ,independ,own,isol;隔离 isol
分解 decompos,split;解构 decompos;收集 collect,gather;汇聚 gather,aggreg;聚合 aggreg,gather,combin;散射 scatter
交换 swap,exchang;置换 permut;排列 permut,order;重排序 reorder,rerank;条件 condit,if,when;边界 bound,edg,boundari
边界条件 edg,boundari,bound;空 empti,null,none,zero;空值 none,null,empti;非空 empti,none;为空 empti,none,null
零个 zero;无效 invalid;非法 illeg,invalid;合法 valid,legal;未定义 undefin;未知 unknown;不正确 incorrect,wrong,correct
不匹配 mismatch,match;不一致 inconsist,mismatch,consist;不支持 unsupport,support,not;不必要 unnecess,redund
不可用 unavail;不足 insuffici,low,less;不同 differ;过大 oversiz,larg,big,exceed;过小 small;过期 stale,expir,outdat
陈旧 stale,outdat,old;报告 report;上报 report;统计 stat,metric,count,report;计数 count;计数器 count;公式 formula
系数 coeffici,factor;比例 ratio,scal;比率 ratio,rate;速率 rate;频率 freq;带宽 bandwidth;占用 occup,usag,consum
占用率 occup,util;利用率 util;使用率 usag,util;功耗 power;转发 forward;前向 forward;反向 backward;前向传播 forward
透明 transpar;重定向 redirect;下载 download;上传 upload;抓取 fetch;拉取 pull,fetch;推送 push
获取 get,fetch,acquir,obtain;返回码 code;退出 exit,quit;提前退出 earli,exit;中止 abort;取消 cancel,abort,remov
终止 terminat,kill,abort,stop;等待 wait;唤醒 wake;休眠 sleep;轮询 poll;强制 enforc,forc,requir
限制 limit,restrict,constrain,bound,cap;约束 constrain;收紧 tighten,strict,restrict;放宽 relax,loos,lift;守卫 guard
保护 guard,protect,safe;防护 guard,protect;防御 defens,guard;绕过 bypass,workaround,skip,avoid;规避 avoid,workaround
临时方案 workaround,temporari;热修复 hotfix;缓解 mitigat,allevi;恢复 restor,recover,back,reland,revert
还原 restor,revert;还原为 restor,revert;重新 re,again,back;重新启用 enabl,re;撤销 revert,undo
回滚 revert,rollback,roll;回退 revert,fallback,fall,roll;补丁 patch,fix;补齐 complet,fill,pariti;对等 pariti
对齐功能 pariti;导入 import;导出 export;导出符号 export;命名 nam;命名空间 namespac;前端 frontend;控制台 consol
终端 terminal;界面 ui,interfac;网页 web,page;链接 link;超链接 link;地址 address,url;端口 port;协议 protocol
格式 format;标签 label,tag;标记 mark,tag,flag;徽章 badg;图标 icon;表格 tabl;章节 section;实验性 experiment
实验 experiment;试验 experiment,trial;原型 prototyp;模拟 mock,simul,emul;仿真 simul,emul;伪造 fake;假 fake,dummi
虚拟 virtual,dummi,fake;原生 nativ;自定义 custom;可选 option;必填 requir,mandatori;必选 requir,mandatori
可配置 configur;硬编码 hardcod,hard;魔数 magic;隐患 hazard,risk,unsaf;风险 risk,hazard;危险 danger,unsaf,hazard
退化 regress,degrad;劣化 regress,degrad;破坏 break,broke,corrupt;丢失 lost,los,drop,miss;忽略 ignor;吞掉 swallow
误报 fals;误用 misus;误判 mis,wrong;混用 mix;混合 hybrid,mix;混淆 confus;歧义 ambigu;冒号 colon;括号 paren,bracket
引号 quot;换行 newlin;空格 space,whitespac;空白 whitespac,blank;编码格式 encod;字符 char;字符串 string,str;文本 text
正则 regex;正则表达式 regex;语法 syntax,grammar;语义 semant;约束解码 guid,grammar,structur;输入序列 input,sequenc
请求数 request;并发 concurr,parallel;并发度 concurr;抢占 preempt;饥饿 starv;公平 fair;优先级 prior;截断 trunc
裁剪 clip,prune,crop,trim;剪枝 prun;修剪 prun,trim;丰富 enrich;细化 refin;粗化 coars;粒度 granular;细粒度 fine,grain
粗粒度 coars,grain;几何 geometr;几何信息 geometr;容器镜像 imag,docker,contain;候选 candid;候选镜像 candid;并集 union
交集 intersect;差集 differ;子集 subset;超集 superset;唯一 uniqu,only;主 main,primari;次 secondari;主线 main,trunk
主干 main,trunk;分支 branch;标签页 tab;倒数 reciproc;共享专家 shared,expert;残差 residu;旋转位置编码 rope,rotari
位置编码 rope,posit,rotari;解释器 interpret;字节码 bytecod;垃圾回收 gc,garbag;钩住 hook;劫持 hijack;符号表 symbol
符号 symbol;动态库 librari,so,dll;静态库 librari;头部 header,head;首部 header;尾部 tail,trail;潜在 latent,potenti
潜空间 latent;尾 tail;首 first,head;末 last,tail
传播 propagat;向上传播 propagat;基址 base,offset,address;事件循环 event,loop;暂停 paus,suspend;刷 flush;刷出 flush
冲刷 flush;待发 pend;注销 unregister,deregister,remov;命令生成器 command,generat;数据竞争 race;悬挂 hang,dangl
非法访问 illegal,ima,access;非法内存访问 illegal,ima,memor;偏移量 offset;步幅 strid;跨度 span,stride
夜间构建 nightly;定时 schedul,cron,timer;套件 suite;时限 timeout,deadlin,limit;重试次数 retri,retry,attempt
运行时库 runtim,lib;依赖库 depend,lib;作业 job;观测 observ,metric;内存上限 memor,limit;可用内存 availabl,free,memor
总内存 total,memor;实体化 realiz,materializ;物化 materializ;猴子补丁 monkeypatch,patch;点对点 p2p,point
门限 threshold;页大小 page,size;槽 slot;槽位 slot;引用计数 refcount,ref;生命周期 lifetim,lifecycl;析构 destruct,dtor
串行 serial,sequenti;多流 stream;子进程 subprocess;线程束 warp;自定义算子 custom,op;图捕获 captur,graph
子图 subgraph;模式串 pattern;长度约束 length,bound;微批 microbatch;守护 guard,daemon;笔误 typo;错字 typo
贡献 contribut;步进 step,stride;可复现 reproduc;安装 install,pip,apt,setup;链接 link,url,http,href
地址 address,url,addr,http;非零 nonzero,zero;上传 upload
取真 true;取假 fals;为真 true;为假 fals;是真 true;是假 fals
奇数 odd;偶数 even;空闲 idl,fre,unu;繁忙 bus;上溢 overflow;叠加 add,sum,overla,stack,accumul
重放 repla,repeat,feed;受影响 affect,impact;不受影响 unaffect,unchang,ident,affect;尾数 mantissa;符号位 sign,bit
有符号 sign;无符号 unsign,uint;弱引用 weakref,weak;主机名 hostnam,host;域名 domain,host;证书 certif,cert,ssl,tls
散列 hash;切块 chunk,til,block;平铺 til,flat;寻址 address;指令 instruct,instr,isa,op;汇编 assemb,asm,assembl
链接器 link;虚拟机 vm,virtu;守护进程 daemon;父进程 parent;线程池 threadpool,pool,execut;进程池 pool,execut
定时器 tim;熔断 break,circuit;夹具 fixtur;静态分析 stat,lint,analysi;风格检查 lint,styl,format;锁文件 lock,lockfil
发行说明 relea,not;日志级别 log,level;混合精度 mix,preci;一维 1d,one,dimen;二维 2d,two,dimen;三维 3d,thr,dimen
峰值 peak,max;均摊 amort;图模式 graph;谓词 pred;常量折叠 fold,constant;尾调用 tail,call;悬垂 dangl
双精度 doubl,fp64,float64,f64;单精度 singl,fp32,float32,f32;定点 fix,point;大小端 endian;位域 bitfield,bit
联合体 union;结构体 struct;多态 polymorph;虚函数 virtu;抽象类 abstract,abc;反射 reflect;语法树 ast,tre
词法 lex,token;夏令时 dst,daylight;国际化 i18n,intern;下拉 dropdown,select;弹窗 popup,dialog,mod;按钮 button
侧边栏 sidebar;滚动 scroll;拖拽 drag;悬停 hov;高亮 highlight;主题 them,top,subject;深色 dark
"""


@cache
def glossary() -> Mapping[str, frozenset[str]]:
    """Give the English stems of each Chinese word."""
    found: dict[str, frozenset[str]] = {}
    for entry in _ENTRIES.strip().replace("\n", ";").split(";"):
        term, stems = entry.rsplit(" ", 1)
        found[term] = found.get(term, frozenset()) | frozenset(stems.split(","))
    return found
