"""References in texts of a day to threads and commits, with GitHub's closing keywords before them."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from agent.domain.base import RepoId
from agent.domain.commits import Commit
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Mention, Place
from agent.domain.references import (
    FoundReference,
    find_references,
    pull_number,
    without_pull_number,
)
from agent.domain.threads import PullRequest, Threads

_MAX_TEXT = 60_000  # Characters of a text that are read
_MAX_SENTENCE = 400  # Characters of a sentence that are kept
_MAX_MENTIONS = 60  # Of one text
_KEYWORD_REACH = 30  # Characters before a reference in which a closing keyword is looked for
_KEYWORD = re.compile(
    r"(?<![\w-])[*_]{0,2}(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[*_]{0,2}:?[*_]{0,2}[ \t]{1,9}$",
    re.ASCII | re.IGNORECASE,
)
# With a digit and a letter: `1234567` is a number, and `defaced` is a word.
_QUOTED_HASH = re.compile(r"`(?=[0-9]*[a-f])(?=[a-f]*[0-9])([0-9a-f]{7,40})`", re.ASCII)
# Where a paragraph, an item, a heading, a row or a trailer begins, and where a sentence ends.
_PIECE = re.compile(
    r"\n(?=[ \t]*(?:$|[-*+|][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|[A-Za-z-]{1,30}:[ \t]))",
    re.MULTILINE,
)
_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")
# What is never closed runs on to the end, as a browser shows it, except for tags, which are then
# only words. The bounds keep hostile texts cheap.
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


def references_in(
    text: str, home_repo: RepoId, source: EvidenceId, location: Place
) -> list[Mention]:
    """Return what a text names, in its order; code, quotations and comments do not count.

    A hash that is set as code counts: that is how people write hashes.
    """
    text = text[:_MAX_TEXT].replace("\r\n", "\n")
    plain = _HIDDEN.sub(_blanked, text)
    references = [*find_references(plain, home_repo), *_quoted_hashes(plain, home_repo)]
    mentions: dict[Mention, None] = {}
    for reference in sorted(references):
        if reference.target == source:
            continue
        words_before = plain[max(0, reference.start - _KEYWORD_REACH) : reference.start]
        is_closing = reference.target.is_thread and _KEYWORD.search(words_before) is not None
        mention = Mention(
            source=source,
            target=reference.target,
            place=location,
            sentence=_sentence(text, reference.start, reference.end),
            closing=is_closing,
        )
        mentions[mention] = None
        if len(mentions) == _MAX_MENTIONS:
            break
    return list(mentions)


def _blanked(match: re.Match[str]) -> str:
    """Replace what GitHub does not read by blanks, so that positions stay the same."""
    if _QUOTED_HASH.fullmatch(match[0]):
        return match[0]
    return re.sub(r"[^\n]", " ", match[0])


def _quoted_hashes(text: str, home_repo: RepoId) -> Iterator[FoundReference]:
    """Yield the commits that a text names by hashes in backticks."""
    for match in _QUOTED_HASH.finditer(text):
        target = EvidenceId.parse_parts(home_repo, revision=match[1])
        if target is not None:
            yield FoundReference(match.start(), match.end(), target)


def _sentence(text: str, start: int, end: int) -> str:
    """Return the sentence around a reference, or the item or row that it is in."""
    first = max(0, start - _MAX_SENTENCE)
    last = min(len(text), end + _MAX_SENTENCE)
    for border in (_PIECE, _END):
        for match in border.finditer(text, first, start):
            first = match.end()
        next_border = border.search(text, end, last)
        if next_border is not None:
            last = next_border.start()
    return " ".join(text[first:last].split())[:_MAX_SENTENCE]


# ---------------------------------------------------------------- the texts of a day


class MergedPull(NamedTuple):
    """A pull request, and the commit that it became."""

    pull: PullRequest
    commit: Commit


@dataclass(frozen=True)
class LandedDay:
    """The landed commits of a repository with its threads."""

    repo: RepoId
    branch: str | None  # The default branch; None if it is unknown, then any base counts as it
    commits: Sequence[Commit]
    threads: Threads

    @cached_property
    def merged(self) -> list[MergedPull]:
        """The pull requests that were merged into the default branch."""
        commits_of_pull: dict[int, list[Commit]] = {}
        for commit in self.commits:
            number = self.threads.pull_of.get(commit.sha, 0)
            commits_of_pull.setdefault(number, []).append(commit)
        merged = []
        for pull in self.threads.pulls:
            commits = commits_of_pull.get(pull.number)
            is_in_branch = self.branch in (None, pull.base)
            if commits and pull.merged_at and is_in_branch:
                merged.append(MergedPull(pull, _merge_commit(pull, commits)))
        return merged


def _merge_commit(pull: PullRequest, commits: Sequence[Commit]) -> Commit:
    for commit in commits:
        if commit.sha == pull.merge_commit:
            return commit
    return commits[0]


def day_references(day: LandedDay) -> tuple[Mention, ...]:
    """Return what the day's commits and pull requests name, and which threads name them."""
    pull_by_number = {pull.number: pull for pull in day.threads.pulls}
    pull_by_sha: dict[str, PullRequest] = {}
    for sha, number in day.threads.pull_of.items():
        if number in pull_by_number:
            pull_by_sha[sha] = pull_by_number[number]
    mentions: dict[Mention, None] = {}
    pulls: dict[EvidenceId, PullRequest] = {}
    for commit in day.commits:
        pull = pull_by_sha.get(commit.sha)
        if pull is not None:
            pulls[pull.id] = pull
        mentions |= dict.fromkeys(_mentions_by_commit(commit, day, pull))
    targets = {commit.id for commit in day.commits}
    targets.update(pulls)
    by_threads = list(_mentions_by_threads(day, targets))
    mentions |= dict.fromkeys(by_threads)
    pairs = {(mention.source, mention.target) for mention in by_threads}
    # GitHub also records mentions in texts that were not read.
    for pull in pulls.values():
        for source in pull.named_by:
            if (source, pull.id) not in pairs:
                mention = Mention(source=source, target=pull.id, place="issue", sentence="")
                mentions[mention] = None
    return tuple(mentions)


