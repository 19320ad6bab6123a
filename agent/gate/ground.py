"""The evidence of a claim laid out for looking things up: what was said, what was added and what was removed."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice

from agent.domain import FileChange
from agent.evidence import CommitEvidence, Evidence, ReleaseEvidence, ThreadEvidence
from agent.facts import Fact
from agent.gate.kinds import kind_words
from agent.gate.stems import Vocabulary, words_of

_TRAILER = re.compile(r"^(?:signed-off-by|co-authored-by|reviewed-by|acked-by|cc|tested-by):", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?;。！？；])\s+|\n+")
# Messages and comments are wrapped: a line that begins like this goes on with the one before.
_WRAPPED = re.compile(r"(?<=[\w,)`'\"])\n[ \t]*(?=[a-z`(\"'0-9\[]|[A-Z][A-Za-z]*[ ,])")
# What people write is untrusted: nobody needs longer lines or more of them to see what a change is about.
_LONGEST, _MOST = 1000, 1500
_TEMPLATE = re.compile(
    r"(?s:<!--.{0,4000}?-->)|^[ \t]*[-*] \[[ xX]\].*(?:\n[ \t]*[^\s#*-].*)*|"
    r"^Thank you for contributing.*(?:\n[^\n#].*)*",
    re.MULTILINE,
)
_COMMENT = re.compile(r"(?:^|\s)(?:#|//|\*|/\*|--|\"\"\")\s?(.*)|^([A-Z][a-z].{15,})$")


# A line of a document, below one that is known to be one.
_PROSE = re.compile(r"([\w`(\"'][^=;{}<>\[\]]{8,})")
# A string of several words tells somebody something.
_TOLD = re.compile(r"[\"']([^\"'\n]{3,}(?: [^\"'\n ]+){2,})[\"']")


@dataclass(frozen=True)
class Hunk:
    """One stretch of changed lines, without their signs."""

    file: str
    head: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    around: tuple[str, ...]

    @cached_property
    def text(self) -> str:
        """All its lines, and the file they are in."""
        return "\n".join((self.file, self.head, *self.around, *self.removed, *self.added))

    @cached_property
    def words(self) -> Vocabulary:
        """The words in them, and those for their file."""
        return Vocabulary(words_of(self.text) | kind_words(self.file))

    @cached_property
    def added_words(self) -> Vocabulary:
        """The words of its added lines."""
        return Vocabulary(words_of("\n".join(self.added)))

    @cached_property
    def removed_words(self) -> Vocabulary:
        """The words of its removed lines."""
        return Vocabulary(words_of("\n".join(self.removed)))


class _Same:
    """Makes evidence a key by its identity: it never changes, and comparing whole diffs would be slow."""

    def __init__(self, evidence: tuple[Evidence, ...]) -> None:
        self.evidence = evidence

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.evidence)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and tuple(map(id, self.evidence)) == tuple(map(id, other.evidence))


class Ground:
    """What some artefacts say together."""

    def __init__(self, evidence: tuple[Evidence, ...]) -> None:
        self.evidence = evidence

    @property
    def commits(self) -> tuple[CommitEvidence, ...]:
        """The commits among the artefacts."""
        return tuple(one for one in self.evidence if isinstance(one, CommitEvidence))

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """What code found in their diffs."""
        return tuple(fact for one in self.evidence for fact in one.facts)

    @cached_property
    def paths(self) -> frozenset[str]:
        """Every path they touch."""
        return frozenset(path for one in self.commits for path in one.paths)

    @cached_property
    def files(self) -> tuple[FileChange, ...]:
        """Every change of a file."""
        return tuple(file for one in self.commits for file in one.change.files)

    @cached_property
    def said(self) -> tuple[str, ...]:
        """Sentence by sentence what people wrote about the change."""
        texts = (text for one in self.evidence for text in _human(one))
        lines = (line.strip()[:_LONGEST] for text in texts for line in _SENTENCE.split(_unwrapped(_plain(text))))
        return tuple(islice((line for line in lines if line and not _TRAILER.match(line)), _MOST))

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """What each artefact calls itself."""
        return tuple(_title(one) for one in self.evidence)

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """Lines of comments, documents and messages that were added: words, but in the diff."""
        lines = [line.strip()[:_LONGEST] for hunk in self.hunks for line in hunk.added]
        told = (match[1] for line in lines for match in _TOLD.finditer(line))
        words = (remark for hunk in self.hunks for remark in _remarks(hunk.added))
        return tuple(islice((remark for remark in (*words, *told) if remark), _MOST))

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """Every stretch of changed lines."""
        return tuple(hunk for file in self.files if file.patch for hunk in _hunks(file.path, file.patch))

    @cached_property
    def added(self) -> str:
        """All added lines."""
        return "\n".join(line for hunk in self.hunks for line in hunk.added)

    @cached_property
    def removed(self) -> str:
        """All removed lines."""
        return "\n".join(line for hunk in self.hunks for line in hunk.removed)

    @cached_property
    def around(self) -> str:
        """All lines shown and not changed, and the heads of hunks."""
        return "\n".join(line for hunk in self.hunks for line in (hunk.head, *hunk.around))

    @cached_property
    def text(self) -> str:
        """Everything that may be searched."""
        texts = (text for one in self.evidence for text in one.texts)
        told = (text for fact in self.facts for text in (fact.name, fact.old, fact.new, fact.detail) if text)
        return "\n".join((*texts, *told))

    @cached_property
    def spoken(self) -> str:
        """What people wrote, as one text."""
        return "\n".join(self.said)

    @cached_property
    def words(self) -> Vocabulary:
        """The words of everything."""
        kinds = {word for path in self.paths for word in kind_words(path)}
        people = {name for one in self.commits for name in words_of(one.change.commit.author.name)}
        return Vocabulary(words_of(self.text) | kinds | people)

    @cached_property
    def added_words(self) -> Vocabulary:
        """The words of added lines."""
        return Vocabulary(words_of(self.added))

    @cached_property
    def removed_words(self) -> Vocabulary:
        """The words of removed lines."""
        return Vocabulary(words_of(self.removed))


@lru_cache(maxsize=256)
def _laid_out(key: _Same) -> Ground:
    return Ground(key.evidence)


def ground_of(evidence: Iterable[Evidence]) -> Ground:
    """Lay out evidence, or find it as it was laid out before."""
    return _laid_out(_Same(tuple(evidence)))


@lru_cache(maxsize=4096)
def whole(token: str) -> re.Pattern[str]:
    """Match a token where it is not a part of a longer word."""
    before = r"(?<![\w])" if token[:1].isalnum() or token[:1] == "_" else ""
    after = r"(?![\w])" if token[-1:].isalnum() or token[-1:] == "_" else ""
    return re.compile(before + re.escape(token) + after)


def occurs(token: str, text: str) -> bool:
    """Tell whether a token stands in a text as a whole."""
    return token in text and whole(token).search(text) is not None


def _human(one: Evidence) -> Iterator[str]:
    if isinstance(one, CommitEvidence):
        yield one.change.commit.message
    elif isinstance(one, ThreadEvidence | ReleaseEvidence):
        yield from one.texts


def _title(one: Evidence) -> str:
    if isinstance(one, CommitEvidence):
        return one.change.commit.title
    return one.thread.title if isinstance(one, ThreadEvidence) else one.release.name


def _plain(text: str) -> str:
    """Drop what a template says and not the author: hidden comments, lists of tasks, thanks for contributing."""
    return _TEMPLATE.sub("", text)


def _unwrapped(text: str) -> str:
    """Join the lines of a paragraph; its title, its lists and its headings stay lines of their own."""
    title, _, rest = text.partition("\n")
    return f"{title}\n{_WRAPPED.sub(' ', rest)}"


def _remarks(lines: Sequence[str]) -> Iterator[str]:
    """Read the sentences of comments and documents, which go on from line to line."""
    run: list[str] = []
    for line in (*lines, ""):
        stripped = line.strip()[:_LONGEST]
        match = _COMMENT.search(stripped) or (_PROSE.fullmatch(stripped) if run else None)
        words = next((group for group in match.groups() if group), "").strip() if match else ""
        if words:
            run.append(words)
        elif run:
            yield from filter(None, (part.strip() for part in _SENTENCE.split(" ".join(run)[: 4 * _LONGEST])))
            run = []


def _hunks(path: str, patch: str) -> Iterator[Hunk]:
    head, added, removed, around = "", list[str](), list[str](), list[str]()
    for line in patch.split("\n"):
        if line.startswith("@@"):
            if added or removed:
                yield Hunk(path, head, tuple(added), tuple(removed), tuple(around))
            head, added, removed, around = line.rpartition("@@")[2].strip(), [], [], []
        elif line.startswith("+"):
            added.append(line[1:])
        elif line.startswith("-"):
            removed.append(line[1:])
        else:
            around.append(line[1:])
    if added or removed:
        yield Hunk(path, head, tuple(added), tuple(removed), tuple(around))
