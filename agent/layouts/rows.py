"""How one landed commit is named on a page: its title, its links, its time and its numbers."""

import re
from collections.abc import Iterable

from agent.layouts.sheet import chrome, computed, joined, title
from agent.markdown import code, inline, link
from agent.report import LedgerRow
from agent.spans import Span
from agent.web import Web
from agent.window import Window, zone
from agent.words import Words

_SHORT = 7
_SQUASHED = re.compile(r"\(#([1-9]\d{0,8})\)$")


def named(row: LedgerRow, short: str, web: Web) -> tuple[Span, ...]:
    """Write the title as it is, then its pull request and its hash as links."""
    return (*titled(row, web), chrome(" "), computed(commit_link(row, short, web)))


def titled(row: LedgerRow, web: Web) -> tuple[Span, ...]:
    """Write the title; only the number of the pull request that brought it becomes a link."""
    words, number = cut_title(row)
    if not number:
        return (title(words),)
    pull = link(f"#{number}", web.thread(row.repo, number, pull=True))
    return title(words), computed(f" ({pull})")


def cut_title(row: LedgerRow) -> tuple[str, int | None]:
    """Part the title from the number of its pull request, which squash merges put at the end in parentheses."""
    words, number = row.title.rstrip(), row.pull
    if found := _SQUASHED.search(words):
        number = number or int(found[1])
        words = words[: found.start()].rstrip() if int(found[1]) == number else words
    return words, number


def commit_link(row: LedgerRow, short: str, web: Web) -> str:
    """Link a commit by its short hash."""
    return link(code(short), web.commit(row.repo, row.sha))


def moment(row: LedgerRow, window: Window) -> str:
    """Write the time of day, with the date where the day is not the report's own."""
    local = row.landed_at.astimezone(zone(window.tz))
    return f"{local:%Y-%m-%d %H:%M}" if row.late or ".." in window.label else f"{local:%H:%M}"


def about(row: LedgerRow, window: Window, say: Words, *, breaking: bool, kind: bool) -> str:
    """Tell in one line what sort of commit it is, by whom, when and how large."""
    at = moment(row, window)
    return joined(
        (
            f"**{say.breaking}**" if breaking else "",
            say.purposes[row.purpose] if row.purpose and kind else "",
            inline(row.author),
            say.late.format(at) if row.late else at,
            lines_changed(row),
            counted_files(row.files, say) if row.files is not None else "",
            notes(row, say),
        )
    )


def lines_changed(row: LedgerRow) -> str:
    """Write the lines added and deleted, where they were counted."""
    return "" if row.additions is None else f"+{row.additions} −{row.deletions}"


def counted_files(count: int, say: Words) -> str:
    """Write a number of files."""
    return say.one_file if count == 1 else say.files.format(count)


def counted_commits(count: int, say: Words) -> str:
    """Write a number of commits."""
    return say.one_commit if count == 1 else say.commits.format(count)


def notes(row: LedgerRow, say: Words) -> str:
    """Tell what a reader must know of a row: a merge, files that could not be read, a diff that was not."""
    told = []
    if row.members:
        told.append(counted_commits(row.members, say))
    if row.unreadable:
        told.append(say.unreadable.format(row.unreadable, row.files))
    if row.files is None:
        told.append(code(row.reason))
    return say.comma.join(told)


def places(row: LedgerRow, say: Words) -> str:
    """Name the files that changed most, and how many more there are."""
    shown = say.listing.join(code(path) for path in row.places)
    rest = (row.files or 0) - len(row.places)
    return f"{shown} {say.more.format(rest)}" if rest > 0 and shown else shown


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
