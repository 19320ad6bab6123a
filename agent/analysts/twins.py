"""False sentences that code makes about a commit, to see whether a judge refuses them.

They are made only where code is sure: a proven fact with its values exchanged or with "added" for
"removed", and a sentence about a flag or file with the name of a sibling that the commit leaves
alone.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import get_args

from agent.analysts.ruling import Text
from agent.domain.base import Language
from agent.domain.claims import Claim
from agent.domain.evidence import CommitEvidence
from agent.domain.facts import Fact, FactKind, Severity
from agent.domain.surroundings import Surroundings
from agent.fact_sentences import fact_sentence

_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]{2,60}(?![\w-])")
_PATH = re.compile(r"(?<![\w/.-])(?:[\w.-]{1,80}/){1,12}[\w-]{1,80}\.[a-z]{1,5}(?![\w/])")
_SURE_SUBJECTS = ("flag", "env", "route", "dependency", "config-key")
"""Kinds of facts that are read from declarations, so that "added" and "removed" are certain."""
_OPPOSITES = {"added": "removed", "removed": "added"}


def reversed_facts(facts: Sequence[Fact], languages: Sequence[Language]) -> Iterator[Text]:
    """Yield facts that users can notice, turned into their opposites."""
    for fact in facts:
        if fact.severity is Severity.INTERNAL:
            continue
        opposite = _opposite(fact)
        if opposite is None:
            continue
        text = {lang: fact_sentence(opposite, lang) for lang in languages}
        true_text = {lang: fact_sentence(fact, lang) for lang in languages}
        if all(text[lang] and text[lang] != true_text[lang] for lang in languages):
            yield text


def _opposite(fact: Fact) -> Fact | None:
    """Return a fact that is false if the given one is true; None if code cannot make one surely."""
    exchanged = {"old": fact.new, "new": fact.old}
    subject, _, verb = fact.kind.rpartition("-")
    if verb == "changed" and fact.old and fact.new and fact.old != fact.new:
        return fact.model_copy(update=exchanged)
    if verb not in _OPPOSITES or subject not in _SURE_SUBJECTS:
        return None
    kind = f"{subject}-{_OPPOSITES[verb]}"
    if kind not in _all_kinds():
        return None
    return fact.model_copy(update={"kind": kind, **exchanged})


def _all_kinds() -> set[str]:
    kinds: set[str] = set()
    for literal in get_args(FactKind):
        kinds.update(get_args(literal))
    return kinds


def moved_sentences(
    claims: Iterable[Claim], evidence: CommitEvidence, surroundings: Surroundings
) -> Iterator[Text]:
    """Yield sentences in which a changed flag or file is exchanged for one the commit leaves alone."""
    changed_lines = "\n".join(_changed_lines(evidence))
    siblings = {
        _FLAG: _untouched_flags(surroundings, changed_lines),
        _PATH: _untouched_files(evidence, surroundings),
    }
    touched = {_FLAG: changed_lines, _PATH: "\n".join(evidence.paths)}
    for claim in claims:
        if claim.role == "advice":
            continue
        for pattern, names in siblings.items():
            text = _moved(claim.text, pattern, touched[pattern], names)
            if text is not None:
                yield text
                break


def _moved(
    text: Text, pattern: re.Pattern[str], touched: str, siblings: Sequence[str]
) -> Text | None:
    """Return a sentence with the one name of its kind exchanged in every language."""
    names: set[str] = set()
    for words in text.values():
        names.update(pattern.findall(words))
    if len(names) != 1:
        return None
    (name,) = names
    if name not in touched:
        return None
    same_kind = [sibling for sibling in siblings if _suffix(sibling) == _suffix(name)]
    if not same_kind:
        return None
    moved: dict[Language, str] = {}
    for lang, words in text.items():
        if name not in words:
            return None
        moved[lang] = words.replace(name, same_kind[0])
    return moved


def _suffix(name: str) -> str:
    return name.rpartition(".")[2] if "." in name else ""


def _changed_lines(evidence: CommitEvidence) -> Iterator[str]:
    yield evidence.change.commit.message
    for file in evidence.change.files:
        for line in (file.patch or "").splitlines():
            if line[:1] in ("+", "-"):
                yield line


def _untouched_flags(surroundings: Surroundings, changed_lines: str) -> list[str]:
    """Return flags on unchanged lines around the change, of which no changed line speaks."""
    flags: dict[str, None] = {}
    for passage in surroundings.passages:
        for line in passage.lines:
            if line.startswith(" "):
                flags.update(dict.fromkeys(_FLAG.findall(line)))
    return [flag for flag in flags if flag not in changed_lines]


def _untouched_files(evidence: CommitEvidence, surroundings: Surroundings) -> list[str]:
    files: dict[str, None] = {}
    for uses in surroundings.uses:
        files.update(dict.fromkeys(use.file for use in uses.uses))
    return [file for file in files if file not in evidence.paths]
