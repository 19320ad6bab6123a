"""Jinja2 environments, and how artefacts and pages are called and where they lie.

Every value of an HTML template is escaped; Markdown and messages escape by filters, those of
`agent.markdown`.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from hashlib import blake2b
from html import escape
from pathlib import Path
from typing import Any, NamedTuple, get_args

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from agent.browser_urls import Web
from agent.domain.base import LANGUAGES, Language, RepoId
from agent.domain.claims import MARK, Claim
from agent.domain.evidence_id import EvidenceId, is_full_hash
from agent.domain.links import Story
from agent.domain.upgrade import Part, Upgrade
from agent.domain.window import zone
from agent.editions.upgrade_guide import CommitEntries, entries_by_commit
from agent.markdown import cell, code, inline, link, slug, visible
from agent.report_languages import catalogue
from agent.reports.page_model import NO_BREAK, Citation, PageExcerpt
from agent.reports.shown_titles import shown_title
from agent.stories.paragraph import story_title
from gitzette.render.template_cache import template_cache

SHORT = 7  # Digits of a hash where a link gives all of them
_TEMPLATES = Path(__file__).parent / "templates"
_MAX_MALFORMED = 12  # Characters of an id that is none, which a foreign report may have
_MAX_ISSUES = 5  # Issues of a kind that are in sight; the others are folded
_MAX_ENTRIES = 15  # Commits of a part of a guide before its fold
_PARTS_IN_SIGHT = ("used", "breaks")  # Parts of a guide that have no fold
_FOLDED_PARTS = ("new", "dependencies", "also", "deleted scripts")
_PARTS_ALWAYS_NAMED = ("breaks", "changed")  # Parts that are named even where they are empty
_PLAIN_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+", re.ASCII)
_CODE = re.compile(r"(?<!`)(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)", re.DOTALL)
_MAX_UNBROKEN_CHARACTERS = 20  # Of code in a headline, on the narrowest phone
_LINK = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]\([^()\s]*\)")
_GAPS = re.compile(r"\n{3,}")


# ---------------------------------------------------------------- names and addresses


@lru_cache(maxsize=16_384)
def named(
    cite: EvidenceId, home: RepoId | None, web: Web, *, pull: bool = False
) -> tuple[str, str]:
    """Return the short name of an artefact, without its repository if that is `home`, and its URL."""
    if cite.kind == "malformed":
        name = f"{cite[:_MAX_MALFORMED]}…" if len(cite) > _MAX_MALFORMED else str(cite)
        return name, ""  # Nothing is known that it could lead to
    is_at_home = cite.repo == home
    if cite.number is not None:
        name = f"#{cite.number}" if is_at_home else str(cite)
        return name, web.thread(cite.repo, cite.number, pull=pull)
    if cite.sha:
        name = cite.shortened(SHORT)
        if is_at_home:
            name = name.removeprefix(f"{cite.repo}@")
        if cite.first_line is not None and cite.last_line is not None:
            url = web.lines(cite.repo, cite.sha, cite.path, cite.first_line, cite.last_line)
            return name, url
        return name, web.commit(cite.repo, cite.sha)
    name = cite.revision if is_at_home else str(cite)
    return name, web.release(cite.repo, cite.revision)


@lru_cache(maxsize=16_384)
def element_id_of(evidence: EvidenceId) -> str:
    """Return the element id of an artefact on a page.

    A commit has its first digits and a mark of its repository, anything else a mark alone.
    """
    if evidence.is_commit:
        return f"c{evidence.sha[:12]}-{mark_of(evidence.repo, 2)}"
    return f"x{mark_of(evidence, 6)}"


def mark_of(text: str, size: int) -> str:
    """Return a short hash of a text, in digits that any address may hold."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


def story_key(story: Story) -> str:
    """Return the name of a story, which stays while it goes on: a release is named by its tag."""
    if story.kind == "released":
        return f"{story.kind} {story.repo} {story_title(story)}"
    return f"{story.kind} {story.repo} {story.steps[0] if story.steps else ''}"


