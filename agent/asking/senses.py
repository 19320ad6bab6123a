"""English senses of Chinese words: those that statements are held to, and further ones that only questions use."""

from collections.abc import Mapping
from functools import cache

from agent.asking.glossary_zh import glossary

_FURTHER = """
随机种子 seed;度量 metric;类型 type,dtype;类型转换 cast,convert;整数 int,integ;重构 refactor,restruct,rework,reorgan
迁移 migrat,move,port;插值 interpol;插帧 interpol,frame;投影 proj;双向 bidirect;状态码 status,code;弹性 elastic
容错 fault,toler;故障 fault,fail;校准 calibr;均衡 balanc;转录 transcri,asr;触发 trigger;重跑 rerun,retri;失败 fail
脚本 script;平台 platform;字典 dict;潜变量 latent;文生图 imag,diffus;覆盖 overrid,overwrit;距离 distanc;加密 encrypt
显式 explicit;隐式 implicit;交织 interleav;离群 outlier;零点 zero;示例 exampl;教程 tutori,guid;历史 histori,history
机器人 bot;动态形状 dynamic,shape;静态形状 static,shape;编译缓存 compil,cach;稀疏注意力 spars,attention
推理内容 reason,content;对话模板 chat,templat;性能回退 regress,perf;传输引擎 transfer,engin;除零 zero,divis
精度损失 accura,precis;连续批处理 continu,batch;社区 communit;召回 recall;配置文件 config;子命令 subcommand
工具链 toolchain;钩子函数 hook;触发器 trigger;单元测试 unit,test;队头 head,queue;键值 kv,key;音色 voic,timbr
国产 npu,ascend;掉卡 gpu,fail;重启 restart;挂掉 crash,die,fail;冒烟 smoke;大小写 case,lower,upper;换行 newlin
空格 space,whitespac;引号 quot;日期 date;并行度 parallel,size;卡数 gpu,size;图像 imag,img;端侧 edge;主机 host
主机内存 host,cpu;地址 address,url;链接 link,url;下载 download;上传 upload;缩写 abbrev;拼写 typo,spell;错别字 typo
首页 readme,home;徽标 badge,logo;版权 copyright,licens
"""
"""More than one sense each, the likeliest first; one of them is enough."""


@cache
def senses() -> Mapping[str, frozenset[str]]:
    """Give the English stems of each Chinese word that is known."""
    pairs = (entry.split(" ") for line in _FURTHER.strip().split("\n") for entry in line.split(";"))
    further = {word: frozenset(stems.split(",")) for word, stems in pairs}
    return {**further, **glossary()}
