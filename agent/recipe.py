"""What shaped a run: everything, beside what its sources answered, that its report depends on."""

from typing import Self

from agent.domain import Frozen
from agent.ids import RepoId
from agent.settings import Budget, Language, RepoSpec, Settings, SourceChoice
from agent.window import Window


class RepoRecipe(Frozen):
    """One repository of a run; where its clone lies on this machine shapes nothing and is nobody's business."""

    name: RepoId
    branch: str | None = None


class Recipe(Frozen):
    """The window and the settings of a run, so that its report can be made again from the record alone."""

    window: Window
    repos: tuple[RepoRecipe, ...]
    lang: Language
    source: SourceChoice
    web: str
    """Where links point."""
    github_url: str
    git_url: str
    budget: Budget

    @classmethod
    def of(cls, settings: Settings, window: Window, specs: tuple[RepoSpec, ...]) -> Self:
        """Take what shapes the report, and nothing that is secret or belongs to this machine."""
        return cls(
            window=window,
            repos=tuple(RepoRecipe(name=spec.name, branch=spec.branch) for spec in specs),
            lang=settings.lang,
            source=settings.source,
            web=settings.web,
            github_url=settings.github_url,
            git_url=settings.git_url,
            budget=settings.budget,
        )

    @property
    def specs(self) -> tuple[RepoSpec, ...]:
        """Name the repositories again, without where they were read from."""
        return tuple(RepoSpec(name=repo.name, branch=repo.branch) for repo in self.repos)
