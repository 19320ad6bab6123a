"""The base of all other modules: names of things, and values that never change."""

from typing import Literal, NewType, get_args

from pydantic import BaseModel, ConfigDict

RepoId = NewType("RepoId", str)
Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)


def short_name(repo: RepoId) -> str:
    """Return the name of a repository without its owner."""
    return repo.rpartition("/")[2]


class Frozen(BaseModel):
    """A value: it never changes after it was made, and an unknown field is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
