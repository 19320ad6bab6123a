"""Explainer of the commits of bumped packages; imported only where a model is configured."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from agent.bumps.bump_report_model import Explanation, Explanations, SourceMapping, UsedName
from agent.domain.base import Language
from agent.domain.claims import MARK, Claim
from agent.model_errors import ModelError
from agent.ports import CloneSource
from agent.settings.values import RepoSpec, Settings
from gitzette.wiring import open_services, writers_of
from graphs.explaining_package_commits import explained
from graphs.run_context import RunContext
from memory.recorder import QUESTIONS
from tools.packages.touching_commits import MAX_COMMITS_SEARCHED, touching_commits

_LANGUAGE: Language = "en"  # That of the comment


@dataclass(frozen=True)
class BumpExplainer:
    """Chooses the commits that own code may notice, and has them explained."""

    context: RunContext
    specs: Mapping[str, RepoSpec]  # Of clones that were named, by the name in lower case
    limit: int

    @property
    def model(self) -> str:
        """The name of the model that writes."""
        return self.context.require_models().name

    async def explain(self, mapping: SourceMapping, uses: Sequence[UsedName]) -> Explanations:
        """Return the admitted sentences about commits that change what own code uses."""
        spec = self.specs.get(mapping.repo.lower()) or RepoSpec(name=mapping.repo)
        code = (await self.context.repositories.open(spec)).code
        assert isinstance(code, CloneSource), "packages are read from clones"
        touching = await touching_commits(code, mapping.old.sha, mapping.new.sha, uses, self.limit)
        omissions: list[str] = []
        if touching.unsearched:
            omissions.append(
                f"{touching.unsearched:,} commits before the last {MAX_COMMITS_SEARCHED} were not"
                " searched for changes of behaviour"
            )
        left_out = touching.concerning - len(touching.commits)
        if left_out:
            omissions.append(
                f"{left_out:,} more commits change names that you use and are not explained"
                " (max_explained)"
            )
        if not touching.commits:
            return Explanations(omissions=tuple(omissions))
        try:
            shas = [commit.sha for commit in touching.commits]
            output = await explained(spec, shas, mapping.new.sha, self.context)
        except ModelError as error:
            return Explanations(omissions=tuple(omissions), failure=str(error))
        items: list[Explanation] = []
        for commit in touching.commits:
            claims = [claim for claim in output["analysis"] if _is_about(claim, commit.sha)]
            sentences = tuple(_sentence(claim) for claim in claims if claim.role != "headline")
            if sentences:
                items.append(Explanation(sha=commit.sha, uses=commit.uses, sentences=sentences))
        fallbacks = output["account"].fallbacks
        failure = f"the model failed: {fallbacks[0].reason}" if fallbacks else ""
        return Explanations(items=tuple(items), omissions=tuple(omissions), failure=failure)


def _is_about(claim: Claim, sha: str) -> bool:
    return bool(claim.about) and claim.about[0].sha == sha and _LANGUAGE in claim.text


def _sentence(claim: Claim) -> str:
    """Return a sentence without the marks of its citations, which the linked commit replaces."""
    text = " ".join(MARK.sub("", claim.text[_LANGUAGE]).split())
    return f"Its author says: {text}" if claim.attributed else text


@asynccontextmanager
async def open_explainer(
    settings: Settings, environ: Mapping[str, str], limit: int
) -> AsyncIterator[BumpExplainer]:
    """Open what the models need, and close it afterwards; answers are kept for a day."""
    now = datetime.now(UTC)
    settings = settings.model_copy(update={"lang": _LANGUAGE, "languages": (), "source": "git"})
    async with open_services(settings, environ, now, specs=settings.repos) as services:
        recorder = services.memory.recorder(f"{QUESTIONS}{now.date().isoformat()}")
        writers = writers_of(settings, environ, recorder, services.memory.model_servers)
        context = replace(
            services.context, models=writers.models, mark=writers.mark, languages=(_LANGUAGE,)
        )
        specs = {spec.name.lower(): spec for spec in settings.repos}
        yield BumpExplainer(context, specs, limit)
