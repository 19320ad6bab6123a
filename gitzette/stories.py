"""The command `stories`: how things went on over days and repositories, from the memory of published reports."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, date

from agent.domain.base import EXIT_DONE, Language, UsageError, repo_id
from agent.domain.links import Step
from agent.markdown import visible
from agent.settings.values import Settings
from agent.telling.catalogue import catalogue
from gitzette.arguments import settings_here
from gitzette.wiring import memory_of
from memory.stories import ToldStory


def stories(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """List the stories, a timeline each, newest news first."""
    settings = settings_here(environ)
    if len(args.repo) > 1:
        raise UsageError("stories takes one --repo; leave it out to see those of all")
    repo = args.repo[0].partition("=")[0] if args.repo else ""
    told = known_stories(settings.model_copy(update={"out": args.out or settings.out}), environ, repo, args.since or "")
    if args.json:
        data = [{"date": one.label, **one.story.model_dump(mode="json")} for one in told]
        sys.stdout.write(json.dumps({"stories": data}, ensure_ascii=False, indent=1) + "\n")
    else:
        where, since = f" of {repo}" if repo else "", f" since {args.since}" if args.since else ""
        nothing = f"no stories{where}{since} are remembered; they come with reports: gitzette run\n"
        sys.stdout.write("\n".join(story_text(one, args.lang or settings.lang) for one in told) or nothing)
    return EXIT_DONE


def known_stories(settings: Settings, environ: Mapping[str, str], repo: str, since: str) -> Sequence[ToldStory]:
    """Find the stories of the published reports, of a repository and since a day where these are not empty."""
    try:
        start = f"{date.fromisoformat(since)}T00:00:00Z" if since else None
    except ValueError as error:
        raise UsageError(f"{since!r} is not a day; write one such as 2026-02-04") from error
    with memory_of(settings, environ) as memory:
        for notice in memory.reports.rebuild(settings.out / "reports"):
            sys.stderr.write(f"gitzette: {notice}\n")
        return memory.stories.listed(repo=repo_id(repo) if repo else None, since=start)


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
    return f"{step.at.astimezone(UTC):%Y-%m-%d} {name} {visible(step.title)} — {act}"
