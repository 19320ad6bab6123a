"""Which threads and commits a text names by number, address or hash, and where GitHub's closing keywords stand."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from agent.domain.base import RepoId
from agent.domain.commits import Commit, PullRequest, Threads
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Mention, Place
from agent.domain.references import find_references, pull_number, without_pull_number

_MOST, _LONGEST, _EACH = 60_000, 400, 60
"""Characters of a text that are read, of a sentence that are kept, and references of one text."""
_KEYWORD_REACH = 30  # Characters before a reference in which a closing keyword is looked for
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


def references_in(text: str, home_repo: RepoId, source: EvidenceId, place: Place) -> list[Mention]:
    """List what a text names, in its order; code, quotations and comments do not count."""
    text = text[:_MOST].replace("\r\n", "\n")
    # Blanks stand in the place of what GitHub does not read; everything else keeps its place.
    plain = _HIDDEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    mentions: dict[Mention, None] = {}
    for reference in find_references(plain, home_repo):
        if reference.target == source:
            continue
        words_before = plain[max(0, reference.start - _KEYWORD_REACH) : reference.start]
        is_closing = reference.target.is_thread and _KEYWORD.search(words_before) is not None
        mention = Mention(
            source=source,
            target=reference.target,
            place=place,
            sentence=_sentence(text, reference.start, reference.end),
            closing=is_closing,
        )
        mentions[mention] = None
        if len(mentions) == _EACH:
            break
    return list(mentions)


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
class LandedDay:
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


def day_references(day: LandedDay) -> tuple[Mention, ...]:
    """List what the day's commits and their pull requests name, and which other threads name these."""
    pulls = {pull.number: pull for pull in day.threads.pulls}
    brought = {sha: pulls.get(number) for sha, number in day.threads.pull_of.items()}
    said = [
        one for commit in day.commits for one in _of_commit(commit, day, brought.get(commit.sha))
    ]
    own = list(dict.fromkeys(pull for one in day.commits if (pull := brought.get(one.sha))))
    mine = {*(commit.id for commit in day.commits), *(pull.id for pull in own)}
    texts: list[tuple[EvidenceId, str, Place]] = [
        (one.id, one.body, "issue") for one in day.threads.issues
    ]
    written = {
        EvidenceId.thread(day.repo, number): some for number, some in day.threads.comments.items()
    }
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
        Mention(source=name, target=pull, place="issue", sentence="") for name, pull in unread
    )
    return tuple(dict.fromkeys((*said, *others, *recorded)))


def _of_commit(commit: Commit, day: LandedDay, pull: PullRequest | None) -> Iterator[Mention]:
    """Read title, message and pull request; the number at the end of a squashed title is the commit's own."""
    bare = without_pull_number(commit.title)
    texts: list[tuple[Place, str]] = [("title", bare), ("message", commit.body)]
    if pull is not None:
        texts.append(
            ("pull request", f"{'' if pull.title.strip() == bare else pull.title}\n\n{pull.body}")
        )
    own_ids = {commit.id}
    if pull is not None:
        own_ids.add(pull.id)
    if bare != commit.title:
        number = pull_number(commit.title)
        if number is not None:
            own_ids.add(EvidenceId.thread(day.repo, number))
    is_program = commit.author.name.endswith("[bot]")
    for place, text in texts:
        for mention in references_in(text, day.repo, commit.id, place):
            if mention.target in own_ids:
                continue
            if is_program and mention.target.repo != day.repo:
                continue  # What a program copies into its message is about other repositories
            yield mention
