"""The commands that are look-ups: `facts`, `between`, `stories` and `runs`."""

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any, NamedTuple

from agent.browser_urls import Web
from agent.domain.affected_versions import Affected
from agent.domain.commits import Change, Commit
from agent.domain.errors import EXIT_DONE, NotFound, UsageError
from agent.domain.evidence import CommitEvidence
from agent.domain.facts import Fact, FactSheet
from agent.domain.references import Reference, parse_reference, repo_id
from agent.domain.upgrade import Upgrade
from agent.domain.window import moment
from agent.markdown import visible
from agent.ports import CloneSource, CodeSource
from agent.report_languages import catalogue
from agent.reports.affected_text import affected_text
from agent.reports.shown_titles import shown_title
from agent.settings.values import RepoSpec, Settings
from gitzette.arguments import settings_for, settings_here, specs_of
from gitzette.home_folder import memory_of
from gitzette.render.templating import plain_environment, upgrade_json, upgrade_page
from gitzette.repository_by_revision import open_repository_with
from gitzette.sources import open_sources
from gitzette.terminal_output import as_json, say
from memory.runs import RunRecord
from tools.affected_versions import affected_versions
from tools.diff.fact_reading import study
from tools.diff.version_comparison import compare_versions
from tools.evidence_cache import EvidenceCache
from tools.user_code import UserCode

_MAX_RUNS = 20


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


def between(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Print what changes for users from one version to another, each with its commits."""
    settings = settings_for(args, environ)
    upgrade = asyncio.run(_read_upgrade(settings, environ, args.old, args.new))
    if args.json:
        sys.stdout.write(as_json(upgrade_json(upgrade)))
    else:
        sys.stdout.write(upgrade_page(upgrade, settings.lang, Web(settings.web)))
    return EXIT_DONE


async def _read_upgrade(
    settings: Settings, environ: Mapping[str, str], old: str, new: str
) -> Upgrade:
    """Compare two versions of the only repository that has both, and mark what own code uses."""
    if settings.source == "api":
        raise UsageError(
            'versions are compared in clones, and source = "api" reads none; change it'
        )

    async def resolve(code: CodeSource) -> None:
        assert isinstance(code, CloneSource)
        await code.version(old, tz=settings.tz)
        await code.version(new, tz=settings.tz)

    async with open_sources(settings, environ) as repositories:
        sources = await open_repository_with([old, new], resolve, specs_of(settings), repositories)
        upgrade = await compare_versions(sources.code, old, new, tz=settings.tz, step=_say_step)
    if not settings.uses:
        return upgrade
    return UserCode(settings.uses).marked(upgrade)


def _say_step(what: str, done: int, total: int) -> None:
    say(f"{what} {done} of {total}" if total > 1 else what)


def stories(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """List the stories of the published reports, a timeline each, newest news first."""
    settings = settings_here(environ)
    if len(args.repo) > 1:
        raise UsageError("stories takes one --repo; leave it out to see those of all")
    repo = repo_id(args.repo[0].partition("=")[0]) if args.repo else None
    start = f"{moment(args.since, settings.tz):%Y-%m-%dT%H:%M:%SZ}" if args.since else None
    with memory_of(settings, environ) as memory:
        for notice in memory.reports.rebuild((args.out or settings.out) / "reports"):
            say(notice)
        listed = memory.stories.listed(repo=repo, since=start)
    if args.json:
        data = [{"date": entry.label, **entry.story.model_dump(mode="json")} for entry in listed]
        sys.stdout.write(as_json({"stories": data}))
        return EXIT_DONE
    lang = args.lang or settings.lang
    words = catalogue(lang)
    text = (
        plain_environment()
        .get_template("story.txt")
        .render(
            told=listed,
            lang=lang,
            say=words["page"],
            signs=words["signs"],
            visible=visible,
            web=Web(""),
        )
    )
    sys.stdout.write(text or "no stories are remembered; they come with reports\n")
    return EXIT_DONE


def runs(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """List earlier runs, newest first."""
    with memory_of(settings_here(environ), environ) as memory:
        records = []
        for run in memory.runs.latest(_MAX_RUNS):
            # A run that was killed could not record its end; without its lock it is not running.
            if run.status == "running" and memory.run_locks.process(run.id) is None:
                records.append(replace(run, status="unfinished"))
            else:
                records.append(run)
    if args.json:
        sys.stdout.write(as_json([asdict(run) for run in records]))
        return EXIT_DONE
    sys.stdout.write("".join(map(_run_line, records)) or "no runs yet\n")
    return EXIT_DONE


def _run_line(run: RunRecord) -> str:
    seconds = run.details.get("seconds", "?")
    repos = ", ".join(run.details.get("repos", []))
    return f"{run.id}  {run.started}  {run.status:<10}  {run.window}  {seconds} s  {repos}\n"
