"""Where things stand in the site: files, anchors and the relative links between them."""

import re
from dataclasses import dataclass
from hashlib import blake2b

from agent.settings import Language

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+", re.ASCII)
_HASH = re.compile(r"[0-9a-f]{40}")


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

    def counterpart(self, lang: Language) -> str:
        """Link to the same page in another language."""
        return self.to("index.html" if self.path == "../index.html" else self.path, lang)


def day_path(label: str) -> str:
    """Name a day's page."""
    return f"days/{label}.html"


def repo_path(repo: str) -> str:
    """Name a repository's page, whatever a report calls the repository."""
    plain = _PLAIN.fullmatch(repo) and "--" not in repo and ".." not in repo
    return f"repos/{repo.replace('/', '--')}.html" if plain else f"repos/x{_mark(repo, 8)}.html"


def anchor(evidence: str) -> str:
    """Give the place of an artefact inside a page: a commit by its first digits, anything else by a mark of its name.

    A fork has the commits of its origin, so the name of the repository goes in as well.
    """
    repo, _, rest = evidence.partition("@")
    return f"c{rest[:12]}-{_mark(repo, 2)}" if _HASH.fullmatch(rest) else f"x{_mark(evidence, 6)}"


def section_anchor(repo: str, part: str = "") -> str:
    """Give the place of a repository, or of a part of what is told of it, inside a day's page."""
    return f"r{_mark(repo, 4)}{'-' if part else ''}{part}"


def _mark(text: str, size: int) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()