def _mentions_by_threads(day: LandedDay, targets: Collection[EvidenceId]) -> Iterator[Mention]:
    """Yield where issues and comments name one of the targets."""
    for issue in day.threads.issues:
        for mention in references_in(issue.body, day.repo, issue.id, "issue"):
            if mention.target in targets:
                yield mention
    for number, comments in day.threads.comments.items():
        thread = EvidenceId.thread(day.repo, number)
        for comment in comments:
            for mention in references_in(comment.body, day.repo, thread, "comment"):
                if mention.target in targets:
                    yield mention


def _mentions_by_commit(
    commit: Commit, day: LandedDay, pull: PullRequest | None
) -> Iterator[Mention]:
    """Yield what the title, message and pull request of a commit name.

    The number at the end of a squashed title is that of its own pull request.
    """
    bare = without_pull_number(commit.title)
    texts: list[tuple[Place, str]] = [("title", bare), ("message", commit.body)]
    if pull is not None:
        title = "" if pull.title.strip() == bare else pull.title
        texts.append(("pull request", f"{title}\n\n{pull.body}"))
    own_ids = {commit.id}
    if pull is not None:
        own_ids.add(pull.id)
    if bare != commit.title:
        number = pull_number(commit.title)
        if number is not None:
            own_ids.add(EvidenceId.thread(day.repo, number))
    is_program = commit.author.name.endswith("[bot]")
    for text_kind, text in texts:
        for mention in references_in(text, day.repo, commit.id, text_kind):
            if mention.target in own_ids:
                continue
            if is_program and mention.target.repo != day.repo:
                continue  # What a program copies into its message is about other repositories
            yield mention
