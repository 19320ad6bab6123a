"""The command `facts`: what code finds in one commit."""

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from agent.domain.affected_versions import Affected
from agent.domain.commits import Change, Commit
from agent.domain.errors import EXIT_DONE, NotFound
from agent.domain.evidence import CommitEvidence
from agent.domain.facts import Fact, FactSheet
from agent.domain.references import Reference, parse_reference
from agent.ports import CodeSource
from agent.reports.affected_text import affected_text
from agent.reports.shown_titles import shown_title
from agent.settings.values import RepoSpec, Settings
from gitzette.render.templating import plain_environment
from gitzette.repository_by_revision import open_repository_with
from gitzette.settings_from_arguments import settings_for, specs_of
from gitzette.sources import open_sources
from gitzette.terminal_output import as_json
from tools.affected_versions import affected_versions
from tools.diff.files_read_for_facts import study
from tools.evidence_cache import EvidenceCache


class CommitFacts(NamedTuple):
    """A commit with its diff, the facts that code finds in it, and the versions it mends."""

    change: Change
    sheet: FactSheet
    affected: Affected | None = None


def facts(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Print the facts of one commit."""
    settings = settings_for(args, environ)
    specs = _specs_for(args, settings)
    commit_facts = asyncio.run(read_commit(settings, environ, specs, args.sha))
    if args.json:
        sys.stdout.write(as_json(_facts_json(commit_facts)))
    else:
        sys.stdout.write(facts_text(commit_facts))
    return EXIT_DONE


def _specs_for(args: argparse.Namespace, settings: Settings) -> Sequence[RepoSpec]:
    """Return the repositories that may have the commit: all, unless its address names one."""
    reference = _commit_reference(args.sha)
    if args.repo or reference is None or reference.repo is None:
        return specs_of(settings)
    for spec in settings.repos:
        if spec.name.lower() == reference.repo.lower():
            return (spec,)
    return (RepoSpec(name=reference.repo),)


def _commit_reference(text: str) -> Reference | None:
    """Return what a hash or address means, or None where it is neither."""
    reference = parse_reference(text)
    if reference is None or reference.kind != "commit":
        return None
    return reference


async def read_commit(
    settings: Settings, environ: Mapping[str, str], specs: Sequence[RepoSpec], text: str
) -> CommitFacts:
    """Read a commit, by its hash or address, from the only repository that has it."""
    reference = _commit_reference(text)
    sha = reference.sha if reference is not None else text

    async def resolve(code: CodeSource) -> Commit:
        return await code.resolve(sha)

    async with open_sources(settings, environ) as repositories:
        sources = await open_repository_with([text], resolve, specs, repositories)
        commit = await resolve(sources.code)
        async for change in sources.code.changes([commit.sha]):
            sheet = await study(sources.code, change)
            evidence = CommitEvidence(change=change, sheet=sheet)
            affected = await affected_versions(
                sources.code, evidence, EvidenceCache(), until=datetime.now(UTC)
            )
            return CommitFacts(change, sheet, affected)
    raise NotFound(f"{commit.id} could not be read")


def facts_text(commit_facts: CommitFacts) -> str:
    """Return the facts of a commit as a person reads them."""
    commit = commit_facts.change.commit
    title = shown_title(commit.subject)
    template = plain_environment().get_template("facts.txt")
    affected = ""
    if commit_facts.affected is not None:
        affected = affected_text(commit_facts.affected, "en")
    return template.render(commit=commit, title=title, sheet=commit_facts.sheet, affected=affected)


def _facts_json(commit_facts: CommitFacts) -> dict[str, Any]:
    commit = commit_facts.change.commit
    sheet = commit_facts.sheet
    affected = commit_facts.affected
    return {
        "repo": commit.repo,
        "sha": commit.sha,
        "route": sheet.route,
        "facts": [_fact_json(fact) for fact in sheet.facts],
        "skipped": list(sheet.skipped),
        "affected": affected and affected.model_dump(mode="json"),
    }


def _fact_json(fact: Fact) -> dict[str, Any]:
    """Return a fact with the place that shows it best; all places are listed beside it."""
    data = fact.model_dump(mode="json")
    best: dict[str, Any] = {"file": None, "line": None, "lines": []}
    if data["places"]:
        best = data["places"][0]
    return data | best
