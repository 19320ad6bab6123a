"""The command `facts`: what one commit changes for those who depend on the repository."""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

from agent.domain.base import EXIT_DONE, NotFound, UsageError, parse_reference
from agent.domain.commits import Change
from agent.domain.facts import Fact, FactSheet
from agent.settings.values import RepoSpec, Settings
from gitzette.arguments import settings_for
from gitzette.progress import QuietProgress
from gitzette.wiring import open_house
from tools.diff.sheet import study

_SHOWN_PLACES = 3


def facts(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Print the facts of one commit."""
    settings = settings_for(args, environ)
    if len(settings.repos) != 1:
        raise UsageError("name the commit's repository with --repo owner/name or --repo owner/name=PATH")
    change, sheet = asyncio.run(read_commit(settings, environ, settings.repos[0], args.sha, hunks=args.hunks))
    write = _as_json if args.json else facts_text
    sys.stdout.write(write(change, sheet))
    return EXIT_DONE


async def read_commit(
    settings: Settings, environ: Mapping[str, str], spec: RepoSpec, sha: str, *, hunks: bool = False
) -> tuple[Change, FactSheet]:
    """Read one commit, by its hash or address, and what code finds in its diff."""
    reference = parse_reference(sha, spec.name)
    sha = reference.sha if reference is not None and reference.kind == "commit" else sha
    async with open_house(settings, environ, QuietProgress(), datetime.now(UTC)) as house:
        desk = await house.deps.desks.open(spec)
        commit = await desk.code.resolve(sha)
        changes = [change async for change in desk.code.changes([commit.sha])]
        if not changes:
            raise NotFound(f"{commit.id} could not be read")
        change = changes[0]
        return change, await study(desk.code, change, hunks=hunks)


def _as_json(change: Change, sheet: FactSheet) -> str:
    """Give each fact with the place that shows it best; all places beside it."""
    facts = [fact.model_dump(mode="json") for fact in sheet.facts]
    data = {
        "repo": change.commit.repo,
        "sha": change.commit.sha,
        "route": sheet.route,
        "facts": [one | next(iter(one["places"]), {"file": None, "line": None, "lines": []}) for one in facts],
        "skipped": list(sheet.skipped),
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def facts_text(change: Change, sheet: FactSheet) -> str:
    """Write the facts for a person."""
    lines = [f"{change.commit.id}", f"{change.commit.subject}", ""]
    for fact in sheet.facts:
        lines.append(f"{fact.severity.value:<9} {fact.kind.value}  {fact.name}{_values(fact)}")
        for place in fact.places[:_SHOWN_PLACES]:
            lines.append(f"          {place.file}:{place.line}" if place.line else f"          {place.file}")
            lines += [f"            {line}" for line in place.lines]
        if len(fact.places) > _SHOWN_PLACES:
            lines.append(f"          and {len(fact.places) - _SHOWN_PLACES} more places")
    lines += [f"skipped: {text}" for text in sheet.skipped]
    if not sheet.facts and not sheet.skipped:
        lines.append("no fact that code can name; git show has the diff")
    return "\n".join(lines) + "\n"


def _values(fact: Fact) -> str:
    detail = f" [{fact.detail}]" if fact.detail else ""
    if fact.old is None and fact.new is None:
        return detail
    return f"{detail}: {'' if fact.old is None else fact.old} → {'' if fact.new is None else fact.new}"
