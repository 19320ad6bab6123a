"""What a day's commits undo and bring back: what they name is looked up, and their patches say how much of it."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from agent.domain import Change
from agent.evidence import CommitEvidence
from agent.facts import FactKind
from agent.ids import RepoId
from agent.sources import CodeSource, LooksBack
from agent.story_finding import lines
from agent.story_finding.headlines import Line, headline
from agent.story_finding.reverts import Said, Undoing, is_revert, original_of, undoings
from tools.diff.lineage import read_lineage
from tools.evidence_cache import EvidenceCache

_BUTTON = re.compile(r"^Reverts (?P<repo>[\w.-]{1,99}/[\w.-]{1,99})?#(?P<number>[1-9]\d{0,8})\s*$", re.MULTILINE)
"""What GitHub's button writes into a pull request."""
_SOON, _MOST_REVERTS, _ENOUGH_LINES = timedelta(days=30), 30, 6


def said_in(message: str, repo: RepoId) -> list[Said]:
    """Read which commits of its own repository a message says it undoes or brings back."""
    return [
        Said(one.kind == "reland", one.sha, one.number, one.subject)
        for one in read_lineage(message)
        if one.kind != "cherry-pick" and one.repo.lower() in ("", repo.lower())
    ]


def said_by(one: CommitEvidence, body: str) -> list[Said]:
    """Read what a commit undoes and brings back: by its message, GitHub's words in its pull request, its patch."""
    named = said_in(one.change.commit.message, one.repo)
    known = {said.number for said in named}
    for match in _BUTTON.finditer(body):
        if (match["repo"] or one.repo).lower() == one.repo.lower() and int(match["number"]) not in known:
            named.append(Said(False, number=int(match["number"])))
    # A lone value that is set back may be chance.
    enough = bool(named) or one.change.additions + one.change.deletions >= _ENOUGH_LINES
    for fact in one.facts if enough else ():
        if fact.kind in (FactKind.REVERT, FactKind.RELAND) and fact.old and "patch" in (fact.detail or ""):
            named.append(Said(fact.kind is FactKind.RELAND, sha=fact.old))
    return named


@dataclass(frozen=True, kw_only=True)
class Reverts:
    """Looks for reverts and re-lands among a day's commits."""

    repo: RepoId
    code: CodeSource
    library: EvidenceCache
    line: Line
    said: Mapping[str, Sequence[Said]]
    """By hash, what each commit of the day and each earlier revert names."""

    async def found(self, today: Sequence[CommitEvidence]) -> list[Undoing]:
        """List what is undone and what comes back, as a whole or in part."""
        found = []
        for one in sorted(today, key=lambda one: (one.at, one.id)):
            found += undoings(headline(one.change.commit, one.pull), self.said, self.line)
        known = {one.doer.sha for one in found}
        if isinstance(self.code, LooksBack):
            found += await self._by_lines([one.change for one in today if one.change.commit.sha not in known])
        return [await self._measured(one) for one in found]

    async def _measured(self, one: Undoing) -> Undoing:
        """Tell a part from the whole, where both patches can be read."""
        whole = await self.library.whole(self.code, [one.doer.sha, one.target.sha])
        if len(whole) < 2:
            return one
        doer, target = whole[one.doer.sha], whole[one.target.sha]
        share = lines.share_again(doer, target) if one.again else lines.share_undone(doer, target)
        return replace(one, part=share < (lines.NEARLY_ALL if one.again else lines.HALF))

    async def _by_lines(self, changes: Iterable[Change]) -> list[Undoing]:
        """Find what brings most of the lines again that a revert shortly before took out, and says nothing of it."""
        recent = [head for head in self.line.heads if is_revert(head.title)][-_MOST_REVERTS:]
        reverts = await self.library.whole(self.code, [head.sha for head in recent])
        found = []
        for change in changes:
            paths, at = lines.code_paths(change), change.commit.committed_at
            for head in recent:
                undoing = reverts.get(head.sha)
                touched = lines.code_paths(undoing) if undoing else frozenset()
                if undoing is None or not touched or not touched <= paths or not timedelta(0) < at - head.at <= _SOON:
                    continue
                original = original_of(head, self.said, self.line)
                whole = (await self.library.whole(self.code, [change.commit.sha])).get(change.commit.sha)
                if original and whole and lines.share_back(whole, undoing) >= lines.HALF:
                    found.append(Undoing(headline(whole.commit), original, True, head))
        return found
