"""What a report refers to: commits by hash, pull requests and issues by number, each with how it is written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from agent.audit.markdown import Block, Span, blanked, code_of, links_of
from agent.domain.base import RepoId, parse_reference

Form = Literal["link", "code", "field", "bare"]
_NAMED = re.compile(r"(?<![\w/.-])([A-Za-z0-9][\w-]{0,38}/[\w.-]{1,100})@([0-9a-f]{7,40})(?!\w)", re.ASCII)
_HASH = re.compile(r"(?:(?<![\w/@.=&?#%+$-])|(?<=\w\.\.)|(?<=\w\.\.\.))([0-9a-f]{7,40})(?![\w/]|[-.=]\w)", re.ASCII)
_NUMBER = re.compile(r"(?<![\w/&#.-])(?:([A-Za-z0-9][\w-]{0,38}/[\w.-]{1,100}))?#([1-9]\d{0,8})(?![\w-])", re.ASCII)
_HEX = re.compile(r"[0-9a-f]{7,40}", re.ASCII)
_DIGITS = re.compile(r"(?<![\w.#/])([0-9a-f]{6,41})(?![\w./])", re.ASCII)


@dataclass(frozen=True)
class Reference:
    """A commit or thread that a block names."""

    kind: Literal["commit", "thread"]
    value: str
    """Hexadecimal digits, or the number."""
    start: int
    end: int
    line: int
    form: Form
    repo: RepoId | None = None
    """The repository that the reference itself names."""
    place: str = ""
    """Of a thread with an address: pull, issues or discussions."""

    @property
    def number(self) -> int:
        """Give the number of a thread."""
        return int(self.value)

    @property
    def shown(self) -> str:
        """Write it as people do."""
        sign = "#" if self.kind == "thread" else "@" if self.repo else ""
        return f"{self.repo or ''}{sign}{self.value}"

    @property
    def is_hash_like(self) -> bool:
        """Tell whether the digits can hardly be anything but a hash: a number has no letters, a word no digits."""
        digits = sum(sign.isdigit() for sign in self.value)
        return len(self.value) == 40 or (digits > 1 and len(self.value) - digits > 1)


def references_in(block: Block, *, commits: bool = False) -> list[Reference]:
    """Find the references of a block; with `commits` also digits alone, for places where a commit must stand."""
    links = links_of(block.text)
    covered = blanked(block.text, [link for link in links if parse_reference(link.url) or "://" in link.text])
    codes = code_of(covered)
    rest = blanked(covered, codes)
    found = [*_linked(block, links), *_coded(block, codes), *_written(block, rest)]
    taken = {one.start for one in found}
    for one in _DIGITS.finditer(rest) if commits else ():
        if one.start(1) not in taken:
            found.append(Reference("commit", one[1], *one.span(1), block.line_at(one.start(1)), "field"))
    return sorted(found, key=lambda one: one.start)


def _linked(block: Block, links: list[Span]) -> Iterator[Reference]:
    for link in links:
        if "://" not in link.url or (read := parse_reference(link.url)) is None:
            continue
        where = (link.start, link.end, block.line_at(link.start))
        if read.kind == "commit":
            yield Reference("commit", read.sha, *where, "link", read.repo)
        else:
            place = "pull" if "/pull" in link.url else "issues" if "/issues/" in link.url else "discussions"
            yield Reference("thread", str(read.number), *where, "link", read.repo, place)


def _coded(block: Block, codes: list[Span]) -> Iterator[Reference]:
    for code in codes:
        where = (code.start, code.end, block.line_at(code.start))
        if _HEX.fullmatch(code.text):
            yield Reference("commit", code.text, *where, "code")
        elif named := _NAMED.fullmatch(code.text):
            yield Reference("commit", named[2], *where, "code", RepoId(named[1]))


def _written(block: Block, text: str) -> Iterator[Reference]:
    for one in _NAMED.finditer(text):
        yield Reference("commit", one[2], *one.span(), block.line_at(one.start()), "bare", RepoId(one[1]))
    for one in _HASH.finditer(text):
        if not one[1].isdigit() and not one[1].isalpha():
            yield Reference("commit", one[1], *one.span(1), block.line_at(one.start(1)), "bare")
    for one in _NUMBER.finditer(text):
        repo = RepoId(one[1]) if one[1] else None
        yield Reference("thread", one[2], *one.span(), block.line_at(one.start()), "bare", repo)
