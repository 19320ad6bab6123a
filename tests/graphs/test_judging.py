"""The judge is asked twice over real HTTP, with controls among the sentences; one "no" is enough."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent.domain.account import Judging
from agent.domain.claims import Claim, Kind
from agent.judging.rulings import Batch, Control, Verdicts
from evals.model_server.server import ModelServer
from gitzette.wiring import open_services
from graphs.judging import judged
from tests.scripted_analysis import NOW, Scripted, of, sentences_in, settings_of

EVIDENCE = "[c] commit by Ada\nLower the limit of routes\n-MAX_ROUTES = 22\n+MAX_ROUTES = 12"
TEXTS = [
    "`MAX_ROUTES` falls.",
    "It is `12` now.",
    "It was `22`.",
    "The limit is lower.",
    "Fewer routes fit.",
]
CONTROLS = [Control({"en": "`COLOUR` is `3`."}), Control({"en": "`SHAPE` is `1`."})]
TWIN = Control({"en": "`MAX_ROUTES` goes from `12` to `22`."}, "twin")


def about(text: str, kind: Kind = Kind.STATED) -> Claim:
    return Claim(id=text, repo=None, role="effect", text={"en": text}, kind=kind)


async def asked_of(
    script: Scripted,
    folder: Path,
    claims: Sequence[Claim],
    controls: Sequence[Control] = (),
) -> tuple[Verdicts, list[list[str]]]:
    """Give what the judge made of the claims, and the sentences of each question."""
    batch = Batch(
        account="octo/router",
        evidence=EVIDENCE,
        claims=claims,
        controls=controls,
    )
    with ModelServer(script, name="judge-1") as server:
        async with open_services(settings_of(folder, server), {}, NOW, "r1") as services:
            verdicts = await judged(batch, services.context)
        return verdicts, [sentences_in(question) for question in of(server, "Rulings")]


async def test_every_sentence_is_asked_about_twice_the_second_time_in_reverse_order(
    tmp_path: Path,
) -> None:
    script = Scripted(opinion=lambda text, _: "contradicted" if text in TEXTS[:2] else "stated")
    verdicts, (first, second) = await asked_of(script, tmp_path, [about(text) for text in TEXTS])
    assert sorted(first) == sorted(TEXTS)
    assert second == list(reversed(first))
    assert [claim.id for claim in verdicts.admitted] == TEXTS[2:]
    assert [(claim.id, no.check, no.reason) for claim, no in verdicts.refused] == [
        (text, "judge", "the judge calls it contradicted") for text in TEXTS[:2]
    ]


async def test_one_no_refuses_also_the_second_time(tmp_path: Path) -> None:
    heard = Counter[str]()

    def wavering(text: str, _: str) -> str:
        heard[text] += 1
        return "unsupported" if text == TEXTS[0] and heard[text] == 2 else "stated"

    verdicts, asked = await asked_of(
        Scripted(opinion=wavering), tmp_path, [about(text) for text in TEXTS]
    )
    assert [claim.id for claim, _ in verdicts.refused] == TEXTS[:1]
    assert (len(verdicts.admitted), len(asked)) == (4, 2)


async def test_both_readings_see_the_same_evidence(tmp_path: Path) -> None:
    evidence_by_text: dict[str, set[str]] = {}

    def noting(text: str, evidence: str) -> str:
        evidence_by_text.setdefault(text, set()).add(evidence)
        return "stated"

    _, asked = await asked_of(Scripted(opinion=noting), tmp_path, [about(text) for text in TEXTS])
    assert len(asked) == 2
    assert {len(evidence) for evidence in evidence_by_text.values()} == {1}


@pytest.mark.parametrize("quote", ["MAX_ROUTES = 99", "--", "the buffer overflows"])
async def test_a_yes_that_rests_on_words_the_evidence_lacks_refuses(
    tmp_path: Path, quote: str
) -> None:
    verdicts, _ = await asked_of(Scripted(quote=quote), tmp_path, [about(TEXTS[0])])
    assert [no.check for _, no in verdicts.refused] == ["judge quote"]


async def test_an_admitted_control_voids_the_whole_batch(tmp_path: Path) -> None:
    script = Scripted(opinion=lambda *_: "stated")
    claims = [about(text) for text in TEXTS]
    verdicts, (asked, _) = await asked_of(script, tmp_path, claims, CONTROLS[:1])
    assert "`COLOUR` is `3`." in asked
    assert verdicts.admitted == []
    assert {no.check for _, no in verdicts.refused} == {"control"}
    assert verdicts.judging == Judging(controls=2, caught=0)


async def test_a_judge_that_admits_a_reversed_fact_of_the_commit_publishes_nothing(
    tmp_path: Path,
) -> None:
    def careless(text: str, _: str) -> str:
        return "unsupported" if "COLOUR" in text else "stated"

    claims = [about(text) for text in TEXTS]
    verdicts, (asked, _) = await asked_of(
        Scripted(opinion=careless), tmp_path, claims, [CONTROLS[0], TWIN]
    )
    assert TWIN.text["en"] in asked
    assert verdicts.admitted == []
    assert {no.reason for _, no in verdicts.refused} == {
        "the judge admitted a sentence that reverses a proven fact of this commit"
    }
    assert verdicts.judging == Judging(controls=4, caught=2, twins=2, caught_twins=0)


async def test_a_sentence_that_is_too_wide_goes_back_with_what_must_go(tmp_path: Path) -> None:
    script = Scripted(
        opinion=lambda text, _: "narrow" if text == TEXTS[4] else "stated",
        problem="it holds on ROCm only",
    )
    verdicts, _ = await asked_of(script, tmp_path, [about(text) for text in TEXTS])
    assert [(claim.id, no.reason) for claim, no in verdicts.refused] == [
        (TEXTS[4], "the judge calls it too wide: it holds on ROCm only")
    ]
    assert verdicts.judging == Judging(standing=4, narrowed=1)


@pytest.mark.parametrize("turns", [("stated", "inferred"), ("inferred", "stated")])
async def test_inferred_wins_over_stated_and_advice_stays_advice(
    tmp_path: Path, turns: tuple[str, str]
) -> None:
    heard = Counter[str]()

    def twofold(text: str, _: str) -> str:
        heard[text] += 1
        return turns[heard[text] - 1] if text != TEXTS[2] else "stated"

    claims = [about(TEXTS[0]), about(TEXTS[1], Kind.ADVICE), about(TEXTS[2])]
    verdicts, _ = await asked_of(Scripted(opinion=twofold), tmp_path, claims)
    assert [claim.kind for claim in verdicts.admitted] == [Kind.INFERRED, Kind.ADVICE, Kind.STATED]
    assert {claim.judged_by for claim in verdicts.admitted} == {"judge-1"}


async def test_sentences_that_are_moved_to_a_sibling_are_counted_apart(tmp_path: Path) -> None:
    reach = Control({"en": "`MAX_WORKERS` falls."}, "reach")

    def careful(text: str, _: str) -> str:
        return "stated" if text in TEXTS else "unsupported"

    claims = [about(text) for text in TEXTS]
    controls = [CONTROLS[0], TWIN, reach]
    verdicts, (asked, _) = await asked_of(Scripted(opinion=careful), tmp_path, claims, controls)
    assert {TWIN.text["en"], reach.text["en"]} <= set(asked)
    assert verdicts.judging == Judging(
        controls=6, caught=6, twins=2, caught_twins=2, moved=2, caught_moved=2, standing=5
    )
