"""The page on which one asks; the script fills it, from data alone."""

from html import escape

from agent.catalogue import catalogue
from agent.settings import Language
from agent.web import Web
from gitzette.site.addresses import Place
from gitzette.site.pages import Pages

PATH = "ask.html"


def ask_page(lang: Language, mark: str) -> str:
    """Write the page; `mark` tells browsers when the script or the style has changed."""
    say = catalogue(lang)["live"]
    pages, at = Pages(Web(""), "", mark), Place(lang, PATH)
    return pages.write("ask.html", at, say["title"], say["lead"], say=say, wide=True, scripts=("ask.js",))


def ask_entry(lang: Language, root: str, *, here: bool = False) -> str:
    """Write the entry of the navigation that leads here, for pages that know nothing of it."""
    current = ' aria-current="page"' if here else ""
    return f'<li><a href="{root}{lang}/{PATH}"{current}>{escape(catalogue(lang)["live"]["ask"])}</a></li>'
