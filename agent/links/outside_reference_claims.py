"""References to repositories outside of a report: that a commit refers to something there, no more."""

from collections.abc import Collection, Iterable

from agent.domain.base import LANGUAGES, RepoId
from agent.domain.claims import Claim
from agent.domain.evidence import Material
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Mention
from agent.fact_sentences import sentence
from agent.links.candidates import is_folded

OUTSIDE = "refers outside"
"""The predicate of the sentence. Nobody has read what it names, so nothing else can be said."""
_MAX_NAMES = 3  # Things of other repositories that the sentence about a commit lists


def outside_claims(
    material: Material, references: Iterable[Mention], configured: Collection[RepoId]
) -> list[Claim]:
    """Return a sentence for each commit that names issues or changes of repositories not read.

    Only the title and the message of a commit count, which everybody can look up there.
    """
    names_by_commit = _outside_names(references, {repo.lower() for repo in configured})
    claims: list[Claim] = []
    for read in material.reads:
        commit = read.evidence
        names = names_by_commit.get(commit.id, [])[:_MAX_NAMES]
        if not names or is_folded(read):
            continue
        params = {"others": "\n".join(name.shortened(9) for name in names)}
        claim = Claim(
            id=f"{commit.id.shortened()}.o",
            repo=commit.repo,
            role="effect",
            about=(commit.id,),
            predicate=OUTSIDE,
            params=params,
            cites=(commit.id,),
            text={lang: sentence(OUTSIDE, params, lang) for lang in LANGUAGES},
        )
        claims.append(claim)
    return claims


def _outside_names(
    references: Iterable[Mention], configured: Collection[str]
) -> dict[EvidenceId, list[EvidenceId]]:
    names: dict[EvidenceId, dict[EvidenceId, None]] = {}
    for mention in references:
        is_written_by_commit = mention.place in ("title", "message")
        if is_written_by_commit and mention.target.repo.lower() not in configured:
            names.setdefault(mention.source, {})[mention.target] = None
    return {commit: list(targets) for commit, targets in names.items()}
