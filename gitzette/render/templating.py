"""Templates: how artefacts and pages are called and where they stand, and the filters of HTML and of Markdown.

Every value of an HTML template is escaped; Markdown and messages escape by filters, those of `agent.markdown`.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from hashlib import blake2b
from html import escape
from typing import Any, get_args

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from agent.domain.base import LANGUAGES, Language, RepoId
from agent.domain.claims import MARK, Claim
from agent.domain.evidence_id import EvidenceId, is_full_hash
from agent.domain.links import Story
from agent.domain.upgrade import Part, Upgrade
from agent.domain.window import zone
from agent.editions.upgrade import entries
from agent.languages import catalogue
from agent.markdown import cell, code, inline, link, slug, visible
from agent.reports.titles import shown_title
from agent.web import Web

SHORT = 7  # Digits of a hash where a link gives all of them
_MAX_MALFORMED = 12  # Characters of an id that is none, which a foreign report may have
ISSUES_SHOWN = 5  # Issues of a kind that are in sight; the others are folded
_IN_SIGHT = (
    15  # Entries of a guide's part in front of its fold; all of what breaks or is used is in sight
)
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+", re.ASCII)
_CODE = re.compile(r"(?<!`)(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)", re.DOTALL)
_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\([^()\s]*\)")
_GAPS = re.compile(r"\n{3,}")


@lru_cache(maxsize=16_384)
def named(cite: EvidenceId, own: RepoId | None, web: Web, *, pull: bool = False) -> tuple[str, str]:
    """Return the short name of an artefact, without its repository if that is `own`, and its address."""
    if cite.kind == "malformed":
        name = f"{cite[:_MAX_MALFORMED]}…" if len(cite) > _MAX_MALFORMED else str(cite)
        return name, ""  # Nothing is known that it could lead to
    is_own = cite.repo == own
    if cite.number is not None:
        name = f"#{cite.number}" if is_own else str(cite)
        return name, web.thread(cite.repo, cite.number, pull=pull)
    if cite.sha:
        name = cite.shortened(SHORT)
        if is_own:
            name = name.removeprefix(f"{cite.repo}@")
        if cite.first_line is not None and cite.last_line is not None:
            url = web.lines(cite.repo, cite.sha, cite.path, cite.first_line, cite.last_line)
            return name, url
        return name, web.commit(cite.repo, cite.sha)
    name = cite.revision if is_own else str(cite)
    return name, web.release(cite.repo, cite.revision)


@lru_cache(maxsize=16_384)
def place_of(evidence: EvidenceId) -> str:
    """Return the element id of an artefact on a page.

    A commit has its first digits and a mark of its repository, anything else a mark alone.
    """
    if evidence.is_commit:
        return f"c{evidence.sha[:12]}-{mark_of(evidence.repo, 2)}"
    return f"x{mark_of(evidence, 6)}"


def mark_of(text: str, size: int) -> str:
    """Give a short mark of a name, in digits that any address may hold."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


def story_key(story: Story) -> str:
    """Name a story by its kind and its first step, which stay while it goes on."""
    return f"{story.kind} {story.repo} {story.steps[0] if story.steps else ''}"


def story_place(story: Story) -> str:
    """Return the element id of a story on a page; it stays while the story goes on."""
    if story.steps and story.steps[0].is_commit:
        first = story.steps[0]
        mark = mark_of(f"{story.kind} {story.repo} {first.repo}", 2)
        return f"c{first.sha[:12]}-{mark}"
    return f"x{mark_of(story_key(story), 6)}"


@dataclass(frozen=True)
class PageLocation:
    """A page of the site by its language and its name; links from it are relative, so the site may lie anywhere."""

    lang: Language
    path: str  # As `days/2026-02-04.html`; the front page of the whole site is `../index.html`

    @property
    def file(self) -> str:
        """The path of the page from the root of the site."""
        return "index.html" if self.path == "../index.html" else f"{self.lang}/{self.path}"

    @property
    def language_index(self) -> int:
        """The position of the page's language in documents of the search, which have all of them."""
        return LANGUAGES.index(self.lang)

    @property
    def root(self) -> str:
        """The way from the page to the root of the site."""
        return "../" * self.file.count("/")

    def to(self, path: str) -> str:
        """Link to a page of the same language."""
        return f"{self.root}{self.lang}/{path}"


