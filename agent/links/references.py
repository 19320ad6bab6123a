"""Which threads and commits a text names by number, address or hash, and where GitHub's closing keywords stand."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from agent.domain.base import EvidenceId, RepoId, ThreadId, commit_id, thread_id
from agent.domain.commits import Commit, PullRequest, Threads
from agent.domain.links import Place, Reference

_MOST, _LONGEST, _EACH = 60_000, 400, 60
"""Characters of a text that are read, of a sentence that are kept, and references of one text."""
_REPO = r"[A-Za-z0-9][\w-]{0,38}/[\w.-]{1,100}"
_ADDRESS = (
    rf"https?://(?:[\w-]{{1,60}}\.){{0,4}}github(?:\.[\w-]{{1,60}}){{1,3}}/(?P<where>{_REPO})"
    r"/(?:(?:issues|pull)/(?P<thread>[1-9]\d{0,8})|commit/(?P<commit>[0-9a-f]{7,40}))(?:[/?#][^\s()\[\]<>\"']{0,200})?"
)
_LINK = re.compile(_ADDRESS, re.ASCII | re.IGNORECASE)
# A link is what it links to, whatever number it shows.
_NAMED = re.compile(
    r"\[[^\[\]\n]{1,200}\]\((?P<url>[^()\s]{1,400})\)"
    r"|<a\s[^<>\n]{0,200}?href=[\"'](?P<href>[^\"'\s]{1,400})[\"'][^<>\n]{0,200}>[^<>\n]{1,200}</a>"
    rf"|(?<![\w/])(?P<address>{_ADDRESS})"
    rf"|(?<![\w/#&.\\-])(?:(?P<repo>{_REPO})?#|GH-)(?P<number>[1-9]\d{{0,8}})(?!\w|\.\d)"
    r"|\bcommit\s{1,3}(?P<short>[0-9a-f]{7,40})\b|(?<![\w/@-])(?P<hash>[0-9a-f]{40})(?!\w)",
    re.ASCII | re.IGNORECASE,
)
_KEYWORD = re.compile(
    r"(?<![\w-])[*_]{0,2}(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[*_]{0,2}:?[*_]{0,2}[ \t]{1,9}$",
    re.ASCII | re.IGNORECASE,
)
# Where a paragraph, an item, a heading, a row or a trailer begins, and where a sentence ends.
_PIECE = re.compile(
    r"\n(?=[ \t]*(?:$|[-*+|][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|[A-Za-z-]{1,30}:[ \t]))",
    re.MULTILINE,
)
_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
# What is never closed runs on to the end, as a browser shows it; a tag that is never closed is only a word. The bounds
# keep hostile texts cheap.
_HIDDEN = re.compile(
    r"^[ \t]*>[> \t]*$"
    # A paragraph in a quotation goes on over the lines below it until something else begins.
    r"|^[ \t]*>[^\n]*$(?:\n(?![ \t]*(?:$|>|[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|`{3}|~{3}))[^\n]*$)*"
    r"|^[ \t]*(?P<fence>`{3,}|~{3,})(?:(?<=`)[^`\n]*|(?<=~)[^\n]*)$.*?(?:^[ \t]*(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|<!--.*?(?:-->|\Z)"
    r"|<(?P<tag>code|pre|blockquote|del)\b[^>\n]{0,100}>.{0,5000}?</(?P=tag)>"
    r"|(?<!`)(?P<ticks>`++)[^\n]{1,500}?(?<!`)(?P=ticks)(?!`)"
    r"|~~[^~\n]{1,500}~~"
    # Code that is marked by its indentation stands behind an empty line.
    r"|(?:\A|^[ \t]*\n)(?:(?: {4}|\t)[^\n]*(?:\n|\Z))+",
    re.MULTILINE | re.DOTALL,
)
_SQUASHED = re.compile(r"\s*\(#[1-9]\d{0,9}\)\s*$")


def references_in(
    text: str, home_repo: RepoId, source: EvidenceId, place: Place
) -> list[Reference]:
    """List what a text names, in its order; code, quotations and comments do not count."""
    text = text[:_MOST].replace("\r\n", "\n")
    # Blanks stand in the place of what GitHub does not read; everything else keeps its place.
    plain = _HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    found: dict[Reference, None] = {}
    for match in _NAMED.finditer(plain):
        target = _target(match, home_repo)
        if target is None or target == source:
            continue
        sentence = _sentence(text, match.start(), match.end())
        closing = (
            "#" in target
            and _KEYWORD.search(plain[max(0, match.start() - 30) : match.start()]) is not None
        )
        found[
            Reference(source=source, target=target, place=place, sentence=sentence, closing=closing)
        ] = None
        if len(found) == _EACH:
            break
    return list(found)


def _target(match: re.Match[str], home: RepoId) -> EvidenceId | None:
    """Name what is meant; a short hash stays short, and None is an address of something else."""
    link = match["url"] or match["href"]
    found = _LINK.match(link) if link else match
    if found is None:
        return None
    groups = found.groupdict()
    where = groups["where"] or groups.get("repo") or home
    # GitHub does not mind the case of names.
    repo = home if where.lower() == home.lower() else RepoId(where.removesuffix(".git"))
    number = groups["thread"] or groups.get("number")
    if number:
        return thread_id(repo, int(number))
    sha = (groups["commit"] or groups.get("short") or groups["hash"]).lower()
    return commit_id(repo, sha) if len(sha) == 40 else f"{repo}@{sha}"


def _sentence(text: str, start: int, end: int) -> str:
    """Give the sentence around a reference, or the item or row in which it stands."""
    begin, stop = max(0, start - _LONGEST), min(len(text), end + _LONGEST)
    for border in (_PIECE, _END):
        for match in border.finditer(text, begin, start):
            begin = match.end()
        if after := border.search(text, end, stop):
            stop = after.start()
    return " ".join(text[begin:stop].split())[:_LONGEST]


# ---------------------------------------------------------------- the texts of a day


@dataclass(frozen=True)
class Day:
    """The landed commits of a repository with its threads."""

    repo: RepoId
    branch: (
        str | None
    )  # The default branch; None where it is not known, and no base is then refused
    commits: Sequence[Commit]
    threads: Threads

    @cached_property
    def merged(self) -> list[tuple[PullRequest, Commit]]:
        """Each pull request that was merged into the default branch, with the commit that it became."""
        brought: dict[int, list[Commit]] = {}
        for commit in self.commits:
            brought.setdefault(self.threads.pull_of.get(commit.sha, 0), []).append(commit)
        return [
            (pull, next((one for one in commits if one.sha == pull.merge_commit), commits[0]))
            for pull in self.threads.pulls
            if (commits := brought.get(pull.number))
            and pull.merged_at
            and self.branch in (None, pull.base)
        ]


def day_references(day: Day) -> tuple[Reference, ...]:
    """List what the day's commits and their pull requests name, and which other threads name these."""
    pulls = {pull.number: pull for pull in day.threads.pulls}
    brought = {sha: pulls.get(number) for sha, number in day.threads.pull_of.items()}
    said = [
        one for commit in day.commits for one in _of_commit(commit, day, brought.get(commit.sha))
    ]
    own = list(dict.fromkeys(pull for one in day.commits if (pull := brought.get(one.sha))))
    mine = {*(commit.id for commit in day.commits), *(pull.id for pull in own)}
    texts: list[tuple[ThreadId, str, Place]] = [
        (one.id, one.body, "issue") for one in day.threads.issues
    ]
    written = {thread_id(day.repo, number): some for number, some in day.threads.comments.items()}
    texts += [(name, one.body, "comment") for name, some in written.items() for one in some]
    others = [
        x
        for name, text, at in texts
        for x in references_in(text, day.repo, name, at)
        if x.target in mine
    ]
    shown = {(one.source, one.target) for one in others}
    # GitHub knows of texts that nobody has read.
    unread = [
        (name, pull.id) for pull in own for name in pull.named_by if (name, pull.id) not in shown
    ]
    recorded = (
        Reference(source=name, target=pull, place="issue", sentence="") for name, pull in unread
    )
    return tuple(dict.fromkeys((*said, *others, *recorded)))


def _of_commit(commit: Commit, day: Day, pull: PullRequest | None) -> Iterator[Reference]:
    """Read title, message and pull request; the number at the end of a squashed title is the commit's own."""
    title = commit.title
    squashed = _SQUASHED.search(title)
    bare = _SQUASHED.sub("", title)
    rest = commit.body
    texts: list[tuple[Place, str]] = [("title", bare), ("message", rest)]
    if pull is not None:
        texts.append(
            ("pull request", f"{'' if pull.title.strip() == bare else pull.title}\n\n{pull.body}")
        )
    program, home = commit.author.name.endswith("[bot]"), (f"{day.repo}#", f"{day.repo}@")
    ours = {
        commit.id,
        pull and pull.id,
        f"{day.repo}#{squashed[0].strip(' ()#')}" if squashed else None,
    }
    for place, text in texts:
        for one in references_in(text, day.repo, commit.id, place):
            # What a program copies into its message is about other repositories.
            if one.target not in ours and not (program and not one.target.startswith(home)):
                yield one
