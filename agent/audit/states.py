"""In which state an artefact is."""

from agent.domain import Issue
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence, ReleaseEvidence


def states(evidence: Evidence, dossier: Dossier) -> tuple[str, ...]:
    """Name the state an artefact is in, the most telling word first."""
    if isinstance(evidence, CommitEvidence):
        landed = "not landed" if evidence.landed is False else "landed"
        return ("reverted", landed, "merged") if evidence.id in dossier.reverted else (landed, "merged")
    if isinstance(evidence, ReleaseEvidence):
        return ("prerelease", "released") if evidence.release.prerelease else ("released",)
    thread = evidence.thread
    if thread.state == "open":
        return ("open", "not merged")
    if isinstance(thread, Issue):
        reason = (thread.state_reason or "").replace("_", " ")
        return (f"closed as {reason}", "closed", reason) if reason else ("closed",)
    return ("merged",) if thread.merged_at else ("closed", "closed without merging", "not merged")
