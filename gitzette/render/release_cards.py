"""The cards of releases: what breaks and changes since the release before, picks and advisories."""

from collections.abc import Iterable
from typing import get_args

from agent.domain.base import RepoId
from agent.domain.evidence_id import EvidenceId
from agent.domain.release_notes import ReleaseNotes
from agent.domain.report import ReleaseLine
from agent.domain.upgrade import Part
from agent.reports.page_model import (
    Citation,
    PageAdvisory,
    PagePick,
    PageRelease,
    ReleaseChange,
    ReleaseNews,
    ReleasePart,
)
from agent.reports.release_sentences import release_headline
from agent.reports.shown_titles import shown_title
from gitzette.render.page_addresses import element_id_of
from gitzette.render.report_view import ReportView


def release_cards(view: ReportView) -> tuple[PageRelease, ...]:
    """Return a card for each release of which a clone tells what is new.

    Those that break something or name an advisory come first, else the order is the report's.
    """
    cards: list[tuple[int, PageRelease]] = []
    for section in view.report.sections:
        for release in section.releases:
            if release.notes is not None:
                card = _card(section.repo, release, release.notes, view)
                cards.append((_distance(release), card))
    cards.sort(key=lambda pair: pair[0])
    return tuple(card for _, card in cards)


def release_news(view: ReportView) -> tuple[ReleaseNews, ...]:
    """Return that each version is out.

    Those with a card come first, and of these what breaks something or names an advisory.
    """
    news = []
    for section in view.report.sections:
        for release in section.releases:
            element_id = element_id_of(release.id(section.repo))
            headline = release_headline(section.repo, release, view.lang)
            entry = ReleaseNews(section.repo, element_id, headline, release.prerelease)
            news.append((_distance(release), entry))
    news.sort(key=lambda pair: pair[0])
    return tuple(entry for _, entry in news)


def _distance(release: ReleaseLine) -> int:
    """Return how far a release is from what must be known: the lowest comes first."""
    if release.notes is None:
        return 2
    breaks = release.notes.entries_of("breaks")
    return 0 if breaks or release.notes.advisories else 1


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
        headline=release_headline(repo, release, view.lang),
        parts=tuple(parts),
        picks=tuple(picks),
        advisories=tuple(advisories),
    )


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
