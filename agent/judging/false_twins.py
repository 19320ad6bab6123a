"""False twins: sentences that code makes about a commit, to see whether a judge refuses them.

They are made only where code is sure: a proven fact with its values exchanged or with "added" for
"removed", and a sentence about a flag, file, backend or architecture with the name of a sibling
that the commit leaves alone.
"""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import get_args

from agent.domain.base import Language
from agent.domain.claims import Claim
from agent.domain.code_around_changes import Surroundings
from agent.domain.evidence import CommitEvidence
from agent.domain.facts import Fact, FactKind, Severity
from agent.fact_sentences import fact_sentence
from agent.judging.rulings import Text

_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]{2,60}(?![\w-])")
_PATH = re.compile(r"(?<![\w/.-])(?:[\w.-]{1,80}/){1,12}[\w-]{1,80}\.[a-z]{1,5}(?![\w/])")
_ARCHITECTURE = re.compile(
    r"(?<!\w)(?:sm_?[0-9]{2,3}[af]?|gfx[0-9]{3,4}[a-z]?)(?!\w)", re.IGNORECASE
)
"""Architectures as the compilers of CUDA (`sm_90a`) and ROCm (`gfx942`) call them."""
_CODE_SPAN = re.compile(r"(?<=`)[A-Za-z][\w-]{1,60}(?=`)")
_REGISTRY_KEY = re.compile(r"""^\s*["']([A-Za-z][\w-]{1,60})["']\s*:""")
"""A key of a dictionary that begins its line, as in a table of implementations."""
_CLASS = re.compile(r"^\s*(?:class|struct)\s+([A-Za-z_]\w{1,60})")
_REGISTERED = re.compile(r"""\(\s*["']([A-Za-z][\w-]{1,60})["']""")
"""The first argument of a call, as in `@register("name")`."""
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


def removed_files(evidence: CommitEvidence, languages: Sequence[Language]) -> Iterator[Text]:
    """Yield the removal of a file that the commit only changes."""
    for file in evidence.change.files:
        if file.status == "modified":
            fact = Fact(kind="file-removed", severity=Severity.INTERNAL, name=file.path)
            yield {lang: fact_sentence(fact, lang) for lang in languages}
            return


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


@dataclass(frozen=True)
class _Names:
    """Names of one kind: how sentences have them, where the commit does, and untouched siblings."""

    pattern: re.Pattern[str]
    touched: Container[str]  # The names that the commit changes, or the text in which it has them
    siblings: Sequence[str]


def moved_sentences(
    claims: Iterable[Claim], evidence: CommitEvidence, surroundings: Surroundings
) -> Iterator[Text]:
    """Yield sentences in which a changed name is exchanged for one that the commit leaves alone."""
    changed_lines = "\n".join(_changed_lines(evidence))
    paths = "\n".join(evidence.paths)
    touched = f"{changed_lines}\n{paths}"
    architectures = _untouched(_unchanged_names(_ARCHITECTURE, surroundings), touched)
    siblings = _untouched(_sibling_names(evidence, surroundings), touched)
    kinds = (
        _Names(_FLAG, changed_lines, _untouched_flags(surroundings, changed_lines)),
        _Names(_PATH, paths, _untouched_files(evidence, surroundings)),
        _Names(_ARCHITECTURE, touched, architectures),
        _Names(_CODE_SPAN, _implementations(evidence, surroundings), siblings),
    )
    for claim in claims:
        if claim.role == "advice":
            continue
        for names in kinds:
            text = _moved(claim.text, names)
            if text is not None:
                yield text
                break


def _moved(text: Text, names: _Names) -> Text | None:
    """Return a sentence with the one name of its kind exchanged in every language."""
    names_found: set[str] = set()
    for words in text.values():
        names_found.update(names.pattern.findall(words))
    if len(names_found) != 1:
        return None
    (name,) = names_found
    if name not in names.touched:
        return None
    same_kind = [sibling for sibling in names.siblings if _form(sibling) == _form(name)]
    if not same_kind:
        return None
    moved: dict[Language, str] = {}
    for lang, words in text.items():
        if name not in words:
            return None
        moved[lang] = words.replace(name, same_kind[0])
    return moved


def _form(name: str) -> tuple[str, bool]:
    """Return the suffix of a name and whether it begins with a capital: its siblings have the same."""
    suffix = name.rpartition(".")[2] if "." in name else ""
    return suffix, name[:1].isupper()


def _untouched(names: Iterable[str], touched: str) -> list[str]:
    """Return names that nothing of the commit speaks of, in any case."""
    folded = touched.casefold()
    return [name for name in dict.fromkeys(names) if name.casefold() not in folded]


def _unchanged_names(pattern: re.Pattern[str], surroundings: Surroundings) -> Iterator[str]:
    """Yield what a pattern finds on unchanged lines around the change and where its names are used."""
    for passage in surroundings.passages:
        for line in passage.lines:
            if line.startswith(" "):
                yield from pattern.findall(line)
    for uses in surroundings.uses:
        for use in uses.uses:
            yield from pattern.findall(use.text)


def _implementations(evidence: CommitEvidence, surroundings: Surroundings) -> set[str]:
    """Return the implementations that a commit changes: classes, registered names, files by stem."""
    names = {_stem(path) for path in evidence.paths if "/" in path}
    for passage in surroundings.passages:
        for scope in passage.scopes:
            names.update(_CLASS.findall(scope))
        for line in passage.lines:
            if line[:1] in ("+", "-"):
                names.update(_declared(line[1:]))
    return names


def _sibling_names(evidence: CommitEvidence, surroundings: Surroundings) -> Iterator[str]:
    """Yield other implementations that code finds beside the changed ones.

    They are rows of the same table, classes of the same base, what the same decorator registers,
    and the files of these in a folder that the commit changes.
    """
    for passage in surroundings.passages:
        if any(_is_changed_key(line) for line in passage.lines):
            for line in passage.lines:
                if line.startswith(" "):
                    yield from _REGISTRY_KEY.findall(line[1:])
    folders = {path.rpartition("/")[0] for path in evidence.paths if "/" in path}
    for uses in surroundings.uses:
        if not uses.are_siblings:
            continue
        for use in uses.uses:
            yield from _declared(use.text)
            if use.file.rpartition("/")[0] in folders:
                yield _stem(use.file)


def _is_changed_key(line: str) -> bool:
    return line[:1] in ("+", "-") and _REGISTRY_KEY.match(line[1:]) is not None


def _declared(line: str) -> list[str]:
    """Return the class, the key of a table and the name in a decorator that a line declares."""
    names = _CLASS.findall(line) + _REGISTRY_KEY.findall(line)
    return names + (_REGISTERED.findall(line) if line.lstrip().startswith("@") else [])


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


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
