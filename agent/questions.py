"""A question taken apart by what it names, filters by and bounds in time, and the reply to it as data."""

import re
from datetime import date, datetime, timedelta
from typing import Literal

from pydantic import Field

from agent.domain.base import Frozen, Language, RepoId, UsageError
from agent.domain.claims import Claim
from agent.domain.commits import Issue, PullRequest, Release
from agent.domain.evidence import Card
from agent.domain.evidence_id import EvidenceId
from agent.domain.references import parse_reference
from agent.domain.window import Window, midnight, moment, narrowed, zone
from agent.languages import language_of

_QUALIFIER = re.compile(
    r'(?<![\w:/"])(is|author|path|repo|since|until|in):("[^"\n]{1,200}"|[^\s"，。；？！]{1,200})',
    re.I,
)
_SPAN = re.compile(r'`([^`\n]{1,200})`|"([^"\n]{1,200})"')
_TOKEN = re.compile(r"[A-Za-z0-9_./:#@~+-]{2,300}")
_TAG = re.compile(r"v?\d{1,6}(?:\.\d{1,6}){1,4}(?:[.-]?[a-z]{1,8}\.?\d{0,8})?")
_NAME = re.compile(
    r"--?[A-Za-z][\w-]+|[\w.-]*[A-Za-z0-9]_[\w.-]+|_\w+|[\w.-]+(?:/[\w.*-]+)+|[A-Za-z]\w*(?:\.\w+)+|\w*[a-z0-9][A-Z]\w*"
)
_DATE = re.compile(r"(?<![\w/.-])20\d{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?![\w/-])")
THREADS = {
    "issue": "issue",
    "pr": "pull",
    "release": "release",
}  # Kinds that are no commits, as the index calls them
_FILTERS = ("is", "author", "path", "repo", "in")  # In the order in which they are told
_KNOWN = {"is": ("revert", "reland", "breaking", "commit", *THREADS), "in": ("title",)}


class Named(Frozen):
    """Something named outright: a `commit`, `thread` or `tag` by its own name, or a `name` that others may have."""

    kind: str
    text: str
    repo: RepoId | None = None


class Hit(Frozen):
    """One piece of evidence with its score, the named things that it is or has, and the words by which it was found."""

    id: EvidenceId
    kind: str  # `commit`, `issue`, `pull` or `release`
    opened: str
    author: str = ""
    score: float = 0.0
    named: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        """Tell whether something speaks for it: a word that everything has gives no score."""
        return bool(self.score or self.named or self.words)


class Query(Frozen):
    """A question taken apart by its form alone."""

    text: str
    words: str  # The question without its qualifiers
    lang: Language
    named: tuple[Named, ...] = ()
    filters: tuple[
        tuple[str, str], ...
    ] = ()  # GitHub-style qualifiers in one order, however they were asked for
    window: Window | None = None

    @property
    def is_filtered(self) -> bool:
        """Tell whether something is filtered by."""
        return any(key != "repo" for key, _ in self.filters)

    def wanted(self, key: str) -> list[str]:
        """Give the values of one qualifier."""
        return [value for name, value in self.filters if name == key]

    def wants(self, repo: RepoId) -> bool:
        """Tell whether a repository is asked about, by its whole name or the part behind the slash."""
        return any(
            f"/{repo.lower()}".endswith(f"/{one}") for one in self.wanted("repo") or [repo.lower()]
        )

    def fits(self, card: Card) -> bool:
        """Tell whether a commit fits all qualifiers: its kind, its author, one of its paths, and its title."""
        by = all(one in card.author.lower() for one in self.wanted("author"))
        touched = all(
            any(one in path.lower() for path in card.paths) for one in self.wanted("path")
        )
        return (
            by
            and touched
            and card.kinds >= set(self.wanted("is"))
            and (not self.wanted("in") or self._in(card))
        )

    def _in(self, card: Card) -> bool:
        """Tell whether the title has everything that is named, or a word where nothing is."""
        title, names = card.title.lower(), [one.text.lower() for one in self.named]
        return (
            all(one in title for one in names)
            if names
            else bool({*self.words.lower().split()} & {*title.split()})
        )


def query_of(
    question: str, bound: Window | None, tz: str, now: datetime, lang: Language | None = None
) -> Query:
    """Take a question apart; dates narrow the bound, and never widen it."""
    found = [
        (key.lower(), value.strip('"').rstrip(",;")) for key, value in _QUALIFIER.findall(question)
    ]
    words = _QUALIFIER.sub(" ", question)
    days = _DATE.findall(words)
    starts = [moment(value, tz) for key, value in found if key == "since"]
    ends = [moment(value, tz) for key, value in found if key == "until"]
    if days:
        # Several dates are the stretch between them.
        starts.append(moment(min(days), tz))
        ends.append(midnight(date.fromisoformat(max(days)) + timedelta(days=1), tz))
    return Query(
        text=question,
        words=words,
        lang=lang or language_of(question),
        named=_named(words),
        filters=_filters(found),
        window=narrowed(bound, starts, ends, tz, now),
    )


