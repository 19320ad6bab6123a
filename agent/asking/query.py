"""What a question names outright, filters by and bounds in time; everything else in it is words to search for."""

import re
from datetime import date, datetime, timedelta

from agent.card import Card
from agent.domain import Frozen
from agent.errors import UsageError
from agent.evidence import EvidenceId
from agent.facts import FactKind, Severity
from agent.ids import RepoId, parse_reference
from agent.settings import Language
from agent.window import Window, check_year, midnight, moment

_HAN = re.compile("[\u3400-\u9fff]")
_QUALIFIER = re.compile(
    r'(?<![\w:/"])(is|author|path|repo|since|until|in):("[^"\n]{1,200}"|[^\s"，。；？！]{1,200})', re.IGNORECASE
)
_SPAN = re.compile(r'`([^`\n]{1,200})`|"([^"\n]{1,200})"')
_TOKEN = re.compile(r"[A-Za-z0-9_./:#@~+-]{2,300}")
_TAG = re.compile(r"v?\d{1,6}(?:\.\d{1,6}){1,4}(?:[.-]?[a-z]{1,8}\.?\d{0,8})?")
_NAME = re.compile(
    r"--?[A-Za-z][\w-]+|[\w.-]*[A-Za-z0-9]_[\w.-]+|_\w+|[\w.-]+(?:/[\w.*-]+)+|[A-Za-z]\w*(?:\.\w+)+|\w*[a-z0-9][A-Z]\w*"
)
_DATE = re.compile(r"(?<![\w/.-])(\d{4})-(\d{2})(?:-(\d{2}))?(?![\w/-])")
_UNDOES = re.compile(r"^(?:\[[^\]\n]{1,40}\]\s*)?Revert\b|^This reverts commit ", re.MULTILINE)
KINDS = ("revert", "reland", "breaking", "release", "commit", "issue", "pr")


class Named(Frozen):
    """Something named outright: a `commit`, `thread` or `tag` by its own name, or a `name` that others may have."""

    kind: str
    text: str
    repo: RepoId | None = None


class Hit(Frozen):
    """One piece of evidence with its score, the named things that it is or has, and the words by which it was found."""

    id: EvidenceId
    kind: str
    """`commit`, `issue`, `pull` or `release`."""
    opened: str
    score: float
    named: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def fits(self) -> bool:
        """Tell whether something speaks for it: a word that everything has gives no score."""
        return bool(self.score or self.named or self.words)


class Filters(Frozen):
    """GitHub-style qualifiers; a commit fits if it fits all of them."""

    kinds: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()
    titles: bool = False

    @property
    def any(self) -> bool:
        """Tell whether something is filtered by."""
        return bool(self.kinds or self.authors or self.paths or self.titles)

    @property
    def told(self) -> tuple[str, ...]:
        """Write the qualifiers as they are asked for, in one order."""
        pairs = (("is", self.kinds), ("author", self.authors), ("path", self.paths), ("repo", self.repos))
        return tuple(f"{key}:{one}" for key, some in pairs for one in some) + (("in:title",) if self.titles else ())

    def wants(self, repo: RepoId) -> bool:
        """Tell whether a repository is asked about, by its whole name or the part behind the slash."""
        return not self.repos or any(repo.lower() == one or repo.lower().endswith(f"/{one}") for one in self.repos)

    def fits(self, card: Card) -> bool:
        """Tell whether a commit fits: its kind, its author, and one of its paths."""
        by = all(one in card.author.lower() for one in self.authors)
        touched = all(any(one in path.lower() for path in card.paths) for one in self.paths)
        return by and touched and all(_is_kind(card, kind) for kind in self.kinds)


class Query(Frozen):
    """A question taken apart by its form alone."""

    text: str
    words: str
    """The question without its qualifiers."""
    lang: Language
    named: tuple[Named, ...] = ()
    filters: Filters = Filters()
    window: Window | None = None

    def titled(self, title: str) -> bool:
        """Tell whether a title has everything that is named, or a word where nothing is."""
        wanted = [one.text.lower() for one in self.named]
        words = set(self.words.lower().split()) & set(title.lower().split())
        return all(one in title.lower() for one in wanted) if wanted else bool(words)


def language_of(question: str) -> Language:
    """Tell in which language to answer."""
    return "zh" if _HAN.search(question) else "en"


