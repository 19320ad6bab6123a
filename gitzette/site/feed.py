"""The Atom feed: one entry for each report, under an id that stays the same wherever the site lies."""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID, uuid5
from xml.sax.saxutils import escape, quoteattr

from agent.triage import Tier
from gitzette.site.day import title_of
from gitzette.site.html import Child, clean, join, link, prose, tag
from gitzette.site.names import day_path
from gitzette.site.shell import Scene
from gitzette.site.summary import Summary

NAMESPACE = UUID("5b3a9f0c-5d0e-4a55-9a3c-0f4f7a1e2c11")
_MOST = 30


def gazette_id(summaries: Sequence[Summary]) -> str:
    """Name a gazette by its first report: two gazettes of the same day are not the same."""
    first = summaries[0] if summaries else None
    about = f"{first.key} {' '.join(sorted(part.repo for part in first.repos))}" if first else "empty"
    return str(uuid5(NAMESPACE, about))


def feed(summaries: Sequence[Summary], scene: Scene, gazette: str) -> str:
    """Write the feed of the newest reports; links are relative to where it lies."""
    newest = sorted(summaries, key=lambda one: (one.end, one.label), reverse=True)[:_MOST]
    updated = newest[0].end if newest else datetime(1970, 1, 1, tzinfo=UTC)
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang={quoteattr(scene.labels.code)}>',
        f"<id>urn:uuid:{uuid5(UUID(gazette), scene.lang)}</id>",
        f"<title>{escape(scene.labels.feed_of)}</title>",
        f"<subtitle>{escape(scene.labels.motto)}</subtitle>",
        f"<updated>{_moment(updated)}</updated>",
        "<author><name>Gitzette</name></author>",
        '<link rel="self" type="application/atom+xml" href="feed.xml"/>',
        '<link rel="alternate" type="text/html" href="index.html"/>',
        *(_entry(one, scene, gazette) for one in newest),
        "</feed>",
    ]
    return "\n".join(lines) + "\n"


def _entry(one: Summary, scene: Scene, gazette: str) -> str:
    name = uuid5(UUID(gazette), f"{one.key} {scene.lang}")
    counts = f"{one.landed} {scene.labels.landed}"
    return (
        f"<entry><id>urn:uuid:{name}</id><title>{escape(f'{title_of(one.label, scene)}: {counts}')}</title>"
        f"<updated>{_moment(one.end)}</updated>"
        f'<link rel="alternate" type="text/html" href={quoteattr(day_path(one.label))}/>'
        f'<content type="html">{escape(_content(one, scene))}</content></entry>'
    )


def _content(one: Summary, scene: Scene) -> str:
    """Write what stands out, as HTML; it is escaped as a whole when it goes into the feed."""
    brief = [tag("li", prose(sentence)) for sentence in one.brief.get(scene.lang, ())]
    parts: list[Child] = [tag("ul", brief)] if brief else []
    for part in one.repos:
        items = [
            tag(
                "li",
                tag("b", f"{scene.say.breaking} ") if shown.breaking else None,
                link(f"{day_path(one.label)}#{shown.anchor}", prose(shown.name(scene.lang))),
                (" — ", prose(lead)) if (lead := shown.lead.get(scene.lang, "")) else None,
            )
            for shown in part.highlights
            if shown.tier is Tier.HIGH
        ]
        heading = tag("h3", clean(part.repo), f" ({part.landed})")
        parts.append((heading, tag("ul", items) if items else None))
    return join(parts)


def _moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
