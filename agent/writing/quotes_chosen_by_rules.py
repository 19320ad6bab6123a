"""The passages of a commit that are quotable: the author's own sentence about the change, and few lines of code."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import groupby
from pathlib import PurePosixPath
from typing import NamedTuple

from markdown_it import MarkdownIt

from agent.domain.claims import Quote
from agent.domain.commits import FileChange
from agent.domain.evidence import CommitEvidence, Material
from agent.domain.patch import touched_names
from agent.markdown import visible
from agent.packets.boilerplate_in_messages import texts_by_change
from agent.shortened_values import names_of
from agent.triage.title_conventions import Area, area

_MAX_TEXT = 12_000  # Characters that are read of a message: its point comes first
_MIN_SENTENCE = 24
_MAX_SENTENCE = 320
_TRAILER = re.compile(r"^[ \t]*[A-Za-z]\w{0,30}(?:-\w{1,30}){1,3}[ \t]*:.*$", re.MULTILINE)
# A letter by itself in front of a full stop is an abbreviation: `e.g. The`.
_SENTENCE_END = re.compile(r"(?<!\b\w\.)(?<=[.!?])\s+(?=[A-Z`\"'(])|(?<=[。！？])")
_STOPS = (".", "!", "?", "。", "！", "？")
_CLOSING = ")）\"”'*_"  # What may stand behind the full stop of a sentence
_ANNOUNCES = (":", "：")  # Below a line that ends like this stands a listing
_UNFINISHED = (",", "，", ";", "；")
_ADDRESS = re.compile(r"\w://|\bwww\.", re.IGNORECASE)
_PLAIN_INLINE = {
    *("text", "softbreak", "hardbreak", "code_inline"),
    *("em_open", "em_close", "strong_open", "strong_close"),
}
_LISTINGS = {"bullet_list_open", "ordered_list_open", "fence", "code_block", "table_open"}
_NAME = re.compile(r"[A-Za-z_]\w+", re.ASCII)
_SUBWORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NO_PLAIN_WORD = re.compile(r"\w[_\d]|[a-z][A-Z]|[A-Z]{2}[a-z]")
_MAX_PATCH = 200_000  # Characters of a patch in which names are looked for
_MIN_SUBWORD = 4  # Shorter parts of names are articles and prepositions too

_MAX_EXCHANGED = 12  # Lines of an excerpt that shows one stretch of code in the place of another
_MAX_SHOWN = 8  # Lines of an excerpt that shows a fact
_MAX_WIDTH = 400  # Characters of a line: longer ones are pictures in base64 and minified code
_DATA = (".json", ".csv", ".lock", ".txt", ".svg", ".ipynb")  # Their lines say nothing alone


class ChangedNames(NamedTuple):
    """The names that a commit changes."""

    identifiers: frozenset[str]  # Names that are no plain words: `max_routes`, `KVCache`
    words: frozenset[str]  # The words that names are made of, in lower case

    @classmethod
    def of(cls, evidence: CommitEvidence) -> "ChangedNames":
        """Collect the names of facts, of files and functions, and on the changed lines."""
        texts: list[str] = []
        for fact in evidence.facts:
            texts += names_of(fact)
        for file in evidence.change.files:
            texts.append(PurePosixPath(file.path).stem)
            texts += touched_names(file.patch or "")
            texts += _distinct_names(file.patch or "")
        return cls.in_text("\n".join(texts))

    @classmethod
    def in_text(cls, text: str) -> "ChangedNames":
        """Collect the names in a text."""
        identifiers = set()
        words = set()
        for name in set(_NAME.findall(text)):
            if _NO_PLAIN_WORD.search(name):
                identifiers.add(name)
            words |= {word.lower() for word in _SUBWORD.findall(name) if len(word) >= _MIN_SUBWORD}
        return cls(frozenset(identifiers), frozenset(words))

    def shared_with(self, sentence: str) -> tuple[int, int]:
        """Count the identifiers and the words that a sentence shares."""
        other = ChangedNames.in_text(sentence)
        return len(self.identifiers & other.identifiers), len(self.words & other.words)


def _distinct_names(patch: str) -> Iterator[str]:
    """Yield the names on changed lines that are no plain words, which keywords and comments have."""
    legible_lines: list[str] = []
    for line in patch[:_MAX_PATCH].split("\n"):
        if _is_changed(line) and len(line) <= _MAX_WIDTH:
            legible_lines.append(line)
    for name in set(_NAME.findall("\n".join(legible_lines))):
        if name.isupper() or _NO_PLAIN_WORD.search(name):
            yield name


def sentence_about_change(
    text: str, title: str, names: ChangedNames, templates: frozenset[str] = frozenset()
) -> str | None:
    """Return the sentence, verbatim, that names most of what changed; None if none names anything.

    `templates` are sentences that recur elsewhere, in the form that `recurring_sentences` returns.
    """
    best = None
    most_shared = (0, 0)
    for sentence in whole_sentences(text):
        flat = " ".join(sentence.split())
        if _normal(sentence) in templates or flat.rstrip(".") in title:
            continue
        shared = names.shared_with(sentence)
        if shared > most_shared:
            best = sentence
            most_shared = shared
    return best


def recurring_sentences(material: Material) -> frozenset[str]:
    """Return the sentences of templates: those of several changes, or of the repository's form."""
    counts = Counter[str]()
    for texts in texts_by_change(material).values():
        sentences: set[str] = set()
        for text in texts:
            sentences |= _normal_sentences(text)
        counts.update(sentences)
    recurring = {sentence for sentence, count in counts.items() if count > 1}
    for template in material.templates:
        recurring |= _normal_sentences(template)
    return frozenset(recurring)


