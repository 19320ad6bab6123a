"""The settings, as one frozen value."""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self, TypeVar
from urllib.parse import urlsplit

from pathspec import GitIgnoreSpec
from pydantic import AfterValidator, BeforeValidator, Field, SecretStr
from pydantic.functional_validators import model_validator

from agent.bumps.bump_settings import BumpSettings
from agent.domain.account import Price
from agent.domain.base import Frozen, Language, RepoId
from agent.domain.errors import UsageError
from agent.domain.references import repo_id
from agent.domain.window import Window, zone

MAX_FAILED = 0.5
SourceChoice = Literal["both", "git", "api"]
AnalystChoice = Literal["rules", "model"]
Layout = Literal["digest", "ledger"]
_MAILBOX = r"^[\w.+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$"
_PLAIN_URL = re.compile(r"[\w.~:/%\[\]-]+", re.ASCII)
# Limits that keep the regular expressions of patterns from being slow on any file name.
_MAX_STARS = 2  # In a part of a pattern
_MAX_PATH = 400  # Characters of a path that are compared with a pattern
T = TypeVar("T")


def _matching(pattern: str, fault: str) -> AfterValidator:
    """Return a validator for values that match a pattern.

    The error is `fault`, without the value, which may be a secret.
    """

    def check(value: str | SecretStr) -> str | SecretStr:
        text = value.get_secret_value() if isinstance(value, SecretStr) else value
        if not re.fullmatch(pattern, text):
            raise ValueError(fault)
        return value

    return AfterValidator(check)


def _folder(path: Path) -> Path:
    if "\0" in str(path):
        raise UsageError("a path cannot hold a zero byte")
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise UsageError(str(error)) from error


def _http(value: str) -> str:
    parts = urlsplit(value)
    is_http = parts.scheme in ("https", "http") and parts.hostname
    if not is_http or not _PLAIN_URL.fullmatch(value):
        raise ValueError("that is not an http(s) address; credentials do not belong in one")
    return value.rstrip("/")


def _pattern(text: str) -> str:
    """Refuse a pattern that git reads in an unexpected way, or that would be slow."""
    parts = text.removesuffix("/**").split("/")
    stars = max(parts.count("**"), *(part.count("*") for part in parts))
    is_empty = not text.strip("/ ")
    is_odd = text.startswith("!") or "\\" in text or "." in parts or ".." in parts
    if is_empty or is_odd or not text.isprintable() or stars > _MAX_STARS:
        raise ValueError(
            f"{text[:40]!r} is not a pattern, or has too many stars;"
            " write it as src/**, *.md or docs/"
        )
    return text


def _split(value: object) -> object:
    """Accept text, as in a variable, with commas or spaces between the values."""
    if isinstance(value, str):
        return tuple(value.replace(",", " ").split())
    return value


def _as_tuple(value: object) -> object:
    """Accept text as a single value."""
    return (value,) if isinstance(value, str) else value


def _without_duplicates(parts: tuple[T, ...]) -> tuple[T, ...]:
    """Refuse two parts of the same name, in capital letters or not, as on GitHub."""
    names: set[str] = set()
    for part in parts:
        name = str(getattr(part, "called", "") or getattr(part, "name", ""))
        if name.lower() in names:
            raise ValueError(f"{name} is named twice")
        names.add(name.lower())
    return parts


@cache
def _gitignore(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(patterns)


Repo = Annotated[RepoId, BeforeValidator(lambda value: repo_id(str(value)))]
Zone = Annotated[str, AfterValidator(lambda name: zone(name) and name)]
Folder = Annotated[Path, AfterValidator(_folder)]
Url = Annotated[str, AfterValidator(_http)]
Patterns = tuple[Annotated[str, AfterValidator(_pattern)], ...]
# The name of a variable, never its value.
Variable = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9_]{0,79}$")]
# What git allows in a branch name, without what reads as an option, a range or another revision.
Branch = Annotated[
    str,
    _matching(
        r"(?![-/.])(?!.*(?:\.\.|@\{|//))[^\x00-\x20\x7f~^:?*\[\\]+(?<![/.])", "not a branch name"
    ),
]
Token = Annotated[SecretStr, _matching(r"[!-~]+", "it holds characters that no token has")]
Database = Annotated[SecretStr, _matching(r"postgres(?:ql)?://.*", "write postgresql://host/name")]


