"""What a summary is written from: the sentences that were published of several commits."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from agent.analysts.packet import Packet
from agent.domain.base import EvidenceId
from agent.domain.claims import Claim
from agent.domain.commits import Change, Commit, Person
from agent.domain.evidence import CommitEvidence, Dossier, Evidence
from agent.models.tokens import tokens_of

_ALL = 1_000_000
_NOBODY = Person(name="", email="")


def summary_packet(rests: Mapping[str, Claim], titles: Mapping[EvidenceId, str], room: int) -> Packet:
    """List what was published, commit by commit, each sentence under its handle; the lightest commits go first."""
    lines: list[str] = []
    handles: dict[str, EvidenceId] = {}
    last = ""
    for handle, claim in rests.items():
        about = claim.about[0]
        told = [f"{about.partition('@')[0]}: {titles.get(about, '')}"] if about != last else []
        told.append(f"[{handle}] {' / '.join(claim.text.values())}")
        room -= sum(map(tokens_of, told))
        if room < 0:
            break
        lines += told
        handles[handle] = about
        last = about
    return Packet(text="\n".join(lines), handles=handles)


def summary_ground(claims: Sequence[Claim], rests: Mapping[str, Claim], titles: Mapping[EvidenceId, str]) -> str:
    """List the published sentences about the commits that some sentences of a summary cite."""
    cited = {cite for claim in claims for cite in claim.cites}
    mine = {handle: claim for handle, claim in rests.items() if claim.about[0] in cited}
    return summary_packet(mine, titles, _ALL).text


def light_dossier(rests: Mapping[str, Claim], titles: Mapping[EvidenceId, str]) -> Dossier:
    """Give what literals of a summary are held to: titles, published sentences and their anchors."""
    texts: dict[EvidenceId, list[str]] = {}
    for claim in rests.values():
        about = claim.about[0]
        texts.setdefault(about, [titles.get(about, "")]).extend(claim.text.values())
        texts[about] += [anchor.text for anchor in claim.anchors]
    found: dict[EvidenceId, Evidence] = {name: _light(name, "\n".join(lines)) for name, lines in texts.items()}
    return Dossier(found=found, seen=frozenset(found))


def _light(name: EvidenceId, text: str) -> CommitEvidence:
    """Give words the form of a commit that says them."""
    repo, _, sha = name.partition("@")
    at = datetime.fromtimestamp(0, UTC)
    commit = Commit(
        repo=repo, sha=sha, parents=(), author=_NOBODY, authored_at=at, committer=_NOBODY, committed_at=at, message=text
    )
    return CommitEvidence(change=Change(commit=commit, files=()))
