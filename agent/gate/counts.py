"""What code counts in the cited evidence: files, lines, commits, threads."""

from decimal import Decimal

from agent.claims import Claim, Judgement, Verdict
from agent.domain import Change, Issue
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence, ThreadEvidence
from agent.gate.nouns import Noun

_WINDOW = {
    "files": "files changed",
    "additions": "lines added",
    "deletions": "lines deleted",
    "commits": "commits landed",
}


def counted(noun: Noun, of: str, sign: str, evidence: list[Evidence]) -> list[Decimal]:
    """List the counts that a number of such things may mean, the plainest first."""
    commits = [one for one in evidence if isinstance(one, CommitEvidence)]
    threads = [one.thread for one in evidence if isinstance(one, ThreadEvidence)]
    if noun == "files":
        counts = _files(commits, of, {"+": "added", "-": "removed"}.get(sign, ""))
    elif noun == "lines":
        added, deleted = totals(evidence)
        # Without a direction a number of lines is clear only where all go one way, or as many came as went.
        pairs = list(zip(added, deleted, strict=True))
        clear = [one or other for one, other in pairs if not (one and other) or one == other]
        both = [one + other for one, other in pairs]
        return {"+": added, "-": deleted}.get(sign, [*clear, *both])
    elif noun == "commits":
        counts = [len(commits)]
    else:
        counts = [sum(isinstance(thread, Issue) is (noun == "issues") for thread in threads)]
    return [Decimal(count) for count in counts]


def _files(commits: list[CommitEvidence], of: str, way: str) -> list[int]:
    """Count the files of all cited commits and of each, all of them or those that a word picks out."""
    groups = [[file for one in commits for file in one.change.files], *([*one.change.files] for one in commits)]
    words = [word.lower().rstrip("s") for word in of.split()]
    counts = [len(group) for group in groups]
    for group in groups:
        statuses = [file.status for file in group]
        counts += [statuses.count(status) for status in dict.fromkeys(statuses) if of or status == way]
        if words:
            counts.append(sum(any(word in file.path.lower() for word in words) for file in group))
    return [count for count in counts if count]


def totals(evidence: list[Evidence]) -> tuple[list[Decimal], list[Decimal]]:
    """List added and deleted lines: of all cited commits, of each, and of each file."""
    changes = [one.change for one in evidence if isinstance(one, CommitEvidence)]
    if not changes:
        return [], []
    lines = [(change.additions, change.deletions) for change in changes]
    files = [(file.additions, file.deletions) for change in changes for file in change.files]
    both = [(sum(added for added, _ in lines), sum(deleted for _, deleted in lines)), *lines, *files]
    return [Decimal(added) for added, _ in both], [Decimal(deleted) for _, deleted in both]


# ---------------------------------------------------------------- the predicate


def miscounted(claim: Claim, dossier: Dossier) -> Judgement | None:
    """Compare the values of `counts` with what code counts."""
    changes = _changes(claim, dossier)
    lines = [name for name in ("files", "additions", "deletions") if name in claim.params]
    for change in changes if lines else ():
        if why := change.incomplete or (change.unreadable[0].unreadable if change.unreadable else None):
            return Judgement(verdict=Verdict.UNDECIDED, reason=why, check="incomplete", about=change.commit.id)
    real = {name: _real(name, claim, dossier) for name in _WINDOW if name in claim.params}
    for name, value in real.items():
        if value is None:
            return Judgement(verdict=Verdict.NUMBER, reason=f"nothing here counts {name}", check="counts")
    if all(_number(claim.params[name]) == value for name, value in real.items()):
        return None
    reason = f"the commit changes {_told(real)}, not {_told(claim.params)}"
    if "commits" in real:
        reason = f"there are {real['commits']} commits, not {claim.params['commits']}"
    return Judgement(verdict=Verdict.NUMBER, reason=reason, check="counts")


def _real(name: str, claim: Claim, dossier: Dossier) -> int | None:
    changes = _changes(claim, dossier)
    if changes and name == "files":
        return sum(len(change.files) for change in changes)
    if changes and name != "commits":
        return sum(change.additions if name == "additions" else change.deletions for change in changes)
    wanted = ("members", "commits") if claim.sources else (_WINDOW[name],)
    for computation in dossier.computed:
        if set(computation.about) == set(claim.sources) and any(word in computation.name for word in wanted):
            return round(computation.value)
    return len(changes) or None


def _changes(claim: Claim, dossier: Dossier) -> list[Change]:
    return [one.change for one in map(dossier.found.__getitem__, claim.sources) if isinstance(one, CommitEvidence)]


def _number(text: str) -> int | None:
    digits = text.strip().lstrip("+−-").replace(",", "")
    return int(digits) if digits.isdecimal() else None


def _told(values: dict[str, str] | dict[str, int | None]) -> str:
    signs = {"additions": "+", "deletions": "−"}
    lines = [f"{sign}{str(values[name]).lstrip('+−-')}" for name, sign in signs.items() if name in values]
    files = f"{values['files']} files" if "files" in values else ""
    return " in ".join(part for part in (" ".join(lines), files) if part)