class RepoSpec(Frozen):
    """One repository to report on, and where its code is read from."""

    name: Repo
    path: Folder | None = None
    """A local clone or bare mirror; if not set, we keep a mirror of our own or ask the API."""
    branch: Branch | None = None
    include: Patterns = ()  # as in .gitignore; commits that touch none are listed and folded
    exclude: Patterns = ()
    ignore_authors: tuple[Annotated[str, Field(pattern=r"[^* ]")], ...] = ()
    """Names, addresses or logins whose commits are folded like those of bots; `*` is a wildcard."""

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, value: object) -> object:
        """Accept `owner/name` and `owner/name=PATH` beside a table."""
        if not isinstance(value, str):
            return value
        name, equals, path = value.partition("=")
        if equals and not path:
            raise ValueError(f"{value!r} names no path; write owner/name=PATH")
        return {"name": name, "path": path or None}

    def wants(self, path: str) -> bool:
        """Return True if a path is included and not excluded."""
        path = path[:_MAX_PATH]
        is_included = not self.include or _gitignore(self.include).match_file(path)
        return is_included and not _gitignore(self.exclude).match_file(path)

    def ignores(self, names: Iterable[str]) -> bool:
        """Return True if one of an author's names is ignored."""
        folded_names = [name.casefold() for name in names]
        for pattern in self.ignore_authors:
            # Only `*` is special: brackets are part of the names of bots.
            glob = pattern.casefold().replace("[", "[[]").replace("?", "[?]")
            if any(fnmatchcase(name, glob) for name in folded_names):
                return True
        return False


class Budget(Frozen, strict=True):
    """How much a run may spend; for each repository, if a comment does not say otherwise."""

    deep: int = Field(default=200, ge=0, le=5_000)  # commits read in depth, over all repositories
    api_diffs: int = Field(default=60, ge=0, le=5_000)  # read through the API, one request each
    open_issue_pages: int = Field(default=3, ge=0, le=100)
    """Pages of 100 issues that are read on the first run of a repository."""
    wait_seconds: float = Field(default=900, ge=0, le=86_400)
    """The longest that a run waits for a rate limit."""
    retry_seconds: float = Field(default=1.0, ge=0, le=60)
    """Before a failed request is sent again; it doubles each time."""
    model_calls: int = Field(default=1_200, ge=0, le=100_000)  # with the next three: over all
    model_tokens: int = Field(default=12_000_000, ge=0, le=1_000_000_000)
    model_seconds: float = Field(default=7_200, ge=0, le=86_400)
    model_cost: float | None = Field(default=None, ge=0)  # by the price table, in its currency
    repo_model_calls: int = Field(default=500, ge=0, le=100_000)
    repo_model_tokens: int = Field(default=6_000_000, ge=0, le=1_000_000_000)
    repo_model_seconds: float = Field(default=3_600, ge=0, le=86_400)
    answer_seconds: float = Field(default=300, gt=0, le=3_600)  # that a model may take to answer


