"""The command `stories`: the stories of the published reports, as timelines."""

import argparse
import sys
from collections.abc import Mapping

from agent.browser_urls import Web
from agent.domain.errors import EXIT_DONE, UsageError
from agent.domain.references import repo_id
from agent.domain.window import moment
from agent.markdown import visible
from agent.report_languages import catalogue
from gitzette.home_folder import memory_of
from gitzette.render.templating import plain_environment
from gitzette.settings_from_arguments import settings_here
from gitzette.terminal_output import as_json, say


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
