"""How artefacts are called on a page, where they stand on it, and where they stand on the web."""

import re
from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b

from agent.domain.base import EvidenceId, RepoId
from agent.domain.ledger import LedgerRow
from agent.domain.window import Window, zone
from agent.web import Web

_SHORT = 7
_SQUASHED = re.compile(r"\(#([1-9]\d{0,8})\)$")
_THREAD = re.compile(r"([^@#]+)#([0-9]{1,10})", re.ASCII)
_HASH = re.compile("[0-9a-f]{40}")


def row_id(row: LedgerRow) -> EvidenceId:
    """Give the name under which a row is cited."""
    return f"{row.repo}@{row.sha}"


@lru_cache(maxsize=16_384)
def named(cite: EvidenceId, own: RepoId | None, web: Web, *, pull: bool = False) -> tuple[str, str]:
    """Give the short name of an artefact, without its repository where that is `own`, and its address."""
    if found := _THREAD.fullmatch(cite):
        repo, number = RepoId(found[1]), int(found[2])
        return (f"#{number}" if repo == own else cite), web.thread(repo, number, pull=pull)
    name, _, rest = cite.partition("@")
    repo = RepoId(name)
    if _HASH.fullmatch(rest):
        return (rest[:_SHORT] if repo == own else f"{repo}@{rest[:_SHORT]}"), web.commit(repo, rest)
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


def cut_title(row: LedgerRow) -> tuple[str, int | None]:
    """Part the title from the number of its pull request, which squash merges put at the end in parentheses."""
    words, number = row.title.rstrip(), row.pull
    if found := _SQUASHED.search(words):
        number = number or int(found[1])
        words = words[: found.start()].rstrip() if int(found[1]) == number else words
    return words, number


def moment(at: datetime, window: Window, *, late: bool = False) -> str:
    """Write the time of day, with the date where the day is not the report's own."""
    local = at.astimezone(zone(window.tz))
    return f"{local:%Y-%m-%d %H:%M}" if late or ".." in window.label else f"{local:%H:%M}"


def short_hashes(shas: Iterable[str]) -> dict[str, str]:
    """Abbreviate to seven digits, or to as many as tell the report's own commits apart."""
    ordered = sorted(set(shas))
    short: dict[str, str] = {}
    for before, sha, after in zip(["", *ordered], ordered, [*ordered[1:], ""], strict=False):
        shared = max(_shared(sha, before), _shared(sha, after))
        short[sha] = sha[: max(_SHORT, shared + 1)]
    return short


def _shared(one: str, other: str) -> int:
    """Count the leading digits that two hashes have in common."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
