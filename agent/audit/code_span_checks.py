"""Checks of code spans: their paths, names and options are in the change, or in its files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from agent.audit.entries import AuditEntry
from agent.audit.findings import RIGHT, UNVERIFIABLE, Finding
from agent.audit.markdown import code_of
from agent.audit.repository_lookup_results import count_differing, touched
from agent.domain.commits import Change
from agent.domain.evidence import CommitEvidence
from agent.domain.evidence_id import EvidenceId
from agent.gate.searchable_evidence_text import text_of

_PATH = re.compile(
    r"(?<![\w./@-])(?:[\w.@+-]{1,99}/){1,25}[\w.@+-]{0,99}\.[A-Za-z]\w{0,9}(?![\w/])", re.ASCII
)
_NAME = re.compile(
    r"(?=.{5})(?:--)?[A-Za-z_][\w-]{0,120}(?:(?:\.|::)[A-Za-z_]\w{0,120}){0,8}(?:\(\))?", re.ASCII
)
# A word of everyday language has no such joint.
_JOINT = re.compile(r"\w[_.:-]{1,9}\w|[a-z0-9][A-Z]")
_SEPARATOR_OF_NAMES = re.compile(r"\.|::")
_MIN_PART = 5  # Characters of a part of a name that is looked for by itself
_LITERAL = r"(?P<value>\d[\d_.]{0,30}|[Tt]rue|[Ff]alse|\"[^\"\n]{0,80}\"|'[^'\n]{0,80}')"
_OPTION_NAME = r"(?P<name>--[a-z][\w-]{1,80})"
_OPTION = re.compile(rf"{_OPTION_NAME}(?: |=){_LITERAL}", re.ASCII)
_OPTION_IN_TEXT = re.compile(
    rf"(?<![\w-]){_OPTION_NAME}[\"']?[ =,]{{1,3}}[\"']?{_LITERAL}(?![\w.])", re.ASCII
)
"""An option of a command with its value, in a shell or in a list of words."""
_NAME_IN_TEXT = re.compile(r"[A-Za-z_][\w-]{4,120}", re.ASCII)
_WORD_OF_NAME = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+")
_MIN_COMMON_WORDS = 2
_MAX_LETTERS = 2  # By which a path or name that is nowhere differs from the one that was meant
_NAMED_IDS = 2  # That are listed as evidence


def is_path(text: str) -> bool:
    """Return True for a text that is a path of a file."""
    return _PATH.fullmatch(text) is not None


class NamedCode(NamedTuple):
    """A path, a name or an option with its value that a block has in code marks."""

    text: str
    line: int
    kind: str  # path, identifier or value
    is_listed: bool = False  # Part of a list of files


class SoughtNames(NamedTuple):
    """Names to look for in all files of a commit, and values to look for in some of them."""

    names: set[str]
    values: set[str]
    paths: list[str]  # The files in which the values are looked for

    @classmethod
    def in_files_of(cls, commit: CommitEvidence) -> "SoughtNames":
        """Return an empty collection for the files of a commit."""
        paths = [file.path for file in commit.change.files]
        return cls(names=set(), values=set(), paths=paths)


Trees = Mapping[EvidenceId, frozenset[str]]
"""By commit, the sought names that occur in its files or paths."""


def check_names(entries: Sequence[AuditEntry], trees: Trees) -> Iterator[Finding]:
    """Look for the paths and names of an entry in its diffs, and then in the files of its commits.

    A path in a list of files that the commit does not touch is wrong, and so is a name that occurs
    nowhere and resembles a changed one. Every other name may belong to something else.
    """
    for entry in _naming_entries(entries):
        ids = ", ".join(commit.id for commit in entry.evidence[:_NAMED_IDS])
        for name in _names_of(entry):
            if _is_changed(name, entry.evidence):
                yield Finding(name.line, name.kind, name.text, RIGHT, ids)
            else:
                yield from _missing_name(name, entry, trees, f"not in the diff of {ids}")


def _missing_name(
    name: NamedCode, entry: AuditEntry, trees: Trees, evidence: str
) -> Iterator[Finding]:
    """Yield the finding about a name that the diffs do not have; none about a mere value."""
    if name.is_listed and len(entry.evidence) == 1:
        yield Finding(name.line, name.kind, name.text, "wrong:path", evidence)
        return
    changed_name = _changed_instead(name, entry, trees)
    if changed_name:
        cause = "path" if name.kind == "path" else "code"
        evidence += f" nor in its files; the change has {changed_name}"
        yield Finding(name.line, name.kind, name.text, f"wrong:{cause}", evidence)
    elif name.kind != "value":
        yield Finding(name.line, name.kind, name.text, UNVERIFIABLE, evidence)


def names_to_locate(entries: Sequence[AuditEntry]) -> dict[EvidenceId, SoughtNames]:
    """Return, by commit, names that are not in its diff but resemble names that are."""
    sought_by_commit: dict[EvidenceId, SoughtNames] = {}
    for entry in _naming_entries(entries):
        for name in _names_of(entry):
            parts = [part for part in _parts(name) if _resembled(name, part, entry)]
            if name.is_listed or not parts or not _is_missing(name, entry):
                continue
            for commit in _commits_around(entry):
                commit_id = commit.change.commit.id
                if commit_id not in sought_by_commit:
                    sought_by_commit[commit_id] = SoughtNames.in_files_of(commit)
                sought = sought_by_commit[commit_id]
                if name.kind == "value":
                    sought.values.update(parts)
                else:
                    sought.names.update(parts)
    return sought_by_commit


def _naming_entries(entries: Sequence[AuditEntry]) -> Iterator[AuditEntry]:
    for entry in entries:
        if entry.is_read and entry.block.kind in ("text", "item", "row"):
            yield entry


def _names_of(entry: AuditEntry) -> list[NamedCode]:
    """Return the paths and names in code marks, and the paths in a list of files."""
    names: dict[str, NamedCode] = {}
    for path in _listed_paths(entry):
        names[path] = NamedCode(path, entry.block.line, "path", is_listed=True)
    for span in code_of(entry.block.text):
        line = entry.block.line_at(span.start)
        is_listed = span.text in names
        is_touched = any(touched(span.text, commit.change) for commit in entry.evidence)
        if is_touched or is_path(span.text):
            names[span.text] = NamedCode(span.text, line, "path", is_listed)
        elif _is_identifier(span.text):
            names[span.text] = NamedCode(span.text, line, "identifier")
        elif _OPTION.fullmatch(span.text):
            names[span.text] = NamedCode(span.text, line, "value")
    return list(names.values())


def _listed_paths(entry: AuditEntry) -> list[str]:
    """Return the paths in columns and behind labels of files."""
    values = [field.value for field in entry.fields if field.name == "files"]
    paths = _PATH.findall(" ".join(values))
    return [path for path in paths if "..." not in path]


def _is_identifier(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and _JOINT.search(name) is not None


def _is_changed(name: NamedCode, evidence: Sequence[CommitEvidence]) -> bool:
    """Return True if the diff or the message of a commit has a name."""
    option = _OPTION.fullmatch(name.text)
    if name.kind == "value" and option is not None:
        return option["value"] in _values(option["name"], evidence)
    if any(touched(name.text, commit.change) for commit in evidence):
        return True
    bare_name = name.text.removesuffix("()")
    return any(text_of(commit).has(bare_name, fold=True) for commit in evidence)


def _values(name: str, evidence: Sequence[CommitEvidence]) -> list[str]:
    """Return the values that an option has in the diffs and messages of commits."""
    values = []
    for commit in evidence:
        for option in _OPTION_IN_TEXT.finditer(text_of(commit).text):
            if option["name"] == name:
                values.append(option["value"])
    return values


def _is_missing(name: NamedCode, entry: AuditEntry) -> bool:
    """Return True if a name is in none of the diffs that a block may speak of.

    A block that mentions another repository may mean a name of that.
    """
    commits = _commits_around(entry)
    repos = {commit.change.commit.repo for commit in commits}
    if entry.mentioned - repos:
        return False
    if not all(_is_readable(commit.change) for commit in commits):
        return False
    return not _is_changed(name, commits)


def _changed_instead(name: NamedCode, entry: AuditEntry, trees: Trees) -> str:
    """Return the name that the change has instead of one that occurs nowhere, or an empty string."""
    searched_trees: list[frozenset[str]] = []
    for commit in _commits_around(entry):
        tree = trees.get(commit.change.commit.id)
        if tree is None:
            return ""
        searched_trees.append(tree)
    if not _is_missing(name, entry):
        return ""
    for part in _parts(name):
        resembled = _resembled(name, part, entry)
        if resembled and not any(part in tree for tree in searched_trees):
            return resembled
    return ""


def _commits_around(entry: AuditEntry) -> list[CommitEvidence]:
    """Return the commits of a block, and those of the headings and items above it."""
    commits: dict[EvidenceId, CommitEvidence] = {}
    for commit in (*entry.evidence, *entry.context):
        commits[commit.id] = commit
    return list(commits.values())


def _is_readable(change: Change) -> bool:
    """Return True if all patches of a change were read."""
    if change.incomplete or change.unreadable:
        return False
    return not any(file.omitted for file in change.files)


def _parts(name: NamedCode) -> list[str]:
    """Return the parts of a name that must occur somewhere: all that are not plain words."""
    if "..." in name.text:
        return []
    if name.kind == "value":
        return [name.text]
    if name.kind == "path":
        return [name.text.removeprefix("./")]
    parts: list[str] = []
    for part in _SEPARATOR_OF_NAMES.split(name.text.removesuffix("()")):
        if len(part) >= _MIN_PART and _JOINT.search(part):
            parts.append(part)
    return parts


def _resembled(name: NamedCode, part: str, entry: AuditEntry) -> str:
    """Return the changed name that a part of a name was probably meant for.

    That is a path with the same file name, an option with another value, or a name with one word
    more, less or in place of another. A name that the block has as well is not the one meant.

    Beside a number alone, in the notes of a release, a name may be one that came with a later
    commit: it was meant for a changed one only if it differs in some letters.
    """
    if _lists_pulls(entry):
        return ""
    is_of_number = {reference.kind for reference in entry.references} == {"thread"}
    other_text = entry.block.text.replace(name.text, " ")
    for commit in entry.evidence:
        for candidate in _candidates(name, part, commit):
            if name.kind == "identifier" and is_of_number and not _is_misspelt(part, candidate):
                continue
            if candidate not in other_text:
                return candidate
    return ""


def _is_misspelt(part: str, changed_name: str) -> bool:
    return count_differing(part.casefold(), changed_name.casefold()) <= _MAX_LETTERS


def _lists_pulls(entry: AuditEntry) -> bool:
    """Return True if a block names several pull requests: a name may be of any of them."""
    kinds = [reference.kind for reference in entry.references]
    numbers = {reference.value for reference in entry.references if reference.kind == "thread"}
    return "commit" not in kinds and len(numbers) > 1


def _candidates(name: NamedCode, part: str, commit: CommitEvidence) -> Iterator[str]:
    option = _OPTION.fullmatch(part)
    if name.kind == "value" and option is not None:
        for value in _values(option["name"], [commit]):
            yield f"{option['name']} {value}"
    elif name.kind == "path":
        for file in commit.change.files:
            has_same_name = file.path.rpartition("/")[2] == part.rpartition("/")[2]
            if has_same_name or count_differing(file.path, part) <= _MAX_LETTERS:
                yield file.path
    else:
        words = words_of(part)
        is_option = part.startswith("--")
        for changed_name, changed_words in _changed_names(commit):
            # An option is not meant for a plain name, nor one of another program for an option.
            if is_option and not _is_misspelt(part, f"--{changed_name}"):
                continue
            if _differs_in_one_word(words, changed_words):
                yield changed_name


def _changed_names(commit: CommitEvidence) -> list[tuple[str, tuple[str, ...]]]:
    return _names_in(text_of(commit).text)


@lru_cache(maxsize=16)
def _names_in(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return the names in a text, each with its words."""
    names = dict.fromkeys(_NAME_IN_TEXT.findall(text))
    return [(name, words_of(name)) for name in names]


def words_of(name: str) -> tuple[str, ...]:
    """Return the words that a name is made of, in lower case."""
    return tuple(word.lower() for word in _WORD_OF_NAME.findall(name))


def _differs_in_one_word(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return True if one word was added, left out or exchanged, and at least two are the same."""
    differing = count_differing(words, others)
    common = max(len(words), len(others)) - differing
    return common >= _MIN_COMMON_WORDS and differing == 1