def story_element_id(story: Story) -> str:
    """Return the element id of a story on a page; it stays while the story goes on."""
    if story.kind != "released" and story.steps and story.steps[0].is_commit:
        first = story.steps[0]
        mark = mark_of(f"{story.kind} {story.repo} {first.repo}", 2)
        return f"c{first.sha[:12]}-{mark}"
    return f"x{mark_of(story_key(story), 6)}"


@dataclass(frozen=True)
class PageLocation:
    """A page of the site by its language and its name.

    Links from it are relative, so the site may lie anywhere.
    """

    lang: Language
    path: str  # As `days/2026-02-04.html`; the front page of the whole site is `../index.html`

    @property
    def file(self) -> str:
        """The path of the page from the root of the site."""
        return "index.html" if self.path == "../index.html" else f"{self.lang}/{self.path}"

    @property
    def language_index(self) -> int:
        """The position of the page's language in documents of the search, which have them all."""
        return LANGUAGES.index(self.lang)

    @property
    def root(self) -> str:
        """The way from the page to the root of the site."""
        return "../" * self.file.count("/")

    def to(self, path: str) -> str:
        """Return a link to a page of the same language."""
        return f"{self.root}{self.lang}/{path}"


def day_path(label: str) -> str:
    """Return the path of the page of a report."""
    return f"days/{label}.html"


def breaking_path(month: str) -> str:
    """Return the path of the page of what broke in a month."""
    return f"breaking/{month}.html"


def repo_path(repo: str) -> str:
    """Return the path of a repository's page, whatever a report calls the repository."""
    return f"repos/{_repo_name(repo)}.html"


def commit_path(repo: str, sha: str) -> str:
    """Return the path of a commit's page, its permalink."""
    name = sha[:12] if is_full_hash(sha) else f"x{mark_of(sha, 8)}"
    return f"commits/{_repo_name(repo)}--{name}.html"


def chart_path(kind: str, name: str) -> str:
    """Return the path of a picture from the root of the site."""
    return f"charts/{kind}-{_repo_name(name)}.svg"


def _repo_name(repo: str) -> str:
    is_plain = _PLAIN_REPO.fullmatch(repo) and "--" not in repo and ".." not in repo
    return repo.replace("/", "--") if is_plain else f"x{mark_of(repo, 8)}"


# ---------------------------------------------------------------- environments


def made_environment(**options: Any) -> Environment:
    """Return an environment for our templates; a name that does not exist is an error."""
    defaults: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "auto_reload": False}
    settings = defaults | options
    names = [f"{name} {getattr(value, '__name__', value)}" for name, value in settings.items()]
    environment = Environment(  # noqa: S701 -- HTML is escaped by the environment that asks for it
        loader=PackageLoader("gitzette.render", "templates"),
        undefined=StrictUndefined,
        bytecode_cache=template_cache(_TEMPLATES, mark_of(" ".join(names), 4)),
        **settings,
    )
    functions = (
        named,
        element_id_of,
        day_path,
        breaking_path,
        repo_path,
        story_key,
        story_element_id,
        story_title,
        zone,
    )
    for function in functions:
        environment.globals[function.__name__] = function
    environment.filters["language_name"] = language_name
    environment.globals["date"] = date
    environment.globals["max_issues"] = _MAX_ISSUES
    return environment


def language_name(lang: Language) -> str:
    """Return what a language calls itself."""
    name: str = catalogue(lang)["site"]["own_name"]
    return name


@cache
def plain_environment() -> Environment:
    """Return the environment of text that is neither Markdown nor HTML, or not yet."""
    return made_environment()


@cache
def plain() -> Any:
    """Return the macros of lines that several templates have, in which backticks mean code."""
    return plain_environment().get_template("plain.txt").module


@cache
def html_environment() -> Environment:
    """Return the environment of all HTML: the site, the live page, mail, the feed and audits."""
    environment = made_environment(autoescape=True, finalize=_finalized)
    environment.filters |= {"prose": prose, "verbatim": verbatim}
    environment.globals |= {"plain": plain(), "excerpt": _excerpt}
    return environment


def _finalized(value: Any) -> Any:
    return _visible_words(value) if type(value) is str else value