def query_of(question: str, bound: Window | None, tz: str, now: datetime, lang: Language | None = None) -> Query:
    """Take a question apart; dates narrow the bound, and never widen it."""
    found = [(key.lower(), value.strip('"').rstrip(",;")) for key, value in _QUALIFIER.findall(question)]
    words = _QUALIFIER.sub(" ", question)
    return Query(
        text=question,
        words=words,
        lang=lang or language_of(question),
        named=_named(words),
        filters=_filters(found),
        window=_narrowed(bound, found, words, tz, now),
    )


def _filters(found: list[tuple[str, str]]) -> Filters:
    values: dict[str, list[str]] = {}
    for key, value in found:
        values.setdefault(key, []).append(value.lower())
    if unknown := [one for one in values.get("is", ()) if one not in KINDS]:
        raise UsageError(f"is:{unknown[0][:40]} is not known; there are {', '.join(f'is:{one}' for one in KINDS)}")
    if unknown := [one for one in values.get("in", ()) if one != "title"]:
        raise UsageError(f"in:{unknown[0][:40]} is not known; there is in:title")
    get = {key: tuple(dict.fromkeys(some)) for key, some in values.items()}.get
    return Filters(
        kinds=tuple(sorted(get("is", ()))),
        authors=tuple(sorted(one.lstrip("@") for one in get("author", ()))),
        paths=tuple(sorted(one.strip("/*") for one in get("path", ()))),
        repos=tuple(sorted(get("repo", ()))),
        titles="in" in values,
    )


def _is_kind(card: Card, kind: str) -> bool:
    kinds = {fact.kind for fact in card.facts}
    if kind == "revert":
        return FactKind.REVERT in kinds or _UNDOES.search(card.message) is not None
    if kind == "reland":
        return FactKind.RELAND in kinds
    if kind == "breaking":
        return any(fact.severity is Severity.BREAKING for fact in card.facts)
    return kind == "commit"


def _named(words: str) -> tuple[Named, ...]:
    """List what is named by its form: between marks, or written as a reference, tag, flag, path or identifier."""
    spans = [span for pair in _SPAN.findall(words) if (span := (pair[0] or pair[1]).strip())]
    found = {span: Named(kind="name", text=span) for span in spans}
    tokens = [token.rstrip(".:/") for token in _TOKEN.findall(_SPAN.sub(" ", words))]
    for token in (*tokens, *spans):
        reference = None if _DATE.fullmatch(token) else parse_reference(token)
        if reference is not None:
            kind, text = reference.kind, reference.sha or str(reference.number)
            found[token] = Named(kind=kind, text=text, repo=reference.repo)
        elif _TAG.fullmatch(token):
            found[token] = Named(kind="tag", text=token)
        elif _NAME.fullmatch(token):
            found[token] = Named(kind="name", text=token)
    return tuple(sorted(found.values(), key=lambda one: (one.kind, one.text)))


def _narrowed(bound: Window | None, found: list[tuple[str, str]], words: str, tz: str, now: datetime) -> Window | None:
    """Cut the bound to the dates of a question; dates outside of it change nothing."""
    starts = [moment(value, tz) for key, value in found if key == "since"]
    ends = [moment(value, tz) for key, value in found if key == "until"]
    if days := [span for parts in _DATE.findall(words) if (span := _days(*parts))]:
        starts.append(midnight(min(first for first, _ in days), tz))
        ends.append(midnight(max(last for _, last in days), tz))
    if not starts and not ends:
        return bound
    end = min([*ends, *([bound.end] if bound else [])], default=now.replace(microsecond=0) + timedelta(seconds=1))
    start = max([*starts, *([bound.start] if bound else [])], default=end - timedelta(days=7))
    if start >= end or start >= now:
        return bound
    window = Window(start=start, end=end, tz=tz)
    return window.cut_at(now) if end > now else window


def _days(year: str, month: str, day: str) -> tuple[date, date] | None:
    """Give the first day of a written day or month, and the first one after it; None where there is no such day."""
    try:
        first = date(int(year), int(month), int(day or 1))
        check_year(first)
    except (ValueError, UsageError):
        return None
    return first, first + timedelta(days=1) if day else (first.replace(day=1) + timedelta(days=32)).replace(day=1)
