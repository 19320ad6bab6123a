"""The words, Chinese and English, by which reports label their parts, columns and attributes."""

import re

_PARTS = re.IGNORECASE


def _any(*words: str) -> re.Pattern[str]:
    return re.compile("|".join(words), _PARTS)


def plain(text: str) -> str:
    """Give words without the dashes, spaces and quotes that look like others."""
    return text.translate(_LOOKS)


# What models write for a hyphen, a space and a minus.
_LOOKS = {ord(char): "-" for char in "\u2010\u2011\u2012\u2013\u2014\u2212\uff0d"} | {
    ord(char): " " for char in "\u00a0\u2002\u2003\u2007\u2009\u202f\u3000"
}

COMMIT_COLUMN = re.compile(r"^(?:提交(?:哈希|号|\s*id)?|sha|hash|commits?(?:\s*(?:sha|hash|id))?|哈希|版本号)$", _PARTS)
PULL_COLUMN = re.compile(r"^(?:pr|pull(?:\s*requests?)?|prs|合并请求|拉取请求)$", _PARTS)
ISSUE_COLUMN = re.compile(r"^(?:issues?|编号|#|number|no\.?|工单)$", _PARTS)
TITLE_COLUMN = re.compile(
    r"^(?:提交信息|提交说明|标题|title|subject|message|commit message|change|变更|commit title)$", _PARTS
)
AUTHOR_COLUMN = re.compile(r"^(?:作者|提交者|author|authors|by|committer|contributor|who|贡献者|提交人)$", _PARTS)
DATE_COLUMN = re.compile(
    r"^(?:(?:提交|合入|合并|落地|创建|发布)?(?:时间|日期)|落地|合入"
    r"|(?:(?:commit(?:ted)?|author(?:ed)?|merged?|landing)\s*)?(?:date|time|timestamp)"
    r"|when|landed|created|opened|merged|committed)(?:\s+(?:on|at))?(?:\s*[(（][^()（）]*[)）]|\s+utc)?$",
    _PARTS,
)
PATH_COLUMN = re.compile(
    r"^(?:关键文件.*|(?:涉及|受影响|修改|改动|变更|主要)?文件|files?|paths?|changed files?|key files?|files changed)$",
    _PARTS,
)
FILES_COLUMN = re.compile(r"^(?:文件数?|files?|files changed|changed files|文件数量)$", _PARTS)
LINES_COLUMN = re.compile(
    r"^(?:行数|变更行数|lines?|diff|\+/[-−–]|stats?|changes|增删|代码行|lines changed|统计"
    r"|size|规模|改动量|变更量|diff ?stat)$",
    _PARTS,
)
ADDED_COLUMN = re.compile(r"^(?:\+|additions?|added|新增(?:行数)?|insertions?|增加|lines added)$", _PARTS)
DELETED_COLUMN = re.compile(
    r"^(?:[-−–]|deletions?|deleted|removed|删除(?:行数)?|减少|lines (?:deleted|removed))$", _PARTS
)
REPO_COLUMN = re.compile(r"^(?:repo|repository|project|仓库|项目|代码库)$", _PARTS)
# A column that describes what a change does.
TOLD_COLUMN = re.compile(
    r"^(?:主要内容|要点|变更(?:概览|内容|说明|摘要)?|改动(?:内容|说明)?|内容|说明|描述|摘要|简介|概述|关键(?:变更|改动)"
    r"|changes?|descriptions?|summary|what|details?|notes?|contents?|what changed|highlights?)$",
    _PARTS,
)
COMMITS_COLUMN = re.compile(
    r"^(?:提交(?:总)?数(?:量)?|合入数|commits?(?:\s+(?:count|landed|merged))?"
    r"|#\s*(?:of\s+)?commits|number of commits)$",
    _PARTS,
)
OLD_COLUMN = re.compile(
    r"^(?:old(?: value)?|before|from|was|previous(?:ly)?|原值?|旧值?|此前|之前|原来|变更前|修改前|改前)$", _PARTS
)
NEW_COLUMN = re.compile(
    r"^(?:new(?: value)?|after|to|now|current(?:ly)?|新值?|现值?|此后|之后|现在|变更后|修改后|改后)$", _PARTS
)
DEFAULT_COLUMN = re.compile(r"^(?:defaults?(?: value)?|默认值?)$", _PARTS)
TOTAL_ROW = re.compile(r"^\W*(?:合计|总计|总共|共计|total|sum|all|together|overall)\W*$", _PARTS)
STATE_COLUMN = re.compile(r"^(?:state|status|状态)$", _PARTS)

