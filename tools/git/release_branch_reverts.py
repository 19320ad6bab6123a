"""What release branches do to landed commits: which of them they take back, under which name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from agent.domain.commits import Headline
from agent.domain.references import pull_number, without_pull_numbers
from agent.domain.revert_messages import reverts_in
from agent.domain.versions import is_version_or_candidate
from agent.ports import BranchRevert, BranchReverts
from tools.git.log import LATEST
from tools.git.releases_with_commits import (
    MIN_TITLE,
    Releases,
    copied_pulls,
    picked_originals,
    since_option,
    targets_of_revert,
)

_RELEASE_BRANCH = re.compile(
    r"releases?[/_-]v?[0-9][\w.]*|v?[0-9]+(?:\.[0-9]+)*\.(?:[0-9]+|x)", re.IGNORECASE
)
"""Names of branches as git-flow and GitHub have them: `release/1.2`, `releases/v1`, `1.2.x`."""
_REF_DETAILS = "--format=%(refname) %(objectname) %(*objectname) %(*objecttype)"

Name = str | int
"""A hash, the number of a pull request, or a title."""


class _BranchCommit(NamedTuple):
    """A commit that the default branch lacks."""

    headline: Headline
    message: str
    parent: str  # The first one; empty for a commit without any


class ReleaseBranches(Releases):
    """Finds what release branches take back, as of their tips and of the tags on them."""

    async def reverts_on_branches(self, heads: Sequence[Headline]) -> BranchReverts:
        """Return which landed commits a release branch takes back, and which branches were read.

        A commit may have another hash there. One that was picked again is not taken back.
        """
        tip = await self._tip()
        if not heads or not tip:
            return BranchReverts()
        tips = await self._release_tips(tip)
        if not tips:
            return BranchReverts()
        since = min(headline.at for headline in heads)
        standing = _Standing(heads)
        for commit in await self._commits_beside(tip, tips, since):
            standing.follow(commit)
        return standing.reverts_at(tips)

    async def _release_tips(self, tip: str) -> dict[str, str]:
        """Return the release branches and versions that the default branch lacks, oldest first."""
        repository = await self._open()
        command = ["for-each-ref", "--sort=creatordate", _REF_DETAILS, f"--no-merged={tip}"]
        output = await repository.ask([*command, "refs/heads", "refs/remotes", "refs/tags"])
        tips: dict[str, str] = {}
        nested: list[str] = []
        for line in output.split("\n"):
            # Of an annotated tag, its own object comes first, then what it names and its kind.
            ref, *objects = line.split() or [""]
            if not objects or not _is_of_release(ref):
                continue
            tips[_shown_ref(ref)] = objects[1] if len(objects) > 1 else objects[0]
            if objects[-1] == "tag":
                nested.append(objects[1])
        commits = await self._commits_of(nested)
        return {ref: commits.get(sha, sha) for ref, sha in tips.items()}

    async def _commits_beside(
        self, tip: str, tips: Mapping[str, str], since: datetime
    ) -> Iterator[_BranchCommit]:
        """Read the commits of these tips that the default branch lacks, the oldest first."""
        view = await self._view()
        command = ["log", "-z", "--reverse", "--topo-order", "--format=%H %P%n%ct%n%an%n%B"]
        selection = "\n".join((*tips.values(), f"^{tip}", "")).encode("ascii")
        output = await view.read([*command, since_option(since), "--stdin"], stdin=selection)
        return _branch_commits(output)


class _Standing:
    """Which of some landed commits are taken back as of each commit of release branches."""

    def __init__(self, heads: Sequence[Headline]) -> None:
        self._shas_by_name: dict[Name, list[str]] = {}
        for headline in heads:
            self._note_names(headline.sha, (headline.sha, *_names(headline.title)))
            self._note_names(headline.sha, (headline.pull,) if headline.pull else ())
        # A pick of a revert names it, and takes back what it took back.
        self._own_reverts = {landed.sha for landed in heads if reverts_in(landed.title)}
        self._reverts: dict[str, dict[str, Headline]] = {}  # By commit and landed commit

    def follow(self, commit: _BranchCommit) -> None:
        """Take note of what a commit of a branch picks, takes back or brings back."""
        headline = commit.headline
        reverts = dict(self._reverts.get(commit.parent, {}))
        targets = list(targets_of_revert(commit.message))
        for target in targets:
            for sha in self._meant(target.names):
                if target.again:
                    reverts.pop(sha, None)
                elif sha not in self._own_reverts:
                    reverts[sha] = headline
        if not targets:
            names = (*picked_originals(commit.message), *_names(headline.title))
            for sha in self._meant((*names, *copied_pulls(headline.title))):
                # It has another hash here, by which a revert may name it.
                self._note_names(sha, (headline.sha,))
                reverts.pop(sha, None)
        self._reverts[headline.sha] = reverts

    def reverts_at(self, tips: Mapping[str, str]) -> BranchReverts:
        """Return the reverts that stand at these tips, by the landed commit."""
        read = {branch: sha for branch, sha in tips.items() if sha in self._reverts}
        by_sha: dict[str, tuple[BranchRevert, ...]] = {}
        for branch, tip in read.items():
            for sha, revert in self._reverts[tip].items():
                standing = BranchRevert(revert=revert, branch=branch)
                by_sha[sha] = (*by_sha.get(sha, ()), standing)
        return BranchReverts(by_sha=by_sha, branches=tuple(read))

    def _note_names(self, sha: str, names: Sequence[Name]) -> None:
        for name in names:
            self._shas_by_name.setdefault(name, []).append(sha)

    def _meant(self, names: Sequence[Name]) -> list[str]:
        shas: dict[str, None] = {}
        for name in names:
            shas |= dict.fromkeys(self._shas_by_name.get(name, ()))
        return list(shas)


def _names(title: str) -> tuple[str, ...]:
    """Return the title by which a commit may be named elsewhere, if it is long enough for that."""
    bare = without_pull_numbers(title).strip()
    return (bare,) if len(bare) >= MIN_TITLE else ()


def _branch_commits(output: bytes) -> Iterator[_BranchCommit]:
    for record in output.decode("utf-8", "replace").split("\0"):
        shas, _, rest = record.partition("\n")
        moment, _, rest = rest.partition("\n")
        author, _, message = rest.partition("\n")
        if not moment.isdigit() or int(moment) > LATEST:
            continue
        sha, *parents = shas.split()
        title = message.partition("\n")[0]
        headline = Headline(
            sha=sha,
            at=datetime.fromtimestamp(int(moment), UTC),
            author=author,
            title=title,
            pull=pull_number(title),
        )
        yield _BranchCommit(headline, message, next(iter(parents), ""))


def _is_of_release(ref: str) -> bool:
    if ref.startswith("refs/tags/"):
        return is_version_or_candidate(_shown_ref(ref))
    return _RELEASE_BRANCH.fullmatch(_shown_ref(ref)) is not None


def _shown_ref(ref: str) -> str:
    """Return a tag or a branch as people write it, without the name of a remote."""
    _, kind, name = ref.split("/", 2)
    return name.partition("/")[2] if kind == "remotes" else name
