"""What the nodes of an audit share: their context, and the state between them."""

from dataclasses import dataclass
from operator import add, or_
from typing import Annotated, Any

from typing_extensions import TypedDict

from agent.audit.entries import AuditEntry
from agent.audit.findings import Finding
from agent.audit.repository_lookup_results import AuditedRepository, Library
from agent.domain.base import RepoId
from agent.ports import Progress, Repositories
from agent.settings.values import RepoSpec
from graphs.run_context import RunContext

NO_TIME = "the time for the audit was over"


@dataclass(frozen=True, kw_only=True)
class AuditDeps:
    """The context of the nodes of an audit."""

    repositories: Repositories
    progress: Progress
    deadline: float  # By the clock of the event loop
    judge: RunContext | None = None


class AuditInput(TypedDict):
    """A report, taken apart, and the repositories that may be read."""

    entries: list[AuditEntry]
    specs: tuple[RepoSpec, ...]
    linked: frozenset[RepoId]  # Those of them that nobody gave, because the report links to them


class AuditResolveInput(TypedDict):
    """A repository in which the hashes of the report are looked up."""

    entries: list[AuditEntry]
    spec: RepoSpec


class AuditResolveOutput(TypedDict, total=False):
    """A repository with the commits that the hashes may mean, or why it could not be asked."""

    resolved: Annotated[list[AuditedRepository], add]
    failures: Annotated[dict[str, str], or_]


class AuditPlaceInput(TypedDict):
    """The repositories that resolved."""

    entries: list[AuditEntry]
    resolved: Annotated[list[AuditedRepository], add]


class AuditPlaceOutput(TypedDict):
    """The repositories that sections are about, and what was not checked, one sentence each."""

    library: Library
    incomplete: Annotated[list[str], add]


class AuditScopeInput(AuditInput):
    """The state that is sent to the repositories that resolved."""

    library: Library


class AuditReadInput(AuditResolveInput):
    """A repository that is read as far as the report speaks of it."""

    library: Library


class AuditReadOutput(TypedDict, total=False):
    """A repository as it was read, or why it could not be read."""

    read_repositories: Annotated[list[AuditedRepository], add]
    failures: Annotated[dict[str, str], or_]


class AuditCheckInput(AuditScopeInput):
    """The repositories that were read."""

    read_repositories: Annotated[list[AuditedRepository], add]


class AuditCheckOutput(TypedDict):
    """The findings of code."""

    library: Library
    findings: Annotated[list[Finding], add]
    incomplete: Annotated[list[str], add]


class AuditJudgeInput(AuditScopeInput):
    """The findings of code, and the sentences that are left to the judge."""

    findings: Annotated[list[Finding], add]
    incomplete: Annotated[list[str], add]
    failures: Annotated[dict[str, str], or_]


class AuditJudgeOutput(TypedDict):
    """The findings of the judge, and the audit in figures."""

    findings: Annotated[list[Finding], add]
    incomplete: Annotated[list[str], add]
    summary: dict[str, Any]


class AuditState(AuditJudgeInput, AuditJudgeOutput):
    """The state of an audit."""

    resolved: Annotated[list[AuditedRepository], add]
    read_repositories: Annotated[list[AuditedRepository], add]
