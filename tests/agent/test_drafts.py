"""What an analyst names becomes a mark if it was shown, and stays to be refused if not."""

import pytest

from agent.claims import Quote, Role
from agent.drafts import Draft, Shown, settle
from agent.ids import RepoId

ONE = "octo/router@" + "a1b2c3d4" * 5
TWIN = "octo/router@" + "a1b2c3d5" * 5
OTHER = "octo/kernels@" + "f" * 40
ISSUE = "octo/router#12"
SHOWN = Shown(
    handles={"c1": ONE, "i2": ISSUE, "c3": OTHER},
    known=frozenset({ONE, TWIN, "octo/router#13"}),
    repo=RepoId("octo/router"),
)


def settled(text: str, shown: Shown = SHOWN) -> tuple[str, tuple[str, ...]]:
    claim = settle(Draft(id="k1", role=Role.CHANGE, text={"en": text}), shown)
    return claim.text["en"], claim.cites


@pytest.mark.parametrize(
    "named",
    [
        "[c1]",
        "a1b2c3d4a1",
        "`a1b2c3d4a1`",
        ONE[-40:],
        "octo/router@a1b2c3d4a",
        ONE,
        f"https://github.com/octo/router/commit/{ONE[-40:]}",
        f"[a1b2c3d4](https://github.com/octo/router/commit/{ONE[-40:]})",
    ],
)
def test_every_way_of_naming_a_shown_commit_becomes_its_mark(named: str) -> None:
    assert settled(f"Lowers the limit {named}.") == ("Lowers the limit [@1].", (ONE,))


@pytest.mark.parametrize(
    "named", ["[i2]", "#12", "GH-12", "octo/router#12", "https://github.com/octo/router/issues/12"]
)
def test_every_way_of_naming_a_shown_thread_becomes_its_mark(named: str) -> None:
    assert settled(f"Closes {named}, finally.") == ("Closes [@1], finally.", (ISSUE,))
    assert settled(f"关闭{named}。") == ("关闭[@1]。", (ISSUE,))


@pytest.mark.parametrize(
    "named",
    ["[c9]", "#13", "#99", "a1b2c3d", "b" * 40, "octo/router#13", "octo/none#12", "https://example.com/x", "arr[i2]"],
)
def test_what_was_not_shown_or_is_ambiguous_stays(named: str) -> None:
    assert settled(f"See {named} now.") == (f"See {named} now.", ())


def test_a_list_of_handles_becomes_marks_unless_one_was_not_shown() -> None:
    assert settled("Both [c1, i2].") == ("Both [@1][@2].", (ONE, ISSUE))
    assert settled("Both [c1, c9].")[0] == "Both [c1, c9]."


def test_the_label_of_a_link_is_kept_when_it_says_something() -> None:
    text = f"[the fix](https://github.com/octo/router/commit/{ONE[-40:]}) landed."
    assert settled(text)[0] == "the fix [@1] landed."


def test_languages_share_their_citations_and_background_counts_on_behind() -> None:
    shown = Shown(handles=SHOWN.handles, background=frozenset({ISSUE}), repo=SHOWN.repo)
    draft = Draft(id="k1", role=Role.CHANGE, text={"zh": "修复 [i2]：[c1]。", "en": "[c1] closes [i2]."}, cites=("c3",))
    claim = settle(draft, shown)
    assert (claim.cites, claim.background) == ((ONE, OTHER), (ISSUE,))
    assert claim.text == {"zh": "修复 [@3]：[@1]。", "en": "[@1] closes [@3]."}


def test_quotations_and_subjects_are_cited_and_unknown_handles_stay_to_be_refused() -> None:
    quote = Quote(cite="c1", text="if topK > 8:", file="a.py")
    claim = settle(Draft(id="k1", role=Role.CHANGE, about=("i2",), cites=("c9",), quotes=(quote,)), SHOWN)
    assert claim.cites == ("c9", ISSUE, ONE)
    assert claim.about == (ISSUE,)
    assert claim.quotes[0].cite == ONE
