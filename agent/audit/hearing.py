"""Whether the evidence bears out what a sentence of a report tells of a change."""

import re
from collections.abc import Mapping, Sequence

from agent.audit.bundles import bundled_otherwise
from agent.audit.choices import allowed_otherwise
from agent.audit.contradictions import contradicted
from agent.audit.givens import given_otherwise
from agent.audit.limits import overstated
from agent.audit.literals import written_otherwise
from agent.audit.measures import fitting_paths
from agent.audit.misquotes import misquotes, quotes_alike
from agent.audit.naming import pieced
from agent.audit.outcomes import other_outcome
from agent.audit.pairs import turned_round
from agent.audit.paths import is_path
from agent.audit.phrases import numbered_otherwise
from agent.audit.relocations import moved_back
from agent.audit.routes import routed_otherwise
from agent.audit.scores import other_score
from agent.audit.sides import Sides
from agent.audit.statement import RIGHT, Finding, Kind, Statement, told, wrong
from agent.audit.switches import switched_otherwise
from agent.claims import Claim, Judgement, Role, Verdict
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, EvidenceId
from agent.gate.judge import judge
from agent.gate.statements import whole
from agent.settings import Language

_CODE = re.compile(r"`([^`]+)`")
_WILD = re.compile(r"\.x\b|\*|…|\.{3}")
_FLAGS = re.compile(r"--[\w-]+(?:/--[\w-]+)+")
_REVERT = re.compile(r"^(?:\[[^\]]*\]\s*|\w+(?:\([^)]*\))?!?:\s*)*revert\b", re.IGNORECASE)
_UNDOING = re.compile(
    r"revert|roll(?:s|ed|ing)?[ -]?back|back(?:s|ed)? out|undo|restor|remov|delet|\bdrops?\b"
    r"|移除|删除|去掉|回退|回滚|撤销|还原|恢复|撤回",
    re.IGNORECASE,
)
_BRINGING = re.compile(
    r"\b(?:adds?|added|introduc\w+|contribut\w+|implement\w*|new|supports?|brings?|enables?)\b|新增|增加|引入|实现|支持|添加|新功能",
    re.IGNORECASE,
)
# What the author says of it is not what the report says.
_QUOTED = re.compile(r"“[^“”]*”|「[^「」]*」|\"[^\"]*\"")
_KINDS: dict[str, Kind] = {"identifier": "identifier", "path": "path", "authored": "author", "literal": "statistics"}


_MOVING = r"(?:[移迁搬][动移到]?[到至入进]|\b[Mm]ov(?:e[sd]?|ing)\b[^.`]{0,40}(?:`[^`]*` )?(?:in)?to)"
_OWN = ("authored", "path", "dated")
"""What is asked only of the change that a sentence stands with."""
_NAMED = 4
_RULES = (
    contradicted,
    overstated,
    turned_round,
    given_otherwise,
    other_outcome,
    other_score,
    written_otherwise,
    switched_otherwise,
    allowed_otherwise,
    moved_back,
    bundled_otherwise,
    numbered_otherwise,
    routed_otherwise,
)
"""What refutes a sentence by one form of words and one kind of line alone."""


