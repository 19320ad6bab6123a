"""What a user may configure, as one frozen value."""

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

from agent.domain.base import Frozen, Language, RepoId, UsageError
from agent.domain.references import repo_id
from agent.domain.spending import Price
from agent.domain.window import Window, zone

MAX_FAILED = 0.5
SourceChoice = Literal["both", "git", "api"]
AnalystChoice = Literal["rules", "model"]
Layout = Literal["digest", "ledger"]
_MAILBOX = r"^[\w.+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*$"
_PLAIN_URL = re.compile(r"[\w.~:/%\[\]-]+", re.ASCII)
_MOST_STARS, _LONGEST_PATH = 2, 400
"""Of a pattern, and what it is compared with: somebody's file name must not keep a regular expression busy."""
T = TypeVar("T")


def _like(pattern: str, told: str) -> AfterValidator:
    """Compare a value with a pattern; it may be a secret and is not told."""

    def check(value: str | SecretStr) -> str | SecretStr:
        text = value.get_secret_value() if isinstance(value, SecretStr) else value
        if not re.fullmatch(pattern, text):
            raise ValueError(told)
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
    if (
        parts.scheme not in ("https", "http")
        or not parts.hostname
        or not _PLAIN_URL.fullmatch(value)
    ):
        raise ValueError("that is not an http(s) address; credentials do not belong in one")
    return value.rstrip("/")


def _pattern(text: str) -> str:
    """Refuse a pattern that git would read otherwise than its author meant, or that would be slow."""
    parts = text.removesuffix("/**").split("/")
    stars = max(parts.count("**"), *(part.count("*") for part in parts))
    odd = not text.strip("/ ") or text.startswith("!") or {".", ".."} & {*parts} or "\\" in text
    if odd or not text.isprintable() or stars > _MOST_STARS:
        raise ValueError(
            f"{text[:40]!r} is not a pattern, or has too many stars; write it as src/**, *.md or docs/"
        )
    return text


def _split(value: object) -> object:
    """Accept the form of a variable: several with commas or spaces between."""
    return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value


def _apart(parts: tuple[T, ...]) -> tuple[T, ...]:
    """Refuse two of the same name; GitHub does not tell capital letters apart."""
    names = [str(getattr(part, "called", "") or getattr(part, "name", "")) for part in parts]
    for place, name in enumerate(names):
        if name.lower() in map(str.lower, names[:place]):
            raise ValueError(f"{name} is named twice")
    return parts


