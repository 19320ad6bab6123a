"""Releases: which one has a change first, when one was published, which there were."""

import re
from collections.abc import Sequence

from agent.asking.choosing import acting, named
from agent.asking.draft import Draft
from agent.asking.findings import Findings
from agent.asking.inquiry import Aim
from agent.asking.telling import commit_item, shown_facts, whole_day
from agent.card import Card
from agent.domain import Release

_VERSION = re.compile(r"(?:[a-z]+[-_]?)?v?\d+(?:\.\d+)+(?:[.-]?[a-z]+\.?\d*)?", re.IGNORECASE)
"""Tags of releases, and not of nights."""
_SHOWN = 10


def with_release(draft: Draft, found: Findings) -> Draft:
    """Say in which release the change is, where that is asked."""
    cards = [found.cards[item.cite] for item in draft.items if item.cite in found.cards]
    if not found.inquiry.which_release or found.inquiry.aim is Aim.COUNT or draft.abstained or not cards:
        return draft
    told = any("release" in key for key, _ in draft.notes)
    if told and (found.inquiry.numbers or found.releases.get(cards[0].repo)):
        return draft
    if not found.releases.get(cards[0].repo) and not found.tags.get(cards[0].id):
        return draft.model_copy(update={"head": "no releases", "values": {"repo": cards[0].repo}, "abstained": True})
    name, values = release_note(cards[:1], found)
    cites = (*draft.cites, *release_ids([(name, values)], cards[0].repo))
    if draft.head != "explained" or found.inquiry.names:
        return draft.model_copy(update={"notes": (*draft.notes, (name, values)), "cites": cites})
    # Whoever asks for the release wants it first, and the commit only by its title.
    items = tuple(item.model_copy(update={"claims": ()}) for item in draft.items)
    return draft.model_copy(update={"head": name, "values": values, "items": items, "cites": cites})


def contained(found: Findings) -> Draft | None:
    """Tell whether a release has a change: by the tags that contain its commit."""
    version = found.inquiry.versions[0].lstrip("vV")
    matches = acting(found.matches, found.inquiry)
    cards = named(found) or [one.card for one in sorted(matches, key=lambda one: one.card.at)]
    told = [card for card in cards if card.id in found.tags]
    if not told:
        return None
    facts = {one.card.id: one.facts for one in matches}
    inside = any(tag.lstrip("vV") == version for tag in found.tags[told[0].id])
    items = [commit_item(card, shown_facts(facts.get(card.id, ())), found) for card in told[:_SHOWN]]
    # Whoever hears that a release lacks a change wants to know which has it.
    notes = () if inside else (release_note(told[:1], found),)
    return Draft(
        head="in release" if inside else "not in release",
        values={"tag": found.inquiry.versions[0]},
        items=tuple(items),
        notes=notes,
        cites=(*(card.id for card in told), *release_ids(notes, told[0].repo)),
    )


def release_day(found: Findings) -> Draft | None:
    """Tell when a release was published; None where it is not known."""
    wanted = found.inquiry.versions[0].lstrip("vV")
    several = [one for releases in found.releases.values() for one in releases if one.tag.lstrip("vV") == wanted]
    if not several:
        return None
    release = several[0]
    values = {"tag": release.tag, "repo": release.repo, "day": whole_day(release.published_at, found.window.tz)}
    return Draft(head="release day", values=values, cites=(f"{release.repo}@{release.tag}",))


def releases(found: Findings) -> Draft:
    """Count and name the releases of a time."""
    chosen = [
        one
        for several in found.releases.values()
        for one in several
        if not found.inquiry.window or one.published_at in found.window
    ]
    told = [f"{one.tag} ({whole_day(one.published_at, found.window.tz)})" for one in reversed(chosen[-12:])]
    return Draft(
        head="count releases",
        values={"count": str(len(chosen)), "tags": ", ".join(told)},
        cites=tuple(f"{one.repo}@{one.tag}" for one in chosen),
    )


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
    return [f"{repo}@{values['tag']}" for name, values in notes if name == "released"]
