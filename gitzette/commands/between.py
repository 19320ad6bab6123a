"""The command `between`: what changes for users from one version to another."""

import argparse
import asyncio
import sys
from collections.abc import Mapping

from agent.browser_urls import Web
from agent.domain.errors import EXIT_DONE, UsageError
from agent.domain.upgrade import Upgrade
from agent.ports import CloneSource, CodeSource
from agent.settings.values import Settings
from gitzette.render.upgrade_guide_text import upgrade_json, upgrade_page
from gitzette.repository_by_revision import open_repository_with
from gitzette.settings_from_arguments import settings_for, specs_of
from gitzette.sources import open_sources
from gitzette.terminal_output import as_json, say
from tools.diff.version_comparison import compare_versions
from tools.user_code import UserCode


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
