"""How a model's answers become claims: citations by handle, anchors where they stand, summaries on what was said."""

from collections.abc import Callable

from agent.analysts.packet import commit_packet
from agent.analysts.sentences import analysis_shape, commit_claims, summary_claims, summary_shape
from agent.domain.claims import Anchor, Claim, Kind, Role, Verdict
from agent.domain.evidence import Dossier, Material, Read
from agent.gate.check import refusals

ME = "octo/router@" + "a" * 40
Spoken = Callable[..., Claim]


def test_handles_become_citations_and_those_never_shown_are_refused(spoken: Spoken, known: Dossier) -> None:
    claim = spoken("`LIMIT` is `8`.", "+LIMIT = 8", cites=["c", "[#12]", "`#41`", "#99"])
    assert claim.cites == (ME, "octo/router#12", "octo/router#41", "#99")
    assert [no.verdict for no in refusals(claim, known, "en")] == [Verdict.MALFORMED, Verdict.NONEXISTENT]
    fewer = spoken("`LIMIT` is `8`.", "+LIMIT = 8", cites=["[#12]"])
    assert (fewer.about, fewer.cites) == ((ME,), (ME, "octo/router#12"))
    assert refusals(fewer, known, "en") == []


def test_an_anchor_is_found_in_the_message_in_a_thread_or_in_a_file(spoken: Spoken) -> None:
    cites = ["c", "#12", "#41"]
    for text, where in (
        ("Larger values overflow the buffer", Anchor(cite=ME, text="Larger values overflow the buffer")),
        ("It needs `--slow`.", Anchor(cite="octo/router#12", text="It needs `--slow`.")),
        ("Use `topK = 8`.", Anchor(cite="octo/router#41", text="Use `topK = 8`.")),
        ("LIMIT = 8", Anchor(cite=ME, text="LIMIT = 8", file="router.py")),
        ("-LIMIT = 22\n+LIMIT = 8", Anchor(cite=ME, text="-LIMIT = 22\n+LIMIT = 8", file="router.py")),
        ("never written", Anchor(cite=ME, text="never written")),
    ):
        assert spoken("`LIMIT` `topK` `--slow` `8`.", text, cites=cites).anchors[0] == where


def test_a_line_that_names_the_thing_is_put_beside_an_anchor_that_does_not(spoken: Spoken, known: Dossier) -> None:
    claim = spoken("`LIMIT` is `8` now.", "+    flush()")
    assert [(one.text, one.file) for one in claim.anchors] == [
        ("+    flush()", "router.py"),
        ("     grow(LIMIT)", "router.py"),
    ]
    assert refusals(claim, known, "en") == []
    # A line of another hunk proves nothing.
    other = spoken("`COLOUR` is `3` now.", "+    flush()")
    assert len(other.anchors) == 1
    assert [no.check for no in refusals(other, known, "en")] == ["anchor"]


def test_advice_is_marked_by_its_writer_and_values_are_kept(spoken: Spoken) -> None:
    claim = spoken("Set `LIMIT` to `8`.", "+LIMIT = 8", advice=True, old=" 22", new="8 ")
    assert (claim.kind, claim.role, claim.old, claim.new) == (Kind.ADVICE, Role.ADVICE, "22", "8")
    assert spoken("`LIMIT` is `8`.", "+LIMIT = 8").kind is Kind.STATED
    assert spoken("`LIMIT` is `8`.", "").anchors == ()


def test_a_sentence_or_headline_that_lacks_a_language_is_dropped(
    limited: Read, material: Callable[..., Material]
) -> None:
    one = limited
    packet = commit_packet(one, material(one))
    both, half = {"en": "`LIMIT`  is `8`.", "zh": "`LIMIT` 为 `8`。"}, {"en": "`LIMIT` is `8`.", "zh": " "}
    answer = {"headline_en": "Lower", "headline_zh": "", "sentences": [half, both]}
    shape = analysis_shape(("en", "zh"))
    (claim,) = commit_claims(shape.model_validate(answer), one.evidence, packet.handles, packet.found, ("en", "zh"))
    assert (claim.id, claim.text) == (f"{ME[:24]}.m2", {"en": "`LIMIT` is `8`.", "zh": "`LIMIT` 为 `8`。"})
    answer["headline_zh"] = "降低上限"
    headline, _ = commit_claims(shape.model_validate(answer), one.evidence, packet.handles, packet.found, ("en", "zh"))
    assert (headline.role, headline.anchors[0].text) == (Role.HEADLINE, "Lower the limit (#41)")


def test_a_summary_cites_the_commits_of_what_it_rests_on_and_nothing_else() -> None:
    shas = [f"octo/router@{letter * 40}" for letter in "abc"]
    rests = {
        f"c{n}.1": Claim(
            id=sha, repo=None, role=Role.EFFECT, about=(sha,), cites=(sha, "octo/router#12"),
            anchors=(Anchor(cite=sha, text=f"+{n}"), Anchor(cite="octo/router#12", text="said")),
        )
        for n, sha in enumerate(shas, start=1)
    }  # fmt: skip
    said = [
        {"en": "Two belong together.", "rests_on": ["[c1.1]", "c3.1", "c9.9"]},
        {"en": "This rests on nothing that was published.", "rests_on": ["c9.9"]},
        {"en": "", "rests_on": ["c2.1"]},
    ]
    answer = summary_shape(("en",)).model_validate({"sentences": said})
    (claim,) = summary_claims(answer, rests, "brief", None, Role.BRIEF, ("en",))
    assert (claim.id, claim.role, claim.cites) == ("brief1", Role.BRIEF, (shas[0], shas[2]))
    assert [one.text for one in claim.anchors] == ["+1", "+3"]
