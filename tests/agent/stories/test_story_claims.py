"""What the claims of a story say as running text."""

from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.evidence_id import EvidenceId
from agent.stories.story_claims import joined_texts

COMMIT = EvidenceId.commit(RepoId("octo/router"), "a" * 40)


def claim(**text: str) -> Claim:
    return Claim.model_validate(
        {
            "id": "",
            "repo": COMMIT.repo,
            "role": "change",
            "about": (COMMIT,),
            "cites": (COMMIT,),
            "text": text,
        }
    )


def test_claims_are_joined_as_their_language_joins_sentences() -> None:
    claims = [
        claim(en="It was undone.", zh="已被撤回。"),
        claim(en="Mends [@1].", zh="修复 [@1]。"),
    ]
    assert joined_texts(claims, "en") == "It was undone. Mends octo/router@aaaaaaaaaa."
    assert joined_texts(claims, "zh") == "已被撤回。修复 octo/router@aaaaaaaaaa。"


def test_a_claim_without_the_language_leaves_no_gap() -> None:
    claims = [claim(en="Only documents change."), claim(en="Mends [@1].", zh="修复 [@1]。")]
    assert joined_texts(claims, "zh") == "修复 octo/router@aaaaaaaaaa。"
