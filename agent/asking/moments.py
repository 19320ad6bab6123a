"""When something changed, and from what to what."""

from agent.asking.choosing import acting, in_order
from agent.asking.draft import Draft
from agent.asking.findings import Findings
from agent.asking.inquiry import Act, Thing
from agent.asking.matching import Match
from agent.asking.releases import release_day
from agent.asking.shortfalls import nothing
from agent.asking.standings import by_issue
from agent.asking.telling import commit_item, facts_each, shown_facts, shown_items, whole_day

_SHOWN = 10
_ENTITLED = 0.75


def when(found: Findings) -> Draft:
    """Tell when something changed and from what to what: by facts where there are any, else by the commits."""
    if len(found.inquiry.versions) == 1 and not (found.inquiry.names or found.inquiry.terms):
        return release_day(found) or nothing(found, "no version", {"version": found.inquiry.versions[0]})
    if not found.matches:
        return by_issue(found) or nothing(found, "nothing", {})
    matches = in_order(acting(found.matches, found.inquiry), found.inquiry)
    telling = [one for one in matches if one.facts or _entitled(one, found)] if _telling(matches) else matches
    most, single = facts_each(len(telling)), Thing.DEFAULT in found.inquiry.things
    items = shown_items([(one.card, shown_facts(one.facts, most, single=single)) for one in telling[:_SHOWN]], found)
    if found.inquiry.acts == (Act.ADDED,) and len(telling) > 1:
        return _since(telling[::-1], found)
    return Draft(
        head="when" if len(telling) > 1 else "when once",
        values={"day": whole_day(telling[0].card.at, found.window.tz), "count": str(len(telling))},
        items=tuple(items),
        more=max(0, len(telling) - _SHOWN),
        cites=tuple(one.card.id for one in telling),
    )


def _telling(matches: list[Match]) -> bool:
    return any(one.facts for one in matches)


def _entitled(one: Match, found: Findings) -> bool:
    """Tell whether a commit has most of the topic for its title, which is as good as a fact where nothing is named."""
    return bool(found.inquiry.terms) and not found.inquiry.names and one.entitled >= _ENTITLED


def _since(oldest: list[Match], found: Findings) -> Draft:
    """Tell since when something is there: what came first, then what followed."""
    items = [commit_item(one.card, shown_facts(one.facts), found) for one in oldest[:_SHOWN]]
    return Draft(
        head="when first",
        values={"day": whole_day(oldest[0].card.at, found.window.tz), "count": str(len(oldest))},
        items=tuple(items),
        more=max(0, len(oldest) - _SHOWN),
        cites=tuple(one.card.id for one in oldest),
    )
