"""The cards of releases: what breaks and changes since the release before, picks and advisories."""

from collections.abc import Iterable
from typing import get_args

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from agent.domain.releases import ReleaseNotes
from agent.domain.report import ReleaseLine
from agent.domain.upgrade import Part
from agent.reports.page import (
    Citation,
    PageAdvisory,
    PagePick,
    PageRelease,
    ReleaseChange,
    ReleasePart,
)
from agent.reports.titles import shown_title
from gitzette.render.templating import element_id_of
from gitzette.render.view import ReportView


def release_cards(view: ReportView) -> tuple[PageRelease, ...]:
    """Return a card for each release of which a clone tells what is new, in the report's order."""
    cards = []
    for section in view.report.sections:
        for release in section.releases:
            if release.notes is not None:
                cards.append(_card(section.repo, release, release.notes, view))
    return tuple(cards)


def _card(repo: RepoId, release: ReleaseLine, notes: ReleaseNotes, view: ReportView) -> PageRelease:
    parts = []
    for name in get_args(Part):
        part = _part(name, notes, view)
        if part.size:
            parts.append(part)
    picks = []
    for pick in notes.picks:
        citation = _citation(pick.id, pick.title, view)
        originals = tuple(shown_title(title, view.lang) for title in pick.originals)
        picks.append(PagePick(citation, originals))
    advisories = []
    for advisory in notes.advisories:
        advisories.append(PageAdvisory(advisory.id, _citations(advisory.commits, notes, view)))
    return PageRelease(
        repo=repo,
        release=release,
        notes=notes,
        element_id=element_id_of(release.id(repo)),
        url=view.web.release(repo, release.tag),
        headline=_headline(repo, release, notes, view),
        parts=tuple(parts),
        picks=tuple(picks),
        advisories=tuple(advisories),
    )


def _headline(repo: RepoId, release: ReleaseLine, notes: ReleaseNotes, view: ReportView) -> str:
    """Return that a version is out, and the gravest of what it brings."""
    words = view.words["release"]
    text: str = words["headline"].format(repo=repo.rpartition("/")[2], tag=release.tag)
    news: list[str] = []
    breaks = len(notes.entries_of("breaks")) + notes.more.get("breaks", 0)
    if breaks:
        news.append(words["breaks_one"] if breaks == 1 else words["breaks"].format(breaks))
    if notes.advisories:
        listing: str = view.words["signs"]["listing"]
        news.append(listing.join(advisory.id for advisory in notes.advisories))
    if not news:
        return text
    colon: str = view.words["signs"]["colon"]
    semicolon: str = view.words["signs"]["semicolon"]
    return text + colon + semicolon.join(news)


def _part(name: Part, notes: ReleaseNotes, view: ReportView) -> ReleasePart:
    """Return the sentences of a part, those about the same commits together."""
    texts_by_commits: dict[tuple[EvidenceId, ...], list[str]] = {}
    for entry in notes.entries_of(name):
        text = entry.text.get(view.lang) or next(iter(entry.text.values()), "")
        if entry.backwards:
            lacks: str = view.words["upgrade"]["lacks"]
            text = f"{text} ({lacks.format(view.words['release']['this'])})"
        texts_by_commits.setdefault(entry.commits, []).append(text)
    changes = []
    for commits, texts in texts_by_commits.items():
        changes.append(ReleaseChange(tuple(texts), _citations(commits, notes, view)))
    return ReleasePart(name, tuple(changes), notes.more.get(name, 0))


def _citations(
    commits: Iterable[EvidenceId], notes: ReleaseNotes, view: ReportView
) -> tuple[Citation, ...]:
    return tuple(_citation(commit, notes.titles.get(commit.sha, ""), view) for commit in commits)


def _citation(commit: EvidenceId, title: str, view: ReportView) -> Citation:
    citation = view.citation(commit, home=commit.repo)
    return citation._replace(title=shown_title(title, view.lang))
