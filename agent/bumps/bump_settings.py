"""The settings of bumps: where sources of packages are, and how these are imported."""

from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.functional_validators import model_validator

from agent.domain.base import Frozen, RepoId
from agent.domain.references import repo_id

_IMPORT_NAME = r"^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$"


def _tag_template(text: str) -> str:
    if text and text.count("{version}") != 1:
        raise ValueError("a tag is written with {version} once, as v{version}")
    return text


def _repository(value: object) -> object:
    return repo_id(str(value)) if value else ""


class PackageEntry(Frozen):
    """One entry of `[bump.packages]`."""

    repo: Annotated[RepoId, BeforeValidator(_repository)] = RepoId("")
    tag: Annotated[str, AfterValidator(_tag_template)] = ""  # As `name-v{version}`
    path: str = Field(default="", pattern=r"^(?:[\w.-]+(?:/[\w.-]+)*)?$")
    imports: tuple[Annotated[str, Field(pattern=_IMPORT_NAME)], ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, value: object) -> object:
        """Accept `owner/name` beside a table."""
        return {"repo": value} if isinstance(value, str) else value


class BumpSettings(Frozen):
    """The table `[bump]` of the configuration."""

    packages: dict[str, PackageEntry] = Field(default_factory=dict)
    """By `pypi:name`, `npm:name`, `cargo:name`, `go:path`, or by the name alone."""
    map: str = Field(default="", pattern=r"^(?:[\w.-]+(?:/[\w.-]+)*)?$")
    """A file of the repository with more packages, a table `[packages]`."""
    registries: bool = True  # Whether PyPI, npm and crates.io are asked for repositories
    max_seconds: int = Field(default=600, ge=1, le=86_400)
    max_explained: int = Field(default=4, ge=0, le=50)  # Commits of a package, by a model
    max_packages: int = Field(default=20, ge=1, le=500)  # Bumps whose sources are read
