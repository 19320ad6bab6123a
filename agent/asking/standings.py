"""How an issue or a pull request stands: open, fixed by what, in which release."""

from collections.abc import Sequence
from datetime import datetime

from agent.asking.draft import Draft, Item
from agent.asking.findings import Findings
from agent.asking.telling import commit_item, whole_day
from agent.card import Card
from agent.claims import Claim, Role
from agent.domain import Issue, PullRequest, Release
from agent.linking.standing import Standing, standing
from agent.links import Link
from agent.templates import sentence

_HEADS = {
    Standing.OPEN: "open",
    Standing.ADDRESSED: "addressed",
    Standing.LIKELY: "likely",
    Standing.FIXED: "fixed",
    Standing.UNDONE: "fix undone",
    Standing.REOPENED: "reopened",
    Standing.CLOSED: "closed",
    Standing.GIVEN_UP: "given up",
}


def status(found: Findings) -> Draft | None:
    """Tell how the thread stands that is asked for; None where the question means none."""
    thread = next(iter(found.threads.values()), None)
    if thread is None:
        return None
    return _pull(thread, found) if isinstance(thread, PullRequest) else _issue(thread, found)


def _issue(issue: Issue, found: Findings) -> Draft:
    links = [link for link in found.links if link.issue == issue.id]
    how = standing(issue, links, found.undone)
    fixes = [link for link in links if link.may_read_fixed or link.may_read_likely]
    items = [Item(cite=issue.id)]
    items += [_fix(link, issue, found, how) for link in fixes if link.change in found.cards]
    values = {"number": str(issue.number), "title": issue.title}
    notes = []
    if how in (Standing.FIXED, Standing.ADDRESSED, Standing.LIKELY) and len(items) > 1:
        notes.append(_released([found.cards[item.cite] for item in items[1:]], found))
    return Draft(
        head=_HEADS[how],
        values=values,
        items=tuple(items),
        cites=tuple(item.cite for item in items) + tuple(_release_ids(notes, issue)),
        notes=tuple(notes),
    )


def _fix(link: Link, issue: Issue, found: Findings, how: Standing) -> Item:
    """Show the commit that fixes the issue, with the claim that it does."""
    item = commit_item(found.cards[link.change], (), found)
    evidence = found.evidence.get(link.change)
    if evidence is None or how not in (Standing.FIXED, Standing.LIKELY):
        return item
    predicate = "fixes" if link.may_read_fixed else "likely fixes"
    claim = Claim(
        id=f"{link.change[:-28]}.fix",
        repo=issue.repo,
        role=Role.EFFECT,
        about=(link.change, issue.id),
        predicate=predicate,
        params={"issue": issue.id},
        cites=(link.change, issue.id),
        text={"en": sentence(predicate, {}, "en") or "", "zh": sentence(predicate, {}, "zh") or ""},
    )
    return item.model_copy(update={"claims": (*item.claims, claim)})


def _pull(pull: PullRequest, found: Findings) -> Draft:
    cards = [card for card in found.cards.values() if card.pull == pull.number and card.repo == pull.repo]
    head = "merged" if pull.merged_at else "pull open" if pull.state == "open" else "pull closed"
    items = [Item(cite=pull.id), *(commit_item(card, (), found) for card in cards[:2])]
    values = {"number": str(pull.number), "title": pull.title}
    notes = []
    if pull.merged_at:
        values["day"] = whole_day(pull.merged_at, found.window.tz)
        notes = [_released(cards, found)] if cards else []
    cites = tuple(item.cite for item in items) + tuple(_release_ids(notes, pull))
    return Draft(head=head, values=values, items=tuple(items), cites=cites, notes=tuple(notes))


def _released(cards: Sequence[Card], found: Findings) -> tuple[str, dict[str, str]]:
    """Tell the first release that was published after the change landed."""
    landed = max(card.at for card in cards)
    release = first_release(found.releases.get(cards[0].repo, ()), landed)
    if release is None:
        return "unreleased", {}
    return "released", {"tag": release.tag, "day": whole_day(release.published_at, found.window.tz)}


def _release_ids(notes: Sequence[tuple[str, dict[str, str]]], thread: Issue | PullRequest) -> list[str]:
    return [f"{thread.repo}@{values['tag']}" for _, values in notes if "tag" in values]


def first_release(releases: Sequence[Release], landed: datetime) -> Release | None:
    """Find the first release published after something landed; a pre-release only where nothing else is."""
    later = sorted((one for one in releases if one.published_at >= landed), key=lambda one: one.published_at)
    return next((one for one in later if not one.prerelease), later[0] if later else None)
