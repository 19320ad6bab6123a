"""Writers are not shown the form of a pull request, only what its author wrote into it."""

from agent.analysts.boilerplate import without_boilerplate

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
    recurring = frozenset({"## Motivation", "## Checklist"})
    text = without_boilerplate(BODY, recurring)
    assert text == "The cache is cleared twice, and `evict` fails."


def test_a_comment_that_is_never_closed_hides_nothing() -> None:
    assert "Still here" in without_boilerplate("<!-- open\nStill here", frozenset())
