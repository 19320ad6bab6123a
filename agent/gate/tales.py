"""Statements about how changes hang together over time: series, follow-ups, what is taken in or comes back."""

from collections.abc import Callable

from agent.claims import Claim, Judgement, Verdict
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence, ReleaseEvidence, ThreadEvidence
from agent.facts import FactKind
from agent.weaving.adoptions import adopts_as_said, adopts_names, is_made_for
from agent.weaving.bumps import sets_version, tags_of, taken
from agent.weaving.followups import Named, follows
from agent.weaving.headlines import plain, pull_named
from agent.weaving.lineage import sets_back
from agent.weaving.parts import read_part
from agent.weaving.retakes import comes_back, mended_lines, puts_back, shared_lines, undoes_all, written_anew
from agent.weaving.undoings import undoings
from agent.weaving.weave import is_fix, is_move

_SHORTEST_TITLE = 12


def lands_again(one: Evidence, other: Evidence) -> bool:
    """Tell whether a commit bears the title of another one, or brings nearly all of its lines again."""
    if not isinstance(one, CommitEvidence) or not isinstance(other, CommitEvidence):
        return False
    return same_title(one, other) or comes_back(one.change, other.change)


def same_title(one: Evidence, other: Evidence) -> bool:
    """Tell whether two commits bear the same title, apart from numbers and words for landing again."""
    if not isinstance(one, CommitEvidence) or not isinstance(other, CommitEvidence):
        return False
    titles = [plain(commit.change.commit.title) for commit in (one, other)]
    return titles[0] == titles[1] and len(titles[0]) >= _SHORTEST_TITLE


def quotes_title(text: str, target: CommitEvidence) -> bool:
    """Tell whether a text is the title of a commit, or its number."""
    wanted = plain(text)
    number = target.pull or pull_named(target.change.commit.subject)
    if number and text.rpartition("#")[2] == str(number) and "#" in text:
        return True
    return len(wanted) >= _SHORTEST_TITLE and plain(target.change.commit.title).startswith(wanted)


def _unsupported(claim: Claim, reason: str) -> Judgement:
    return Judgement(verdict=Verdict.UNSUPPORTED, reason=reason, check=claim.predicate, about=claim.sources[0])


def _commits(claim: Claim, dossier: Dossier) -> list[CommitEvidence] | None:
    found = [dossier.found[cite] for cite in claim.sources]
    commits = [one for one in found if isinstance(one, CommitEvidence)]
    return commits if len(commits) == len(found) else None


def _series(claim: Claim, dossier: Dossier) -> Judgement | None:
    """Hold the numbers to the titles of what is cited: each part, and every gap between them."""
    commits = _commits(claim, dossier)
    parts = [read_part(one.change.commit.title) for one in commits or ()]
    if not parts or any(part is None for part in parts):
        return _unsupported(claim, "not everything that is cited calls itself a part")
    numbers = [part.index for part in parts if part is not None]
    told = [claim.params["part"], *claim.params["landed"].split()]
    if told != list(map(str, numbers)):
        return _unsupported(claim, f"the parts are {', '.join(map(str, numbers))}")
    total = claim.params.get("total")
    if total and total not in {str(part.total) for part in parts if part is not None}:
        return _unsupported(claim, f"no title says that there are {total} parts")
    gaps = [str(number) for number in range(min(numbers), numbers[0]) if number not in numbers]
    if claim.params.get("missing", "").split() not in ([], gaps):
        return _unsupported(claim, f"the parts between that are not cited are {', '.join(gaps) or 'none'}")
    unfound = list(map(str, range(1, min(numbers))))
    if claim.params.get("unfound", "").split() not in ([], unfound):
        return _unsupported(claim, f"the parts before are {', '.join(unfound) or 'none'}")
    return None


def _follows(claim: Claim, dossier: Dossier) -> Judgement | None:
    commits = _commits(claim, dossier)
    if commits is None or len(commits) != 2:
        return Judgement(verdict=Verdict.MALFORMED, reason="two commits are needed", check="form")
    return _names(claim, follows(commits[0].change.commit.message), commits[1])


def _follows_as_said(claim: Claim, dossier: Dossier) -> Judgement | None:
    found = [dossier.found[cite] for cite in claim.sources]
    if len(found) != 3 or not isinstance(found[1], ThreadEvidence) or not isinstance(found[2], CommitEvidence):
        return Judgement(verdict=Verdict.MALFORMED, reason="a commit, its pull request and another", check="form")
    return _names(claim, follows(found[1].thread.body), found[2])


def _names(claim: Claim, named: list[Named], target: CommitEvidence) -> Judgement | None:
    commit = target.change.commit
    number = target.pull or pull_named(commit.subject) or pull_named(commit.title)
    if any(
        (name.number is not None and name.number == number) or (name.sha and commit.sha.startswith(name.sha))
        for name in named
    ):
        return None
    return _unsupported(claim, f"nothing says that it follows up on {target.id}")


