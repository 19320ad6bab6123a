"""The page on which one asks; the script fills it, from data alone."""

from dataclasses import asdict

from agent.settings import Language
from agent.web import Web
from gitzette.live.wordings import wording
from gitzette.site.html import Markup, link, tag
from gitzette.site.names import Place
from gitzette.site.shell import Scene, page

PATH = "ask.html"


def ask_page(lang: Language, mark: str) -> str:
    """Write the page; `mark` tells browsers when the script or the style has changed."""
    say = wording(lang)
    data = {f"data_say_{name.replace('_', '-')}": text for name, text in asdict(say).items()}
    return page(
        Scene(Place(lang, PATH), Web(""), mark),
        f"{say.title} · Gitzette",
        tag("link", rel="stylesheet", href=f"../assets/ask.css?v={mark}"),
        tag("h1", say.title),
        tag("p", say.lead, class_="summary"),
        tag("noscript", tag("p", say.no_script, class_="warning")),
        tag("div", _conversation(lang), _evidence(lang), class_="ask", id="ask", **data),
        _runs(lang),
        scripts=("ask.js",),
        wide=True,
    )


def ask_entry(lang: Language, root: str, *, here: bool = False) -> Markup:
    """Write the entry of the navigation that leads here, for pages that know nothing of it."""
    return tag("li", link(f"{root}{lang}/{PATH}", wording(lang).ask, aria_current="page" if here else None))


def _conversation(lang: Language) -> Markup:
    say = wording(lang)
    return tag(
        "section",
        tag(
            "p",
            tag("span", say.thread),
            " ",
            tag("code", "", id="thread"),
            " ",
            tag("button", say.new_thread, type="button", id="fresh"),
            class_="meta",
        ),
        tag("div", id="turns", aria_live="polite", aria_label=say.answer, role="log"),
        tag(
            "form",
            tag("label", say.question, for_="question"),
            tag(
                "input",
                id="question",
                name="question",
                type="text",
                placeholder=say.hint,
                autocomplete="off",
                maxlength=4000,
            ),
            tag("button", say.send, type="submit", id="send"),
            tag("button", say.stop, type="button", id="stop", hidden=True),
            id="form",
            action="#",
            method="get",
        ),
        tag("ul", id="reading", aria_label=say.reading, hidden=True),
        aria_label=say.title,
    )


def _evidence(lang: Language) -> Markup:
    say = wording(lang)
    return tag(
        "aside",
        tag("h2", say.evidence),
        tag("div", tag("p", say.choose, class_="quiet"), id="evidence", tabindex=-1, aria_live="polite"),
        aria_label=say.evidence,
    )


def _runs(lang: Language) -> Markup:
    say = wording(lang)
    return tag(
        "section",
        tag("h2", say.runs),
        tag("ul", id="runs", class_="quiet"),
        aria_label=say.runs,
    )