_FILES = (
    r"(?:(?:受影响|影响|涉及|修改|改动|变更|关键|主要|相关)(?:到|了)?(?:的)?)?文件"
    r"|(?:(?:all )?(?:affected|impacted|involved|changed|touched|modified|updated|main|key|relevant)\s)?files?"
    r"(?:\s(?:affected|impacted|involved|changed|touched|modified|updated))?"
)
# What a line about files begins with; a path in it is said to be touched.
FILES_LABEL = re.compile(
    rf"^\W*(?:{_FILES}|文件变更概览|变更|修改|新增|新增测试|删除|重命名|测试"
    r"|touched|touches|changes|modified|modifies|paths?)\W*[:：]",
    _PARTS,
)
TOUCHES = re.compile(
    r"(?:涉及|修改|更新|改动|新增|删除|touch(?:es|ing)?|modif(?:y|ies)|edits?"
    r"|(?<!brings )(?<!pulls )in|updates?|rewrit(?:es|ing)|reworks|refactors|extends|重写|重构)\s*$",
    _PARTS,
)
AUTHOR_LABEL = re.compile(r"(?:作者|提交者|author(?:ed by)?|committed by|contributor)\s*[:：]\s*", _PARTS)
DATE_LABEL = re.compile(
    r"(?:日期|时间|提交时间|创建时间|date|committed|landed|merged|created|opened)(?:\s+(?:on|at))?\s*[:：]\s*", _PARTS
)
DATED_IN_WORDS = re.compile(
    r"(?:(?:提交|合入|合并|落地|发布)于|于(?=\s*20\d\d)|\b(?:landed|merged|committed|authored)\s+(?:on|at))\s*", _PARTS
)
# A line that goes on about what the line before it named.
ATTRIBUTE = re.compile(
    rf"^\W*(?:{_FILES}|受影响模块|作者|变更|说明|关键改动|代码片段|影响"
    r"|issue 内容|author|changes?|details?|note"
    r"|impact|简述|链接|pr|commit|摘要|summary|why|what)\W*[:：已]",
    _PARTS,
)
# "That commit also …": what the entry before it is about.
SAME_CHANGE = re.compile(
    r"^\W*(?:(?:同一|该|此|这(?:一|个|次)|上述)(?:个|次)?(?:提交|改动|变更|PR)"
    r"|(?:that|this|the same) (?:commit|change|PR)\b|its\b)",
    _PARTS,
)
# Headings below one change, which go on about it.
SUBPART = _any(
    "关键实现", "潜在风险", "建议", "影响", "技术", "洞察", "摘要", "细节", "详情", "说明", "背景", "概览",
    "代码", "总结$", "结论",
    r"\bdetails?\b", r"\bimpact\b", r"\brisks?\b", r"\bnotes?\b", r"\bsummary\b", r"\bimplementation\b",
    r"\btesting\b",
    r"\bbackground\b", r"\bwhat changed\b", r"\bwhy\b", r"\bfiles?\b", r"\bcode\b", r"\badvice\b",
)  # fmt: skip
# Headings of a kind of entry, which go on about the repository above them even where their level says otherwise.
ENTRY_KINDS = re.compile(
    r"^\W*(?:\d+[.、]\s*)?(?:提交|代码(?:更新|提交|变更)|issues?|pull requests?|prs?|commits?|releases?"
    r"|发布|合并|讨论|变更|更新"
    r"|bug fixes|fixes|features|changes|what'?s changed|new contributors|.{0,4}重要度变更"
    r"|.{0,3}目录|contents)\W*(?:\(?\d*\)?)\W*$",
    _PARTS,
)
# Parts that are about what might be, not about what was done.
SPECULATIVE = _any(
    "建议", "风险", "关注", "影响(?!范围)", "评估", "性能", "安全", "兼容", "可维护", "洞察", "展望", "总结", "结论",
    "对使用者", "对开发者",
    "advice", "risk", "impact", "recommend", "outlook", "conclusion", "suggest", "todo", "next steps", "how to",
)  # fmt: skip
_ADVICE = (
    "建议", "可以", "若(?!干)", "如果", "考虑", "可能", "需", "请(?!求[头体])", "(?<![对响相适供效反])应(?![用对])",
    "计划", r"\bshould\b", r"\bcould\b", r"\bmight\b", r"\bmay\b", r"\bif\b", r"\bconsider\b", r"\bplan", r"\brequest",
)  # fmt: skip
HEDGED = _any(
    *_ADVICE, "例如", "比如", "（如", r"\(如", "原先", "旧", r"\be\.g\.", r"\bsuch as\b", r"\blike\b", r"\bformerly\b",
    r"\bpreviously\b",
)  # fmt: skip
UNSURE = _any(*_ADVICE)
"""What makes a clause an advice, a guess or a condition; an example and what was before are told as they are."""
FIXED = _any(
    "已.{0,30}修复", "修复了", "解决了", "已解决", "已关闭", "已修正", "修复该",
    r"\bfixed (?:by|in|via|with)\b", r"\bfix(?:es|ed)? #",
    r"\bresolve[sd]?\b", r"\bclose[sd]?\b", r"\bhas been fixed\b", r"\bis (?:now )?fixed\b", "得到修复",
    "修复 ?#", "完成.{0,8}修复",
)  # fmt: skip
NOT_FIXED = _any("未修复", "未关闭", "尚未", "not (?:yet )?(?:fixed|resolved|closed)", "unresolved", "待修复", "仍")
STILL_OPEN = _any("仍未关闭", "尚未关闭", "未关闭", "仍处于打开", "still open", "remains open", "not closed", "is open")
PULL_LABEL = re.compile(r"(?:\bpr\b|pull request|合并请求|拉取请求)\s*[:：#]?\s*$", _PARTS)
COMMIT_LABEL = re.compile(r"(?:\bcommit\b|\bsha\b|提交|哈希)\s*[:：]?\s*$", _PARTS)
ISSUE_LABEL = re.compile(r"\bissue\s*[:：#]?\s*$", _PARTS)
NOTHING_NEW = re.compile(
    r"^\W*(?:昨日|今日|本日|当日|本周)?(?:无|没有|暂无)(?:任何)?(?:更新|提交|变更|代码更新)\W*$"
    r"|^\W*no (?:new )?(?:commits|updates|changes)(?: (?:today|yesterday|this week|landed))?\W*$",
    _PARTS,
)
WEEK_WORDS = _any(
    "本周",
    "这周",
    "上周",
    "周报",
    r"\bthis week\b",
    r"\blast week\b",
    r"\bweekly\b",
    r"\bthe week\b",
    r"past week",
    "一周",
)
DAY_WORDS = _any("今日", "昨日", "本日", "每日", "日报", "当日", r"\btoday\b", r"\byesterday\b", r"\bdaily\b")
ELLIPSIS = re.compile(r"\.{3}|…|省略|\betc\b|\(\.\.\.\)")