def _normal_sentences(text: str) -> set[str]:
    return {_normal(sentence) for sentence in whole_sentences(text)}


def _normal(sentence: str) -> str:
    return " ".join(re.findall(r"\w+", sentence.lower()))


@lru_cache(maxsize=1024)
def whole_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of the paragraphs of a Markdown text that may be quoted, verbatim."""
    plain = _TRAILER.sub("", text[:_MAX_TEXT].replace("\r", ""))
    sentences = [sentence.strip() for sentence in _sentences(plain)]
    return tuple(sentence for sentence in sentences if _may_be_quoted(sentence))


def _sentences(text: str) -> Iterator[str]:
    """Yield the whole sentences of paragraphs, not those of lists, tables and quotations."""
    blocks = [token for token in _block_reader().parse(text) if token.level <= 1]
    kinds = [token.type for token in blocks]
    for index, block in enumerate(blocks):
        if block.type != "inline" or kinds[index + 1] != "paragraph_close":
            continue
        *sentences, last = _SENTENCE_END.split(block.content)
        yield from sentences
        # What stands above a list may only announce it.
        if _is_finished(last) or not set(kinds[index + 2 : index + 3]) & _LISTINGS:
            yield last


def _is_finished(sentence: str) -> bool:
    return sentence.rstrip(_CLOSING).endswith(_STOPS)


@cache
def _block_reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"maxNesting": 20}).enable("table")
    reader.core.ruler.enableOnly(["normalize", "block"])
    return reader


@cache
def _inline_reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"maxNesting": 20})


def _may_be_quoted(sentence: str) -> bool:
    """Return True if a sentence is of a readable length, complete, and can lead a reader nowhere."""
    flat = " ".join(sentence.split())
    if not _MIN_SENTENCE <= len(flat) <= _MAX_SENTENCE or flat.endswith(_UNFINISHED):
        return False
    if any(line.endswith(_ANNOUNCES) for line in sentence.split("\n")):
        return False
    if visible(flat) != flat or _ADDRESS.search(flat):
        return False
    inline = _inline_reader().parseInline(sentence)[0].children or []
    return all(token.type in _PLAIN_INLINE for token in inline)


def short_change(evidence: CommitEvidence) -> Quote | None:
    """Quote a short stretch of code that takes something away and puts something in its place."""
    code_files: list[FileChange] = []
    for file in evidence.change.files:
        if area(file.path) is Area.PRODUCT and not file.path.endswith(_DATA):
            code_files.append(file)
    for file in sorted(code_files, key=lambda file: -(file.additions + file.deletions)):
        for lines in _changed_runs(file.patch or ""):
            if _is_exchange(lines):
                return Quote(cite=evidence.id, text="\n".join(lines), file=file.path)
    return None


def _changed_runs(patch: str) -> Iterator[list[str]]:
    """Yield the changed lines of a patch that stand one below the other."""
    for is_changed, run in groupby(patch.split("\n"), key=_is_changed):
        if is_changed:
            yield list(run)


def _is_changed(line: str) -> bool:
    return line[:1] in ("+", "-")


def _is_exchange(lines: Sequence[str]) -> bool:
    """Return True for a few legible lines of which some are removed and others added."""
    if len(lines) > _MAX_EXCHANGED or any(len(line) > _MAX_WIDTH for line in lines):
        return False
    return {line[0] for line in lines} == {"+", "-"}


def shown_lines(lines: Sequence[str], patch: str, literals: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the line that names most of what a fact is about, and the few below it in the patch."""
    legible = [line for line in lines if len(line) <= _MAX_WIDTH]
    names = tuple(literals)

    def names_on(number: int) -> int:
        return sum(name in legible[number] for name in names)

    start = max(range(len(legible)), key=names_on, default=0)
    excerpt = legible[start : start + _MAX_SHOWN]
    while excerpt and "\n".join(excerpt) not in patch:
        excerpt.pop()
    return tuple(excerpt)
