"""What is said where the evidence is not there: what is missing, and what comes nearest."""

from agent.asking.choosing import named, of_pull
from agent.asking.draft import Draft, Item
from agent.asking.findings import Findings
from agent.asking.inquiry import Aim, Thing
from agent.asking.telling import commit_item, shown_facts, whole_day
from agent.domain import Release

_NEAREST = 3
_THREADS = 2


def shortfall(found: Findings) -> Draft | None:
    """Say what makes an answer impossible before anything is looked at; None where nothing does."""
    inquiry = found.inquiry
    if inquiry.strangers:
        return nothing(found, "stranger", {"repo": inquiry.strangers[0]}, near=False)
    if inquiry.aim is Aim.BEYOND:
        return nothing(found, "beyond", {})
    if found.window.start > found.searched_until:
        return nothing(found, "future", {"when": whole_day(found.window)}, near=False)
    if found.ambiguous:
        sha, several = next(iter(found.ambiguous.items()))
        return nothing(found, "ambiguous", {"sha": sha, "several": str(len(several))}, near=False)
    if found.unknown:
        return nothing(found, "no version", {"version": found.unknown[0]})
    if len(inquiry.versions) == 2 and inquiry.aim in (Aim.BROKE, Aim.SUMMARY) and not found.between:
        return nothing(found, "no version", {"version": inquiry.versions[0]}, near=False)
    return _unknown_reference(found)


def _unknown_reference(found: Findings) -> Draft | None:
    """Say so where a commit or thread that is named outright is not there."""
    known = {card.sha for card in found.cards.values()}
    for sha in found.inquiry.shas:
        if not any(one.startswith(sha) for one in known):
            return nothing(found, "no commit", {"sha": sha}, near=False)
    for number in found.inquiry.numbers:
        if not any(name.endswith(f"#{number}") for name in found.threads) and not of_pull(found, number):
            values = {"number": str(number), "why": found.unread.get(number, "")}
            return nothing(found, "no thread", values, near=False)
    return None


def nothing(found: Findings, head: str, values: dict[str, str], *, near: bool = True) -> Draft:
    """Say that the evidence is not there, and what comes nearest."""
    items = _nearest(found) if near else []
    releases = _known_releases(found) if near else []
    notes: list[tuple[str, dict[str, str]]] = [("nearest", {})] if items else []
    if releases:
        notes.append(("known releases", {"tags": ", ".join(one.tag for one in releases)}))
    return Draft(
        head=head,
        values=values,
        items=tuple(items),
        cites=(*(item.cite for item in items), *(f"{one.repo}@{one.tag}" for one in releases)),
        abstained=True,
        notes=tuple(notes),
    )


def _nearest(found: Findings) -> list[Item]:
    """Show the commits that come nearest, or the threads where there are none."""
    cards = {one.card.id: one for one in (*found.matches, *found.near)}
    own = [card for card in named(found) if card.id not in cards]
    items = [commit_item(card, (), found) for card in own]
    items += [commit_item(one.card, shown_facts(one.facts, 1), found) for one in cards.values()]
    threads = [Item(cite=name) for name in found.threads]
    return [*items[:_NEAREST], *threads[:_THREADS]]


def _known_releases(found: Findings) -> list[Release]:
    """Name the newest releases where a question speaks of releases or of a version."""
    if Thing.RELEASE not in found.inquiry.things and not found.inquiry.versions:
        return []
    every = sorted((one for several in found.releases.values() for one in several), key=lambda one: one.published_at)
    return every[-_NEAREST:][::-1]
