"""Words that do not say what a question is about."""

import re

from agent.lists import listed

WORDS = listed(
    "mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday jan feb "
    "mar apr jun jul aug sep "
    "message messages later end often forth across subject line lines original cause replaced miss going ones right "
    "oct nov dec january february march april may june july august september "
    "october november december pick picked "
    "order flapped flap already detail details turned says said title titles folder directory directories "
    "committed commit commits committing contributed anybody anymore "
    "makes making taught teach teaches lets "
    "don doesn didn isn wasn aren hasn haven won couldn ll ve "
    "believe through report according dealt handled "
    "a about actually add added adding adds affect affected after again ago all also am an and another answer any "
    "anybody anyone anything anything's are area around as at author authored authors away back be became become "
    "becomes been before being between big birth both branch break breaking broke broken bug bugs bump bumped "
    "busier but by call called came can change changed changes changing chronology class classes close closed "
    "code codebase come commit commits compare compared comparison complete concerning contain contains could "
    "count currently date dates day days default defaults dependencies dependency describe did didn't difference "
    "different do does doesn't doing don't done down during each else entire env environment ever every "
    "everything exact exactly exist exists explain far few fewer file filed files find first fix fixed fixes "
    "fixing flag flags following for found from full function functions get give given go got had happen happened "
    "happens has hasn't have haven't having he hello her here hers hey hi him his history hour hours how i i'm if "
    "in increased into introduce introduced introduces involve involving is isn't issue issues it it's its itself "
    "just kind know land landed landing lands last lately latest least less let like limit list look looking "
    "looks lot lower lowered made main make many master may me mention mentioned mentioning mentions merge merged "
    "merges method methods might mine minute minutes month months more most move moved much must my name named "
    "names need new no not nothing now number numbers of off ok old on once one only onto open opened option "
    "options or other our out over overview own parameter parameters part particular parts past people per person "
    "please pls pr precise present previous project projects prs pull pulls question raise raised really reason "
    "reasons recent recently reduced regarding related release released releases relevant remove removed removes "
    "removing rename renamed renames repo reported reporter reports repos repositories repository request "
    "requests resolved revert reverted reverts right same say second seconds see seems set several shall she ship "
    "should shipped show shown side since single small so solved some somebody someone something sort speak speaks "
    "specific state status still story such summarise summarize summary switch "
    "switched take taken talk talks tell than thank thanks that the their them then there these they thing things "
    "this those through time timeline timezone to today too took total touch touched touches trace track two "
    "under until up update updated updates upgrade upgraded upgrading upon us use used user users using utc value "
    "values variable variables various version versions versus very via vs want was wasn't way we week weeks well "
    "went were what what's whatever whats when where whether which while who who's whole whom whose why will with "
    "within without work worked working works would write written wrote year yes yesterday yet you your "
)
"""English ones."""

_PHRASES = listed(
    "一下 一个 一些 一共 上个月 上周 不兼容 为什么 之前 之后 之间 什么 什么时候 什么时间 今天 仓库 "
    "他们 代码 以前 以及 以来 但是 作者 你们 依赖 修复 修好 修改 做了 关于 具体 内容 几个 几条 "
    "几次 函数 分别 列一下 列举 列出 删除 到底 前天 加入 动过 升级 原因 去掉 参数 发布 变化 变更 "
    "变量 可以 合入 合并 告诉我 哪一个 哪一天 哪个 哪些 哪位 哪儿 哪天 哪里 回滚 回退 因为 增加 "
    "多少 大家 如果 已经 帮忙 帮我 干啥 干嘛 引入 当前 影响 怎么 怎么样 总共 总结 情况 我们 或者 "
    "所以 提交 提到 提及 提高 撤销 支持 改了 改动 改名 文件 新增 方法 时候 星期 昨天 是不是 是谁 "
    "更改 更新 曾经 最近 有关 有没有 本周 本月 梳理 概括 汇总 没有 涉及 添加 版本 状态 环境变量 "
    "现在 用户 目前 相关 看一下 看看 知道 破坏性 碰过 移除 究竟 能否 能够 落地 解决 议题 说说 "
    "请问 调整 近期 还有 这个 这个月 这些 这周 那个 那些 里边 里面 重命名 重要 问题 降低 需要 "
    "项目 麻烦 默认 默认值 标题 标题带 东西 当初 分支 开始 提供 逻辑 那次 哪次 那天 "
    "之间 来回 一起 一起进 同时 顺带 顺便 一遍 一样 正式版 一直 主干 先合 后撤 重做 最后又 "
)
PHRASES = re.compile("|".join(sorted(_PHRASES, key=lambda one: (-len(one), one))))
"""Chinese ones of several characters, the longer before the shorter."""

SIGNS = frozenset(
    "各合上下不与个中为么也了于从他以会位你修做内再几出删到前加去又及叫号名后向吗吧呀呢周和哪啊在地处外多天太"
    "她它对将少就年很得想成我才把换改日是更最月有条来次没用由的看着种类给能被要让讲说请谁跟过还这那都里问项"
)
"""Single characters between such words."""