@cache
def _markdown() -> Environment:
    # Markdown has its own escaping: every value of a template goes through `md`, `code` or `link`.
    environment = made_environment(keep_trailing_newline=True)
    environment.filters |= {
        "md": _spaced,
        "code": code,
        "link": link,
        "cell": cell,
        "fence": _fence,
        "cited": _cited,
    }
    environment.globals["plain"] = plain()
    return environment


def _cited(citation: Citation) -> str:
    """Return a citation set as code, so that no word in front of it can close an issue."""
    return link(code(citation.name), citation.url)


def html_page(template: str, **values: Any) -> str:
    """Return a page by its template."""
    return html_environment().get_template(template).render(**values)


@lru_cache(maxsize=16_384)  # The same lines stand on several pages
def _excerpt(excerpt: PageExcerpt) -> Markup:
    macros: Any = html_environment().get_template("excerpt.html").module
    figure: Markup = macros.excerpt(excerpt)
    return figure


# ---------------------------------------------------------------- text


@lru_cache(maxsize=65_536)
def clean(text: str) -> str:
    """Return what a reader can see of a text, in one line."""
    return text if text.isascii() and text.isprintable() else visible(text)


@lru_cache(maxsize=32_768)
def prose(text: str) -> Markup:
    """Return a line in which backticks mean code as HTML; spaces at its ends stay."""
    left, right = _ends(text)
    escaped = escape(clean(text), quote=False)
    html = _CODE.sub(lambda match: _inline_code(match[2]), escaped)
    return Markup(f"{left}{html}{right}")  # noqa: S704 -- escaped before the tags are put in


def _inline_code(escaped: str) -> str:
    # A browser would break an option behind its hyphens.
    if escaped.startswith("-") and len(escaped) <= _MAX_UNBROKEN_CHARACTERS:
        return f'<code class="whole">{escaped}</code>'
    return f"<code>{escaped}</code>"


@lru_cache(maxsize=32_768)
def verbatim(line: str) -> str:
    """Return a line of code: every space stays, what cannot be seen goes."""
    return _visible_words(line.rstrip("\r").expandtabs(4))


def _visible_words(text: str) -> str:
    """Return a text without what cannot be seen; spaces stay, they are part of sentences."""
    if text.isascii() and text.isprintable():
        return text
    return " ".join(clean(word) for word in text.split(" "))


def _ends(text: str) -> tuple[str, str]:
    """Return a space for each end of a text that has one; one at which no line breaks stays so."""
    left = _space(text[:1])
    right = _space(text[-1:]) if len(text) > 1 else ""
    return left, right


def _space(character: str) -> str:
    if character == NO_BREAK:
        return character
    return " " if character.isspace() else ""


def _spaced(text: str) -> str:
    """Return foreign text so that it can do nothing; a space at its ends is part of the sentence."""
    left, right = _ends(text)
    return f"{left}{inline(text)}{right}" if text.strip() else left


def _fence(excerpt: PageExcerpt) -> str:
    """Return an excerpt in a fence that it cannot close."""
    lines = [verbatim(line.text) for line in excerpt.lines]
    longest_run = 2
    for line in lines:
        for run in re.findall("`+", line):
            longest_run = max(longest_run, len(run))
    marks = "`" * (longest_run + 1)
    language = "diff" if any(line.side for line in excerpt.lines) else "text"
    return "\n".join((f"{marks}{language}", *lines, marks))


# ---------------------------------------------------------------- Markdown pages


