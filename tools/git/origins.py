"""Where words come from: which landed commit first had one, and whether a tree has it."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from zlib import crc32

from agent.areas import Area, area
from agent.domain import Commit
from agent.ids import RepoId
from tools.git.landing import read_commits
from tools.git.product import changed_paths, product_paths
from tools.git.search import lines_with
from tools.git.view import View
from tools.git.walk import Walk

_MOST_WORDS, _MOST_PATHS, _MOST_REFERRING, _MOST_MOVES = 12, 8, 400, 4
_FEW_FILES = 12
"""One of so many files is looked at first."""


async def first_with(view: View, words: Sequence[str], *, folder: str, upto: str, since: datetime) -> Mapping[str, str]:
    """Name, for each word that folders of this name have now and had not then, the commit that brought it."""
    if view.shallow or not re.fullmatch(r"\w+", folder, re.ASCII):
        return {}
    name = folder.encode("ascii")
    then = await _line_before(view, upto, since)
    # Nearly all words are old, and then there is nothing more to ask.
    unknown = await _unknown(view, then, words, name) if then else words
    # What is as it was then has brought nothing.
    new = await changed_paths(view, then, upto) if then and unknown else None
    inside = await _paths(view, upto, unknown, lambda path: _lies_in(path, name) and (new is None or path in new))
    now = await _paths(view, upto, sorted(inside)[:_MOST_WORDS], lambda path: new is None or path in new)
    return await _origins(view, {word: now[word] for word in sorted(now)}, upto, since)


async def _unknown(view: View, sha: str, words: Sequence[str], folder: bytes) -> Sequence[str]:
    """Tell which words no product code in folders of this name has."""
    # A word that is everywhere is in any few files, and finding it everywhere takes longer than all the rest.
    some = await _paths(view, sha, words, lambda path: _lies_in(path, folder) and crc32(path) % _FEW_FILES == 0)
    rare = [word for word in words if word not in some]
    known = await _paths(view, sha, rare, lambda path: _lies_in(path, folder))
    return [word for word in rare if word not in known]


def _lies_in(path: bytes, folder: bytes) -> bool:
    return folder in path.split(b"/")[:-1]


async def _origins(view: View, now: Mapping[str, Sequence[bytes]], upto: str, since: datetime) -> dict[str, str]:
    """Follow words back to the commits before which no product code had them, through files that were moved."""
    found: dict[str, str] = {}
    standing_at: dict[str, Mapping[str, Sequence[bytes]]] = {upto: now}
    for _ in range(_MOST_MOVES):
        brought: dict[str, list[str]] = defaultdict(list)
        for at, words in standing_at.items():
            for word, paths in words.items():
                if sha := await _oldest(view, word, paths, at, since):
                    brought[sha].append(word)
        standing_at = {}
        for sha, some in brought.items():
            # What was there from the beginning, or before the moment, is nobody's news.
            if parent := await _parent(view, sha):
                known = await _paths(view, parent, some)
                found |= {word: sha for word in some if word not in known}
                standing_at |= {parent: known} if known else {}
    return found


async def standing(view: View, sha: str, words: Sequence[str], *, beside: str) -> frozenset[str]:
    """Tell which of these words stand in a line of a commit's product code together with another one."""
    where = await product_paths(view, sha) if words else []
    found = await lines_with(view, sha, words, where) if where else ()
    lines = [line for path, line in found if area(path) is Area.PRODUCT and beside in line]
    return frozenset(word for word in words if any(re.search(rf"\b{re.escape(word)}\b", line) for line in lines))


async def referring(
    view: View, repo: RepoId, walk: Walk | None, pattern: str, *, upto: str, since: datetime, until: datetime
) -> tuple[Commit, ...]:
    """List the commits of the line up to one, between two moments, that name pull requests which fit; newest first."""
    if walk is not None and not view.shallow and walk.has(upto, since):
        shas = walk.referring(pattern, upto, since, until)[:_MOST_REFERRING]
        asked = "\n".join(shas).encode("ascii")
        return tuple(await read_commits(view, repo, ["--no-walk=unsorted", "--stdin"], stdin=asked)) if shas else ()
    chosen = ["--first-parent", "--regexp-ignore-case", "--extended-regexp", f"--grep={pattern}"]
    start, end = max(1, int(since.timestamp())), int(until.timestamp()) - 1
    span = [f"--since-as-filter=@{start} +0000", f"--until=@{end} +0000"]
    return tuple(await read_commits(view, repo, [*chosen, *span, f"--max-count={_MOST_REFERRING}", upto]))


async def _paths(
    view: View, sha: str, words: Sequence[str], fits: Callable[[bytes], bool] = lambda _: True
) -> dict[str, list[bytes]]:
    """Find the files of product code in a tree that have these words, of those that fit."""
    where = await product_paths(view, sha, fits) if words else []
    if not where:
        return {}
    asked = [part for word in words for part in ("-e", word)]
    told = await view.run(["grep", "--threads=1", "-I", "-F", "-w", "-o", "--null", *asked, sha, "--", *where])
    found: dict[str, list[bytes]] = defaultdict(list)
    for line in told.out.split(b"\n"):
        name, mark, word = line.partition(b"\0")
        path = name.partition(b":")[2]
        if mark and fits(path) and area(path.decode("utf-8", "replace")) is Area.PRODUCT:
            paths = found[word.decode("utf-8", "replace")]
            paths += [path] if path not in paths else []
    return dict(found)


async def _line_before(view: View, upto: str, since: datetime) -> str | None:
    """Find the last commit of the line before a moment."""
    asked = ["rev-list", "-1", "--first-parent", f"--before=@{int(since.timestamp())} +0000", upto]
    return (await view.read(asked)).decode("ascii").strip() or None


async def _parent(view: View, sha: str) -> str | None:
    told = await view.run(["rev-parse", "--verify", "--quiet", f"{sha}^"])
    return told.out.decode("ascii", "replace").strip() or None


async def _oldest(view: View, word: str, paths: Sequence[bytes], upto: str, since: datetime) -> str | None:
    """Find the first commit of the line since a moment that changed how often a word stands in some files."""
    line = ["--first-parent", "--diff-merges=first-parent", "--no-renames", f"--since=@{int(since.timestamp())} +0000"]
    told = await view.run(["log", "-s", *line, "--format=%H", f"-S{word}", upto, "--", *paths[:_MOST_PATHS]])
    shas = told.out.decode("ascii", "replace").split() if told.code == 0 else []
    return shas[-1] if shas else None
