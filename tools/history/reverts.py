"""What a day's commits undo and bring back: what they name is looked up, and their patches say how much of it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

from agent.domain import Change
from agent.evidence import CommitEvidence
from agent.facts import FactKind
from agent.headlines import headline
from agent.ids import RepoId
from agent.sources import CodeSource, Headline, LooksBack
from agent.story_finding.reverts import Named, Said, Undoing, is_revert
from tools.diff.lineage import read_lineage
from tools.diff.shared_lines import HALF, NEARLY_ALL, code_paths, share, share_back
from tools.evidence_cache import EvidenceCache

_BUTTON = re.compile(r"^Reverts (?P<repo>[\w.-]{1,99}/[\w.-]{1,99})?#(?P<number>[1-9]\d{0,8})\s*$", re.MULTILINE)
"""What GitHub's button writes into a pull request."""
_SOON, _MOST_REVERTS, _ENOUGH_LINES = timedelta(days=30), 60, 6


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
    for match in _BUTTON.finditer(body):
        if (match["repo"] or one.repo).lower() == one.repo.lower():
            named.append(Said(False, number=int(match["number"])))
    # A lone value that is set back may be chance.
    enough = bool(named) or one.change.additions + one.change.deletions >= _ENOUGH_LINES
    for fact in one.facts if enough else ():
        if fact.kind in (FactKind.REVERT, FactKind.RELAND) and fact.old and "patch" in (fact.detail or ""):
            named.append(Said(fact.kind is FactKind.RELAND, sha=fact.old))
    return named


async def find_reverts(
    today: Sequence[CommitEvidence], named: Named, code: CodeSource, library: EvidenceCache
) -> list[Undoing]:
    """List what is undone and what comes back, and tell parts from the whole where both patches can be read."""
    ordered = sorted(today, key=lambda one: (one.at, one.id))
    found = [undoing for one in ordered for undoing in named.undoings(headline(one.change.commit, one.pull))]
    known = {one.doer.sha for one in found}
    if isinstance(code, LooksBack):
        rest = [one.change for one in ordered if one.change.commit.sha not in known]
        reverts = {head.sha: head for head in named.line.heads if is_revert(head.title)}
        # A partial clone fetches what is read, so that only what may matter is.
        paths = sorted({path for change in rest for path in code_paths(change)})
        near = await code.touching(list(reverts)[-_MOST_REVERTS:], paths) if reverts else ()
        found += await _again_by_lines(rest, [reverts[sha] for sha in near], named, code, library)
    for place, one in enumerate(found):
        whole = await library.whole(code, [one.doer.sha, one.target.sha])
        if len(whole) == 2:
            done = share(whole[one.doer.sha], whole[one.target.sha], again=one.again)
            found[place] = replace(one, part=done < (NEARLY_ALL if one.again else HALF))
    return found


async def _again_by_lines(
    changes: Iterable[Change], reverts: Sequence[Headline], named: Named, code: CodeSource, library: EvidenceCache
) -> list[Undoing]:
    """Find what brings most of the lines again that a revert shortly before took out, and says nothing of it."""
    whole = await library.whole(code, [one.sha for one in reverts])
    found = []
    for change in changes:
        for head, undoing in ((head, whole[head.sha]) for head in reverts if head.sha in whole):
            touched, apart = code_paths(undoing), change.commit.committed_at - undoing.commit.committed_at
            if touched and touched <= code_paths(change) and timedelta(0) < apart <= _SOON:
                originals = named.undone_by(head)
                full = (await library.whole(code, [change.commit.sha])).get(change.commit.sha, change)
                if originals and share_back(full, undoing) >= HALF:
                    found.append(Undoing(headline(change.commit), originals[-1], True, head))
    return found
