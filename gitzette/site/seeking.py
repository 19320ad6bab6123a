"""The page on which one searches; a script of ours loads the index and writes the answers as text."""

from gitzette.site.html import join, tag
from gitzette.site.shell import Scene, page


def search_page(scene: Scene) -> str:
    """Write the page; its words for the script stand in attributes."""
    own, say = scene.labels, scene.say
    content = join(
        tag("h1", own.search),
        tag("noscript", tag("p", own.no_script)),
        tag("p", id="status", role="status", class_="summary"),
        tag(
            "ol",
            id="results",
            class_="results",
            data_root=scene.place.root,
            data_lang=scene.lang,
            data_days=scene.place.to("days/"),
            data_found=own.found,
            data_none=own.none_found,
            data_searching=own.searching,
            data_failed=own.failed_search,
            data_tiers="|".join(say.tiers.values()),
            data_issue=own.issue,
            data_release=own.release,
        ),
    )
    return page(scene, f"{own.search} · Gitzette", content, scripts=("search.js",))
