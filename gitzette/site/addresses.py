"""Where pages stand in the site, and the relative links between them."""

import re
from dataclasses import dataclass
from typing import get_args

from agent.domain.base import Language
from gitzette.render.names import mark_of

LANGUAGES: tuple[Language, ...] = get_args(Language)
_HASH = re.compile("[0-9a-f]{40}")
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+", re.ASCII)


@dataclass(frozen=True)
class Place:
    """A page by its language and its name inside it; links from it are relative, so the site may lie anywhere."""

    lang: Language
    path: str
    """As `days/2026-02-04.html`; the front page of the whole site is `../index.html`."""

    @property
    def file(self) -> str:
        """The path of the page from the root of the site."""
        return "index.html" if self.path == "../index.html" else f"{self.lang}/{self.path}"

    @property
    def root(self) -> str:
        """The way from the page to the root of the site."""
        return "../" * self.file.count("/")

    def to(self, path: str, lang: Language | None = None) -> str:
        """Link to a page of the same language, or of another."""
        return f"{self.root}{lang or self.lang}/{path}"


def day_path(label: str) -> str:
    """Name the page of a report."""
    return f"days/{label}.html"


def repo_path(repo: str) -> str:
    """Name a repository's page, whatever a report calls the repository."""
    return f"repos/{repo_name(repo)}.html"


def commit_path(repo: str, sha: str) -> str:
    """Name the page of a commit: its permalink."""
    name = sha[:12] if _HASH.fullmatch(sha) else f"x{mark_of(sha, 8)}"
    return f"commits/{repo_name(repo)}--{name}.html"


def month_path(month: str) -> str:
    """Name the page of a month's stories."""
    return f"stories/{month}.html"


def repo_name(repo: str) -> str:
    """Give a repository a name that is safe in files and addresses."""
    plain = _PLAIN.fullmatch(repo) and "--" not in repo and ".." not in repo
    return repo.replace("/", "--") if plain else f"x{mark_of(repo, 8)}"