def day_path(label: str) -> str:
    """Name the page of a report."""
    return f"days/{label}.html"


def repo_path(repo: str) -> str:
    """Name a repository's page, whatever a report calls the repository."""
    return f"repos/{_repo_name(repo)}.html"


def commit_path(repo: str, sha: str) -> str:
    """Name the page of a commit: its permalink."""
    return f"commits/{_repo_name(repo)}--{sha[:12] if is_full_hash(sha) else f'x{mark_of(sha, 8)}'}.html"


def _repo_name(repo: str) -> str:
    plain = _PLAIN.fullmatch(repo) and "--" not in repo and ".." not in repo
    return repo.replace("/", "--") if plain else f"x{mark_of(repo, 8)}"


def made_environment(**options: Any) -> Environment:
    """Make an environment for our templates; a name that does not exist is an error."""
    loader = PackageLoader("gitzette.render", "templates")
    shape: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "auto_reload": False}
    made = Environment(loader=loader, undefined=StrictUndefined, **(shape | options))  # noqa: S701 -- see who calls
    ways = (named, place_of, day_path, repo_path, story_key, story_place, zone)
    made.globals |= {one.__name__: one for one in ways} | {
        "date": date,
        "issues_shown": ISSUES_SHOWN,
    }
    return made


@cache
def plain_environment() -> Environment:
    """Give the environment of text that is neither Markdown nor HTML, or not yet."""
    return made_environment()


@cache
def plain() -> Any:
    """Give the macros of lines that several templates have, in which backticks mean code."""
    return plain_environment().get_template("plain.txt").module


@cache
def html_environment() -> Environment:
    """Give the environment of all HTML templates: the site, the live page, mail, the feed and audits."""
    made = made_environment(
        autoescape=True, finalize=lambda value: _seen(value) if type(value) is str else value
    )
    made.filters |= {"prose": prose, "verbatim": verbatim}
    made.globals |= {"plain": plain(), "excerpt": _excerpt}
    return made


@cache
def _markdown() -> Environment:
    # Markdown has its own escaping: every value of a template goes through `md`, `code` or `link`.
    made = made_environment(keep_trailing_newline=True)
    # The name of what is cited is set as code, so that no word in front of it can close an issue.
    cited = {"cited": lambda one: link(code(one.name), one.url)}
    made.filters |= {
        "md": _spaced,
        "code": code,
        "link": link,
        "cell": cell,
        "fence": _fence,
    } | cited
    made.globals["plain"] = plain()
    return made


def html_page(template: str, **values: Any) -> str:
    """Write a page by its template."""
    return html_environment().get_template(template).render(**values)


@lru_cache(maxsize=16_384)  # The same lines stand on several pages
def _excerpt(one: Any) -> Markup:
    shown: Markup = html_environment().get_template("excerpt.html").module.excerpt(one)  # type: ignore[attr-defined]
    return shown


@lru_cache(maxsize=65_536)
def clean(text: str) -> str:
    """Keep what a reader can see of a text, in one line."""
    return text if text.isascii() and text.isprintable() else visible(text)


@lru_cache(maxsize=32_768)
def prose(text: str) -> Markup:
    """Write a line in which backticks mean code, as in claims and titles; spaces at its ends stay."""
    left, right = _ends(text)
    told = _CODE.sub(lambda found: f"<code>{found[2]}</code>", escape(clean(text), quote=False))
    return Markup(f"{left}{told}{right}")  # noqa: S704 -- escaped before the tags are put in


@lru_cache(maxsize=32_768)
def verbatim(line: str) -> str:
    """Give a line of code: every space stays, what cannot be seen goes."""
    return _seen(line.rstrip("\r").expandtabs(4))


def _seen(text: str) -> str:
    """Take out what cannot be seen; spaces stay, they are part of sentences and of code."""
    return (
        text
        if text.isascii() and text.isprintable()
        else " ".join(clean(word) for word in text.split(" "))
    )


def _ends(text: str) -> tuple[str, str]:
    return (" " if text[:1].isspace() else ""), (
        " " if len(text) > 1 and text[-1:].isspace() else ""
    )


