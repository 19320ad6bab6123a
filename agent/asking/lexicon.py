"""The words of questions in both languages: what asks, and what is asked about."""

import re
from collections.abc import Mapping

from agent.asking.inquiry import Thing


def any_of(*forms: str) -> re.Pattern[str]:
    """Put forms together into one pattern, whatever their capitals."""
    return re.compile("|".join(forms), re.IGNORECASE)


THINGS: Mapping[Thing, re.Pattern[str]] = {
    Thing.BREAKING: any_of(r"\bbreaking\b|\bincompatib\w*|\bbackwards?[- ]incompat\w*", "破坏性|不兼容"),
    Thing.REVERT: any_of(r"\breverts?\b|\breverted (?:commits?|changes?)", "回退|撤销|回滚"),
    Thing.ISSUE: any_of(r"\bissues?\b|\bbug reports?\b|\btickets?\b", "议题|工单|issue"),
    Thing.PULL: any_of(r"\bprs?\b|\bpull requests?\b|\bpulls\b", "合并请求|拉取请求"),
    Thing.RELEASE: any_of(r"\breleases?\b|\breleased\b|\bversions?\b", "发版|发布|版本"),
    Thing.FLAG: any_of(
        r"\bflags?\b|\bcommand[- ]line\b|\bcli (?:option|arg\w*|flag)s?\b|\bswitches\b", "命令行|启动参数|flag"
    ),
    Thing.ENV: any_of(r"\benv(?:ironment)?[- ]?var\w*|\benvs?\b", "环境变量"),
    Thing.DEPENDENCY: any_of(r"\bdependenc\w*|\brequirements?\b|\bpinn?ed\b", "依赖"),
    Thing.DEFAULT: any_of(r"\bdefaults?\b(?! branch)", "默认(?!分支)|缺省"),
    Thing.LIMIT: any_of(r"\blimits?\b|\bcap\b|\bmaximum\b|\bupper bound\b", "上限|限制|最大值|阈值"),
    Thing.FILE: any_of(r"\bfiles?\b", "文件"),
    Thing.SYMBOL: any_of(r"\bfunctions?\b|\bclass(?:es)?\b|\bmethods?\b|\bsymbols?\b|\bapis?\b", "函数|方法|接口|类"),
    Thing.AUTHOR: any_of(
        r"\bauthors?\b|\bcontributors?\b|\bpeople\b|\bdevelopers?\b", "作者|贡献者|开发者|几个人|多少人"
    ),
    Thing.PICK: any_of(r"\bcherry[- ]?pick\w*|\bback-?port\w*", "cherry-?pick|摘取|反向移植"),
    Thing.MODEL: any_of(
        r"\bnew(?:ly)?(?: supported| added)? models?\b",
        r"\b(?:what|which) models?(?: (?:is|are|was|were|have been|got))?(?: now| newly)? (?:new|added|supported)\b",
        "新(?:增|加|支持)?了?的?(?:哪些|什么)?模型|(?:支持|增加|加入?)了(?:哪些|什么)新?模型|(?:哪些|什么)新模型",
    ),
    Thing.COMMIT: any_of(r"\bcommits?\b|\bchanges\b|\bpatch(?:es)?\b", "提交|commit|改动|变更"),
}

