"""The surroundings of a change: enclosing functions, uses of what changed, and what decides there."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import NamedTuple, TypeVar

from agent.domain.code_around_changes import CodePassage, Definition, NameUses, Surroundings, Use
from agent.domain.commits import Commit, FileChange
from agent.domain.evidence import CommitEvidence
from agent.domain.patch import read_hunks
from agent.domain.threads import Release
from agent.ports import CloneSource, CodeSource, Usage, Usages
from agent.stories.timeline import headline
from agent.triage.title_conventions import Area, area
from tools.diff.declaration_reader import language_of
from tools.diff.enclosing_definitions import Outline, Span, changed_spans, passages
from tools.diff.formatting_only_changes import docstring_lines

_MAX_FILES = 60  # Changed files of a commit that are read whole
_MAX_NAMES = 40  # Names that are searched for in the tree
_MAX_NAMES_SHOWN = 10
_MAX_USES_SHOWN = 6  # Lines shown for a name
_MAX_HITS = 120  # A name that stands on more lines is too common to say anything
_MAX_FAMILIES = 4  # Base classes and decorators whose other implementations are named
_MAX_DEFINITIONS = 8
_MAX_SAME_NAME = 2  # A name that is defined more often is no single thing
_LINES_AROUND_VALUE = 3
_MAX_DOCSTRING_SHOWN = 3  # A longer one takes the lines of the code below it
_MAX_WIDTH = 300  # Characters of a line that are looked at
_MAX_CONDITION_FILES = 8  # Files that are read for what their conditions decide over
_LINES_BELOW_CONDITION = 3
_CONDITION = re.compile(r"(?:\}\s*)?(?:else\s+)?(?:if|elif|while|switch|match|case|when)\b")
_IMPORT = re.compile(r"\s*from\s+\.*(?P<module>[\w.]*\w)\s+import\b")
_MIN_NAME = 4  # Characters of a name that is searched for
_NO_CODE = (Area.DOCS, Area.CI)
_SPECIAL = re.compile(r"__\w+__")
_BEGINNING = datetime.fromtimestamp(0, UTC)

Item = TypeVar("Item")


class _Changed(NamedTuple):
    """The changed lines of a file: passages, and the names that they define or depend on."""

    passages: list[CodePassage]
    defined: list[str]
    deciding: dict[str, str]  # With the path of the file in which each decides
    families: list[str]  # Base classes and registering decorators around the changed lines


async def surroundings_of(code: CodeSource, evidence: CommitEvidence) -> Surroundings:
    """Return the code around the changes of a commit, in the tree after it."""
    change = evidence.change
    sha = change.commit.sha
    files = [file for file in change.files if file.patch and file.status != "removed"]
    # Edits of what exists need their surroundings most; a new file is shown by its patch.
    files.sort(key=lambda file: file.status == "added")
    versions = await code.blobs(change, [file.path for file in files[:_MAX_FILES]])
    changed: list[_Changed] = []
    for file in files[:_MAX_FILES]:
        _, new_version = versions.get(file.path, (None, None))
        if new_version is not None and b"\0" not in new_version:
            changed.append(_read_changed(file, new_version.decode("utf-8", "replace")))
    defined = _distinct([*_fact_names(evidence), *_joined(file.defined for file in changed)])
    deciding_files: dict[str, str] = {}
    for changed_file in changed:
        deciding_files = changed_file.deciding | deciding_files
    deciding = {name: deciding_files[name] for name in _distinct(deciding_files)}
    families = _distinct(_joined(file.families for file in changed))[:_MAX_FAMILIES]
    names = _distinct([*families, *defined[: _MAX_NAMES // 2], *deciding])[:_MAX_NAMES]
    found_usages = await code.usages_of(sha, names, limit=_MAX_HITS) if names else {}
    usages = found_usages or {}
    passages_shown = tuple(_joined(file.passages for file in changed))
    uses = await _with_decided_lines(code, sha, _uses(defined, usages, passages_shown))
    siblings = tuple(_siblings(families, usages, passages_shown))
    definitions = await _definitions(code, sha, deciding, usages, passages_shown)
    return Surroundings(
        passages=passages_shown,
        uses=(*siblings, *uses),
        definitions=tuple(definitions),
        searched=found_usages is not None,
    )


def _read_changed(file: FileChange, new_text: str) -> _Changed:
    patch = file.patch or ""
    file_passages = passages(file.path, patch, new_text)
    if area(file.path) in _NO_CODE:
        return _Changed(file_passages, [], {}, [])
    outline = Outline(file.path, new_text)
    defined: list[str] = []
    deciding: dict[str, str] = {}
    families: list[str] = []
    for hunk in read_hunks(patch):
        for span in changed_spans(hunk):
            defined += list(outline.defined_names(span))[-1:]
            families += outline.family_names(span)
            deciding.update(dict.fromkeys(outline.deciding_names(span), file.path))
    if area(file.path) is Area.TESTS:
        defined = []
        families = []
    return _Changed(file_passages, defined, deciding, families)


def _fact_names(evidence: CommitEvidence) -> Iterator[str]:
    """Yield the last names of the flags, variables and functions that the facts of a commit name."""
    for fact in evidence.facts:
        name = re.split(r"[.:]", fact.name)[-1]
        yield name
        if name.startswith("--"):
            # A parser stores the value of a flag under this name.
            yield name.lstrip("-").replace("-", "_")


def _distinct(names: Iterable[str]) -> list[str]:
    """Return each name once that is long enough to be found by."""
    kept = []
    for name in dict.fromkeys(names):
        if len(name) >= _MIN_NAME and not _SPECIAL.fullmatch(name) and name.isprintable():
            kept.append(name)
    return kept


def _joined(lists: Iterable[Sequence[Item]]) -> list[Item]:
    return list(chain.from_iterable(lists))


# ---------------------------------------------------------------- uses


def _uses(
    defined: Sequence[str], hits: Mapping[str, Usages], passages_shown: Sequence[CodePassage]
) -> Iterator[NameUses]:
    """Yield where changed names are used outside of what is shown, those without uses last."""
    used: list[NameUses] = []
    unused: list[NameUses] = []
    for name in defined:
        if name not in hits or hits[name].more:
            continue
        elsewhere = [hit for hit in hits[name].found if not _is_shown(hit, passages_shown)]
        # Uses in the product say more than those in tests.
        elsewhere.sort(key=lambda hit: area(hit.path) is not Area.PRODUCT)
        uses = tuple(_use(hit) for hit in elsewhere[:_MAX_USES_SHOWN])
        group = used if elsewhere else unused
        group.append(NameUses(name=name, uses=uses, more=len(elsewhere) - len(uses)))
    yield from [*used, *unused][:_MAX_NAMES_SHOWN]


def _use(hit: Usage) -> Use:
    in_tests = area(hit.path) is Area.TESTS
    return Use(file=hit.path, line=hit.line, text=hit.text.strip(), in_tests=in_tests)


async def _with_decided_lines(
    code: CodeSource, sha: str, all_uses: Iterable[NameUses]
) -> tuple[NameUses, ...]:
    """Return uses of which conditions have the lines below them: these say what the name decides."""
    texts: dict[str, str | None] = {}
    followed_uses: list[NameUses] = []
    for name_uses in all_uses:
        uses: list[Use] = []
        for use in name_uses.uses:
            is_known = use.file in texts or len(texts) < _MAX_CONDITION_FILES
            if use.in_tests or not is_known or not _CONDITION.match(use.text):
                uses.append(use)
                continue
            if use.file not in texts:
                texts[use.file] = await code.file(sha, use.file)
            following = _lines_below(use, texts[use.file] or "")
            uses.append(use.model_copy(update={"following": following}))
        followed_uses.append(name_uses.model_copy(update={"uses": tuple(uses)}))
    return tuple(followed_uses)


def _lines_below(use: Use, text: str) -> tuple[str, ...]:
    """Return the next lines below a use that are not further out, as far in as they stand below it."""
    lines = text.split("\n")[use.line - 1 :]
    if not lines:
        return ()
    depth = _depth(lines[0])
    below: list[str] = []
    for line in lines[1 : 2 * _LINES_BELOW_CONDITION]:
        if not line.strip():
            continue
        if _depth(line) < depth or len(below) == _LINES_BELOW_CONDITION:
            break
        below.append(line.expandtabs()[depth : depth + _MAX_WIDTH].rstrip())
    return tuple(below)


def _depth(line: str) -> int:
    """Return the number of blanks in front of a line."""
    expanded = line.expandtabs()
    return len(expanded) - len(expanded.lstrip())


def _siblings(
    families: Sequence[str], hits: Mapping[str, Usages], passages_shown: Sequence[CodePassage]
) -> Iterator[NameUses]:
    """Yield the other classes of a base, and what else is registered by the same decorator.

    What stands in a file that the commit changes is left out: the changed one is among it.
    """
    changed_files = {passage.file for passage in passages_shown}
    for name in families:
        if name not in hits or hits[name].more:
            continue
        escaped = re.escape(name)
        derived = rf"\s*(?:class|struct)\s[^(:]*[(:].*\b{escaped}\b"
        pattern = re.compile(rf"{derived}|\s*@.*\b{escaped}\(")
        lines: list[Use] = []
        for hit in hits[name].found:
            if hit.path in changed_files or area(hit.path) is not Area.PRODUCT:
                continue
            if pattern.match(hit.text[:_MAX_WIDTH]):
                lines.append(_use(hit))
        if lines:
            uses = tuple(lines[:_MAX_USES_SHOWN])
            more = len(lines) - len(uses)
            yield NameUses(name=name, uses=uses, more=more, are_siblings=True)


def _is_shown(hit: Usage, passages_shown: Sequence[CodePassage]) -> bool:
    same_file = [passage for passage in passages_shown if passage.file == hit.path]
    return any(passage.first <= hit.line <= passage.last for passage in same_file)


# ---------------------------------------------------------------- definitions


async def _definitions(
    code: CodeSource,
    sha: str,
    deciding: Mapping[str, str],
    hits: Mapping[str, Usages],
    passages_shown: Sequence[CodePassage],
) -> list[Definition]:
    """Return where the names that decide over a change are defined, unless that is shown already.

    A name that is defined several times is shown only if one definition is nearer than the others.
    """
    definitions: list[Definition] = []
    for name, asking_file in deciding.items():
        usages = hits.get(name, Usages()).found
        defining = []
        for hit in usages:
            if _defines(hit, name) and _is_alike(hit, asking_file):
                defining.append(hit)
        defining = _nearest(_imported(defining, usages, asking_file), asking_file)
        if len(defining) > _MAX_SAME_NAME:
            continue
        for line in defining:
            if _is_shown(line, passages_shown):
                continue
            definition = await _definition(code, sha, name, line)
            if definition is not None:
                definitions.append(definition)
        if len(definitions) >= _MAX_DEFINITIONS:
            break
    return definitions[:_MAX_DEFINITIONS]


def _is_alike(hit: Usage, file: str) -> bool:
    """Return True if a line is of the language of a file."""
    return language_of(hit.path) is language_of(file)


def _imported(defining: list[Usage], hits: Sequence[Usage], file: str) -> list[Usage]:
    """Return the definitions in the module from which a file imports the name, else all of them."""
    for hit in hits:
        if hit.path != file:
            continue
        statement = _IMPORT.match(hit.text[:_MAX_WIDTH])
        if statement is None:
            continue
        in_module = [line for line in defining if _is_module(line.path, statement["module"])]
        if in_module:
            return in_module
    return defining


def _is_module(path: str, module: str) -> bool:
    dotted_path = "." + path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return dotted_path.endswith("." + module)


def _nearest(defining: Sequence[Usage], file: str) -> list[Usage]:
    """Return the definitions that share most folders with a file."""
    most_shared = max((_shared_folders(line.path, file) for line in defining), default=0)
    return [line for line in defining if _shared_folders(line.path, file) == most_shared]


def _shared_folders(path: str, other: str) -> int:
    count = 0
    for folder, other_folder in zip(path.split("/"), other.split("/"), strict=False):
        if folder != other_folder:
            break
        count += 1
    return count


async def _definition(code: CodeSource, sha: str, name: str, hit: Usage) -> Definition | None:
    text = await code.file(sha, hit.path)
    if text is None or "\0" in text:
        return None
    outline = Outline(hit.path, text)
    span = outline.definition_at(hit.line)
    if span is None:
        if outline.is_local(hit.line):
            return None
        first = max(1, hit.line - _LINES_AROUND_VALUE)
        span = Span(first, min(len(outline.lines), hit.line + _LINES_AROUND_VALUE))
    lines = tuple(f" {line}" for line in outline.lines[span.first - 1 : span.last])
    passage = CodePassage(
        file=hit.path, first=span.first, lines=lines, scopes=tuple(outline.scopes(span, span.first))
    )
    return Definition(name=name, passage=passage, documentation=_documentation(passage, text))


def _documentation(passage: CodePassage, text: str) -> tuple[int, ...]:
    """Return the positions of a passage's lines that are part of a docstring worth leaving out."""
    docstrings = docstring_lines(passage.file, text.encode())
    positions = [n for n in range(len(passage.lines)) if passage.first + n in docstrings]
    return tuple(positions) if len(positions) > _MAX_DOCSTRING_SHOWN else ()


