"""Writers are not shown the form of a pull request, only what its author wrote into it."""

from agent.packets.boilerplate_in_messages import without_boilerplate

BODY = """\
<!-- Thank you for contributing!
Please fill in the form. -->
## Motivation

The cache is cleared twice, and `evict` fails.

## Checklist

- [x] I ran the tests
- [ ] I added documentation
"""


def test_forms_comments_and_checklists_are_left_out() -> None:
    form = {"## Motivation", "## Checklist", "- [ ] I ran the tests", "- [ ] I added documentation"}
    text = without_boilerplate(BODY, frozenset(form))
    assert text == "The cache is cleared twice, and `evict` fails."


def test_what_an_author_adds_to_a_checklist_stays() -> None:
    body = "- [x] I ran the tests\n- [ ] unit test: none came to mind\n"
    text = without_boilerplate(body, frozenset({"- [ ] I ran the tests"}))
    assert text == "- [ ] unit test: none came to mind"


def test_a_comment_that_is_never_closed_hides_nothing() -> None:
    assert "Still here" in without_boilerplate("<!-- open\nStill here", frozenset())


def test_a_flood_of_comments_that_are_never_closed_is_read_at_once() -> None:
    flood = "<!--" * 500_000
    assert without_boilerplate(flood, frozenset()) == flood
