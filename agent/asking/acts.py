"""The words for what was done to something, in questions and in titles, and what a question takes for granted of it."""

import re
from collections.abc import Mapping

from agent.asking.inquiry import Act
from agent.asking.lexicon import any_of

ACTS: Mapping[Act, re.Pattern[str]] = {
    Act.RELANDED: any_of(
        r"\bre-?land\w*|\bre-?appl(?:y|ied)\b",
        r"\b(?:c[ao]m(?:e|es|ing)|get|got|put) (?:\w+ )?back\b|\bbr(?:ing|ings|ought) (?:[\w¦-]+ ){0,4}back\b",
        r"\bis (?:it|that|this) back\b|\bback in\b|\bred(?:o|one|id)\b|\bre-?(?:introduc|instat|enabl|add)\w*",
        r"\bresurrect\w*",
        r"\b(?:land|merge|go|went)(?:ed|d|es|s)? (?:in )?again\b|\b(?:second|another) (?:attempt|try)\b",
        r"\brestor(?:e|ed|ing)\b",
        "重做|回来了|重新(?:合|落地|加|引入|提交|打开)|再次?合[入并回]|又合[入回并]|又(?:加|恢复|做|上)|合回来?|加回|恢复|再合",
    ),
    Act.REVERTED: any_of(
        r"\brevert\w*|\bback(?:ed|ing)? (?:it |this |that |them )?out\b",
        r"\broll(?:ed|ing|s)? (?:it |this |that )?back\b",
        r"\bundo(?:ne|ing|es)?\b|\bundid\b|\brollback\b|\bbackout\b",
        "回退|撤销|回滚|还原|撤回|撤掉|撤了|被撤|后撤|又撤|撤(?=[，,。;；])",
    ),
    Act.RENAMED: any_of(
        r"\brenam\w*|\bnew name\b|\bcall(?:ed)? (?:it )?(?:instead|now)\b|\bgo(?:es)? by\b|\bnow (?:called|named)\b",
        r"\b(?:use|call|pass|set) instead\b|\bnew spelling\b|\bname(?:d)? now\b",
        "改名|重命名|更名|换(?:了|回)?(?:原|旧|新)?名|改叫|改回原名|现在叫|新名字|叫什么",
    ),
    Act.MOVED: any_of(
        r"\bmov(?:ed|e|ing)(?: ¦)? (?:to|from|into)\b|\brelocat\w*|\bwhere did .{1,60} (?:go|move)\b",
        "移到|移动到|挪到|搬到|迁到|搬(?:哪|去|走)",
    ),
    Act.DEPRECATED: any_of(r"\bdeprecat\w*", "弃用|废弃"),
    Act.REMOVED: any_of(
        r"\bremov\w*|\bdelet\w*|\bdropp?(?:ed|ing|s)?\b(?! (?:to|from) \d)",
        r"\bempt(?:y|ied)\b|\b(?:got|get|getting) rid\b",
        r"\bgone\b(?! (?:in|into|through|up|down|from|live)\b)",
        r"\bdisappear\w*|\bvanish\w*|\bgo away\b|\bwent away\b|\bkill(?:ed|s|ing)?\b",
        r"\bt(?:ook|aken?|ake) .{1,60}\bout\b",
        r"\bpull(?! requests?\b)(?! #?\d)(?=.{0,40}\bout\b)|\bpulled(?=.{0,40}\b(?:out|from)\b)",
        r"\bripp?(?:ed)? .{0,60}out\b",
        r"\bax(?:ed?|ing)\b",
        r"\bretir(?:ed?|ing)\b|\bnuk(?:ed?|ing)\b|\byank(?:ed)?\b|\bditch(?:ed)?\b|\bscrap(?:ped)?\b",
        r"\bpurg(?:ed?|ing)\b",
        r"\bclean(?:ed|s)? (?:up|out)\b|\bstrip(?:ped|s)?\b|\beliminat\w*|\bdiscontinu\w*|\bdead code\b",
        r"\bno longer\b|\bstop(?:ped|s)? (?:reading|using|supporting|accepting|shipping)\b"
        r"|\bstop(?:ped|s)? being (?:read|used|supported|accepted|shipped)\b",
        "不再(?:读|用|支持|需要|接受|使用)",
        "删除|删掉|删了|删的|删过|移除|去掉|去除|拿掉|不见|没了|砍掉|砍了|清理掉|清掉|清除|剔除|干掉|(?<!多)少了|删 ?¦",
        "清空|空了",
    ),
    Act.BUMPED: any_of(
        r"\bbump\w*|\bupgrad\w*|\bpinn?(?:ed|s)?\b|\bmoved?(?: ¦)? to\b|\bupdat\w+ to\b",
        "升级|升到|升至|升了|升过|更新到|抬到|抬高到|提升到|换到",
    ),
    Act.RAISED: any_of(
        r"\brais(?:e|ed|ing)\b|\bincreas\w*|\bbump(?:ed)? up\b|\bhigher\b|\blarger\b|\bgrew\b|\bboost\w*|\bwiden\w*",
        r"\b(?:go|goes|gone|went|going) up\b|\bdoubl(?:ed?|ing)\b|\blift(?:ed)? (?:to|from)\b|\benlarg\w*",
        r"加到(?=了?\s*\d)|升回|涨到|提高|调高|增大|调大|上调|提升到|变大|放宽|拉高|翻倍",
    ),
    Act.LOWERED: any_of(
        r"\b(?:go|goes|gone|went|going|t(?:ake|ook)) down\b|\bdrop(?:ped|s)? (?:to|from)(?= \d)|\bdowngrad\w*",
        r"\bhalv(?:ed?|ing)\b",
        r"\blower\w*|\breduc\w*|\bdecreas\w*|\bshr[aiu]nk\w*|\bcut (?:to|from|back|down)\b|\bsmaller\b|\btighten\w*",
        "降低|降回|降到|降级|降为|调低|减小|调小|下调|变小|缩小|收紧|退回|退到|减半",
    ),
    Act.ENABLED: any_of(
        r"\benabl\w*|\bactivat(?:e|ed|es|ing)\b|\b(?:turn|switch)(?:ed|s|ing)?(?: \w+)? on\b|\bopt(?:ed)?[- ]in\b",
        r"\bon by default\b",
        "启用|开启|打开|激活|默认开",
    ),
    Act.DISABLED: any_of(
        r"\bdisabl\w*|\bdeactivat\w*|\b(?:turn|switch|shut)(?:ed|s|ing)?(?: \w+){0,3} off\b|\boff by default\b",
        "禁用|停用|关闭|关掉|关了|屏蔽|默认关",
    ),
    Act.FIXED: any_of(
        r"\brepair\w*|\bmend(?:ed)?\b|\bbug-?fix\w*|\bfix(?:ed|es|ing)?\b|\bresolv\w*|\bsolved?\b",
        r"\baddress(?:ed|es)\b|\bclosed?\b|\bpatch(?:ed|ing)\b",
        "修复|修好|修掉|修了|修的|谁修|解决|修没修",
    ),
    Act.ADDED: any_of(
        r"\badd(?:ed|s|ing)?\b|\bintroduc\w*|(?<!/)\bnew\b(?! (?:value|name|default|limit|version|number|one|and)|/)",
        r"\bland(?:ed)? support\b|\bsupport(?:ed)? added\b|\bgain(?:ed)?\b",
        "新增|增加|添加|加入|加了|加的|加过|引入|新加|加上|加进|多了|加(?:到|进|给)? ?¦",
    ),
    Act.BROKEN: any_of(
        r"\bbr(?:eak|oke|oken|eaking|eaks|eakage)\b|\bincompatib\w*", "破坏性|不兼容|breaking|弄坏|搞坏|挂了"
    ),
    Act.CHANGED: any_of(
        r"\bchang\w*|\balter\w*|\badjust\w*|\btweak\w*|\bamend\w*|\bswitch\w*|\bmodif\w*|\bdifferent\b",
        r"\bupdat\w*|\btouch\w*|\bset to\b|\bbec[ao]me\b",
        "改动|改了|改成|改为|变更|变化|变成|变为|修改|调整|更新|动过|碰过|换成|改的|改过|改回|换回|调回",
    ),
}
"""In the order in which they are looked for; several may hold."""

