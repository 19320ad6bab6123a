"""What a user may configure: one frozen value; agent/settings/reading.py reads it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator

from agent.domain.accounts import Price
from agent.domain.base import Language, RepoId, UsageError, repo_id
from agent.domain.window import zone
from agent.settings.deliveries import Delivery
from agent.settings.editions import Edition, Limits
from agent.settings.globs import check_glob

FILE_NAME = "gitzette.toml"
MAX_FAILED = 0.5
SourceChoice = Literal["both", "git", "api"]
AnalystChoice = Literal["rules", "model"]
Layout = Literal["digest", "ledger"]
# What git itself allows in a branch name, less what could be read as an option, a range or another revision.
_BRANCH = re.compile(r"(?![-/.])(?!.*(?:\.\.|@\{|//))[^\x00-\x20\x7f~^:?*\[\\]+(?<![/.])")
_PLAIN_URL = re.compile(r"[\w.~:/%\[\]-]+", re.ASCII)


@contextmanager
def _told_with_its_key() -> Iterator[None]:
    """Hand an error of ours to pydantic, so that it is told together with the key that it belongs to."""
    try:
        yield
    except UsageError as error:
        raise ValueError(str(error)) from error


def _expanded(path: str | Path) -> Path:
    """Read `~` as the home folder; the error is for a user who is not there."""
    if "\0" in str(path):
        raise UsageError("a path cannot hold a zero byte")
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise UsageError(f"{str(path)!r}: no such user") from error


class RepoSpec(BaseModel):
    """One repository to report on, and where its code is read from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: RepoId
    path: Path | None = None
    """A local clone or bare mirror; None means that Gitzette keeps its own mirror or asks the API."""
    branch: str | None = None
    include: tuple[str, ...] = ()
    """Patterns of paths; commits that touch none of them are listed and folded. Empty means everything."""
    exclude: tuple[str, ...] = ()
    """Patterns of paths that do not count; with `include`, what both match does not."""
    ignore_authors: tuple[str, ...] = ()
    """Names, addresses or logins whose commits are folded like those of bots; `*` stands for anything."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read `owner/name` or `owner/name=PATH`."""
        name, equals, path = text.partition("=")
        if equals and not path:
            raise UsageError(f"{text!r} names no path; write owner/name=PATH")
        return cls(name=repo_id(name), path=_expanded(path) if path else None)

    @field_validator("name", mode="before")
    @classmethod
    def _name(cls, value: object) -> RepoId:
        with _told_with_its_key():
            return repo_id(str(value))

    @field_validator("path")
    @classmethod
    def _path(cls, value: Path | None) -> Path | None:
        with _told_with_its_key():
            return None if value is None else _expanded(value)

    @field_validator("include", "exclude")
    @classmethod
    def _globs(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        with _told_with_its_key():
            return tuple(map(check_glob, value))

    @field_validator("ignore_authors")
    @classmethod
    def _authors(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if any(not author.strip("* ") for author in value):
            raise ValueError("an author needs a name; to leave a repository out, take it out of repos")
        return value

    @field_validator("branch")
    @classmethod
    def _branch(cls, value: str | None) -> str | None:
        # A branch goes to git as an argument.
        if value is not None and not _BRANCH.fullmatch(value):
            raise ValueError(f"{value!r} is not a branch name")
        return value


class Budget(BaseModel):
    """How much a run may spend; what is not said otherwise is for each repository."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    deep: int = Field(default=60, ge=0, le=5_000)
    """Commits read in depth, over all repositories: the whole diff and the files around it."""
    api_diffs: int = Field(default=60, ge=0, le=5_000)
    """Diffs read through the API, one request each; diffs from git cost nothing and have no limit."""
    open_issue_pages: int = Field(default=3, ge=0, le=100)
    """Pages of 100 open issues listed on the first run of a repository."""
    wait_seconds: float = Field(default=900, ge=0, le=86_400)
    """The longest a run waits for a rate limit before it says what is missing."""
    retry_seconds: float = Field(default=1.0, ge=0, le=60)
    """The pause before a failed request is sent again; it doubles each time."""
    model_calls: int = Field(default=1_200, ge=0, le=100_000)
    """Questions to a model, over all repositories of a run."""
    model_tokens: int = Field(default=12_000_000, ge=0, le=1_000_000_000)
    """Tokens to and from a model, over all repositories of a run."""
    model_seconds: float = Field(default=7_200, ge=0, le=86_400)
    """How long a run asks a model, from its first question on."""
    model_cost: float | None = Field(default=None, ge=0)
    """What a run may cost by the price table, in its currency."""
    repo_model_calls: int = Field(default=500, ge=0, le=100_000)
    repo_model_tokens: int = Field(default=6_000_000, ge=0, le=1_000_000_000)
    repo_model_seconds: float = Field(default=3_600, ge=0, le=86_400)
    answer_seconds: float = Field(default=300, gt=0, le=3_600)
    """How long a model may take for one answer."""


class Tiers(BaseModel):
    """From which weight on a commit belongs to a tier; docs/facts.md says what a weight is made of."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    high: float = Field(default=5.0, ge=0, le=100)
    mid: float = Field(default=2.5, ge=0, le=100)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.mid > self.high:
            raise ValueError("mid cannot be above high")
        return self


class Settings(BaseModel):
    """Everything a user may set; an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    repos: tuple[RepoSpec, ...] = ()
    tz: str = "UTC"
    lang: Language = "en"
    languages: tuple[Language, ...] = ()
    """Further languages in which each report is written, beside `lang`."""
    uses: tuple[Path, ...] = ()
    """Folders of the user's own code: what they use of what changes comes first. Nothing of them leaves the machine."""
    layout: Layout = "digest"
    source: SourceChoice = "both"
    out: Path = Path("gazette")
    home: Path | None = None
    database: SecretStr | None = None
    """`postgresql://…` where several machines share the memory; a file below `home` where not set."""
    github_url: str = "https://api.github.com"
    git_url: str = "https://github.com"
    web_url: str | None = None
    """Where links in a report point; derived from `github_url` when not set."""
    link_host: str | None = None
    """A host that forwards to `web_url`, such as redirect.github.com: links through it leave no back-reference."""
    analyst: AnalystChoice = "rules"
    model: str | None = None
    model_url: str | None = None
    """An endpoint that speaks OpenAI's protocol; its key is read from OPENAI_API_KEY only."""
    model_reading: str | None = None
    """A model of its own for choosing what to read; `model` where not set."""
    model_writing: str | None = None
    model_judging: str | None = None
    """A model of its own for judging what another wrote; `model` where not set, in a question of its own."""
    model_context: int | None = Field(default=None, ge=2_048, le=10_000_000)
    """Tokens of the models' window, where their server does not tell; 8,192 are assumed otherwise."""
    prices: dict[str, Price] = Field(default_factory=dict)
    """What a million tokens of a model cost, by its name: `[prices.NAME]` with input, output and currency."""
    token: SecretStr | None = None
    budget: Budget = Budget()
    tiers: Tiers = Tiers()
    keep_days: int = Field(default=30, ge=1, le=3_650)
    """For how many days a run can be replayed; what published reports cite is kept for good."""
    max_failed: float = Field(default=MAX_FAILED, ge=0, le=1)
    """The share of repositories that may fail before a report is kept from the front page."""
    catch_up_days: int = Field(default=14, ge=1, le=366)
    """How far back `run --catch-up` looks for days without a report."""
    site_url: str | None = None
    """Where the site will lie; share previews and feeds then have absolute links."""
    site: bool = False
    """Whether a run also writes the static site, to `site` in the output folder."""
    deliver: tuple[Delivery, ...] = ()
    """Where each report is sent after a run."""
    edition: tuple[Edition, ...] = ()
    """Gazettes that workers make; one of everything where none is named."""
    limits: Limits = Limits()
    """What all machines together may ask for."""
    late_minutes: int = Field(default=120, ge=1, le=1_440)
    """How long an edition waits for its repositories before it is published without the rest."""

    @field_validator("repos", mode="before")
    @classmethod
    def _repos(cls, value: object) -> object:
        """Accept `"owner/name"` and `"owner/name=PATH"` beside tables, and the comma-separated form of a variable."""
        if isinstance(value, str):
            value = [part for part in value.replace(",", " ").split() if part]
        if isinstance(value, list):
            with _told_with_its_key():
                return tuple(RepoSpec.parse(item) if isinstance(item, str) else item for item in value)
        return value

    @field_validator("repos")
    @classmethod
    def _once(cls, value: tuple[RepoSpec, ...]) -> tuple[RepoSpec, ...]:
        # GitHub does not tell capital letters apart; a repository read twice would be counted twice.
        seen: set[str] = set()
        for spec in value:
            if spec.name.lower() in seen:
                raise ValueError(f"{spec.name} is named twice")
            seen.add(spec.name.lower())
        return value

    @field_validator("deliver")
    @classmethod
    def _told_apart(cls, value: tuple[Delivery, ...]) -> tuple[Delivery, ...]:
        names = [delivery.called for delivery in value]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"two are called {name}; give each a name of its own")
        return value

    @model_validator(mode="after")
    def _editions(self) -> Self:
        names, repos = [one.name for one in self.edition], {spec.name for spec in self.repos}
        channels = {delivery.called for delivery in self.deliver}
        for one in self.edition:
            if names.count(one.name) > 1:
                raise ValueError(f"two editions are called {one.name}")
            if unknown := [name for name in one.repos if name not in repos]:
                raise ValueError(f"edition {one.name}: {unknown[0]} is not one of repos")
            if missing := [name for name in one.deliver or () if name not in channels]:
                raise ValueError(f"edition {one.name}: there is no channel {missing[0]}")
        return self

    @field_validator("out", "home")
    @classmethod
    def _folder(cls, value: Path | None) -> Path | None:
        with _told_with_its_key():
            return None if value is None else _expanded(value)

    @field_validator("tz")
    @classmethod
    def _tz(cls, value: str) -> str:
        with _told_with_its_key():
            zone(value)
        return value

    @field_validator("github_url", "git_url", "web_url", "model_url", "site_url")
    @classmethod
    def _url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value)
        if "@" in parts.netloc:
            raise ValueError("credentials do not belong in an address; put a token in the variable GITHUB_TOKEN")
        if parts.scheme not in ("https", "http") or not parts.hostname or not _PLAIN_URL.fullmatch(value):
            raise ValueError(f"{value!r} is not an http(s) address")
        return value.rstrip("/")

    @field_validator("database")
    @classmethod
    def _database(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and not value.get_secret_value().startswith(("postgresql://", "postgres://")):
            raise ValueError("write postgresql://host/name; without it the memory is a file below home")
        return value

    @field_validator("token")
    @classmethod
    def _token(cls, value: SecretStr | None) -> SecretStr | None:
        if value is None:
            return None
        # Secrets are often stored with the newline of the file they came from.
        text = value.get_secret_value().strip()
        if not re.fullmatch(r"[!-~]+", text):
            raise ValueError("it holds characters that no token has")
        return SecretStr(text)

    @field_validator("uses", mode="before")
    @classmethod
    def _uses(cls, value: object) -> object:
        """Accept one folder beside a list, and read `~`."""
        listed = [value] if isinstance(value, str) else value
        return tuple(Path(one).expanduser() for one in listed) if isinstance(listed, list | tuple) else listed

    @field_validator("languages", mode="before")
    @classmethod
    def _languages(cls, value: object) -> object:
        """Accept the comma-separated form of a variable."""
        return tuple(value.replace(",", " ").split()) if isinstance(value, str) else value

    @field_validator("link_host")
    @classmethod
    def _link_host(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*(?::\d{1,5})?", value):
            raise ValueError(f"{value!r} is not the name of a host")
        return value

    @property
    def database_address(self) -> str | None:
        """The address of the PostgreSQL database, where there is one; it may hold a password."""
        return self.database.get_secret_value() if self.database else None

    @property
    def web(self) -> str:
        """The address that links in a report begin with."""
        if self.link_host is None:
            return self._web
        parts = urlsplit(self._web)
        return parts._replace(netloc=self.link_host).geturl()

    @property
    def _web(self) -> str:
        """The address under which people open the repositories in a browser."""
        if self.web_url:
            return self.web_url
        if self.github_url == "https://api.github.com":
            return "https://github.com"
        return self.github_url.removesuffix("/api/v3")

    @property
    def threads_wanted(self) -> bool:
        """True when somebody said where issues and pull requests of a local mirror may be read."""
        return self.token is not None or "github_url" in self.model_fields_set
