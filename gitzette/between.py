"""The command `between`: what changes for users from one version of a repository to another."""

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

from agent.domain.base import EXIT_DONE, StorageError, UsageError
from agent.editions.upgrade import Upgrade
from agent.settings.values import RepoSpec, Settings
from agent.web import Web
from gitzette.arguments import settings_for, specs_of
from gitzette.progress import QuietProgress
from gitzette.publish import replace_file
from gitzette.render.editions import upgrade_json, upgrade_page
from gitzette.wiring import open_house
from tools.diff.sheet import Step, compare_versions
from tools.own_code import OwnCode


def between(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Print the guide, or write it to --out."""
    settings = settings_for(args, environ)
    specs = specs_of(settings)
    if len(specs) != 1:
        raise UsageError("name one repository with --repo owner/name or --repo owner/name=PATH")
    upgrade = asyncio.run(read_upgrade(settings, environ, specs[0], args.old, args.new, _to_stderr))
    data = json.dumps(upgrade_json(upgrade), ensure_ascii=False, indent=1) + "\n"
    text = data if args.json else upgrade_page(upgrade, settings.lang, Web(settings.web))
    if args.file is None:
        sys.stdout.write(text)
        return EXIT_DONE
    try:
        replace_file(args.file, [text])
    except OSError as error:
        raise StorageError(f"cannot write {args.file}: {error.strerror or error}") from error
    sys.stdout.write(f"{args.file}\n")
    return EXIT_DONE


async def read_upgrade(
    settings: Settings, environ: Mapping[str, str], spec: RepoSpec, old: str, new: str, step: Step
) -> Upgrade:
    """Compare two versions of a repository, and look for what changes in the user's own code where that is named."""
    own = OwnCode(settings.uses) if settings.uses else None
    async with open_house(settings, environ, QuietProgress(), datetime.now(UTC)) as house:
        code = (await house.deps.desks.open(spec)).code
        upgrade = await compare_versions(code, old, new, tz=settings.tz, step=step)
    return upgrade if own is None else own.marked(upgrade)


def _to_stderr(what: str, done: int, total: int) -> None:
    sys.stderr.write(f"gitzette: {what} {done} of {total}\n" if total > 1 else f"gitzette: {what}\n")
