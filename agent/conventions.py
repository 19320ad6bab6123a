"""What a commit's first line says it is, whatever scheme a project has: `[Bugfix]`, `fix(scope)!:`, plain words."""

import re
from dataclasses import dataclass
from enum import StrEnum


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
    (Purpose.REVERT, r"reverts?|reverted|rollback|roll back|回滚|撤销"),
    (Purpose.SECURITY, r"security|cve-\d+(?:-\d+)?|ghsa-[\w-]+|vulnerabilit(?:y|ies)|安全漏洞"),
    (Purpose.DEPRECATION, r"deprecat\w*|弃用|废弃"),
    (Purpose.DOCS, r"docs?|documentation|readme|typos?|docstrings?|comments?|文档"),
    (Purpose.TESTS, r"tests?|testing|unit[- ]?tests?|ut|测试"),
    (Purpose.CI, r"ci|ci/cd|workflows?|github actions|buildkite|pre-commit|nightly|codeowners?|code owners?"),
    (Purpose.RELEASE, r"releases?|version bump|bump version|发布"),
    (Purpose.DEPENDENCY, r"deps?|dependenc(?:y|ies)|bump|upgrade|依赖"),
    (Purpose.FIX, r"fix(?:es|ed|ing)?|bug ?fix(?:es)?|hot ?fix(?:es)?|bugs?|修复|修正"),
    (Purpose.PERFORMANCE, r"perf|performance|optimi[sz]\w*|speed ?up|faster|fuse|优化|加速"),
    (Purpose.REFACTOR, r"refactor\w*|clean ?up|cleanup|tidy|nfc|simplif\w*|重构|清理"),
    (Purpose.CHORE, r"chores?|style|lint|format(?:ting)?|misc|minor|build|infra|typing|mypy|auto sync"),
    (
        Purpose.FEATURE,
        r"feat(?:ure)?s?|add(?:s|ed)?|support(?:s|ed)?|enable[sd]?|implement\w*|introduc\w*|new|新增|支持",
    ),
)
_AS_TAG = tuple((purpose, re.compile(rf"(?:{words})", re.IGNORECASE)) for purpose, words in _WORDS)
_IN_TEXT = tuple((purpose, re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)) for purpose, words in _WORDS)
_BREAKING = re.compile(r"\bbreaking\b|\bBC[- ]?break|不兼容|破坏性", re.IGNORECASE)
# A plain line is judged by its first words only: "Remove the test for X" removes, "Fix docs" mends documents.
_OPENING = 3


def read_heading(subject: str) -> Heading:
    """Take a first line apart."""
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
    return Heading(
        purposes=_purposes([scheme, *tags], words),
        tags=tuple(tag for tag in tags if not _is_part(tag)),
        breaking=marked or bool(_BREAKING.search(subject)),
        part=(int(part[1]), int(part[2]) if part[2].isdigit() else None) if part and _sensible(part) else None,
        words=words,
    )


def _purposes(labels: list[str], words: str) -> tuple[Purpose, ...]:
    """Read the labels first: they are chosen on purpose, while words may only mention something."""
    found = [purpose for label in labels for purpose, pattern in _AS_TAG if pattern.fullmatch(label.strip())]
    opening = " ".join(words.split()[:_OPENING])
    found += [purpose for purpose, pattern in _IN_TEXT if pattern.search(opening)]
    return tuple(dict.fromkeys(found))


def _sensible(part: re.Match[str]) -> bool:
    """Tell a series from a date or a fraction: `[3/7]` may be one, `24/7` is not."""
    return not part[2].isdigit() or 1 <= int(part[1]) <= int(part[2])


def _is_part(tag: str) -> bool:
    return bool(re.fullmatch(r"\d{1,2}\s*/\s*(?:\d{1,2}|[nNxX])", tag.strip()))
