"""The command `site`: from arguments to a folder of pages."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from agent.domain.base import EXIT_DONE, EXIT_INCOMPLETE, UsageError
from agent.settings.values import Settings
from agent.text.web import Web
from gitzette.arguments import settings_here
from gitzette.site.build import Built, build_site
from gitzette.site.report_pages import SiteSettings


def site(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Build the site; 3 when a report could not be read."""
    settings = settings_here(environ)
    out = args.out or settings.out
    if not (out / "reports").is_dir():
        raise UsageError(f"{out} has no reports yet; gitzette run writes them")
    to: Path = args.to or out / "site"
    built = site_of(settings, out, to)
    sys.stdout.write(f"{to / 'index.html'}\n")
    return EXIT_INCOMPLETE if built.notices else EXIT_DONE


def site_of(settings: Settings, out: Path, to: Path | None = None) -> Built:
    """Build the site of an output folder as the settings say, and tell a person what was done."""
    where = to or out / "site"
    built = build_site(out, where, site_settings(settings))
    for notice in built.notices:
        sys.stderr.write(f"gitzette: {' '.join(notice.split())}\n")
    told = f"{built.days} reports, {built.renewed} of them new or changed; {built.written} files written"
    sys.stderr.write(f"gitzette: site: {told}\n")
    return built


def site_settings(settings: Settings) -> SiteSettings:
    """Take from the settings what shapes the site."""
    return SiteSettings(
        web=Web(settings.web), lang=settings.lang, max_failed=settings.max_failed, site_url=settings.site_url or ""
    )