SYMPTOM = any_of(
    r"\bstop(?:s|ped)? working\b|\b(?:fails?|failing|broken|breaks?|errors?|unknown|unrecogni[sz]ed|rejected)\b",
    "报错|失效|不生效|用不了|不能用|跑不起来|起不来|不认",
)
"""What somebody meets who does not know what was done."""
_WONDERING = any_of(
    r"\bwhere (?:did|has|is) .{1,60} (?:go|gone|move|moved)\b|\bwent missing\b",
    "去哪|到哪里?去|哪里去了",
)
_DESCRIBING = any_of(r"\bno longer\b|\bnot .{0,20}any ?more\b", "不再")
UPGRADING = any_of(
    r"\b(?:after|since|when|once|before|while|upon|following) (?:(?:i|we|you|the|an?|my|our|last|latest|recent) ){0,2}"
    r"(?:upgrad\w+|updat\w+|bump\w+|mov(?:ed|ing) to)",
    "(?:升级|升到|更新|换到)[^，,。;；?？]{0,40}?(?:之后|以后|后(?!来)|之前|以前|前(?![缀端面沿])|时(?!间))",
)
"""Somebody's own upgrade: when something was met, and not what was done to what is asked about."""
_CIRCUMSTANCE = any_of(
    UPGRADING.pattern,
    r"\bif\b[^,.;?]*|\bhow (?:do|can|could|should|would) (?:i|we|you|one)\b[^,.;?]*",
    r"\bdeprecat\w* (?:warning|notice)s?\b",
    "如果[^，,。;；?？]*|(?:怎么|如何)(?:加|设|配|改|用)[^，,。;；?？]*|(?<!上)报[^，,。;；?？]{0,30}(?:警告|错误|错)",
)
"""When or on which condition something is: not what is said to have been done to what is asked about."""


