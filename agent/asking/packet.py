"""What a model is shown for a question, and how its sentences become claims."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import BaseModel

from agent.analysts.packet import cut_text, fact_lines, shown_hunks
from agent.analysts.schema import MOST_ANSWERED, Sentence, words_of
from agent.analysts.sentences import anchored, with_proof
from agent.claims import Claim, Judgement, Kind, Role
from agent.domain import Issue, PullRequest
from agent.evidence import CommitEvidence, Evidence, EvidenceId, ReleaseEvidence, ThreadEvidence
from agent.ids import RepoId
from agent.settings import Language
from agent.templates import params_of, sentence
from agent.tokens import tokens_of
from agent.window import Window

_COMMENTS = 3
_COMPACT = 0.6
"""How much of the room the pieces share; the rest is for the diffs of the best ones."""
Found = Mapping[EvidenceId, Evidence]


def handles_of(names: Sequence[EvidenceId], found: Found) -> dict[str, EvidenceId]:
    """Give each piece of evidence a short name: c1 a commit, t1 a thread, v1 a release."""
    handles: dict[str, EvidenceId] = {}
    counts = {"c": 0, "t": 0, "v": 0}
    for name in names:
        letter = {CommitEvidence: "c", ThreadEvidence: "t", ReleaseEvidence: "v"}[type(found[name])]
        counts[letter] += 1
        handles[f"{letter}{counts[letter]}"] = name
    return handles


def packet_text(
    handles: Mapping[str, EvidenceId],
    found: Found,
    room: int,
    focus: Sequence[str] = (),
    notes: Mapping[EvidenceId, str] | None = None,
) -> str:
    """Show all pieces shortly, with what code knows of them, and diffs of the first ones where there is room."""
    each = int(room * _COMPACT) // max(1, len(handles))
    texts = {handle: _compact(handle, found[name], each) for handle, name in handles.items()}
    texts |= {
        handle: f"{texts[handle]}\n{note}" for handle, name in handles.items() if (note := (notes or {}).get(name))
    }
    room -= sum(map(tokens_of, texts.values()))
    for handle, name in handles.items():
        one = found[name]
        if not isinstance(one, CommitEvidence) or room < 500:
            continue
        hunks, left_out = shown_hunks(one, room if len(handles) == 1 else max(500, room // 3), focus)
        more = f"\nNot shown, for lack of room:\n{chr(10).join(left_out[:10])}" if left_out else ""
        texts[handle] += f"\nThe diff:\n{hunks}{more}"
        room -= tokens_of(hunks)
    return "\n\n".join(texts.values())


def _compact(handle: str, one: Evidence, room: int) -> str:
    """Write the head of a piece, what people wrote, and what code found."""
    if isinstance(one, ReleaseEvidence):
        release = one.release
        head = f"[{handle}] release {release.tag} of {release.repo}, {release.published_at:%Y-%m-%d}: {release.name}"
        return f"{head}\n{cut_text(release.body.strip(), room)}".rstrip()
    if isinstance(one, ThreadEvidence):
        thread = one.thread
        kind = "pull request" if isinstance(thread, PullRequest) else "issue"
        head = f"[{handle}] {kind} #{thread.number} of {thread.repo}, opened {thread.created_at:%Y-%m-%d} by"
        head += f" {thread.author or 'a deleted account'}, {state_at(thread, None)}: {thread.title}"
        said = [f"{comment.author or 'somebody'}: {comment.body}" for comment in one.comments[-_COMMENTS:]]
        return f"{head}\n{cut_text(chr(10).join([thread.body.strip(), *said]), room)}".rstrip()
    commit, change = one.change.commit, one.change
    head = f"[{handle}] commit {commit.sha[:12]} of {commit.repo}, {commit.committed_at:%Y-%m-%d}, {commit.author.name}"
    pull = f", pull request #{one.pull}" if one.pull else ""
    head += f"{pull}, {len(change.files)} files, +{change.additions} -{change.deletions}: {commit.title}"
    message = cut_text(commit.message.partition(commit.title)[2].strip(), room // 2)
    facts = cut_text("\n".join(fact_lines(one.facts)), room // 2)
    told = (
        f"\nFacts that a program found in the diff (to know, not to be copied as an anchor):\n{facts}" if facts else ""
    )
    return f"{head}\n{message}{told}".replace("\n\n\n", "\n").rstrip()


def state_at(thread: Issue | PullRequest, window: Window | None) -> str:
    """Tell how a thread stood when a window ended: merged, closed, not planned, open or reopened."""
    merged = isinstance(thread, PullRequest) and thread.merged_at is not None
    ended = thread.merged_at if isinstance(thread, PullRequest) else thread.closed_at
    if ended is not None and window is not None and ended >= window.end:
        return "open"
    reason = thread.state_reason if isinstance(thread, Issue) else None
    return "merged" if merged else reason if reason in ("reopened", "not_planned") else thread.state


def belongs(one: Evidence, window: Window | None) -> bool:
    """Tell whether a piece of evidence is of a window: threads by the time at which they were opened or ended."""
    moments: list[datetime | None] = [one.at]
    if isinstance(one, ThreadEvidence):
        thread = one.thread
        moments = [thread.created_at, thread.merged_at if isinstance(thread, PullRequest) else thread.closed_at]
    return window is None or any(moment is not None and moment in window for moment in moments)


def answer_claims(answer: BaseModel, handles: Mapping[str, EvidenceId], found: Found, lang: Language) -> list[Claim]:
    """Turn the sentences of an answer into claims, each under its number."""
    said: Sequence[Sentence] = getattr(answer, "sentences", ())
    claims = (answer_claim(f"a{n}", one, handles, found, lang) for n, one in enumerate(said[:MOST_ANSWERED], start=1))
    return [claim for claim in claims if claim]


def answer_claim(
    name: str, said: Sentence, handles: Mapping[str, EvidenceId], found: Found, lang: Language
) -> Claim | None:
    """Turn one sentence into a claim; what it cites and was never shown stays, for the gate to refuse."""
    text = words_of(said, (lang,))
    if not text:
        return None
    cites = tuple(dict.fromkeys(cited(one, handles, found) for one in said.cites if one.strip()))
    kind = Kind.ADVICE if said.advice else Kind.STATED
    repos = {cite.partition("#")[0].partition("@")[0] for cite in cites}
    anchors = with_proof(anchored(said.anchor, cites, found), text, found) if said.anchor.strip() and cites else ()
    return Claim(
        id=name,
        repo=RepoId(next(iter(repos))) if len(repos) == 1 else None,
        role=Role.ADVICE if kind is Kind.ADVICE else Role.EFFECT,
        about=cites[:1],
        cites=cites,
        text=text,
        anchors=anchors,
        kind=kind,
        old=said.old.strip(),
        new=said.new.strip(),
    )


def cited(text: str, handles: Mapping[str, EvidenceId], found: Found) -> EvidenceId:
    """Find what a model cites: by its handle, its name, its number or the beginning of its hash."""
    text = text.strip("[]` ")
    if text in handles or text in found:
        return handles.get(text, text)
    ends = [name for name in found if name.endswith((f"#{text.lstrip('#')}", f"@{text}"))]
    begun = [name for name in found if len(text) > 6 and name.partition("@")[2].startswith(text.rpartition("@")[2])]
    return next(iter((*ends, *begun)), text)


def counts_cites(no: Judgement, claim: Claim) -> bool:
    """Tell whether a refused number is how many pieces a sentence cites: a count stands in none of them."""
    return no.check == "number" and len(claim.cites) > 1 and no.literal.startswith(str(len(claim.cites)))


def control_sentences(
    names: Sequence[EvidenceId], found: Found, evidence: str, lang: Language
) -> list[dict[Language, str]]:
    """Choose facts of pieces that an answer does not cite, with a name that its evidence does not have."""
    facts = [fact for name in names for fact in found[name].facts]
    told = [text for fact in facts if (text := sentence("fact", params_of(fact), lang))]
    foreign = [text for text in told if any(len(span) > 3 and span not in evidence for span in text.split("`")[1::2])]
    return [{lang: text} for text in foreign[:2]]