class Hearing:
    """Hears the sentences of one report; only what a rule refutes is called wrong."""

    def __init__(self, dossier: Dossier, lang: Language, around: Mapping[EvidenceId, frozenset[str]]) -> None:
        self._dossier = dossier
        self._lang = lang
        self._around = around
        self._sides = Sides()

    def finding(self, statement: Statement, commits: Sequence[CommitEvidence]) -> Finding | None:
        """Give the verdict; None where no rule decides."""
        text = statement.params["text"]
        above = "above" in statement.params
        why = self._sides.turned(text, commits) or next(filter(None, (rule(text, commits) for rule in _RULES)), "")
        hedged = "hedged" in statement.params
        if why := why or ("" if above or hedged else _feature(text, statement.params["around"], commits)):
            return Finding(statement.line, statement.kind, statement.words, wrong(Verdict.UNSUPPORTED.value), why)
        if hedged:
            # What may be, or was before, need not stand in the diff.
            return None
        if "quoted" in statement.params and misquotes(f"“{text}”", statement.params["around"], commits):
            why = f"its words stand otherwise in {told(commits[0])}"
            return Finding(statement.line, statement.kind, statement.words, wrong(Verdict.QUOTE.value), why)
        judgement = self._judged(text, commits)
        if above and (judgement.check in _OWN or not _is_about(text, commits)):
            return None
        if judgement.passed:
            return Finding(statement.line, statement.kind, statement.words, RIGHT, told(commits[0]))
        if not self._refuted(judgement, statement, commits):
            return None
        kind = _KINDS.get(judgement.check, statement.kind)
        return Finding(statement.line, kind, statement.words, wrong(judgement.verdict.value), judgement.reason)

    def _judged(self, text: str, commits: Sequence[CommitEvidence]) -> Judgement:
        cites = tuple(one.id for one in commits)
        claim = Claim(
            id="audit",
            repo=None,
            role=Role.CHANGE,
            about=cites[:1],
            predicate="says",
            cites=cites,
            text={self._lang: text},
        )
        return judge(claim, self._dossier, self._lang)

    def _refuted(self, judgement: Judgement, statement: Statement, commits: Sequence[CommitEvidence]) -> bool:
        """Tell whether a rule says for sure that the words are wrong; what git alone cannot know is left open."""
        if any(one.change.unreadable or one.change.incomplete for one in commits):
            return False
        text = statement.params["text"]
        match judgement.verdict, judgement.check:
            case Verdict.METADATA, "authored":
                return True
            case Verdict.NUMBER, "literal":
                # "3.8+" sets a bound that need not be written anywhere.
                return not _WILD.search(judgement.reason) and f"{judgement.reason.split()[0]}+" not in text
            case Verdict.UNSUPPORTED, "identifier":
                return not _WILD.search(judgement.reason) and self._is_nowhere(text, judgement.reason, commits)
            case Verdict.UNSUPPORTED, "path":
                return self._is_untouched(text, judgement.reason, commits)
            case Verdict.UNSUPPORTED, "direction":
                return True
            case Verdict.QUOTE, "passage":
                return misquotes(text, statement.params["around"], commits)
        return False

    def _is_nowhere(self, text: str, reason: str, commits: Sequence[CommitEvidence]) -> bool:
        """Tell whether a name that the diff lacks is not in the whole files of the change either."""
        name = next((code for code in _CODE.findall(text) if repr(code.strip().removesuffix("()")) in reason), "")
        read = [self._around.get(one.id) for one in commits]
        if not name or any(names is None or name in names for names in read):
            return False
        texts = [shown for one in commits for shown in one.texts]
        # Whoever asserts something raises this error, and need not name it.
        implied = name == "AssertionError" and any(re.search(r"\bassert\b", shown) for shown in texts)
        return not implied and not pieced(name, texts)

    def _is_untouched(self, text: str, reason: str, commits: Sequence[CommitEvidence]) -> bool:
        names = [code.strip() for code in _CODE.findall(text) if reason.startswith(f"{code.strip()} ")]
        paths = [name for name in names if is_path(name)]
        path = next((name for name in paths if re.search(r"\.\w+$", name) or _moved(text, name)), "")
        touched = [one for commit in commits for one in commit.paths]
        flags = [flag for name in names if _FLAGS.fullmatch(name) for flag in name.split("/")]
        if flags:
            return not any(whole(flag).search(shown) for flag in flags for one in commits for shown in one.texts)
        return bool(path) and not _WILD.search(path) and not fitting_paths(path, touched)


def _moved(text: str, folder: str) -> bool:
    """Tell whether something is said to have been moved into a folder, or out of it: then its files are touched."""
    return folder.endswith("/") and re.search(rf"{_MOVING}\s*(?:the )?`{re.escape(folder)}`", text) is not None


def _is_about(text: str, commits: Sequence[CommitEvidence]) -> bool:
    """Tell whether a sentence that cites nothing is about these changes: it quotes or names something of theirs."""
    names = [name.strip().removesuffix("()") for name in _CODE.findall(text)]
    shown = [text for one in commits for text in one.texts]
    named = any(whole(name).search(one) for name in names if len(name) >= _NAMED for one in shown)
    return named or quotes_alike(text, commits)


def _feature(text: str, around: str, commits: Sequence[CommitEvidence]) -> str:
    """Say that a revert is told as something new."""
    reverts = [one for one in commits if _REVERT.match(one.change.commit.title)]
    own = _QUOTED.sub(" ", text)
    if not reverts or len(reverts) < len(commits) or _UNDOING.search(around) or not _BRINGING.search(own):
        return ""
    return f"it is a revert: {told(reverts[0])}"