@cache
def _gitignore(patterns: tuple[str, ...]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(patterns)


Repo = Annotated[RepoId, BeforeValidator(lambda value: repo_id(str(value)))]
Zone = Annotated[str, AfterValidator(lambda name: zone(name) and name)]
Folder = Annotated[Path, AfterValidator(_folder)]
Url = Annotated[str, AfterValidator(_http)]
Patterns = tuple[Annotated[str, AfterValidator(_pattern)], ...]
Variable = Annotated[
    str, Field(pattern=r"^[A-Z][A-Z0-9_]{0,79}$")
]  # The name of one, never its value
# What git itself allows in a branch name, less what could be read as an option, a range or another revision.
Branch = Annotated[
    str,
    _like(
        r"(?![-/.])(?!.*(?:\.\.|@\{|//))[^\x00-\x20\x7f~^:?*\[\\]+(?<![/.])", "not a branch name"
    ),
]
Token = Annotated[SecretStr, _like(r"[!-~]+", "it holds characters that no token has")]
Database = Annotated[SecretStr, _like(r"postgres(?:ql)?://.*", "write postgresql://host/name")]


class RepoSpec(Frozen):
    """One repository to report on, and where its code is read from."""

    name: Repo
    path: Folder | None = (
        None  # a local clone or bare mirror; else we keep a mirror of our own or ask the API
    )
    branch: Branch | None = None
    include: Patterns = ()  # as in .gitignore; commits that touch none are listed and folded
    exclude: Patterns = ()
    ignore_authors: tuple[Annotated[str, Field(pattern=r"[^* ]")], ...] = ()
    """Names, addresses or logins whose commits are folded like those of bots; `*` stands for anything."""

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
        """Tell whether a path is included and not excluded."""
        path = path[:_LONGEST_PATH]
        included = not self.include or _gitignore(self.include).match_file(path)
        return included and not _gitignore(self.exclude).match_file(path)

    def ignores(self, names: Iterable[str]) -> bool:
        """Tell whether an author is ignored under one of these names; brackets are those of bots' names."""
        globs = [
            pattern.casefold().replace("[", "[[]").replace("?", "[?]")
            for pattern in self.ignore_authors
        ]
        return any(fnmatchcase(name.casefold(), glob) for name in names for glob in globs)


class Budget(Frozen, strict=True):
    """How much a run may spend; what is not said otherwise is for each repository."""

    deep: int = Field(default=200, ge=0, le=5_000)  # commits read in depth, over all repositories
    api_diffs: int = Field(
        default=60, ge=0, le=5_000
    )  # diffs read through the API, one request each
    open_issue_pages: int = Field(
        default=3, ge=0, le=100
    )  # of 100 issues each, on the first run of a repository
    wait_seconds: float = Field(
        default=900, ge=0, le=86_400
    )  # the longest a run waits for a rate limit
    retry_seconds: float = Field(
        default=1.0, ge=0, le=60
    )  # before a failed request is sent again; it doubles
    model_calls: int = Field(
        default=1_200, ge=0, le=100_000
    )  # this and the next three: over all repositories
    model_tokens: int = Field(default=12_000_000, ge=0, le=1_000_000_000)
    model_seconds: float = Field(default=7_200, ge=0, le=86_400)
    model_cost: float | None = Field(default=None, ge=0)  # by the price table, in its currency
    repo_model_calls: int = Field(default=500, ge=0, le=100_000)
    repo_model_tokens: int = Field(default=6_000_000, ge=0, le=1_000_000_000)
    repo_model_seconds: float = Field(default=3_600, ge=0, le=86_400)
    answer_seconds: float = Field(
        default=300, gt=0, le=3_600
    )  # that a model may take for one answer


class Delivery(Frozen, strict=True):
    """A way on which reports are sent after a run; addresses are secrets, so only the names of variables stand here."""

    kind: Literal["webhook", "slack", "feishu", "email"]
    address_env: Variable  # holds the address of a webhook, or smtps://user:password@host:port
    secret_env: Variable | None = (
        None  # holds the secret that signs messages to a webhook or a Feishu bot
    )
    name: str | None = Field(default=None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$")
    lang: Language | None = None
    sender: str = Field(default="", pattern=rf"^$|{_MAILBOX}")
    to: tuple[Annotated[str, Field(pattern=_MAILBOX)], ...] = Field(default=(), strict=False)

    @property
    def called(self) -> str:
        """The name under which it is told and remembered."""
        return self.name or self.kind

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.kind == "email" and not (self.sender and self.to):
            raise ValueError("an e-mail needs a sender and to")
        return self


class Edition(Frozen):
    """One gazette of several that workers make; what is not said here is as the settings have it."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")
    repos: tuple[Repo, ...] = ()  # names from `repos`; all of them where none is named
    tz: Zone | None = None
    lang: Language | None = None
    languages: tuple[Language, ...] | None = None
    layout: Layout | None = None
    deliver: tuple[str, ...] | None = (
        None  # the names of channels; all of them where nothing is said
    )


class FleetLimits(Frozen, strict=True):
    """What all machines together may ask for; counted in the database, and whoever finds it spent waits."""

    requests: int | None = Field(default=None, ge=1)  # to GitHub, for each token
    requests_seconds: int = Field(default=3_600, ge=1, le=86_400)
    model_calls: int | None = Field(default=None, ge=1)  # for each key
    model_seconds: int = Field(default=60, ge=1, le=86_400)


class ReportShape(Frozen):
    """The settings that shape a report."""

    lang: Language = "en"
    languages: Annotated[
        tuple[Language, ...], BeforeValidator(_split)
    ] = ()  # further ones beside `lang`
    layout: Layout = "digest"
    source: SourceChoice = "both"
    github_url: Url = "https://api.github.com"
    git_url: Url = "https://github.com"
    analyst: AnalystChoice = "rules"
    model: str | None = None
    model_url: Url | None = (
        None  # speaks OpenAI's protocol; its key is read from OPENAI_API_KEY only
    )
    model_reading: str | None = None  # this and the next two: `model` where not set
    model_writing: str | None = None
    model_judging: str | None = None
    judge_tools: bool = True  # whether the judge may look further in the repository
    model_context: int | None = Field(
        default=None, ge=2_048, le=10_000_000
    )  # where the server does not tell it
    prices: dict[str, Price] = Field(default_factory=dict)
    budget: Budget = Budget()


class Settings(ReportShape):
    """Everything a user may set."""

    repos: Annotated[tuple[RepoSpec, ...], BeforeValidator(_split), AfterValidator(_apart)] = ()
    tz: Zone = "UTC"
    uses: Annotated[
        tuple[Folder, ...], BeforeValidator(lambda one: (one,) if isinstance(one, str) else one)
    ] = ()
    """Folders of the user's own code: what they use of what changes comes first. Nothing of them leaves the machine."""
    out: Folder = Path("gazette")
    home: Folder | None = None
    database: Database | None = None  # where several machines share the memory
    web_url: Url | None = (
        None  # where links in a report point; derived from `github_url` when not set
    )
    token: Token | None = None
    keep_days: int = Field(
        default=30, ge=1, le=3_650
    )  # on which a run can be replayed; what is cited stays for good
    max_failed: float = Field(
        default=MAX_FAILED, ge=0, le=1
    )  # of the repositories, for a report on the front page
    catch_up_days: int = Field(default=14, ge=1, le=366)
    site_url: Url | None = (
        None  # where the site will lie; share previews and feeds then have absolute links
    )
    site: bool = False
    deliver: Annotated[tuple[Delivery, ...], AfterValidator(_apart)] = ()
    edition: Annotated[tuple[Edition, ...], AfterValidator(_apart)] = ()
    limits: FleetLimits = FleetLimits()
    late_minutes: int = Field(
        default=120, ge=1, le=1_440
    )  # for which an edition waits for its repositories

    @model_validator(mode="after")
    def _editions(self) -> Self:
        repos, channels = {spec.name for spec in self.repos}, {one.called for one in self.deliver}
        for one in self.edition:
            if unknown := [name for name in one.repos if name not in repos]:
                raise ValueError(f"edition {one.name}: {unknown[0]} is not one of repos")
            if missing := [name for name in one.deliver or () if name not in channels]:
                raise ValueError(f"edition {one.name}: there is no channel {missing[0]}")
        return self

    @property
    def database_address(self) -> str | None:
        """The address of the PostgreSQL database, where there is one; it may hold a password."""
        return self.database.get_secret_value() if self.database else None

    @property
    def web(self) -> str:
        """The address that links in a report begin with."""
        public = self.github_url == "https://api.github.com"
        return self.web_url or (
            "https://github.com" if public else self.github_url.removesuffix("/api/v3")
        )

    @property
    def threads_wanted(self) -> bool:
        """True when somebody said where issues and pull requests of a local mirror may be read."""
        return self.token is not None or "github_url" in self.model_fields_set


class Recipe(ReportShape):
    """The window and the settings of a run, so that its report can be made again from the record alone."""

    window: Window
    repos: tuple[RepoSpec, ...]
    web: str  # Where links point
    uses: bool = (
        False  # Whether the user's own code was looked through; where it lies is nobody's business
    )

    @classmethod
    def of(cls, settings: Settings, window: Window, specs: Iterable[RepoSpec]) -> Self:
        """Take what shapes the report, and nothing that is secret or belongs to this machine."""
        shape = {name: getattr(settings, name) for name in ReportShape.model_fields}
        repos = tuple(spec.model_copy(update={"path": None}) for spec in specs)
        return cls(window=window, repos=repos, web=settings.web, uses=bool(settings.uses), **shape)
