"""Questions, parsed into names, filters and times, and the replies to them."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal, NamedTuple

from pydantic import Field

from agent.domain.account import Spent
from agent.domain.affected_versions import Affected
from agent.domain.base import Frozen, Language, RepoId, short_name
from agent.domain.claims import Claim
from agent.domain.errors import UsageError
from agent.domain.evidence import Card
from agent.domain.evidence_id import EvidenceId
from agent.domain.references import parse_reference
from agent.domain.threads import Issue, PullRequest, Release
from agent.domain.window import Window, midnight, moment, narrowed, zone
from agent.question_dates import DAY, days_named
from agent.report_languages import language_of

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
_SHORT_THREAD = re.compile(r"(?P<name>[A-Za-z0-9][\w.-]{0,99})#(?P<number>[1-9]\d{0,9})", re.ASCII)
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./-]{0,200}")
THREADS = {"issue": "issue", "pr": "pull", "release": "release"}
"""Kinds of evidence other than commits, and what the index calls them."""
_FILTERS = ("is", "author", "path", "repo", "in")  # In the order in which they are printed
_FILTER_VALUES = {
    "is": ("revert", "reland", "breaking", "default", "commit", *THREADS),
    "in": ("title",),
}
_MAX_KEPT_CITES = 20  # That a conversation keeps of a reply


class Named(Frozen):
    """Something that a question names.

    A `commit`, `thread` or `tag` has this name alone; a `name` may be that of several things.
    """

    kind: str
    text: str
    repo: RepoId | None = None


class Hit(Frozen):
    """A piece of evidence that a search found."""

    id: EvidenceId
    kind: str  # `commit`, `issue`, `pull` or `release`
    opened: str
    author: str = ""
    score: float = 0.0
    named: tuple[str, ...] = ()  # What the question names and this evidence is or has
    words: tuple[str, ...] = ()  # By which it was found
    first_with: tuple[EvidenceId, ...] = ()  # Of a release: hits that no earlier one contains
    from_conversation: bool = False  # Whether an earlier answer of the conversation cites it

    @property
    def fits(self) -> bool:
        """True if it matches the question; words that all evidence has give no score."""
        return bool(self.score or self.named or self.words or self.from_conversation)


class Query(Frozen):
    """A question, parsed by its form alone."""

    text: str
    words: str  # The question without its qualifiers
    lang: Language
    named: tuple[Named, ...] = ()
    filters: tuple[tuple[str, str], ...] = ()
    """Qualifiers as on GitHub, always in the same order."""
    window: Window | None = None
    repos: tuple[RepoId, ...] = ()  # The configured repositories that the question names

    @property
    def is_filtered(self) -> bool:
        """True if there is a qualifier other than repositories."""
        return any(key != "repo" for key, _ in self.filters)

    def wanted(self, key: str) -> list[str]:
        """Return the values of one qualifier."""
        return [value for name, value in self.filters if name == key]

    def wants(self, repo: RepoId) -> bool:
        """Return True if a repository is asked about, by its full name or without the owner."""
        requested = self.wanted("repo")
        if not requested:
            return True
        return any(f"/{repo.lower()}".endswith(f"/{name}") for name in requested)

    def fits(self, card: Card) -> bool:
        """Return True if a commit matches all qualifiers."""
        author = card.author.lower()
        if not all(name in author for name in self.wanted("author")):
            return False
        paths = [path.lower() for path in card.paths]
        for part in self.wanted("path"):
            if not any(part in path for path in paths):
                return False
        if not card.kinds >= set(self.wanted("is")):
            return False
        return not self.wanted("in") or self._matches_title(card)

    def _matches_title(self, card: Card) -> bool:
        """Return True if a title has all names or, if there are none, one of the words."""
        title = card.title.lower()
        if self.named:
            return all(name.text.lower() in title for name in self.named)
        return bool(set(self.words.lower().split()) & set(title.split()))


class _Qualifier(NamedTuple):
    """A qualifier such as `author:octo`."""

    key: str
    value: str


def query_of(
    question: str,
    bound: Window | None,
    tz: str,
    now: datetime,
    lang: Language | None = None,
    repos: Sequence[RepoId] = (),
) -> Query:
    """Parse a question; dates in it can narrow the bound, but not widen it.

    `repos` are the configured repositories, which a question may name without their owners.
    """
    qualifiers = []
    for key, value in _QUALIFIER.findall(question):
        qualifiers.append(_Qualifier(key.lower(), value.strip('"').rstrip(",;")))
    words = _QUALIFIER.sub(" ", question)
    starts = [moment(value, tz) for key, value in qualifiers if key == "since"]
    ends = [moment(value, tz) for key, value in qualifiers if key == "until"]
    days = days_named(_SPAN.sub(" ", words), now.astimezone(zone(tz)).date())
    if days is not None:
        starts.append(midnight(days.first, tz))
        ends.append(midnight(days.last + timedelta(days=1), tz))
    return Query(
        text=question,
        words=words,
        lang=lang or language_of(question),
        named=_named(words, repos),
        filters=_filters(qualifiers),
        window=narrowed(bound, starts, ends, tz, now),
        repos=_repos_named(words, repos),
    )


def _repos_named(words: str, repos: Sequence[RepoId]) -> tuple[RepoId, ...]:
    """Return the repositories that are named, with or without their owners, in any case."""
    spellings = {word.lower().rstrip(".-/") for word in _WORD.findall(words)}
    return tuple(repo for repo in repos if spellings & _spellings(repo))


def _spellings(repo: RepoId) -> set[str]:
    return {repo.lower(), short_name(repo).lower()}


def _filters(qualifiers: Sequence[_Qualifier]) -> tuple[tuple[str, str], ...]:
    """Return the qualifiers that filter, normalised and sorted; refuse unknown values."""
    filters = set()
    for key, value in qualifiers:
        if key in _FILTERS:
            filters.add((key, value.lower().strip("@/*")))
    for key, value in filters:
        if key in _FILTER_VALUES and value not in _FILTER_VALUES[key]:
            existing = ", ".join(f"{key}:{other}" for other in _FILTER_VALUES[key])
            raise UsageError(f"{key}:{value[:40]} is not known; there are {existing}")
    return tuple(sorted(filters, key=_filter_order))


def _filter_order(qualifier: tuple[str, str]) -> tuple[int, str]:
    key, value = qualifier
    return _FILTERS.index(key), value


def _named(words: str, repos: Sequence[RepoId]) -> tuple[Named, ...]:
    """Return what is quoted, or written as a reference, tag, flag, path or identifier.

    The name of a configured repository says where to look, and names nothing in it.
    """
    names: dict[str, Named] = {}
    for in_backticks, in_quotes in _SPAN.findall(words):
        span = (in_backticks or in_quotes).strip()
        if span:
            names[span] = Named(kind="name", text=span)
    tokens = [token.rstrip(".:/") for token in _TOKEN.findall(_SPAN.sub(" ", words))]
    tokens += names
    for token in tokens:
        name = _named_by_form(token, repos)
        if name is not None:
            names[token] = name
    repo_names: set[str] = set()
    for repo in repos:
        repo_names |= _spellings(repo)
    things = [name for name in names.values() if name.text.lower() not in repo_names]
    return tuple(sorted(things, key=lambda name: (name.kind, name.text)))


def _named_by_form(token: str, repos: Sequence[RepoId]) -> Named | None:
    if DAY.fullmatch(token):
        return None
    reference = parse_reference(token)
    if reference is not None:
        text = reference.sha or str(reference.number)
        return Named(kind=reference.kind, text=text, repo=reference.repo)
    if thread := _SHORT_THREAD.fullmatch(token):
        owners = [repo for repo in repos if short_name(repo).lower() == thread["name"].lower()]
        if len(owners) == 1:
            return Named(kind="thread", text=thread["number"], repo=owners[0])
    if _TAG.fullmatch(token):
        return Named(kind="tag", text=token)
    if _NAME.fullmatch(token):
        return Named(kind="name", text=token)
    return None


Known = Card | Issue | PullRequest | Release
Outcome = Literal["answered", "abstained", "refused", "failed", "looked up", "filtered"]
"""What a model did (all its sentences may be refused), or that code looked something up."""


class ReadSpan(Frozen):
    """A stretch of time of which every landed commit was read; the end is not included."""

    start: datetime
    end: datetime


class Searched(Frozen):
    """The parts of a repository that were read for a question, and those that were not."""

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

    def days_unread(self, to: str = " to ", separator: str = ", ", *, clock: bool = True) -> str:
        """Return the gaps before and between the spans as days, or an empty string.

        The hours since the newest commit of a clone are no gap.
        """
        gaps = []
        start = self.start
        for span in self.spans:
            if start < span.start:
                gaps.append(days_text(start, span.start, self.tz, to, clock=clock))
            start = max(start, span.end)
        if self.spans and self.end - start >= timedelta(days=1):
            gaps.append(days_text(start, self.end, self.tz, to, clock=clock))
        return separator.join(gaps)

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


class Absence(Frozen):
    """How far it was searched for a name that nothing mentions."""

    is_whole: bool  # Whether all messages, paths and changed lines were, and not only the index
    unread_files: int = 0  # Changed files that a clone lacks, and that could not be searched


class AnswerSection(Frozen):
    """Everything that fits one name or all qualifiers, newest first."""

    what: tuple[str, ...]
    hits: tuple[Hit, ...]
    is_rest: bool = False  # Sentences of the reply cite others that fit, too
    absence: Absence | None = None  # Where there are no hits because nothing mentions the name


class Reply(Frozen):
    """The reply to a question."""

    outcome: Outcome
    lang: Language
    window: Window | None = None
    claims: tuple[Claim, ...] = ()
    cites: tuple[EvidenceId, ...] = ()
    shown: tuple[EvidenceId, ...] = ()
    """The evidence that sentences cite, or that a model calls nearest."""
    sections: tuple[AnswerSection, ...] = ()
    evidence: tuple[Hit, ...] = ()  # The ranked list
    known: dict[EvidenceId, Known] = Field(default_factory=dict)
    """What the memory has of everything that is shown."""
    releases: dict[EvidenceId, EvidenceId] = Field(default_factory=dict)
    """The first release that contains each commit, as far as it was looked up."""
    affected: dict[EvidenceId, Affected] = Field(default_factory=dict)
    """The versions with the faults that the best commits mend, where that is known."""
    searched: tuple[Searched, ...] = ()
    failures: tuple[str, ...] = ()  # Commits of which something could not be read, and why
    dropped: int = 0  # Sentences that did not pass
    trouble: str = ""  # Why the model did not answer
    has_model: bool = False
    spent: Spent = Spent()  # What the models were paid for the question
    answer: str = ""  # The reply as Markdown, once it is written

    @property
    def abstained(self) -> bool:
        """True if nothing is answered; evidence alone is no answer."""
        if self.outcome == "looked up":
            return not self.cites
        return self.outcome not in ("answered", "filtered")

    @property
    def said(self) -> str:
        """The text that a conversation keeps: the sentences, and the ids of what they cite.

        What is only listed below an answer is no part of it. Where nobody wrote sentences, facts
        and the list are the answer.
        """
        sentences = [claim for claim in self.claims if claim.free] or self.claims
        words = " ".join(claim.text.get(self.lang, "") for claim in sentences)
        cites = ", ".join((self.shown or self.cites)[:_MAX_KEPT_CITES])
        return f"{words or '(nothing was answered)'}\n(cited: {cites or 'nothing'})"
