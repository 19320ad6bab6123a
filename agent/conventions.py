"""What a commit's first line says it is, whatever scheme a project has: `[Bugfix]`, `fix(scope)!:`, plain words."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


class Purpose(StrEnum):
    """What a change is for, as its author says."""

    REVERT = "revert"
    SECURITY = "security"
    FIX = "fix"
    FEATURE = "feature"
    PERFORMANCE = "performance"
    DEPRECATION = "deprecation"
    RELEASE = "release"
    DEPENDENCY = "dependency"
    REFACTOR = "refactor"
    DOCS = "docs"
    TESTS = "tests"
    CI = "ci"
    CHORE = "chore"


CHORES = frozenset({Purpose.DOCS, Purpose.TESTS, Purpose.CI, Purpose.CHORE})
"""What nobody downstream needs to act on."""


@dataclass(frozen=True)
class Heading:
    """A first line, taken apart."""

    purposes: tuple[Purpose, ...]
    """In the order of the words; a line may have several, as in `[CI][Bugfix]`."""
    declared: tuple[Purpose, ...]
    """Those among them that stand in a tag or before a colon: chosen on purpose, not only mentioned."""
    tags: tuple[str, ...]
    """What stands in brackets or as a scope: `ROCm`, `diffusion`."""
    breaking: bool
    """The author marks it: `feat!:`, `[Breaking]`, `BREAKING CHANGE`."""
    part: tuple[int, int | None] | None
    """`[2/N]` or `(2/3)`: which part of a series; None for an open end."""
    words: str
    """The line without tags, scopes and the number of its pull request."""


_TAG = re.compile(r"^\s*(?:\[([^\]\[]{1,40})\]|【([^】]{1,40})】)\s*:?")
_SCHEME = re.compile(r"^\s*([A-Za-z][A-Za-z /-]{0,24}?)(?:\(([^()]{1,40})\))?(!)?:\s+")
_PART = re.compile(r"(?:\b|\[|\()(\d{1,2})\s*/\s*(\d{1,2}|[nNxX])\b", re.ASCII)
_PULL = re.compile(r"\s*\(#\d+\)")
_WORDS: tuple[tuple[Purpose, str], ...] = (
    (Purpose.REVERT, r"reverts?|reverted|rollback|roll back|undo(?:es)?|back ?out|回滚|撤销"),
    (Purpose.SECURITY, r"security|cve-\d+-\d+|ghsa-[\w-]+"),
    (Purpose.DEPRECATION, r"deprecat\w*|弃用|废弃"),
    (Purpose.DOCS, r"docs?|documentation|readme|typos?|docstrings?|comments?|文档"),
    (Purpose.TESTS, r"tests?|testing|unit[- ]?tests?|ut|测试"),
    (Purpose.CI, r"ci|ci/cd|workflows?|github actions|buildkite|pre-commit|nightly|codeowners?|code owners?"),
    (Purpose.RELEASE, r"releases?|version bump|bump version|发布"),
    (Purpose.DEPENDENCY, r"deps?|dependenc(?:y|ies)|bump|upgrade|依赖"),
    (Purpose.FIX, r"fix(?:es|ed|ing)?|bug ?fix(?:es)?|hot ?fix(?:es)?|bugs?|修复|修正"),
    (Purpose.PERFORMANCE, r"perf|performance|optimi[sz]\w*|speed ?up|faster|fuse|优化|加速|性能"),
    (Purpose.REFACTOR, r"refactor\w*|clean ?up|cleanup|tidy|nfc|simplif\w*|重构|清理"),
    (Purpose.CHORE, r"chores?|style|lint|format(?:ting)?|misc|minor|build|infra|typing|mypy|auto sync"),
    (
        Purpose.FEATURE,
        r"feat(?:ure)?s?|add(?:s|ed)?|support(?:s|ed)?|enable[sd]?|implement\w*|introduc\w*|new|新增|支持",
    ),
)
_AS_TAG = tuple((purpose, re.compile(rf"(?:{words})", re.IGNORECASE)) for purpose, words in _WORDS)
_IN_TEXT = tuple((purpose, re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)) for purpose, words in _WORDS)
# Words that name a thing as often as an intention count only where they begin the line: "Support rollback of …".
_FIRST_ONLY = (Purpose.REVERT, Purpose.PERFORMANCE, Purpose.SECURITY)
_SAYS_FASTER = re.compile(
    r"\b(?:optimi[sz]\w*|speed(?:s|ing)? ?up|faster)\b"
    r"|\b(?:improv|boost|reduc)\w+ (?:\S+ ){0,3}(?:performance|efficiency|throughput|latency|overhead|speed)\b"
    r"|优化|加速",
    re.IGNORECASE,
)
# "… and fix docstring" mends nothing that runs.
_MENDS = re.compile(
    r"(?<![\w-])(?:bug ?fix(?:es)?|(?:fix(?:es|ed|ing)?|bugs?)"
    r"(?! (?:the |a |some )?(?:doc|typo|lint|format|comment|test|ci\b|spell)))(?![\w-])|修复|修正",
    re.IGNORECASE,
)
_HOLE = re.compile(r"\bcve-\d{4}-\d+\b|\bghsa(?:-\w{4}){3}\b", re.IGNORECASE)
"""How published holes are numbered."""
_VERSION = re.compile(
    r"(?:release |bump version to |发布 ?)?v?\d+\.\d+(?:\.\d+)*\w*(?: (?:release|update))?\.?", re.IGNORECASE
)
_BREAKING = re.compile(
    r"(?<!non-)(?<!non )(?<!not )\bbreaking\b|\bBC[- ]?break|(?<!非)(?:不兼容|破坏性)", re.IGNORECASE
)
"""How tags and labels say it; in a sentence the word says something of the code."""
# A plain line is judged by its first words only: "Remove the test for X" removes, "Fix docs" mends documents.
_OPENING = 3


@lru_cache(maxsize=1_000)
def read_heading(subject: str) -> Heading:
    """Take a first line apart; the same one is asked about at every step of a run."""
    rest, tags, scheme, marked = subject.strip(), [], "", False
    while tag := _TAG.match(rest):
        tags.append((tag[1] or tag[2]).strip())
        rest = rest[tag.end() :]
    if found := _SCHEME.match(rest):
        scheme, marked = found[1], bool(found[3])
        tags += [found[2]] if found[2] else []
        rest = rest[found.end() :]
    part = _PART.search(subject)
    words = _PULL.sub("", rest).strip()
    declared = _declared([scheme, *tags])
    return Heading(
        purposes=tuple(dict.fromkeys((*declared, *_mentioned(words, found_already=bool(declared))))),
        declared=declared,
        tags=tuple(tag for tag in tags if not _is_part(tag)),
        breaking=marked or "BREAKING" in subject or any(map(_BREAKING.search, tags)),
        part=(int(part[1]), int(part[2]) if part[2].isdigit() else None) if part and _sensible(part) else None,
        words=words,
    )


def _declared(labels: list[str]) -> tuple[Purpose, ...]:
    """Read tags and schemes: each as a whole, else by its parts, as in `CI/Build` or `chore/feat`."""
    found: list[Purpose] = []
    for label in labels:
        parts = [purpose for part in re.split(r"[\s/&+,|_-]+", label) for purpose in _of_tag(part)]
        parts = [purpose for purpose in parts if purpose is not Purpose.FIX or _MENDS.search(label)]
        found += _of_tag(label.strip()) or parts
    return tuple(dict.fromkeys(found))


def _of_tag(text: str) -> list[Purpose]:
    return [purpose for purpose, pattern in _AS_TAG if pattern.fullmatch(text)]


def _mentioned(words: str, *, found_already: bool) -> list[Purpose]:
    """Read the words: the first few for any purpose, all of them for what nobody says in passing."""
    opening = words.split()[:_OPENING]
    found = [purpose for purpose, pattern in _IN_TEXT if pattern.search(" ".join(opening))]
    first = opening[0] if opening else ""
    found = [one for one in found if one not in _FIRST_ONLY or dict(_IN_TEXT)[one].match(first)]
    found = [one for one in found if one is not Purpose.FIX or _MENDS.search(words)]
    if Purpose.REVERT in found:
        # What follows is the title of something that is no longer there.
        return [Purpose.REVERT]
    if _HOLE.search(words):
        found.append(Purpose.SECURITY)
    if _VERSION.fullmatch(words):
        found.append(Purpose.RELEASE)
    if _SAYS_FASTER.search(words):
        found.append(Purpose.PERFORMANCE)
    if not found and not found_already and _MENDS.search(words):
        found.append(Purpose.FIX)
    # "Fix … support" and "[Perf] Enable …" add nothing beside what they are for.
    beside = found_already or any(one not in CHORES for one in found if one is not Purpose.FEATURE)
    return [one for one in found if one is not Purpose.FEATURE] if beside else found


def _sensible(part: re.Match[str]) -> bool:
    """Tell a series from a date or a fraction: `[3/7]` may be one, `24/7` is not."""
    return not part[2].isdigit() or 1 <= int(part[1]) <= int(part[2])


def _is_part(tag: str) -> bool:
    return bool(re.fullmatch(r"\d{1,2}\s*/\s*(?:\d{1,2}|[nNxX])", tag.strip()))
