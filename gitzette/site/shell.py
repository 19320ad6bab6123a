"""The frame of every page: head, masthead, navigation, the switches, and the footer."""

from dataclasses import dataclass
from functools import cached_property
from typing import get_args

from agent.wordings import words

from agent.settings import Language
from agent.web import Web
from agent.words import Words
from gitzette.site.html import Child, Markup, document, join, link, tag
from gitzette.site.labels import Labels, labels
from gitzette.site.names import Place

LANGUAGES: tuple[Language, ...] = get_args(Language)
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'"
)
"""What a page may load: our own files, and nothing inline."""


@dataclass(frozen=True)
class Scene:
    """What rendering a page needs to know beside its data."""

    place: Place
    web: Web
    assets: str
    """A mark of the style and script files, so that a browser takes the new ones when they change."""

    @cached_property
    def say(self) -> Words:
        """The words that reports have in this language."""
        return words(self.place.lang)

    @cached_property
    def labels(self) -> Labels:
        """The words of the site."""
        return labels(self.place.lang)

    @property
    def lang(self) -> Language:
        """The language of the page."""
        return self.place.lang


def page(
    scene: Scene, title: str, *content: Child, here: str = "", scripts: tuple[str, ...] = (), wide: bool = False
) -> str:
    """Write a whole page; `here` is the entry of the navigation that it belongs to."""
    own = scene.labels
    return document(
        _head(scene, title, scripts),
        tag(
            "body",
            link("#content", own.skip, class_="skip"),
            _masthead(scene, here),
            tag("main", *content, id="content", tabindex=-1, class_="wide" if wide else None),
            _footer(scene),
        ),
        lang=own.code,
    )


def _head(scene: Scene, title: str, scripts: tuple[str, ...]) -> Markup:
    root, version = scene.place.root, scene.assets
    others = [lang for lang in LANGUAGES if lang != scene.lang]
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="referrer", content="no-referrer"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("link", rel="icon", type="image/svg+xml", href=f"{root}assets/icon.svg"),
        tag("link", rel="stylesheet", href=f"{root}assets/style.css?v={version}"),
        tag(
            "link",
            rel="alternate",
            type="application/atom+xml",
            title=scene.labels.feed_of,
            href=scene.place.to("feed.xml"),
        ),
        [
            tag("link", rel="alternate", hreflang=labels(lang).code, href=scene.place.counterpart(lang))
            for lang in others
        ],
        # In the head and not deferred: a chosen theme must be known before the first paint.
        tag("script", src=f"{root}assets/theme.js?v={version}"),
        [tag("script", src=f"{root}assets/{name}?v={version}", defer=True) for name in ("page.js", *scripts)],
    )


def _masthead(scene: Scene, here: str) -> Markup:
    own, place = scene.labels, scene.place
    entries = (
        ("front", "index.html", own.front),
        ("days", "days/index.html", own.days),
        ("repos", "repos/index.html", own.repos),
        ("stories", "stories.html", own.stories),
        ("figures", "figures.html", own.figures),
    )
    return tag(
        "header",
        tag("p", link(place.to("index.html"), "Gitzette"), class_="name"),
        tag("p", own.motto, class_="motto"),
        tag(
            "nav",
            tag(
                "ul",
                [
                    tag("li", link(place.to(path), name, aria_current="page" if key == here else None))
                    for key, path, name in entries
                ],
            ),
            aria_label=own.site_nav,
        ),
        tag("div", _search(scene), _languages(scene), _theme(scene), class_="tools"),
        class_="masthead",
    )


def _search(scene: Scene) -> Markup:
    own = scene.labels
    return tag(
        "form",
        tag("label", own.search, for_="q", class_="unseen"),
        tag(
            "input",
            id="q",
            name="q",
            type="search",
            placeholder=own.search_hint,
            autocomplete="off",
            spellcheck="false",
            maxlength=200,
            aria_keyshortcuts="/",
        ),
        tag("button", own.search, type="submit"),
        role="search",
        action=scene.place.to("search.html"),
        method="get",
    )


def _languages(scene: Scene) -> Markup:
    entries = [
        tag("span", labels(lang).own_name, aria_current="true", lang=labels(lang).code)
        if lang == scene.lang
        else link(scene.place.counterpart(lang), labels(lang).own_name, lang=labels(lang).code, data_switch="lang")
        for lang in LANGUAGES
    ]
    return tag("nav", entries, class_="languages", aria_label=scene.labels.language)


def _theme(scene: Scene) -> Markup:
    """Offer the switch; it is hidden until the script that works it is there."""
    own = scene.labels
    return tag(
        "button", own.theme, type="button", id="theme", hidden=True, data_label=own.theme, data_states=own.themes
    )


def _footer(scene: Scene) -> Markup:
    own, root = scene.labels, scene.place.root
    return tag(
        "footer",
        tag("p", own.made_by),
        tag(
            "p",
            join(link(scene.place.to("feed.xml"), own.feed), " · ", link(f"{root}manifest.json", "manifest.json")),
        ),
        class_="colophon",
    )
