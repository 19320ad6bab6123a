"""The addresses of pages, of elements on them, and of what they link to."""

import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from agent.browser_urls import Web
from agent.domain.base import LANGUAGES, Language, RepoId
from agent.domain.evidence_id import EvidenceId, is_full_hash
from agent.domain.links import Story
from agent.stories.paragraph import story_title

SHORT = 7  # Digits of a hash where a link gives all of them
_MAX_MALFORMED = 12  # Characters of an id that is none, which a foreign report may have
_PLAIN_REPO = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+", re.ASCII)


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
