"""The landed line with dates and titles: walked once, then asked for windows and for what was called something."""

import re
import secrets
from collections.abc import Callable, Iterator
from datetime import datetime

from agent.domain import Commit
from agent.ids import RepoId
from tools.git.log import FIELDS, LATEST, parse_commit
from tools.git.view import View

_BACK = 402 * 86_400
"""How far before a window the titles are kept: stories look back, and walking the line again takes as long."""


class Walk:
    """The first-parent line below a tip, newest first, without what is dated before some moment.

    Dates never end the walk: a commit may have landed on top of a later one.
    """

    def __init__(self, tip: str, since: int) -> None:
        self._tip = tip
        self._since = since
        self._shas: list[str] = []
        self._dates: list[int] = []
        self._headers: list[bytes] = []

    @classmethod
    async def down(cls, view: View, tip: str, start: datetime) -> "Walk":
        """Walk down from a tip, for windows that begin at a moment or later."""
        walk, mark = cls(tip, max(0, int(start.timestamp()) - _BACK)), secrets.token_hex(16)
        since = [f"--since-as-filter=@{walk._since} +0000"] if walk._since else []
        asked = ["log", "-z", f"--format={mark}{FIELDS}", "--no-patch", "--first-parent", *since, tip]
        async with view.running(asked) as git:
            rest, cut = b"", mark.encode("ascii")
            while piece := await git.read():
                *whole, rest = (rest + piece).split(cut)
                walk._add(whole)
            walk._add([rest])
            view.expect_success("log", await git.finish())
        return walk

    def reaches(self, tip: str, start: datetime) -> bool:
        """Tell whether this is the line of a tip, and everything from a moment on is kept of it."""
        return tip == self._tip and start.timestamp() >= self._since

    def has(self, sha: str, since: datetime) -> bool:
        """Tell whether a commit is on this line, and everything from a moment on is kept."""
        return since.timestamp() >= self._since and sha in self._shas

    def between(self, start: int, end: int) -> list[str]:
        """Name the commits that are dated between two moments, the ends included."""
        return [sha for sha, at in zip(self._shas, self._dates, strict=True) if start <= at <= end]

    def titled(self, repo: RepoId, form: re.Pattern[str], upto: str, since: datetime) -> Iterator[Commit]:
        """Give the commits up to one, not before a moment, whose title or subject fits; messages are cut."""
        first, moment = self._shas.index(upto), since.timestamp()
        may_fit = _sieve(form)
        for at, header in zip(self._dates[first:], self._headers[first:], strict=True):
            # Most are ruled out before they are taken apart.
            if at >= moment and may_fit(header[header.rindex(b"\0") + 1 :].decode("utf-8", "replace").lstrip()):
                commit = parse_commit(repo, header)
                if form.search(commit.title) or form.search(commit.subject):
                    yield commit

    def _add(self, headers: list[bytes]) -> None:
        for header in headers:
            fields = header.rstrip(b"\0").split(b"\0", 8)
            # Nothing comes before the first mark; what cannot be read is told by whoever asks for the commit.
            if len(fields) == 9:
                message = fields[8]
                # Behind GitHub's merge line the title may be anywhere.
                title = message if b" " in fields[1] else message.lstrip().partition(b"\n")[0]
                self._shas.append(fields[0].decode("ascii"))
                self._dates.append(min(int(fields[7][:20]), LATEST) if fields[7].isdigit() else 0)
                self._headers.append(b"\0".join((*fields[:8], title)))


def _sieve(form: re.Pattern[str]) -> Callable[[str], object]:
    """Make a test that all lines pass which a pattern fits; letters of one case are found faster than of either."""
    if not form.flags & re.IGNORECASE or "\\" in form.pattern:
        return re.compile(form.pattern, form.flags | re.MULTILINE).search
    small = re.compile(form.pattern.lower(), (form.flags & ~re.IGNORECASE) | re.MULTILINE)
    return lambda text: small.search(text.lower())
