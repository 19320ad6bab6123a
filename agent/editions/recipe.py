"""What shaped a run: everything, beside what its sources answered, that its report depends on."""

from typing import Self

from pydantic import Field

from agent.domain.accounts import Price
from agent.domain.base import Frozen, Language, RepoId
from agent.domain.window import Window
from agent.settings.values import AnalystChoice, Budget, Layout, RepoSpec, Settings, SourceChoice, Tiers


class RepoRecipe(Frozen):
    """One repository of a run; where its clone lies on this machine shapes nothing and is nobody's business."""

    name: RepoId
    branch: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    ignore_authors: tuple[str, ...] = ()


class Recipe(Frozen):
    """The window and the settings of a run, so that its report can be made again from the record alone."""

    window: Window
    repos: tuple[RepoRecipe, ...]
    lang: Language
    languages: tuple[Language, ...] = ()
    layout: Layout = "digest"
    source: SourceChoice
    web: str
    """Where links point."""
    github_url: str
    git_url: str
    analyst: AnalystChoice = "rules"
    model: str | None = None
    model_url: str | None = None
    model_reading: str | None = None
    model_writing: str | None = None
    model_judging: str | None = None
    model_context: int | None = None
    prices: dict[str, Price] = Field(default_factory=dict)
    budget: Budget
    tiers: Tiers = Tiers()
    uses: bool = False
    """Whether the user's own code was looked through; where it lies is nobody's business."""

    @classmethod
    def of(cls, settings: Settings, window: Window, specs: tuple[RepoSpec, ...]) -> Self:
        """Take what shapes the report, and nothing that is secret or belongs to this machine."""
        return cls(
            window=window,
            repos=tuple(RepoRecipe(**spec.model_dump(exclude={"path"})) for spec in specs),
            lang=settings.lang,
            languages=settings.languages,
            layout=settings.layout,
            source=settings.source,
            web=settings.web,
            github_url=settings.github_url,
            git_url=settings.git_url,
            analyst=settings.analyst,
            model=settings.model,
            model_url=settings.model_url,
            model_reading=settings.model_reading,
            model_writing=settings.model_writing,
            model_judging=settings.model_judging,
            model_context=settings.model_context,
            prices=settings.prices,
            budget=settings.budget,
            tiers=settings.tiers,
            uses=bool(settings.uses),
        )

    @property
    def specs(self) -> tuple[RepoSpec, ...]:
        """Name the repositories again, without where they were read from."""
        return tuple(RepoSpec(**repo.model_dump()) for repo in self.repos)