class _Headings:
    """The headings of a page while it is written: each has the anchor that GitHub gives it."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self.anchors: dict[str, str] = {}
        self._linked: list[str] = []

    def add(self, level: int, text: str, name: str = "") -> str:
        """Return a heading, and remember its anchor under a name."""
        self.anchors[name] = slug(_LINK.sub(r"\1", text).strip(), self._taken)
        return f"{'#' * level} {text}"

    def link(self, text: str, name: str) -> str:
        """Return a link to a heading that may come later; `resolved` completes it."""
        self._linked.append(name)
        # No text of a page has this character: what cannot be seen is taken out.
        return f"[{text}](#\0{len(self._linked) - 1}\0)"

    def resolved(self, page: str) -> str:
        """Return a page whose links to headings have their anchors."""
        for number, name in enumerate(self._linked):
            page = page.replace(f"\0{number}\0", self.anchors.get(name, ""))
        return page


def filled(name: str, lang: Language, web: Web, **values: Any) -> str:
    """Return a template of Markdown with its values, without gaps of several lines."""
    words = catalogue(lang)
    headings = _Headings()
    template = _markdown().get_template(name)
    text = template.render(
        w=words["page"],
        own=words,
        signs=words["signs"],
        web=web,
        headings=headings,
        **values,
    )
    text = headings.resolved(text)
    return _GAPS.sub("\n\n", text).strip("\n") + "\n"


def readme_page(
    latest: str, labels: Iterable[str], lang: Language, others: Mapping[str, Sequence[Language]]
) -> str:
    """Return the front page of an output folder: the latest report, and a list of all.

    `others` has the further languages of each report.
    """
    reports = [(label, others[label]) for label in sorted(labels, reverse=True)]
    template = _markdown().get_template("readme.md")
    return template.render(latest=latest, reports=reports, w=catalogue(lang)["page"])


class GuidePart(NamedTuple):
    """A part of a guide, by the commits that made the changes."""

    name: Part
    groups: list[CommitEntries]

    @property
    def size(self) -> int:
        """The number of its sentences."""
        return sum(len(group.entries) for group in self.groups)

    @property
    def is_folded(self) -> bool:
        """True if nothing of it is in sight."""
        return self.name in _FOLDED_PARTS

    @property
    def in_sight(self) -> list[CommitEntries]:
        """The groups before the fold."""
        return self.groups if self.name in _PARTS_IN_SIGHT else self.groups[:_MAX_ENTRIES]

    @property
    def behind(self) -> list[CommitEntries]:
        """The groups in the fold."""
        return self.groups[len(self.in_sight) :]


def upgrade_page(upgrade: Upgrade, lang: Language, web: Web) -> str:
    """Return the guide in one language."""
    titles = {sha: shown_title(title, lang) for sha, title in upgrade.titles.items()}
    parts = [GuidePart(part, entries_by_commit(upgrade, part, lang)) for part in get_args(Part)]
    is_used = any(item.uses for item in upgrade.items)
    return filled(
        "upgrade.md",
        lang,
        web,
        guide=upgrade.model_copy(update={"titles": titles}),
        parts=parts,
        always=_PARTS_ALWAYS_NAMED,
        unused_files=None if is_used else upgrade.own_files,
        urls={sha: web.commit(upgrade.repo, sha) for sha in upgrade.titles},
    )


def upgrade_json(upgrade: Upgrade) -> dict[str, Any]:
    """Return the guide as plain data, each item with its part and its commits as citations."""
    items = []
    for item in upgrade.items:
        part = upgrade.part_of(item)
        if part is None:
            continue
        data = item.fact.model_dump(mode="json")
        data["part"] = part
        data["cites"] = [EvidenceId.commit(upgrade.repo, sha) for sha in item.commits]
        data |= item.model_dump(mode="json", include={"backwards", "uses"})
        items.append(data)
    guide = upgrade.model_dump(mode="json", exclude={"items", "titles"})
    guide["items"] = items
    return guide


def claim_text(
    claim: Claim,
    lang: Language,
    web: Web,
    pulls: Collection[EvidenceId] = (),
    own: EvidenceId | None = None,
) -> str:
    """Return a claim by itself with links; `own` is what is linked already where it stands."""
    links: list[str] = []
    for cite in claim.sources:
        home = claim.repo
        if home is None and not cite.is_thread:
            home = cite.repo
        name, url = named(cite, home, web, pull=cite in pulls)
        links.append(link(code(name), url))
    pieces = MARK.split(claim.text.get(lang, ""))
    marked: set[int] = set()
    for position, piece in enumerate(pieces):
        if position % 2 == 0:
            pieces[position] = _spaced(piece)
            continue
        number = int(piece) - 1
        marked.add(number)
        pieces[position] = "".join(links[number : number + 1])
    behind: list[str] = []
    for number, cite in enumerate(claim.sources):
        if number not in marked and cite != own:
            behind.append(links[number])
    words = "".join(pieces)
    if not behind:
        return words
    signs = catalogue(lang)["signs"]
    listed: str = signs["behind"].format(signs["listing"].join(behind))
    return words + listed
