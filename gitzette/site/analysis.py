"""Sentences of analysis on the site: a paragraph, each advice apart, and the brief of a report."""

from collections.abc import Sequence

from agent.claims import Claim, Kind
from gitzette.site.cites import Sources
from gitzette.site.html import Markup, join, tag


def sentences(claims: Sequence[Claim], sources: Sources) -> Markup:
    """Write sentences of analysis as a paragraph, and each advice as one of its own."""
    told = [claim for claim in claims if claim.kind is not Kind.ADVICE]
    gap = " " if sources.view.say.colon.endswith(" ") else None
    # No `p`: a citation opens to blocks, which a paragraph cannot hold.
    running = [(gap if at else None, sources.claim(one)) for at, one in enumerate(told)]
    advice = [claim for claim in claims if claim.kind is Kind.ADVICE]
    return join(
        tag("div", running, class_="analysis") if running else None,
        [tag("div", sources.claim(claim), class_="analysis advice") for claim in advice],
    )


def brief(sources: Sources) -> Markup | None:
    """Write what is said of the whole report."""
    items = [tag("li", sources.claim(claim)) for claim in sources.view.brief()]
    return tag("ul", items, class_="brief") if items else None
