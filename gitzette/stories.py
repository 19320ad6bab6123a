"""The command `stories`: how things went on over days and repositories, from the memory of published reports."""

import argparse
import json
import sys
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

from agent.catalogue import catalogue
from agent.errors import EXIT_DONE, UsageError
from agent.ids import repo_id
from agent.settings import Language
from agent.stories import Step
from gitzette.arguments import settings_here
from gitzette.wiring import home_of
from memory.store import open_memory
from memory.stories import ToldStory


def stories(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """List the stories, a timeline each, newest news first."""
    settings = settings_here(environ)
    repo = repo_id(args.repo[0].partition("=")[0]) if args.repo else None
    if len(args.repo) > 1:
        raise UsageError("stories takes one --repo; leave it out to see those of all")
    since = start_of(args.since) if args.since else None
    out = args.out or settings.out
    with open_memory(home_of(settings, environ), datetime.now(UTC).date()) as memory:
        for notice in memory.reports.rebuild(out / "reports"):
            sys.stderr.write(f"gitzette: {notice}\n")
        told = memory.stories.listed(repo=repo, since=since)
    if args.json:
        sys.stdout.write(json.dumps({"stories": [_plain(one) for one in told]}, ensure_ascii=False, indent=1) + "\n")
    else:
        lang: Language = args.lang or settings.lang
        sys.stdout.write("\n".join(story_text(one, lang) for one in told) or _nothing(args))
    return EXIT_DONE


def start_of(text: str) -> str:
    """Read a day as the moment when it begins, as the memory writes moments."""
    try:
        return datetime.combine(date.fromisoformat(text), datetime.min.time(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except ValueError as error:
        raise UsageError(f"{text!r} is not a day; write one such as 2026-02-04") from error


def _plain(told: ToldStory) -> dict[str, Any]:
    return {"date": told.label, **told.story.model_dump(mode="json")}


def _nothing(args: argparse.Namespace) -> str:
    where = f" of {args.repo[0].partition('=')[0]}" if args.repo else ""
    when = f" since {args.since}" if args.since else ""
    return f"no stories{where}{when} are remembered; they come with reports: gitzette run\n"


def story_text(told: ToldStory, lang: Language) -> str:
    """Write a story as a timeline."""
    say, story = catalogue(lang)["page"], told.story
    since = f" ({say['update_since'].format(story.since)})" if story.since else ""
    lines = [f"{told.label} {story.repo} {say['story_kinds'][story.kind.value]}{since}"]
    lines += [f"  {_step(step, lang)}" for step in story.timeline]
    if story.text.get(lang):
        lines.append(f"  → {story.text[lang]}")
    return "\n".join(lines) + "\n"


def _step(step: Step, lang: Language) -> str:
    act = catalogue(lang)["page"]["acts"][step.act.value].format(step.part)
    repo, at, digits = step.cite.partition("@")
    name = f"{repo}@{digits[:9]}" if at and len(digits) == 40 else step.cite
    return f"{step.at.astimezone(UTC):%Y-%m-%d} {name} {_visible(step.title)} — {act}"


def _visible(title: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in title)