def _filters(found: list[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    asked = {(key, value.lower().strip("@/*")) for key, value in found if key in _FILTERS}
    for key, value in asked:
        if value not in (known := _KNOWN.get(key, (value,))):
            raise UsageError(
                f"{key}:{value[:40]} is not known; there are {', '.join(f'{key}:{one}' for one in known)}"
            )
    return tuple(sorted(asked, key=lambda pair: (_FILTERS.index(pair[0]), pair[1])))


def _named(words: str) -> tuple[Named, ...]:
    """List what is named by its form: between marks, or written as a reference, tag, flag, path or identifier."""
    spans = [span for pair in _SPAN.findall(words) if (span := (pair[0] or pair[1]).strip())]
    found = {span: Named(kind="name", text=span) for span in spans}
    tokens = [token.rstrip(".:/") for token in _TOKEN.findall(_SPAN.sub(" ", words))]
    for token in (*tokens, *spans):
        reference = None if _DATE.fullmatch(token) else parse_reference(token)
        if reference is not None:
            text = reference.sha or str(reference.number)
            found[token] = Named(kind=reference.kind, text=text, repo=reference.repo)
        elif kind := "tag" if _TAG.fullmatch(token) else "name" if _NAME.fullmatch(token) else "":
            found[token] = Named(kind=kind, text=token)
    return tuple(sorted(found.values(), key=lambda one: (one.kind, one.text)))


Known = Card | Issue | PullRequest | Release
# A model answered, abstained, had everything refused or failed; or code looked it up.
Outcome = Literal["answered", "abstained", "refused", "failed", "looked up", "filtered"]


class ReadSpan(Frozen):
    """A stretch of time of which every landed commit was read; the end is not included."""

    start: datetime
    end: datetime


class Searched(Frozen):
    """What was read of a repository for a question, and what was not."""

    repo: RepoId
    start: datetime  # The time that was asked about, up to the moment of the question
    end: datetime
    tz: str
    spans: tuple[ReadSpan, ...]  # The parts of it that were read, oldest first
    commits: int  # In these parts
    threads: bool
    left_out: int = 0  # Commits that were not read because of the cap
    most: int = 0  # The cap
    clone_end: datetime | None = None
    """When the newest commit of a clone landed, if the clone ends before what was to be read."""

    def days_read(self, to: str = " to ", separator: str = ", ", *, clock: bool = True) -> str:
        """Return the spans as days, such as `2026-08-10 to 2026-08-13, 2026-08-15`."""
        spans = [days_text(span.start, span.end, self.tz, to, clock=clock) for span in self.spans]
        return separator.join(spans)

    def days_asked(self, to: str = " to ", *, clock: bool = True) -> str:
        """Return the time that was asked about, written as the spans are."""
        return days_text(self.start, self.end, self.tz, to, clock=clock)

    def clone_end_text(self) -> str:
        """Return when the clone ends, or an empty string."""
        return _moment_text(self.clone_end, self.tz) if self.clone_end else ""


def days_text(start: datetime, end: datetime, tz: str, to: str, *, clock: bool = True) -> str:
    """Return a stretch of time as its first and last day.

    With `clock`, a day of which only a part belongs to it has the time at which it was cut.
    """
    last_second = max(start, end - timedelta(seconds=1))
    has_first_time = clock and not _is_midnight(start, tz)
    has_last_time = clock and not _is_midnight(end, tz)
    first = _moment_text(start, tz) if has_first_time else _day_text(start, tz)
    last = _moment_text(end, tz) if has_last_time else _day_text(last_second, tz)
    return first if first == last else f"{first}{to}{last}"


def _day_text(when: datetime, tz: str) -> str:
    return f"{when.astimezone(zone(tz)):%Y-%m-%d}"


def _moment_text(when: datetime, tz: str) -> str:
    return f"{when.astimezone(zone(tz)):%Y-%m-%d %H:%M}"


def _is_midnight(when: datetime, tz: str) -> bool:
    return when == midnight(when.astimezone(zone(tz)).date(), tz)


class AnswerSection(Frozen):
    """Everything that fits one name or all qualifiers, newest first."""

    what: tuple[str, ...]
    hits: tuple[Hit, ...]


class Reply(Frozen):
    """What somebody gets for a question."""

    outcome: Outcome
    lang: Language
    window: Window | None = None
    claims: tuple[Claim, ...] = ()
    cites: tuple[EvidenceId, ...] = ()
    shown: tuple[
        EvidenceId, ...
    ] = ()  # The part of it that sentences cite, or that a model calls nearest
    sections: tuple[AnswerSection, ...] = ()
    evidence: tuple[Hit, ...] = ()  # The ranked list
    known: dict[EvidenceId, Known] = Field(
        default_factory=dict
    )  # What memory has of everything that is shown
    searched: tuple[Searched, ...] = ()
    failures: tuple[str, ...] = ()  # Commits of which something could not be read, and why
    dropped: int = 0  # Sentences that did not pass
    trouble: str = ""  # Why the model did not answer
    has_model: bool = False
    answer: str = ""  # The reply as Markdown, where somebody has written it

    @property
    def abstained(self) -> bool:
        """Tell whether nothing is answered: evidence alone is no answer."""
        return self.outcome not in ("answered", "filtered") and not (
            self.outcome == "looked up" and self.cites
        )

    @property
    def said(self) -> str:
        """Give what a conversation keeps: the sentences, and the names of what is cited."""
        words = " ".join(claim.text.get(self.lang, "") for claim in self.claims)
        cites = ", ".join(self.cites[:20])
        return f"{words or '(nothing was answered)'}\n(cited: {cites or 'nothing'})"