def _defines(hit: Usage, name: str) -> bool:
    """Return True where a line defines a name: as a function, a macro, a class, a value or a flag."""
    if area(hit.path) is not Area.PRODUCT or language_of(hit.path) is None:
        return False
    escaped = re.escape(name)
    keyword = (
        rf"\b(?:def|class|fn|func|function|struct|enum|let|const|constexpr|define)\s+{escaped}\b"
    )
    value = rf"^\s*(?:\w+[\w:<>*& ]*\s[*&]?)?{escaped}\s*(?::[^=]*)?=(?!=)"
    field = rf"^\s*{escaped}\s*:\s*\S"
    return any(re.search(pattern, hit.text[:_MAX_WIDTH]) for pattern in (keyword, value, field))


# ---------------------------------------------------------------- releases


async def release_lines(
    code: CodeSource, commits: Mapping[str, Commit], until: datetime
) -> tuple[str, ...]:
    """Return for commits, by their handles, the first release before a moment that has each.

    Nothing where the source cannot say it, or where the repository has no releases at all.
    """
    if not isinstance(code, CloneSource) or not await code.tags_made(_BEGINNING, until):
        return ()
    heads = [headline(commit) for commit in commits.values()]
    finals = await code.first_tags(heads, until=until)
    candidates = await code.first_tags(heads, until=until, candidates=True)
    lines = []
    for handle, commit in commits.items():
        if release := finals.get(commit.sha):
            lines.append(f"[{handle}] the first release with it is {_dated(release)}")
        elif release := candidates.get(commit.sha):
            candidate = f"the first candidate with it is {_dated(release)}"
            lines.append(f"[{handle}] is in no final release so far; {candidate}")
        else:
            lines.append(f"[{handle}] is in no release so far, candidates included")
    return tuple(lines)


def _dated(release: Release) -> str:
    return f"{release.tag} ({release.published_at:%Y-%m-%d})"