def _mends(claim: Claim, dossier: Dossier) -> Judgement | None:
    commits = _commits(claim, dossier)
    pair = [one.change for one in commits] if commits and len(commits) == 2 else None
    mended = pair and is_fix(pair[0].commit) and mended_lines(*pair)
    if pair and mended and (not is_move(pair[1].commit.title) or written_anew(*pair)):
        return None
    return _unsupported(claim, "it calls itself no fix, or takes out no line that the other one brought")


def _relands_part(claim: Claim, dossier: Dossier) -> Judgement | None:
    commits = _commits(claim, dossier)
    if commits and len(commits) == 3:
        came, _ = shared_lines(commits[0].change, commits[1].change)
        undone = mended_lines(commits[2].change, commits[1].change)
        if came & undone:
            return None
    return _unsupported(claim, "no line comes back that was undone")


def _undoes_part(claim: Claim, dossier: Dossier) -> Judgement | None:
    commits = _commits(claim, dossier)
    pair = [one.change for one in commits] if commits and len(commits) == 2 else None
    if pair and sets_back(pair[0].commit.title) and puts_back(*pair):
        return None
    if commits and pair and mended_lines(*pair) and says_undone(*commits, part=True):
        return None
    return _unsupported(claim, "it calls itself no revert, or takes out nothing that the other one brought")


def takes_all_back(one: Evidence, target: Evidence) -> bool:
    """Tell whether a commit calls itself a revert, or so, and undoes every line of another one."""
    if not isinstance(one, CommitEvidence) or not isinstance(target, CommitEvidence):
        return False
    return sets_back(one.change.commit.title) and undoes_all(one.change, target.change)


def says_undone(one: Evidence, target: Evidence, *, part: bool = False) -> bool:
    """Tell whether a commit's message says that it undoes another one, as a whole or, with `part`, in part."""
    if not isinstance(one, CommitEvidence) or not isinstance(target, CommitEvidence):
        return False
    commit = target.change.commit
    number = target.pull or pull_named(commit.subject) or pull_named(commit.title)
    said = [said.of for said in undoings(one.change.commit.message) if not said.again and (part or not said.part)]
    return any(
        (name.number is not None and name.number == number) or (name.sha and commit.sha.startswith(name.sha))
        for name in said
        if name.repo in ("", target.repo.lower())
    )


def _takes_in(claim: Claim, dossier: Dossier) -> Judgement | None:
    found = [dossier.found[cite] for cite in claim.sources]
    if len(found) == 2 and isinstance(found[0], CommitEvidence) and isinstance(found[1], ReleaseEvidence):
        tags = {tag for one in taken(found[0]) if one.version for tag in tags_of(one.version)}
        return None if found[1].release.tag in tags else _unsupported(claim, "it moves no dependency to that release")
    commits = _commits(claim, dossier)
    if commits and len(commits) == 2:
        commit = commits[1].change.commit
        versions = {
            fact.new.strip("\"'v") for fact in commits[1].facts if fact.kind is FactKind.VERSION_CHANGED and fact.new
        }
        for one in taken(commits[0]):
            if one.sha == commit.sha or (
                one.version and (one.version in versions or sets_version(commit.title, one.version))
            ):
                return None
    return _unsupported(claim, "it moves no dependency to that commit or version")


def _adopts(claim: Claim, dossier: Dossier) -> Judgement | None:
    commits = _commits(claim, dossier)
    names = tuple(claim.params["names"].split())
    if commits and len(commits) == 2 and adopts_names(commits[0], commits[1], claim.params["package"], names):
        return None
    return _unsupported(claim, "it uses nothing of that name, or the other one did not bring it")


def _adopts_as_said(claim: Claim, dossier: Dossier) -> Judgement | None:
    found = [dossier.found[cite] for cite in claim.sources]
    doer, source = found[0], found[-1]
    text = found[1].thread.body if len(found) == 3 and isinstance(found[1], ThreadEvidence) else ""
    text = doer.change.commit.message if len(found) == 2 and isinstance(doer, CommitEvidence) else text
    if isinstance(doer, CommitEvidence) and isinstance(source, CommitEvidence) and adopts_as_said(text, doer, source):
        return None
    return _unsupported(claim, "nothing says that it rests on the other one")


def _made_for(claim: Claim, dossier: Dossier) -> Judgement | None:
    commits = _commits(claim, dossier)
    if commits and len(commits) == 2 and is_made_for(commits[0], commits[1]):
        return None
    return _unsupported(claim, "the other one does not say that it is made for this")


KINDS: dict[str, Callable[[Claim, Dossier], Judgement | None]] = {
    "series": _series,
    "follows": _follows,
    "follows as said": _follows_as_said,
    "mends": _mends,
    "relands part": _relands_part,
    "undoes part": _undoes_part,
    "takes in": _takes_in,
    "adopts": _adopts,
    "adopts as said": _adopts_as_said,
    "rests on": _adopts_as_said,
    "made for": _made_for,
}
