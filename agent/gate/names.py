"""Proper names of a sentence: words with a capital that does not come from the start of a sentence."""

import re
from collections.abc import Iterable, Sequence

from agent.domain.base import RepoId
from agent.domain.evidence import Evidence
from agent.gate.evidence_text import SearchText, fold_case

_STARTS = frozenset(".!?:;。!?:;…—\n")
_OPENING = frozenset(" \t\"'“”‘’([（「『*_-•")
_PART = re.compile(r"[a-z0-9]+")
_HOST = ("git", "github")
"""Names that every report knows: where the evidence comes from."""
_LANGUAGES = {
    "py": "python",
    "pyi": "python",
    "rs": "rust",
    "go": "go",
    "js": "javascript",
    "ts": "typescript",
    "md": "markdown",
    "java": "java",
    "sh": "bash",
    "rb": "ruby",
    "kt": "kotlin",
    "swift": "swift",
}
"""What files with these endings are written in."""


def begins_sentence(text: str, at: int) -> bool:
    """Tell whether a word is the first of a sentence, where a capital says nothing."""
    at -= 1
    while at >= 0 and text[at] in _OPENING:
        at -= 1
    return at < 0 or text[at] in _STARTS


def known_names(evidence: Iterable[Evidence], repo: RepoId | None) -> frozenset[str]:
    """List the names that need no proof: the repositories, their owners, and the languages of the files touched."""
    found = set(_HOST)
    evidence = tuple(evidence)
    for name in (*(one.repo for one in evidence), *((repo,) if repo else ())):
        folded = fold_case(name)
        found |= {folded, *folded.split("/"), *_PART.findall(folded)}
        found |= {re.sub(r"[^a-z0-9]", "", part) for part in folded.split("/")}
    paths = (path for one in evidence for path in getattr(one, "paths", ()))
    found |= {_LANGUAGES[end] for path in paths if (end := path.rpartition(".")[2]) in _LANGUAGES}
    return frozenset(found)


def stands_name(name: str, texts: Sequence[SearchText], known: frozenset[str]) -> bool:
    """Tell whether a name stands in the evidence, as a word or a part of an identifier, in any case or number."""
    folded = fold_case(name)
    forms = {folded, f"{folded}s", folded.removesuffix("s")} - {""}
    return any(form in known or text.has(form, fold=True) for form in forms for text in texts)