EITHER = any_of(r"\b(?:and|or)\b", "[或和及]")
"""What stands between several things of which any is asked for."""
HOW_MANY = any_of(
    r"\bhow many\b|\bnumber of\b|\bcount\b|\bhow often\b|\btotal of\b",
    r"(?<!值)(?<!值是)多少(?!号)|(?<![哪那这])几(?:个|次|条|处|项|位)|数量|总共|一共",
)
WHICH_FIX = any_of(
    r"\bwhich (?:commit|pr|pull request|change|release|version)\b|\bwhat fixed\b|\bhow was\b|\bin which\b",
    r"\bwho (?:fixed|closed|resolved|solved)\b|\bhow (?:does|did) .{0,12}\bfix\b|\bthe fix (?:for|of)\b",
    r"哪(?:个|次|条|一个)\s*(?:提交|pr|改动|commit|版本|补丁|合并请求|拉取请求)|谁修|被谁|怎么修",
)
BUG = any_of(
    r"\bbugs?\b|\bissues?\b|\bcrash\w*|\bhangs?\b|\bhung\b|\bstuck\b|\bfroze\w*|\bdeadlock\w*|\bregression\b",
    r"\bproblem\b|\bfail(?:s|ed|ure)\b",
    r"\bleak\w*|\bwrong\b|\bbl(?:ow|ows|ew) up\b",
    "bug|issue|议题|崩溃|卡死|死锁|挂起|报错|泄漏|出错|不生效",
)
CONSEQUENCE = any_of(
    BUG.pattern,
    r"\berror\w*|\brais(?:e|es|ed)\b|\bthrow\w*|\breject\w*|\bblows? up\b|\bfail\w*|\bwarn\w*",
    r"\bwhat happens\b|\ballowed\b|\bcan (?:i|we|you)\b|\bdoes it (?:still )?work\b",
    "报错|异常|抛|拒绝|警告|崩|会(?:怎么?样|咋样?|如何|不会)|怎么处理|能不能|还能",
)
"""What happens to somebody who does it: an error, a warning, nothing."""
RELEASES = any_of(
    r"\bhow many (?:[\w¦]+ ){0,2}(?:releases?|versions?)\b",
    r"\b(?:number|count) of (?:[\w¦]+ ){0,2}(?:releases|versions)\b",
    "[几多]少?(?:个|次)?\\s*(?:版本|release|正式版)|发(?:布|版)?了?[几多]少?[个次]",
)
"""Releases are what is counted."""
LATER = any_of(r"\blater\b|\bthen who\b|\bafterwards\b|\bin the end\b", "后来|[之以]后又|最后又|了[之以]后")
MENTIONS = any_of(
    r"\bmention\w*|\b(?:talk|speak)(?:s|ing)? (?:about|of)\b|\bsay(?:s|ing)?\b",
    r"\bcontain(?:s|ing)? the words?\b|\bcommit messages?\b",
    "提到|提及|说明里|信息里|消息里",
)
CONTAINED = any_of(
    r"\b(?:in|into|part of|contain\w*|includ\w*|has|have|make it)\b.{0,40}$", "里有|进了|包含|带了|有没有进|赶上|在里面"
)
LABEL = re.compile(
    r"\blabel(?:l?ed)?\s+(?:as\s+|with\s+)?[`'\"]?(?P<a>[\w-]+(?: \d+)?)|\b(?P<b>[\w-]+)[`'\"]? label\b"
    r"|(?P<c>[\w-]+)\s*标签",
    re.IGNORECASE,
)
MORE = any_of(r"\bmore\b|\bmost\b|\bfewer\b|\bbusier\b|\bbusiest\b", "更多|最多|更少|最少|哪个.{0,6}多")
OPENED = any_of(r"\b(?:opened|reported|filed|raised|submitted)\b|\breporter\b", "谁(?:提|报|开)|报的|提的|提出")
WHICH_RELEASE = any_of(
    r"\b(?:which|what) (?:[\w¦]+ ){0,2}(?:release|version)s?\b|\breleased? in\b|\bshipped\b|\bfirst release\b",
    r"\bin a release\b",
    r"哪个\s*(?:版本|release)|版本(?:是|为)哪|什么版本|第一个.{0,12}版本|发布(?:了|过)?(?:吗|没)|进了哪个|随哪个|跟着哪个",
)
WHO = any_of(
    r"\bwho(?:m|se(?! (?:message|title|subject|name|description|body|diff|text)s?\b))?\b",
    r"\bwhich (?:person|author|developer|engineer|contributor|maintainer)s?\b|\bauthor of\b",
    "谁|哪位|哪个人|哪些人|作者是",
)
WHEN = any_of(
    r"(?:^|[¦,;:.?!-]|\b(?:and|or|but|since|know|exactly|tell me|so))\s*when\b"
    r"|\bwhen(?=\s+(?:exactly |¦ )?(?:did|was|were|is|are|has|have|had|does|do)\b)|\bwhen(?=\s*[?.!]*$)",
    r"\bwhat (?:day|date|time)\b|\bwhich day\b|\bon what (?:day|date)\b|\bsince when\b",
    "什么时候|何时|哪天|哪一天|几号|啥时候|什么时间|哪日",
)
WHAT_VALUE = any_of(
    r"\bfrom what\b|\bto what\b|\bwhat (?:is|was|are) the (?:new|old|current|default|previous)\b",
    r"\bold value\b|\bnew value\b",
    r"\bwhat value\b|\bwhat did .{1,80} (?:change|become|use to be)\b|\bused to be\b",
    r"\bwhat .{0,30}(?:default|limit|version)\b",
    "从(?:多少|什么|几)|(?:改|变|调|降|升|提)[到成为至](?:了)?(?:多少|什么|几)|原来是(?:多少|什么)",
    "之前是(?:多少|什么)|现在是(?:多少|什么|几)|默认值?(?:现在)?是?(?:多少|什么|几)|值是?多少",
    "(?:设|改回|调回|换)(?:成|为|到|了)*多少|值是多少|是多少",
)
WHICH_DEFAULT = any_of(r"\b(?:what|which) defaults?\b", "(?:哪个|哪些|什么)默认")
WHY = any_of(
    r"\b(?:went|was|goes) wrong\b",
    r"\bwhy\b|\breasons?\b|\bcauses?\b|\bgiven as\b|\bjustif\w+|\bwhat for\b|\bhow come\b|\brationale\b",
    r"\bmotivation\b|\bculprit\b|\bto blame\b",
    "罪魁|根因|为什么|为何|原因|为啥|动机|理由",
)
STATUS = any_of(
    r"\b(?:is|was|are|were|has|have|did|does|got|been)\b.{0,60}\b(?:fixed|resolved|closed?|solved)\b",
    r"\b(?:is|was|are|were|has|have|did|does|got|been)\b.{0,60}\b(?:merged|released|still open|open)\b",
    r"\bstill (?:open|broken|there|happen\w*|an issue|unfixed)\b|\bstatus\b|\bstate of\b|\btaken care of\b",
    r"\b(?:been|get|gets?|got|was|is) (?:dealt with|handled|addressed|sorted|looked at)\b|\bclosed or open\b",
    r"\bin (?:which|what) (?:release|version)\b|\bfixed (?:by|in)\b|\bwhat fixed\b|\b(?:fixed|closed|merged)(?= ?\?)",
    r"\bwhich commit (?:fixed|closed|resolved)\b",
    "修复了(?:吗|没|么)|修了(?:吗|没)|修好|解决了(?:吗|没)|修没修|关闭了|关了|还开着|状态",
    "哪个(?:版本|release)|哪个提交修|被.{0,12}修复|进展|合入了(?:吗|没)|合并了(?:吗|没)|是否",
)
EXPLAIN = any_of(
    r"\bwhat (?:does|did|do|is|was)\b|\bexplain\b|\bdescribe\b|\btell me about\b|\bwhat'?s in\b",
    r"\bsummari[sz]e\b|\babout\b",
    "做了什么|干了什么|干嘛|是什么|讲讲|解释|说明|介绍|内容|改了(?:什么|啥)|干什么",
)
DOES = any_of(
    r"\bwhat (?:does|did|do)\b.{1,60}\b(?:do|change|fix|add)\b|\bwhat(?:'s| is| was) .{1,40}\babout\b",
    "做了什么|干了什么|干嘛|干什么|做什么|改了(?:什么|啥)",
)
"""It is asked what a change does, whatever else is."""
SUCCESSOR = any_of(
    r"\b(?:what|which)\b.{0,30}\b(?:replac|supersed)\w*|\breplaced? (?:by|with)\b|\b(?:use|set|pass) instead\b",
    r"\binstead\?",
    "替代|取代|换成(?:了)?(?:啥|什么|哪)|改用(?:啥|什么|哪)|用(?:啥|什么)代替|现在(?:该)?用(?:啥|什么)",
)
"""It is asked what came for something that went."""
ANY_CASE = any_of(
    r"\(?\b(?:case[- ]insensitiv\w*|in (?:any|either) case|ignoring case|whatever the case)\b\)?",
    r"[(（]?(?:不区分|不分|忽略)大小写[)）]?|[(（]?大小写(?:不论|不限|不分|都算|均可|无关)[)）]?",
)
"""How names are compared, which is so anyway."""
FATE = any_of(
    r"\bwhere d(?:id|oes) .{1,40} (?:stand|end up)\b|\bhow did .{1,60} end\b|\bend(?:ed)? up\b",
    r"\bdid .{1,60} (?:last|stick|survive|stay)\b",
    r"\bcalled now\b|\bstill (?:there|in|around|on (?:main|master|trunk|head))\b",
    r"\btrace\b|\bhistory of\b|\bstill exists?\b",
    r"\bover time\b|\bfull story\b|\bfrom birth\b|\blife ?cycle\b",
    "现在叫什么|还有没有|还在不在|来龙去脉|历史|历程|还在(?:吗|主干|主分支|main)|还存在|变迁|演变",
    r"\bwhat (?:happened|became|has become|ever happened)\b|\bfate\b|\bwhere did .{1,60} go\b",
    r"\bcome back\b|\bcame back\b|\bre-?land|\b(?:is there|got|any|has) (?:\w+ )?(?:replacement|successor)\b",
    "怎么样了|后来|下场|命运|去哪|怎么回事|最后怎么|重新合入|恢复了(?:吗|没)",
)
SUMMARY = any_of(
    r"\bsummar\w+|\boverview\b|\bhighlights?\b|\bdigest\b|\bwhat happened\b|\bwhat'?s new\b|\brecap\b",
    r"\bcatch me up\b|\bworth knowing\b|\bimportant\b|\bneed to know\b",
    "总结|概括|概述|汇总|有什么新|发生了什么|重要|值得关注|要点|动态|梳理",
)
BROKE = any_of(
    r"\bbreaking\b|\bbroke\b|\bbreaks?\b|\bincompatib\w*|\bwatch out\b",
    r"\bupgrad(?:e|ing)\b.{0,60}\b(?:(?:from|to)\b|safe|careful|break)",
    "破坏性|不兼容|升级.{0,30}(?:注意|影响|破坏|坏|问题)|会不会挂|要注意什么|breaking",
)
UPGRADE = any_of(
    r"\b(?:check|know|do|change|adapt|prepare|consider|expect|mind|note|test|verify|review|be (?:aware|careful)(?: of)?"
    r"|(?:look|watch)(?: out)?(?: for)?) (?:before|when|if|for|after) (?:\w+ ){0,3}?upgrad\w+",
    r"\bsafe (?:for \w+ )?to upgrade\b",
    r"\b(?:check|know|watch|verify|review)\b(?= .{1,60}\b(?:before|when|if) (?:\w+ ){0,3}?upgrad)",
)
"""Somebody is about to upgrade, and asks what to watch."""
BREAKS = any_of(r"\bbr(?:eaking|oke|eaks?|oken)\b|\bincompatib\w*", "破坏性|不兼容|会不会挂|breaking")
"""Of what users must adapt to, that something broke: what to watch in an upgrade is whatever changed."""
BEYOND = any_of(
    r"\b(?:best|worst|highest|better|worse|cleanest|ugliest)[- ](?:quality|code|engineer|developer|written)\b",
    r"\bquality of\b|\bhow good\b|\bwell[- ]written\b|\bmost (?:talented|productive|elegant|impressive)\b",
    "质量(?:最|更|怎么样|如何|好|高|差)|最(?:好|差|优雅|厉害|靠谱)|水平(?:最|怎么样|如何)|写得(?:最|怎么样|好)",
    r"\bshould (?:i|we)\b(?! (?:\w+ly |also |now )?(?:look out|watch|know|be (?:aware|careful)|beware|expect|mind|note"
    r"|check|adapt|adjust|prepare|take care|keep in mind|pay attention|worry about)\b)"
    r"(?! (?:use|pass|set|write|call|import|do) (?:it |them )?(?:instead|now)\b)",
    r"\bwould you\b|\bdo you (?:think|recommend)\b|\brecommend\b|\bbetter\b",
    r"\bbest\b|\ba (?:good|bad|sane|safe|reasonable) (?:default|idea|value|choice|design|decision)\b|\bopinion\b",
    r"\bworth (?:it|upgrading|using)\b",
    r"\bwill (?:be|it|they|there|the|you|we)\b|\b(?:is|are) going to\b",
    r"\bnext (?:release|version|week|month)\b|\bplans? (?:to|for)\b|\broadmap\b|\beta\b",
    r"\bpredict (?:when|whether|if|how)\b",
    r"\bdo people\b|\bhappy\b",
    r"\bwhich (?:one |of [\w ]{1,20})?(?:is|are|runs?|performs?) (?:the )?(?:fast|slow|quick|stabl|cheap)\w*",
    "(?:哪个|哪一个|谁|哪家)(?:更|最|比较)?(?:快|慢|稳定|成熟|流行|省|强)",
    r"\bhow (?:much|many times)? ?(?:faster|slower)\b|\bhow fast\b|\bthroughput\b.{0,30}\bhow\b",
    r"\bspeed-?up\b.{0,40}\b(?:percent|how|%)|\bhow much (?:memory|speed|time|latency|throughput)\b",
    r"\bhow long (?:did|does|will) .{0,40}\btake\b|\bhow much did\b.{0,40}\b(?:improve|save|gain)\b",
    r"\b(?:p\d\d|ttft|tpot|latency|throughput)\b.{0,40}\b(?:after|before|now|is|was)\b",
    r"\bwhat(?:\'s| is| was| are) the .{0,20}\b(?:p\d\d|ttft|latency|throughput|speedup)\b",
    r"\btok(?:ens?)?/s\b|\bhow many (?:tok\w*|gb|mb|ms|percent|%)|\bsalary|\bcompany\b|\bweather\b",
    r"\bdownloads?\b|\bstars\b|\breview(?:er|ed|s|ers)?\b|\bapprov(?:ed?|es|er|ers|al|als)\b|\bsigned? off\b",
    r"\blgtm\b",
    r"\b(?:which|what|whose|the|name of the) (?:customer|client|company|companies|vendor|user)s?\b",
    "审核|审阅|评审|批准|点的? ?approve|reviewer|哪家|哪几家|多少家|客户",
    "应该(?:用|选|升|不)|该不该|要不要|推荐|建议(?:吗|升级|用)|更好|哪个好|你觉得|你认为|值得升",
    "(?<![在认前还])会不会(?!.{0,6}挂)|将会|打算|计划|下个(?:版本|月)|下周|未来|什么时候(?:会|能|才)(?!.*的[?？。]?$)|觉得|认为|合适",
    "预计|路线图|(?:TTFT|延迟|吞吐|显存|耗时).{0,10}(?:多少|几)|快了多少|提升了?多少|快多少|慢多少",
    "省了?多少|性能(?:提升|提高)?(?:了)?多少|吞吐.{0,8}多少|多少(?:倍|百分)|满意|开心|公司|工资|天气",
    "下载量|星标",
)
OFTEN = any_of(r"\bhow (?:often|many times)\b|\bnumber of times\b", "[几多]少?(?:次|回|遍)|几度")
SECOND = any_of(r"\b(?:second|third|fourth) time\b|\bonce more\b|\btwice\b", "第[二三四]次|又一次|再一次")
MERGER = any_of(
    r"\bwho (?:\w+ ){0,2}(?:merged?|the merge)\b|\bmerged by (?:who|whom)\b|\bmerger\b", "谁(?:来)?合(?:的|并|入|进)"
)
ORIGIN = any_of(
    r"\bcherry[- ]?pick\w*|\bback-?port\w*|\bpicked from\b|\bcame? in with\b|\bbrought in\b|\bmerged from\b",
    "cherry|摘(?:取|自|过来)|从哪个(?:提交|分支)|带(?:进|来)了(?:什么|哪些)|合进来|并进来",
)
PINS = any_of(
    r"\b(?:pin(?:s|ned)?|depends? on|uses?|requires?|(?:is|are) on)\b|\bup(?:graded?|dated?) to\b|\bbump\w*",
    "升到|升级到|依赖|用的(?:是)?|锁(?:定|在)|跟上|钉",
)
EACH = any_of(
    r"\beach of (?:the|these|those|them)\b|\bin each\b|\brespectively\b|\bboth (?:of them|projects|repos\w*|engines)\b",
    r"\bdid (?:each|both)\b|\beach (?:project|repo|repository|engine)\b|\bon both sides\b",
    "各自|分别|两边|两个(?:项目|仓库|引擎)|两家|各(?:是|有|加|支持)",
)
"""The same is asked of several repositories, each by itself."""
PROJECTS = any_of(r"\b(?:projects|repos|repositories|engines)\b|\bon both sides\b", "两边|项目|仓库|引擎|两家")
MOVED_TO = any_of(
    r"\b(?:what|which) version of\b",
    r"\b(?:what|which) [\w.-]+ version\b.{0,40}\b(?:use|pin|need|require|on|at|now)\w*\b",
    "(?:升级?|更新|跟|用)?到(?:了)?\\s*(?:哪个|什么|哪一个)\\s*版本|(?:用的?|各|分别)是?\\s*(?:哪个|什么)\\s*版本|(?:依赖|锁|钉)的?.{0,30}(?:哪个|什么)版本",
)
WITHOUT = re.compile(
    r"(?:不算|不包括|不包含|不含|不计|(?<![移删清去拆剔])除了|除去|除开|排除)\s*(?P<zh>[^，。？！,?!;；]+?)(?:以外|之外|外)?(?=[，。？！,?!;；]|$)"
    r"|\b(?:excluding|except(?: for)?|not counting|(?:do not|don't) (?:count|include)|not including|ignoring|other than"
    r"|apart from|leaving out)\s+"
    r"(?:the\s+)?(?P<en>[^,?.;]+)|\(not\s+(?P<aside>[^)]+)\)",
    re.IGNORECASE,
)
BEGINNING = re.compile(
    r"\b(?:titles?|subjects?|messages?)\b.{0,20}?\b(?:start|begin)\w*\s+(?:with|by)\s+(?:the\s+)?(?:word\s+|prefix\s+)?"
    r"[`'\"]?(?P<en>\[?[\w-]+\]?)|(?:标题|提交)?.{0,4}以\s*[`'\"“]?(?P<zh>\[?(?!--)[\w-]+?(?<!_)\]?)[`'\"”]?\s*(?:开头|打头)",
    re.IGNORECASE | re.ASCII,
)
"""What titles are to begin with."""
COURSE = any_of(
    r"\b(?:values?|settings?|names?|versions?) (?:has|have|did|had) .{1,60}(?:had|taken|have|go(?:ne)? through|gone)\b",
    r"\ball the (?:values|names|versions)\b|\bback and forth\b|\bhow (?:has|did) .{1,60} (?:evolved?|changed over)\b",
    r"\bevery (?:time|change) .{0,60}(?:chang|set|touch|made)\w*",
    "经过|过程|始末|从(?:加入|引入|新增|出现).{0,4}到|取过(?:哪些|什么)|都(?:改|取|变|叫|用)过|来回|反复|哪些值|几经|改来改去|一路|从.{1,12}到现在",
)
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？?])")
ONE_PART = re.compile(r"(?<![\w/.])\[?\d{1,2}/[nN\d]{1,2}\]?(?![\w/])")
SERIES = any_of(
    r"\bseries\b|\bmulti-?part\b|\[[a-z]/n\]|(?<![\w/])[xnki]/n(?![\w/])|\bnumbered (?:prs?|commits?|parts)\b",
    "系列|分几部分",
)
FIRST = any_of(r"\bfirst\b|\bearliest\b|\boriginally\b|\binitially\b", "最早|首次|第一次|最初|最先")
LAST = any_of(
    r"\blast (?:time|commit|change|touched)\b|\blatest\b|\bmost recent\w*\b|\blastly\b|\bnewest\b",
    "最后一次|最新|最近一次|最近的一|最晚|上一次|上次",
)
FOLLOWS = any_of(
    r"\b(?:it|its|those|them|these)\b|\bthe same (?:commit|author|person|pr)\b",
    r"\bthat (?:commit|change|pr|issue|one|fix|flag|release)\b|\bthis (?:commit|change|pr|issue|one|fix)\b",
    "它|那个(?:提交|改动|commit|pr|issue|议题|问题|参数)?|这个(?:提交|改动|commit|pr|issue|议题|问题)",
    "该(?:提交|改动|议题|问题|pr)|他|她|上面|刚才|刚刚",
)