class Delivery(Frozen, strict=True):
    """A channel that reports are sent to after a run.

    Addresses are secrets, so the settings only name the variables that hold them.
    """

    kind: Literal["webhook", "slack", "feishu", "email", "apprise"]
    address_env: Variable
    """Holds the address of a webhook, smtps://user:password@host:port, or one of Apprise's."""
    secret_env: Variable | None = None  # holds the secret that signs messages
    name: str | None = Field(default=None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$")
    lang: Language | None = None
    sender: str = Field(default="", pattern=rf"^$|{_MAILBOX}")
    to: tuple[Annotated[str, Field(pattern=_MAILBOX)], ...] = Field(default=(), strict=False)

    @property
    def called(self) -> str:
        """The name in messages and in the outbox."""
        return self.name or self.kind

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.kind == "email" and not (self.sender and self.to):
            raise ValueError("an e-mail needs a sender and to")
        return self


class Edition(Frozen):
    """One of several gazettes that workers make; what it does not set is as in the settings."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")
    repos: tuple[Repo, ...] = ()  # names from `repos`; all of them where none is named
    tz: Zone | None = None
    lang: Language | None = None
    languages: tuple[Language, ...] | None = None
    layout: Layout | None = None
    deliver: tuple[str, ...] | None = None  # names of channels; None for all of them


class FleetLimits(Frozen, strict=True):
    """The limits for all machines together; requests are counted in the database."""

    requests: int | None = Field(default=None, ge=1)  # to GitHub, for each token
    requests_seconds: int = Field(default=3_600, ge=1, le=86_400)
    model_calls: int | None = Field(default=None, ge=1)  # for each key
    model_seconds: int = Field(default=60, ge=1, le=86_400)


class ReportShape(Frozen):
    """The settings that shape a report."""

    lang: Language = "en"
    languages: Annotated[tuple[Language, ...], BeforeValidator(_split)] = ()  # beside `lang`
    layout: Layout = "digest"
    source: SourceChoice = "both"
    github_url: Url = "https://api.github.com"
    git_url: Url = "https://github.com"
    analyst: AnalystChoice = "rules"
    model: str | None = None
    model_url: Url | None = None
    """A server that speaks OpenAI's protocol; its key is read from OPENAI_API_KEY only."""
    model_reading: str | None = None  # this and the next two: `model` where not set
    model_writing: str | None = None
    model_judging: str | None = None
    editor_tools: bool = True  # whether the editor may look into commits before it places them
    judge_tools: bool = True  # whether the judge may look further in the repository
    model_context: int | None = Field(default=None, ge=2_048, le=10_000_000)
    """The context length, where the server does not report it."""
    prices: dict[str, Price] = Field(default_factory=dict)
    budget: Budget = Budget()


class Settings(ReportShape):
    """Everything a user may set."""

    repos: Annotated[
        tuple[RepoSpec, ...], BeforeValidator(_split), AfterValidator(_without_duplicates)
    ] = ()
    tz: Zone = "UTC"
    uses: Annotated[tuple[Folder, ...], BeforeValidator(_as_tuple)] = ()
    """Folders of the user's own code: changes of what it uses come first.

    Nothing of them leaves the machine.
    """
    out: Folder = Path("gazette")
    home: Folder | None = None
    database: Database | None = None  # where several machines share the memory
    web_url: Url | None = None
    """Where links in a report point; derived from `github_url` if not set."""
    token: Token | None = None
    keep_days: int = Field(default=30, ge=1, le=3_650)
    """For how long a run can be replayed; evidence that is cited stays for good."""
    max_failed: float = Field(default=MAX_FAILED, ge=0, le=1)
    """The share of the repositories that may fail in a report on the front page."""
    catch_up_days: int = Field(default=14, ge=1, le=366)
    site_url: Url | None = None
    """The public address of the site, for absolute links in previews and feeds."""
    site: bool = False
    deliver: Annotated[tuple[Delivery, ...], AfterValidator(_without_duplicates)] = ()
    edition: Annotated[tuple[Edition, ...], AfterValidator(_without_duplicates)] = ()
    limits: FleetLimits = FleetLimits()
    bump: BumpSettings = BumpSettings()  # of `gitzette bump`, which reads it as it is at the base
    late_minutes: int = Field(default=120, ge=1, le=1_440)
    """For how long an edition waits for its repositories."""

    @model_validator(mode="after")
    def _editions(self) -> Self:
        repos = {spec.name for spec in self.repos}
        channels = {channel.called for channel in self.deliver}
        for edition in self.edition:
            for repo in edition.repos:
                if repo not in repos:
                    raise ValueError(f"edition {edition.name}: {repo} is not one of repos")
            for channel in edition.deliver or ():
                if channel not in channels:
                    raise ValueError(f"edition {edition.name}: there is no channel {channel}")
        return self

    @property
    def database_address(self) -> str | None:
        """The address of the PostgreSQL database, where there is one; it may hold a password."""
        return self.database.get_secret_value() if self.database else None

    @property
    def web(self) -> str:
        """The address that links in a report begin with."""
        if self.web_url:
            return self.web_url
        if self.github_url == "https://api.github.com":
            return "https://github.com"
        return self.github_url.removesuffix("/api/v3")

    @property
    def threads_wanted(self) -> bool:
        """True if the settings say where issues and pull requests of a local mirror are read."""
        return self.token is not None or "github_url" in self.model_fields_set


class Recipe(ReportShape):
    """The window and settings of a run, from which its record can be replayed."""

    window: Window
    repos: tuple[RepoSpec, ...]
    web: str  # Where links point
    uses: bool = False  # Whether the user's own code was searched; its paths are not recorded

    @classmethod
    def of(cls, settings: Settings, window: Window, specs: Iterable[RepoSpec]) -> Self:
        """Return what shapes the report, without secrets and paths of this machine."""
        shape = {name: getattr(settings, name) for name in ReportShape.model_fields}
        repos = tuple(spec.model_copy(update={"path": None}) for spec in specs)
        return cls(window=window, repos=repos, web=settings.web, uses=bool(settings.uses), **shape)
