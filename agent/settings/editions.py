"""Editions: named sets of repositories with languages and channels, for gazettes that several machines make."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from agent.domain.base import RepoId, repo_id
from agent.domain.window import zone


class Edition(BaseModel):
    """One gazette of several; what is not said here is as the settings have it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")
    repos: tuple[RepoId, ...] = ()
    """Names from `repos`; all of them where none is named. An edition shares what is read of them with the others."""
    tz: str | None = None
    lang: Literal["en", "zh"] | None = None
    languages: tuple[Literal["en", "zh"], ...] | None = None
    layout: Literal["digest", "ledger"] | None = None
    deliver: tuple[str, ...] | None = None
    """The names of channels; all of them where nothing is said."""

    @field_validator("repos", mode="before")
    @classmethod
    def _repos(cls, value: object) -> object:
        return tuple(repo_id(str(one)) for one in value) if isinstance(value, list | tuple) else value

    @field_validator("tz")
    @classmethod
    def _tz(cls, value: str | None) -> str | None:
        if value is not None:
            zone(value)
        return value


class Limits(BaseModel):
    """What all machines together may ask for; counted in the database, and whoever finds it spent waits."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    requests: int | None = Field(default=None, ge=1)
    """Requests to GitHub, for each token, within `requests_seconds`."""
    requests_seconds: int = Field(default=3_600, ge=1, le=86_400)
    model_calls: int | None = Field(default=None, ge=1)
    """Questions to a model, for each key, within `model_seconds`."""
    model_seconds: int = Field(default=60, ge=1, le=86_400)
