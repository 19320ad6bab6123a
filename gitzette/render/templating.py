"""The Jinja environments, and how artefacts are called, where they stand on the web and where pages stand in the site.

Every value of an HTML template is escaped; Markdown and messages escape by filters.
"""

import re
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from hashlib import blake2b
from html import escape
from typing import Any, get_args

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from agent.domain.base import EvidenceId, Language, RepoId
from agent.domain.links import Story
from agent.domain.window import zone
from agent.markdown import visible
from agent.web import Web

LANGUAGES: tuple[Language, ...] = get_args(Language)
SHORT = 7  # Digits of a hash where a link gives all of them
ISSUES_SHOWN = 5  # Issues of a kind that are in sight; the others are folded
_THREAD = re.compile(r"([^@#]+)#([0-9]{1,10})", re.ASCII)
_HASH = re.compile("[0-9a-f]{40}")
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+", re.ASCII)
_CODE = re.compile(r"(?<!`)(`+)(?!`) ?(.+?) ?(?<!`)\1(?!`)", re.DOTALL)


# ---------------------------------------------------------------- names and places


@lru_cache(maxsize=16_384)
def named(cite: EvidenceId, own: RepoId | None, web: Web, *, pull: bool = False) -> tuple[str, str]:
    """Give the short name of an artefact, without its repository where that is `own`, and its address."""
    if found := _THREAD.fullmatch(cite):
        repo, number = RepoId(found[1]), int(found[2])
        return (f"#{number}" if repo == own else cite), web.thread(repo, number, pull=pull)
    name, _, rest = cite.partition("@")
    repo = RepoId(name)
    if _HASH.fullmatch(rest):
        return (rest[:SHORT] if repo == own else f"{repo}@{rest[:SHORT]}"), web.commit(repo, rest)
    return (rest if repo == own else cite), web.release(repo, rest)


@lru_cache(maxsize=16_384)
def place_of(evidence: EvidenceId) -> str:
    """Give the anchor of an artefact: a commit by its first digits, anything else by a mark of its name.

    A fork has the commits of its origin, so the name of the repository goes in as well.
    """
    repo, _, rest = evidence.partition("@")
    return f"c{rest[:12]}-{mark_of(repo, 2)}" if _HASH.fullmatch(rest) else f"x{mark_of(evidence, 6)}"


def mark_of(text: str, size: int) -> str:
    """Give a short mark of a name, in digits that any address may hold."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


def story_key(story: Story) -> str:
    """Name a story by its kind and its first step, which stay while it goes on."""
    return f"{story.kind} {story.repo} {story.steps[0] if story.steps else ''}"


@dataclass(frozen=True)
class Place:
    """A page of the site by its language and its name; links from it are relative, so the site may lie anywhere."""

    lang: Language
    path: str  # As `days/2026-02-04.html`; the front page of the whole site is `../index.html`

    @property
    def file(self) -> str:
        """The path of the page from the root of the site."""
        return "index.html" if self.path == "../index.html" else f"{self.lang}/{self.path}"

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
    name = sha[:12] if _HASH.fullmatch(sha) else f"x{mark_of(sha, 8)}"
    return f"commits/{_repo_name(repo)}--{name}.html"


def _repo_name(repo: str) -> str:
    plain = _PLAIN.fullmatch(repo) and "--" not in repo and ".." not in repo
    return repo.replace("/", "--") if plain else f"x{mark_of(repo, 8)}"


# ---------------------------------------------------------------- environments


def made_environment(*, autoescape: bool = False, **options: Any) -> Environment:
    """Make an environment for our templates; a name that does not exist is an error."""
    loader = PackageLoader("gitzette.render", "templates")
    shape: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "auto_reload": False}
    made = Environment(loader=loader, autoescape=autoescape, undefined=StrictUndefined, **(shape | options))  # noqa: S701 -- see who calls
    ways = (named, place_of, day_path, repo_path, commit_path, story_key, zone)
    made.globals |= {one.__name__: one for one in ways} | {"date": date, "issues_shown": ISSUES_SHOWN}
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
    made = made_environment(autoescape=True, finalize=_shown)
    made.filters |= {"prose": prose, "verbatim": verbatim}
    made.globals |= {"plain": plain(), "excerpt": _excerpt}
    return made


@lru_cache(maxsize=16_384)  # The same lines stand on several pages
def _excerpt(one: Any) -> Markup:
    shown: Markup = html_environment().get_template("excerpt.html").module.excerpt(one)  # type: ignore[attr-defined]
    return shown


def html_page(template: str, **values: Any) -> str:
    """Write a page by its template."""
    return html_environment().get_template(template).render(**values)


@lru_cache(maxsize=65_536)
def clean(text: str) -> str:
    """Keep what a reader can see of a text, in one line."""
    return text if text.isascii() and text.isprintable() else visible(text)


@lru_cache(maxsize=32_768)
def prose(text: str) -> Markup:
    """Write a line in which backticks mean code, as in claims and titles; spaces at its ends stay."""
    left, right = (" " if text[:1].isspace() else ""), (" " if len(text) > 1 and text[-1:].isspace() else "")
    told = _CODE.sub(lambda found: f"<code>{found[2]}</code>", escape(clean(text), quote=False))
    return Markup(f"{left}{told}{right}")  # noqa: S704 -- escaped before the tags are put in


@lru_cache(maxsize=32_768)
def verbatim(line: str) -> str:
    """Give a line of code: every space stays, what cannot be seen goes."""
    return _seen(line.rstrip("\r").expandtabs(4))


def _seen(text: str) -> str:
    """Take out what cannot be seen; spaces stay, they are part of sentences and of code."""
    return text if text.isascii() and text.isprintable() else " ".join(clean(word) for word in text.split(" "))


def _shown(value: Any) -> Any:
    return _seen(value) if type(value) is str else value
