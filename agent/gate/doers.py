"""Who stands behind "by": a person, or a thing that does something in code."""

import re
from collections.abc import Sequence

from agent.evidence import CommitEvidence, Evidence
from agent.gate.content import is_free
from agent.gate.glossary_zh import glossary
from agent.gate.prose import Kind, Sentence
from agent.gate.prose_zh import cut

_TRAILER = re.compile(r"^[\w-]+-by:.*$", re.IGNORECASE | re.MULTILINE)
_AUTHORING = re.compile(r"author|writ|contribut|submit|commit|作者|提交|贡献|编写|撰写", re.IGNORECASE)


def is_thing(name: str, said: str, evidence: Sequence[Evidence]) -> bool:
    """Tell errors raised by the scheduler from a change raised by somebody; `said` are the words with the name.

    A thing is told in ordinary words, is written as code is, or is something that the evidence speaks of. Only of
    what writes and commits a capitalised name is always somebody's.
    """
    plain = name.strip("`*_@ ")
    if "@" in name or not plain:
        return False
    if "_" in plain or _is_ordinary(plain):
        return True
    if plain[0].isupper() and _AUTHORING.search(said):
        return False
    return any(re.search(rf"(?<!\w){re.escape(plain)}(?!\w)", text) for one in evidence for text in _spoken(one))


def _is_ordinary(name: str) -> bool:
    """Tell whether a name is made of words that everybody uses; single signs make names of people too."""
    if name[0].isupper():
        return False
    tokens = [token for token in cut(Sentence(name).tokens) if token.kind is not Kind.PUNCT]
    known = all(is_free(token.text) or token.text in glossary() for token in tokens)
    return known and any(len(token.text) > 1 for token in tokens)


def _spoken(one: Evidence) -> Sequence[str]:
    """Give the texts of an artefact without who signed it."""
    if not isinstance(one, CommitEvidence):
        return ()
    return tuple(_TRAILER.sub("", text) for text in one.texts)
