"""Big words: fixed, breaking, security, faster; each only with a link, a fact, or words of the evidence that say so."""

import re

from agent.claims import Judgement
from agent.domain import Issue
from agent.evidence import ThreadEvidence
from agent.facts import FactKind, Severity
from agent.gate.direction import Direction
from agent.gate.reading import Reading, undecided, unsupported
from agent.ids import ThreadId

_FIXED = re.compile(
    r"\b(?:bug|fix|hotfix|resolv|correct|repair|restor|address|prevent|avoid|regress|patch|solv|workaround|guard|"
    r"crash|fail|broke|wrong|handle|mypy|typo|stabili)|修复|修正|解决",
    re.IGNORECASE,
)
_OTHER_USES = ("resolv", "address", "correct", "solv")
_BREAKING_SAID = re.compile(r"\bbreak(?:s|ing)?\b|incompat|backward|BC-break|不兼容|破坏性", re.IGNORECASE)
_BREAKING = re.compile(r"\bbreaking\b|\bincompatib|破坏性|不兼容", re.IGNORECASE)
_SECURITY_SAID = re.compile(
    r"secur|vulnerab|\bCVE\b|exploit|injection|sanitiz|denial|malicious|attack|untrusted|安全|漏洞", re.IGNORECASE
)
_SECURITY = re.compile(
    r"\bsecurity\b|vulnerab|\bCVE\b|\bexploit|安全漏洞|安全问题|安全风险|安全隐患|漏洞|安全修复|安全性", re.IGNORECASE
)
_FAST_SAID = re.compile(
    r"perf|fast|speed|optimi|latenc|throughput|accelerat|overhead|effici|slow|reduc|tok/s|ttft|tpot|bench|improv|"
    r"性能|加速|提速|提升|优化",
    re.IGNORECASE,
)
_FAST = re.compile(
    r"\bperformance\b|\bfaster\b|\bspeed(?:s|ed|ing)?[ -]?ups?\b|\bthroughput\b|\blatency\b|\bspeeds up\b|\bquicker\b|"
    r"性能|更快|加速|提速|吞吐|延迟更低|耗时",
    re.IGNORECASE,
)
_TWICE = re.compile(r"\b(?:twice|doubl\w+|halv\w+)\b|[一两1] ?倍|翻倍|减半|一半", re.IGNORECASE)
_TWICE_SAID = re.compile(
    r"twice|doubl|halv|\bhalf\b|\b[12](?:\.0+)? ?[x×]|(?:50|100|200) ?%|倍|减半|一半", re.IGNORECASE
)
_REVERT = re.compile(
    r"revert|roll(?:ed|s|ing)?[ -]?back|back(?:ed|s)? out|undone|undo|回退(?![到至])|回滚|撤销|还原|撤回|被退回",
    re.IGNORECASE,
)
_NOT_REVERTED = re.compile(
    r"(?:not|never|n't)\s+(?:been\s+)?(?:reverted|undone|rolled)|(?:未|没有|没)被?(?:回退|回滚|撤销|还原|撤回)"
)


_HARM = r"(?:also |will |then )?(?:introduc|caus|break|broke|fail|crash|regress|trigger|lead|result|no longer allow)"
_HARM_ZH = r"(?:会|也|将|又)?(?:引入|导致|造成|破坏|触发|引发|不再允许|使得)"
_BLAMED = re.compile(
    rf"\b(?:the|this) (?:revert|reversal|reversion|roll-?back|commit|patch)(?: commit| itself)? {_HARM}"
    rf"|(?:回退|回滚|撤销|还原|该提交|此提交|本提交|这个提交)(?:提交|操作|本身)?{_HARM_ZH}",
    re.IGNORECASE,
)


def check_blamed(reading: Reading) -> Judgement | None:
    """Refuse to lay to a revert what it was made for: it is the undone change that broke something."""
    undoes = any(fact.kind is FactKind.REVERT for fact in reading.ground.facts)
    if not undoes or not _BLAMED.search(reading.sentence.text):
        return None
    if any(_BLAMED.search(line) for line in reading.ground.said):
        return None
    return undecided("blamed", "what the undone change did is not what the revert does")


def check_reverted(reading: Reading) -> Judgement | None:
    """Demand that a change that was undone is told as undone, or not at all."""
    text = " ".join(reading.claim.text.get(reading.lang, "").split())
    for evidence in reading.ground.evidence:
        if _is_undone(evidence.id, reading, 0) and (not _REVERT.search(text) or _NOT_REVERTED.search(text)):
            by = reading.dossier.reverted[evidence.id]
            return unsupported("reverted", f"{evidence.id} was undone by {by}, which the text does not say")
    return None


def _is_undone(evidence: str, reading: Reading, depth: int) -> bool:
    """Follow who undid whom: a revert that was itself reverted leaves the change in place."""
    by = reading.dossier.reverted.get(evidence)
    return by is not None and (depth > 9 or not _is_undone(by, reading, depth + 1))


def check_fixed(reading: Reading) -> Judgement | None:
    """Say fixed of an issue only with a link that allows it, and of a commit only if its words do."""
    words = [act.word for act in reading.acts if act.direction is Direction.FIX and not act.negated]
    if not words:
        return None
    issues = [
        one for one in reading.ground.evidence if isinstance(one, ThreadEvidence) and isinstance(one.thread, Issue)
    ]
    for issue in issues:
        links = reading.dossier.links_of(ThreadId(issue.id))
        if not any(link.may_read_fixed for link in links):
            return unsupported("fixed", f"no link of grade A or B says that {issue.id} was fixed")
        changes = {one.id for one in reading.ground.evidence if one not in issues}
        if changes and not any(link.may_read_fixed and link.change in changes for link in links):
            return undecided("fixed", f"{issue.id} is linked to another change than the one cited")
    if issues or _FIXED.search(reading.ground.spoken):
        return None
    # Paths are resolved and requests addressed without anything having been broken.
    if all(word.startswith(_OTHER_USES) and reading.ground.words.has(word) for word in words):
        return None
    return undecided("fixed", "nobody says in words that something was fixed")


def check_effects(reading: Reading) -> Judgement | None:
    """Demand a fact or words that say so for breaking, security and performance."""
    text, spoken = reading.sentence.text, reading.ground.spoken
    facts = reading.ground.facts
    breaks = _BREAKING_SAID.search(reading.ground.text) or any(fact.severity is Severity.BREAKING for fact in facts)
    if _BREAKING.search(text) and not breaks:
        return unsupported("breaking", "no fact and no word of the evidence says that something breaks")
    if _SECURITY.search(text) and not _SECURITY_SAID.search(spoken):
        return unsupported("security", "nothing in the evidence speaks of security")
    if _FAST.search(text) and not _FAST_SAID.search(spoken):
        remarks = " ".join(reading.ground.remarks)
        told = _FAST_SAID.search(remarks) or _FAST_SAID.search(" ".join(reading.ground.paths))
        verdict = undecided if told else unsupported
        return verdict("performance", "nothing in the evidence says that it became faster")
    if _FAST.search(text) and _TWICE.search(text) and not _TWICE_SAID.search(spoken):
        return undecided("performance", "nothing in the evidence says that it became twice as fast")
    return None
