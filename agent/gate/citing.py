"""Whether every citation of a claim carries something of it: one too many shows the reader a proof that is none."""

from collections.abc import Iterable, Sequence

from agent.claims import MARK, Claim, Judgement, Verdict
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence, EvidenceId, ThreadEvidence
from agent.gate.content import stems_of
from agent.gate.ground import Ground, ground_of, occurs
from agent.gate.named_facts import last_part
from agent.gate.predicates import prose
from agent.gate.prose import Sentence, Token
from agent.gate.prose_zh import cut
from agent.ids import thread_id
from agent.settings import Language


def citing(claim: Claim, dossier: Dossier, lang: Language) -> Judgement | None:
    """Find a citation that is not marked, has no tie to another, and adds nothing to what the others show.

    Commits of a series say the same: whoever means each of them marks each in the text.
    """
    text = prose(claim, lang)
    if len(claim.cites) < 2 or not text:
        return None
    marked = {claim.sources[int(mark) - 1] for mark in MARK.findall(text)}
    tokens = cut(Sentence(MARK.sub(" ", text)).tokens)
    grounds = [(cite, ground_of([dossier.found[cite]])) for cite in claim.cites]
    shown = {cite: _shown(tokens, ground) for cite, ground in grounds}
    for cite in claim.cites:
        others = [other for other in claim.sources if other != cite]
        if cite in marked or _is_tied(cite, others, dossier):
            continue
        rest = frozenset(thing for other in others if other in shown for thing in shown[other])
        if any(is_name for _, is_name in shown[cite] - rest):
            continue
        verdict = Verdict.UNDECIDED if shown[cite] else Verdict.UNSUPPORTED
        return Judgement(verdict=verdict, reason=f"{cite} shows nothing of it", check="cite", about=cite)
    return None


def _shown(tokens: Sequence[Token], ground: Ground) -> frozenset[tuple[str, bool]]:
    """List the names of a claim that an artefact has, and its words that need proof; only names tell them apart."""
    names = ((token.text, True) for token in tokens if token.named and _is_named(token.text, ground))
    return frozenset(names) | frozenset((word, False) for word in _words(stems_of(tokens), ground))


def _words(wanted: Iterable[frozenset[str]], ground: Ground) -> frozenset[str]:
    found = (stems for stems in wanted if any(ground.words.has_stem(one) for one in stems))
    return frozenset(" ".join(sorted(stems)) for stems in found)


def _is_named(name: str, ground: Ground) -> bool:
    return occurs(name, ground.text) or occurs(last_part(name), ground.text)


def _is_tied(cite: EvidenceId, others: Sequence[EvidenceId], dossier: Dossier) -> bool:
    """Tell whether something links it to another citation: it fixes it, undoes it, brought it, or is named by it."""
    one = dossier.found[cite]
    for other in (dossier.found[other] for other in others):
        pair = {one.id, other.id}
        if any({link.issue, link.change} == pair for link in dossier.links):
            return True
        if dossier.reverted.get(one.id) == other.id or dossier.reverted.get(other.id) == one.id:
            return True
        if _names_of(one) & _mentioned(other) or _names_of(other) & _mentioned(one):
            return True
    return False


def _names_of(one: Evidence) -> frozenset[str]:
    if isinstance(one, CommitEvidence):
        pull = {thread_id(one.repo, one.pull)} if one.pull else set()
        return frozenset({one.id, one.change.commit.sha[:10], *pull})
    return frozenset({one.id})


def _mentioned(one: Evidence) -> frozenset[str]:
    """List what an artefact names: commits by their hash, and threads by their number."""
    names = {value for fact in one.facts for value in (fact.name, fact.old) if value}
    if isinstance(one, CommitEvidence):
        names |= {thread_id(one.repo, one.pull)} if one.pull else set()
        names |= {word[:10] for word in one.change.commit.message.split() if len(word.strip(".,()")) == 40}
    if isinstance(one, ThreadEvidence):
        names |= {f"{one.repo}@{getattr(one.thread, 'merge_commit', None)}"}
    return frozenset(names)
