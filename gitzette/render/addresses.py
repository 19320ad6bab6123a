"""How artefacts are called, where they stand on a page and on the web, and where pages stand in the site."""

import re
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import get_args

from agent.domain.base import EvidenceId, Language, RepoId
from agent.domain.links import Story
from agent.web import Web

LANGUAGES: tuple[Language, ...] = get_args(Language)
SHORT = 7  # Digits of a hash where a link gives all of them
_THREAD = re.compile(r"([^@#]+)#([0-9]{1,10})", re.ASCII)
_HASH = re.compile("[0-9a-f]{40}")
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+", re.ASCII)


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
