"""How a model's answers become claims: handles turn into citations, and anchors are found in the evidence."""

from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel

from agent.analysts.packet import Packet
from agent.analysts.schema import MOST_SENTENCES, Sentence, Summary, words_of
from agent.domain.base import EvidenceId, Language, RepoId
from agent.domain.claims import Anchor, Claim, Kind, Role
from agent.domain.evidence import CommitEvidence, Evidence
from agent.domain.patch import cut_hunks
from agent.gate.literals import literals
from agent.gate.verbatim import normal

_ROLES = {Kind.ADVICE: Role.ADVICE}
_TELLING = 4
"""Characters of a name or line below which it stands in too many hunks to find one by it."""


def commit_claims(
    answer: BaseModel,
    about: CommitEvidence,
    packet: Packet,
    found: Mapping[EvidenceId, Evidence],
    languages: Sequence[Language],
) -> list[Claim]:
    """Turn the analysis of a commit into claims: its headline, then its sentences."""
    name = f"{about.repo}@{about.change.commit.sha[:12]}"
    claims: list[Claim] = []
    if text := words_of(answer, languages, "headline_"):
        title = Anchor(cite=about.id, text=about.change.commit.title)
        claims.append(_claim(f"{name}.m0", about, (about.id,), text, Role.HEADLINE, (title,)))
    said: Sequence[Sentence] = getattr(answer, "sentences", ())
    for number, one in enumerate(said[:MOST_SENTENCES], start=1):
        if claim := sentence_claim(f"{name}.m{number}", one, about, packet, found, languages):
            claims.append(claim)
    return claims


def sentence_claim(
    name: str,
    said: Sentence,
    about: CommitEvidence,
    packet: Packet,
    found: Mapping[EvidenceId, Evidence],
    languages: Sequence[Language],
) -> Claim | None:
    """Turn one sentence into a claim; a handle that was never shown stays, for the gate to refuse."""
    text = words_of(said, languages)
    if not text:
        return None
    named = [packet.handles.get(one.strip("[]` "), one) for one in said.cites]
    cites = tuple(dict.fromkeys((about.id, *named)))
    anchors = with_proof(anchored(said.anchor, cites, found), text, found) if said.anchor.strip() else ()
    kind = Kind.ADVICE if said.advice else Kind.STATED
    claim = _claim(name, about, cites, text, _ROLES.get(kind, Role.EFFECT), anchors)
    return claim.model_copy(update={"kind": kind, "old": said.old.strip(), "new": said.new.strip()})


def _claim(
    name: str,
    about: CommitEvidence,
    cites: tuple[EvidenceId, ...],
    text: dict[Language, str],
    role: Role,
    anchors: tuple[Anchor, ...],
) -> Claim:
    return Claim(
        id=name,
        repo=about.repo,
        role=role,
        about=(about.id,),
        cites=cites,
        text=text,
        anchors=anchors,
        kind=Kind.STATED,
    )


def anchored(text: str, cites: Sequence[EvidenceId], found: Mapping[EvidenceId, Evidence]) -> Anchor:
    """Find which citation holds the anchor, and in a commit which file; the first one where none does."""
    wanted = _bare(text)
    for cite in cites:
        one = found.get(cite)
        if isinstance(one, CommitEvidence):
            if wanted in _bare(one.change.commit.message):
                return Anchor(cite=cite, text=text)
            for file in one.change.files:
                if wanted in _bare(file.patch or ""):
                    return Anchor(cite=cite, text=text, file=file.path)
        elif one is not None and any(wanted in _bare(part) for part in one.texts):
            return Anchor(cite=cite, text=text)
    return Anchor(cite=cites[0], text=text)


def with_proof(
    anchor: Anchor, text: Mapping[Language, str], found: Mapping[EvidenceId, Evidence]
) -> tuple[Anchor, ...]:
    """Put beside an anchor that names nothing of its sentence the nearest line of its hunk or paragraph that does."""
    names = [one.text for lang, words in text.items() for one in literals(words, chinese=lang == "zh")]
    if any(name in anchor.text for name in names):
        return (anchor,)
    for part in _surroundings(anchor, found.get(anchor.cite)):
        lines = part.splitlines()
        first = next(
            (place for place, line in enumerate(lines) if _bare(line) and _bare(line) in _bare(anchor.text)), 0
        )
        naming = [place for place, line in enumerate(lines) if any(name in line for name in names)]
        if naming:
            near = lines[min(naming, key=lambda place: abs(place - first))]
            return (anchor, anchor.model_copy(update={"text": near.strip() if anchor.file is None else near}))
    return (anchor,)


def focus_of(claims: Iterable[Claim]) -> list[str]:
    """List the lines and names by which the hunks are found that sentences speak of."""
    found: dict[str, None] = {}
    for claim in claims:
        lines = [
            line[1:] if line[:1] in "+-" else line for anchor in claim.anchors for line in anchor.text.splitlines()
        ]
        names = [one for lang, words in claim.text.items() for one in literals(words, chinese=lang == "zh")]
        found |= dict.fromkeys(line.strip() for line in lines if len(line.strip()) >= _TELLING)
        found |= dict.fromkeys(one.text for one in names if one.kind != "number" and len(one.text) >= _TELLING)
    return list(found)


def _surroundings(anchor: Anchor, evidence: Evidence | None) -> list[str]:
    """Give the hunks or paragraphs in which an anchor stands."""
    if isinstance(evidence, CommitEvidence) and anchor.file:
        patches = [file.patch or "" for file in evidence.change.files if file.path == anchor.file]
        parts = [part.partition("\n")[2] for patch in patches for part in cut_hunks(patch)]
    elif isinstance(evidence, CommitEvidence):
        parts = evidence.change.commit.message.split("\n\n")
    else:
        parts = [part for one in (evidence.texts if evidence else ()) for part in one.split("\n\n")]
    return [part for part in parts if _bare(anchor.text) in _bare(part)]


def _bare(text: str) -> str:
    """Give words without the signs of a diff at the start of its lines."""
    return normal("\n".join(line[1:] if line[:1] in "+- " else line for line in text.splitlines()))


def summary_claims(
    answer: BaseModel,
    rests: Mapping[str, Claim],
    name: str,
    repo: RepoId | None,
    role: Role,
    languages: Sequence[Language],
) -> list[Claim]:
    """Turn sentences about a day into claims that cite the commits of the sentences they rest on."""
    claims: list[Claim] = []
    said: Iterable[Summary] = getattr(answer, "sentences", ())
    for number, one in enumerate(said, start=1):
        text = words_of(one, languages)
        ground = [rests[handle] for raw in one.rests_on if (handle := raw.strip("[]` ")) in rests]
        if not text or not ground:
            continue
        cites = tuple(dict.fromkeys(cite for claim in ground for cite in claim.about))
        anchors = tuple(dict.fromkeys(one for claim in ground for one in claim.anchors if one.cite in cites))
        claims.append(
            Claim(id=f"{name}{number}", repo=repo, role=role, cites=cites, anchors=anchors, text=text, kind=Kind.STATED)
        )
    return claims