def filled(name: str, lang: Language, web: Web, **values: Any) -> str:
    """Fill a template of Markdown, without gaps of several lines."""
    words = catalogue(lang)
    known = {
        "w": words["page"],
        "own": words,
        "signs": words["signs"],
        "web": web,
        "headings": _Headings(),
    }
    text = _markdown().get_template(name).render(**(known | values))
    return _GAPS.sub("\n\n", text).strip("\n") + "\n"


def readme_page(
    latest: str, labels: Iterable[str], lang: Language, others: Mapping[str, Sequence[Language]]
) -> str:
    """Write the front page of an output folder: the latest report, and the list of all and their `others` languages."""
    reports = [(label, others[label]) for label in sorted(labels, reverse=True)]
    return (
        _markdown()
        .get_template("readme.md")
        .render(latest=latest, reports=reports, w=catalogue(lang)["page"])
    )


def upgrade_page(upgrade: Upgrade, lang: Language, web: Web) -> str:
    """Write the guide in one language."""
    parts = [(part, list(entries(upgrade, part, lang))) for part in get_args(Part)]
    urls = {sha: web.commit(upgrade.repo, sha) for sha in upgrade.titles}
    titles = {sha: shown_title(title, lang) for sha, title in upgrade.titles.items()}
    upgrade = upgrade.model_copy(update={"titles": titles})
    whole = ("used", "breaks")
    return filled(
        "upgrade.md", lang, web, guide=upgrade, parts=parts, whole=whole, most=_IN_SIGHT, urls=urls
    )


def upgrade_json(upgrade: Upgrade) -> dict[str, Any]:
    """Give the guide as plain data, each item with its part and with the commits as they are cited."""
    items = []
    for one in (one for one in upgrade.items if one.part):
        own = {
            "part": one.part,
            "cites": [EvidenceId.commit(upgrade.repo, sha) for sha in one.commits],
        }
        own |= one.model_dump(mode="json", include={"backwards", "uses"})
        items.append(one.fact.model_dump(mode="json") | own)
    return upgrade.model_dump(mode="json", exclude={"items", "titles"}) | {"items": items}


def claim_text(
    claim: Claim,
    lang: Language,
    web: Web,
    pulls: Collection[EvidenceId] = (),
    own: EvidenceId | None = None,
) -> str:
    """Write one claim by itself with links; `own` is what is linked already where the words stand."""
    pieces, links = MARK.split(claim.text.get(lang, "")), []
    for cite in claim.sources:
        home = cite.repo if claim.repo is None and not cite.is_thread else claim.repo
        name, url = named(cite, home, web, pull=cite in pulls)
        links.append(link(code(name), url))
    marked = {int(mark) - 1 for mark in pieces[1::2]}
    pieces[::2] = map(_spaced, pieces[::2])
    pieces[1::2] = ("".join(links[int(mark) - 1 : int(mark)]) for mark in pieces[1::2])
    rest = [links[at] for at, one in enumerate(claim.sources) if at not in marked and one != own]
    signs = catalogue(lang)["signs"]
    return "".join(pieces) + (signs["behind"].format(signs["listing"].join(rest)) if rest else "")


class _Headings:
    """The headings of a page while it is written: each has the anchor that GitHub gives it."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self.anchors: dict[str, str] = {}

    def add(self, level: int, text: str, name: str = "") -> str:
        self.anchors[name] = slug(_LINK.sub(r"\1", text).strip(), self._taken)
        return f"{'#' * level} {text}"


def _spaced(text: str) -> str:
    """Write foreign text so that it can do nothing; a space at its ends is part of the sentence."""
    left, right = _ends(text)
    return f"{left}{inline(text)}{right}" if text.strip() else left


def _fence(excerpt: Any) -> str:
    """Show an excerpt in a fence that it cannot close."""
    shown = [verbatim(line.text) for line in excerpt.lines]
    marks = "`" * max(3, *(len(run) + 1 for line in shown for run in re.findall("`+", line)), 3)
    return "\n".join(
        (f"{marks}{'diff' if any(line.side for line in excerpt.lines) else 'text'}", *shown, marks)
    )
