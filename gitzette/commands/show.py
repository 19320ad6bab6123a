"""The command `show`: a report, or what the reports say of a commit, a thread or a release."""

import argparse
import sys
from collections.abc import Mapping
from typing import Any

from agent.browser_urls import Web
from agent.domain.base import Language
from agent.domain.errors import EXIT_DONE
from agent.domain.references import repo_id
from agent.report_languages import catalogue
from agent.reports.report_json import claim_json, ledger_json, to_json
from agent.settings.values import Settings
from gitzette.published_lookup import (
    Artefact,
    PublishedCommit,
    PublishedLookup,
    PublishedRelease,
    PublishedReport,
    PublishedThread,
)
from gitzette.render.page_composition import page_model, report_page
from gitzette.render.report_view import ReportView
from gitzette.render.templating import filled
from gitzette.settings_from_arguments import settings_here
from gitzette.terminal_output import as_json, print_markdown


def show(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Print a report, a commit, a thread or a release, from the published reports alone."""
    settings = settings_here(environ)
    repo = repo_id(args.repo[-1].partition("=")[0]) if args.repo else None
    lookup = PublishedLookup(args.out or settings.out, settings.tz, repo)
    artefact = lookup.find(args.what)
    if args.json:
        sys.stdout.write(as_json(_data(artefact)))
        return EXIT_DONE
    print_markdown(_page(artefact, args.lang or settings.lang, settings))
    return EXIT_DONE


def _page(artefact: Artefact, lang: Language, settings: Settings) -> str:
    web = Web(settings.web)
    if isinstance(artefact, PublishedReport):
        return report_page(artefact.report, lang, web, settings.layout)
    if isinstance(artefact, PublishedCommit):
        return _commit_page(artefact, lang, web)
    if isinstance(artefact, PublishedThread):
        return filled("show_thread.md", lang, web, artefact=artefact)
    return _release_page(artefact, lang, web)


def _release_page(release: PublishedRelease, lang: Language, web: Web) -> str:
    page = page_model(release.report, lang, web)
    cards = {card.release.id(card.repo): card for card in page.releases}
    return filled(
        "show_release.md",
        lang,
        web,
        artefact=release,
        page=page,
        card=cards.get(release.id),  # None where no clone shows what is new
        several=True,
    )


def _commit_page(commit: PublishedCommit, lang: Language, web: Web) -> str:
    page = page_model(commit.report, lang, web)
    view = ReportView(page.report, lang, web)
    row = view.rows[commit.id]
    return filled(
        "show_commit.md",
        lang,
        web,
        page=page,
        # A commit that was undone in its window is shown with the one that undid it.
        item=page.items.get(row.id),
        row=row,
        sentences=view.sentences(view.claims_of(row)),
        label=commit.label,
        group=commit.group_label(lang),
        section=view.section(row),
        why=view.why(row),
        several=True,
    )


def _data(artefact: Artefact) -> dict[str, Any]:
    if isinstance(artefact, PublishedReport):
        return to_json(artefact.report)
    if isinstance(artefact, PublishedCommit):
        return _commit_data(artefact)
    if isinstance(artefact, PublishedThread):
        return _thread_data(artefact)
    return _release_data(artefact)


def _commit_data(commit: PublishedCommit) -> dict[str, Any]:
    row = commit.row
    names = catalogue("en")["page"]["importances"]
    placement = row.placement
    return {
        "kind": "commit",
        "id": commit.id,
        "report": commit.label,
        "tier": int(row.importance),
        "tier_name": names[row.importance],
        "order": placement.order if placement else None,
        "reason": placement.reason if placement else "",
        "marks": list(row.marks),
        "decided_by": placement.decided_by if placement else "rules",
        "group": commit.group.label if commit.group else None,
        "row": ledger_json(row),
        "claims": [claim_json(claim) for claim in commit.claims],
        "links": [link.model_dump(mode="json") for link in commit.links],
        "stories": [story.model_dump(mode="json") for story in commit.stories],
    }


def _thread_data(thread: PublishedThread) -> dict[str, Any]:
    return {
        "kind": "thread",
        "id": thread.id,
        "title": thread.title,
        "events": [
            {"report": event.label, **event.line.model_dump(mode="json")} for event in thread.events
        ],
        "links": [
            {"report": entry.label, **entry.link.model_dump(mode="json")} for entry in thread.links
        ],
        "commits": [_commit_reference(commit) for commit in thread.commits],
    }


def _release_data(release: PublishedRelease) -> dict[str, Any]:
    return {
        "kind": "release",
        "id": release.id,
        "report": release.label,
        **release.line.model_dump(mode="json"),
        "claims": [claim_json(claim) for claim in release.claims],
        "stories": [story.model_dump(mode="json") for story in release.stories],
    }


def _commit_reference(commit: PublishedCommit) -> dict[str, str]:
    return {"id": commit.id, "report": commit.label, "title": commit.row.title}