_ASKED_FOR = any_of(
    "(?:新增|增加|添加|加入|加|删|改|启用|禁用)(?:了|过)?(?:什么|哪些|哪个|哪种|几个)",
    r"\bstill (?:\w+ ){0,2}(?:dis|en)abled\b|还(?:是|被)?(?:默认)?(?:禁用|关闭|启用|开启)",
    r"(?:才|才会|才能|需要|要)\s*(?:enable|disable|启用|开启|打开|关闭|禁用)(?![a-z])",
)
"""What was added to something, or when something is on, is asked for: neither says what was done to it."""
_YES_OR_NO = any_of(
    r"(?:^|[,;:.]\s*)(?:(?:and|so|but) )?(?:is|was|are|were|has|have|did|does)\b", "[吗么没](?=[?？,，。]|$)"
)
_POSSIBLE = any_of(
    r"\bcan (?:i|we|you|one)\b|\bis it possible\b|\bam i able\b", "能不能|能否|可不可以|可以.{1,30}[吗么]"
)
"""Who asks whether something can be done says nothing of what was done."""


_NEW = re.compile(r"\bnew\b", re.IGNORECASE)
"""What is called new may be new to who asks: a new image, new weights."""


def takes_for_granted(act: Act, text: str, *, named: bool) -> bool:
    """Tell whether a question says that an act happened, and does not only wonder, or describe what is not done now."""
    if (act in (Act.RELANDED, Act.FIXED) and _YES_OR_NO.search(text)) or _POSSIBLE.search(text):
        return False
    text = _NEW.sub(" ", text) if act is Act.ADDED else text
    rest = _ASKED_FOR.sub(" ", _CIRCUMSTANCE.sub(" ", _WONDERING.sub(" ", text)))
    return bool(ACTS[act].search(rest if named else _DESCRIBING.sub(" ", rest)))


ENTITLED: Mapping[Act, re.Pattern[str]] = {
    **ACTS,
    Act.BUMPED: any_of(
        ACTS[Act.BUMPED].pattern, r"\b(?:updat|mov|switch|migrat|chang|us|relax|requir)\w*", "更新|换成|改用|切换"
    ),
    Act.MOVED: any_of(
        r"\bmov(?:e|ed|es|ing)\b|\brelocat\w*|\bmigrat\w*|\bport(?:ed|s)?\b", "移到|移动|挪到|搬到|迁移|迁到"
    ),
    Act.REMOVED: any_of(
        ACTS[Act.REMOVED].pattern, r"\breplac\w*|\b(?:migrat|switch)\w* from\b|\bavoid\w*|\bskip\w*", "替换|避免|跳过"
    ),
    Act.ENABLED: any_of(
        r"\b(?:enabl|activat|allow|support|add|introduc|us|default|unskip|set)\w*|\bturn\w* on\b|\bon\b",
        "启用|开启|打开|支持|默认|使用",
    ),
    Act.DISABLED: any_of(
        r"\b(?:disabl|deactivat|skip|avoid|remov|filter|exclud|suppress|block|opt)\w*|\bturn\w* off\b|\boff\b|\bno\b",
        "禁用|停用|关闭|关掉|跳过|屏蔽|移除",
    ),
    Act.ADDED: any_of(
        r"\b(?:add|support|enabl|introduc|implement|creat)\w*|\bnew\b|\bfeat\w*", "新增|支持|增加|添加|引入|实现"
    ),
}
"""How titles call what was done; they say less than questions do."""
