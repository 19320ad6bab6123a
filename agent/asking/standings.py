"""How an issue or a pull request stands: open, fixed by what, in which release."""

import re
from collections.abc import Sequence

from agent.asking.draft import Draft, Item
from agent.asking.findings import Findings
from agent.asking.telling import commit_item, whole_day
from agent.card import Card
from agent.claims import Claim, Role
from agent.domain import Issue, PullRequest, Release
from agent.linking.standing import Standing, standing
from agent.links import Link
from agent.templates import sentence

_VERSION = re.compile(r"(?:[a-z]+[-_]?)?v?\d+(?:\.\d+)+(?:[.-]?[a-z]+\.?\d*)?", re.IGNORECASE)
"""Tags of releases, and not of nights."""
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
    drafts = [_pull(one, found) if isinstance(one, PullRequest) else _issue(one, found) for one in _asked(found)]
    if not drafts:
        return None
    first, *others = drafts
    return first.model_copy(
        update={
            "items": tuple(item for draft in drafts for item in draft.items),
            "cites": tuple(dict.fromkeys(cite for draft in drafts for cite in draft.cites)),
            "notes": (*first.notes, *(note for one in others for note in ((one.head, one.values), *one.notes))),
        }
    )


def _asked(found: Findings) -> list[Issue | PullRequest]:
    """Give the threads that are named, in the order of the question, else the one that fits."""
    numbers = found.inquiry.numbers
    if not numbers:
        return list(found.threads.values())[:1]
    return [one for number in numbers for one in found.threads.values() if one.number == number]


def _issue(issue: Issue, found: Findings) -> Draft:
    links = [link for link in found.links if link.issue == issue.id]
    how = standing(issue, links, found.undone)
    fixes = [link for link in links if link.may_read_fixed or link.may_read_likely]
    items = [Item(cite=issue.id)]
    items += [_fix(link, issue, found, how) for link in fixes if link.change in found.cards]
    values = {"number": str(issue.number), "title": issue.title}
    notes = []
    if how in (Standing.FIXED, Standing.ADDRESSED, Standing.LIKELY) and len(items) > 1:
        notes.append(release_note([found.cards[item.cite] for item in items[1:]], found))
    unfixed = how in (Standing.OPEN, Standing.REOPENED, Standing.UNDONE, Standing.GIVEN_UP)
    return Draft(
        head=_HEADS[how],
        values=values,
        # Whoever asks which commit fixed it takes for granted that one did.
        abstained=found.inquiry.which_fix and unfixed,
        items=tuple(items),
        cites=tuple(item.cite for item in items) + tuple(release_ids(notes, issue.repo)),
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
        notes = [release_note(cards, found)] if cards else []
    cites = tuple(item.cite for item in items) + tuple(release_ids(notes, pull.repo))
    return Draft(head=head, values=values, items=tuple(items), cites=cites, notes=tuple(notes))


def release_note(cards: Sequence[Card], found: Findings) -> tuple[str, dict[str, str]]:
    """Tell the first release that has these commits: by the tags that contain them, else by when it was published."""
    card = max(cards, key=lambda one: one.at)
    releases = sorted(found.releases.get(card.repo, ()), key=lambda one: one.published_at)
    tags = found.tags.get(card.id)
    if tags is not None:
        published = [one for one in releases if one.tag in tags]
        numbered = [tag for tag in tags if _VERSION.fullmatch(tag)]
        if published or not numbered:
            return _first(published, found)
        return "released", {"tag": numbered[0], "day": ""}
    return _first([one for one in releases if one.published_at >= card.at], found)


def _first(releases: Sequence[Release], found: Findings) -> tuple[str, dict[str, str]]:
    if not releases:
        return "unreleased", {}
    day = whole_day(releases[0].published_at, found.window.tz)
    return "released", {"tag": releases[0].tag, "day": f" ({day})"}


def release_ids(notes: Sequence[tuple[str, dict[str, str]]], repo: str) -> list[str]:
    """Name the releases that notes speak of."""
    return [f"{repo}@{values['tag']}" for _, values in notes if "tag" in values]
