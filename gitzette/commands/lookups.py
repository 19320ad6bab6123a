"""The commands `facts`, `between`, `stories` and `runs`: what is known of a commit, two versions, days, and runs."""

import argparse
import asyncio
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace

from agent.domain.base import EXIT_DONE, NotFound, UsageError, parse_reference, repo_id
from agent.domain.commits import Change
from agent.domain.facts import FactSheet
from agent.domain.upgrade import Upgrade
from agent.domain.window import moment
from agent.markdown import visible
from agent.reports.titles import shown_title
from agent.settings.values import RepoSpec, Settings
from agent.telling import catalogue
from agent.web import Web
from gitzette.arguments import settings_for, settings_here, specs_of
from gitzette.progress import as_json, say
from gitzette.render.templating import plain_environment, upgrade_json, upgrade_page
from gitzette.wiring import memory_of, open_sources
from tools.diff.sheet import compare_versions, study
from tools.own_code import OwnCode


def facts(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Print the facts of one commit."""
    settings = settings_for(args, environ)
    change, sheet = asyncio.run(read_commit(settings, environ, _only(settings), args.sha))
    # Each fact with the place that shows it best; all places beside it.
    told = [fact.model_dump(mode="json") for fact in sheet.facts]
    told = [
        one | next(iter(one["places"]), {"file": None, "line": None, "lines": []}) for one in told
    ]
    where = {"repo": change.commit.repo, "sha": change.commit.sha, "route": sheet.route}
    data = where | {"facts": told, "skipped": list(sheet.skipped)}
    sys.stdout.write(as_json(data) if args.json else facts_text(change, sheet))
    return EXIT_DONE


def _only(settings: Settings) -> RepoSpec:
    specs = specs_of(settings)
    if len(specs) != 1:
        raise UsageError("name one repository with --repo owner/name or --repo owner/name=PATH")
    return specs[0]


async def read_commit(
    settings: Settings, environ: Mapping[str, str], spec: RepoSpec, sha: str
) -> tuple[Change, FactSheet]:
    """Read one commit, by its hash or address, and what code finds in its diff."""
    reference = parse_reference(sha, spec.name)
    sha = reference.sha if reference is not None and reference.kind == "commit" else sha
    async with open_sources(settings, environ, spec) as desk:
        commit = await desk.code.resolve(sha)
        async for change in desk.code.changes([commit.sha]):
            return change, await study(desk.code, change)
    raise NotFound(f"{commit.id} could not be read")


def facts_text(change: Change, sheet: FactSheet) -> str:
    """Write the facts for a person."""
    title = shown_title(change.commit.subject)
    template = plain_environment().get_template("facts.txt")
    return template.render(commit=change.commit, title=title, sheet=sheet)


def between(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Print what changes for users from one version to another, each with its commits."""
    settings = settings_for(args, environ)
    upgrade = asyncio.run(_read_upgrade(settings, environ, args.old, args.new))
    text = (
        as_json(upgrade_json(upgrade))
        if args.json
        else upgrade_page(upgrade, settings.lang, Web(settings.web))
    )
    sys.stdout.write(text)
    return EXIT_DONE


async def _read_upgrade(
    settings: Settings, environ: Mapping[str, str], old: str, new: str
) -> Upgrade:
    """Compare two versions of a repository, and look for what changes in the user's own code where that is named."""
    own = OwnCode(settings.uses) if settings.uses else None
    async with open_sources(settings, environ, _only(settings)) as desk:
        upgrade = await compare_versions(desk.code, old, new, tz=settings.tz, step=_say_step)
    return upgrade if own is None else own.marked(upgrade)


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
        told = memory.stories.listed(repo=repo, since=start)
    data = [{"date": one.label, **one.story.model_dump(mode="json")} for one in told]
    lang = args.lang or settings.lang
    words = {"lang": lang, "say": catalogue(lang)["page"], "visible": visible, "web": Web("")}
    text = plain_environment().get_template("story.txt").render(told=told, **words)
    text = text or "no stories are remembered; they come with reports\n"
    sys.stdout.write(as_json({"stories": data}) if args.json else text)
    return EXIT_DONE


def runs(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """List earlier runs, newest first."""
    with memory_of(settings_here(environ), environ) as memory:
        # The dead do not note their end; their locks tell which are under way.
        records = [
            replace(run, status="unfinished")
            if run.status == "running" and memory.run_locks.process(run.id) is None
            else run
            for run in memory.runs.latest(20)
        ]
    lines = (
        f"{run.id}  {run.started}  {run.status:<10}  {run.window}  {run.details.get('seconds', '?')} s  "
        f"{', '.join(run.details.get('repos', []))}\n"
        for run in records
    )
    sys.stdout.write(
        as_json([asdict(run) for run in records])
        if args.json
        else "".join(lines) or "no runs yet\n"
    )
    return EXIT_DONE
