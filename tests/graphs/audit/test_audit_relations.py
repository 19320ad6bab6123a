"""What an audit makes of values and files that went the other way, of reverts, closed issues, quotations and links."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

Audit = Callable[..., Awaitable[Any]]
TOOLS = ("acme/tools",)


async def _reasons(audit: Audit, sentence: str) -> list[str]:
    outcome = await audit(f"# acme/tools, 2026-03-12 (UTC)\n\n- {sentence}\n", repos=TOOLS)
    reasons: list[str] = outcome.reasons()
    return reasons


@pytest.mark.parametrize(
    ("sentence", "right"),
    [
        ("[`<turn>`](<turn:url>): `ready()` now returns `True` where it returned `False`.", True),
        ("[`<turn>`](<turn:url>): `ready()` now returns `False` where it returned `True`.", False),
        ("[`<turn>`](<turn:url>) corrects the expected output from (2, 3) to (1, 2).", True),
        ("[`<turn>`](<turn:url>) corrects the expected output from (1,2) to (2,3).", False),
        ("[`<turn>`](<turn:url>) expects (1, 2) instead of (2, 5).", False),
        ("[`<move>`](<move:url>) renames `tools/helpers.py` to `tools/support.py`.", True),
        ("[`<move>`](<move:url>) renames `support.py` to `helpers.py`.", False),
        ("[`<move>`](<move:url>): `tools/support.py` is renamed to `tools/helpers.py`.", False),
        ("[`<move>`](<move:url>)：`tools/support.py` 被重命名为 `tools/helpers.py`。", False),
        ("[`<level>`](<level:url>)：`TOOLS_LOGLEVEL` 因此被删除。", False),
        ("[`<level>`](<level:url>): `TOOLS_LOGLEVEL` is added.", True),
    ],
)
async def test_what_is_told_the_other_way_round_is_wrong(audit: Audit, sentence: str, right: bool) -> None:
    assert bool(await _reasons(audit, sentence)) is not right


@pytest.mark.parametrize(
    ("sentence", "right"),
    [
        ("[`<undo>`](<undo:url>) reverts #4.", True),
        ("[`<undo>`](<undo:url>) reverts #3.", False),
        ("[`<undo>`](<undo:url>)，回退 #7。", False),
        ("[`<move>`](<move:url>) moves the helpers. Reverts #4.", False),
    ],
)
async def test_what_a_revert_takes_back_is_asked_of_its_message(audit: Audit, sentence: str, right: bool) -> None:
    assert await _reasons(audit, sentence) == ([] if right else ["unsupported"])


async def test_an_issue_that_another_commit_closes_is_not_closed_by_one_that_does_not_name_it(audit: Audit) -> None:
    assert await _reasons(audit, "[`<check>`](<check:url>) checks the type. Closes #20.") == []
    assert await _reasons(audit, "[`<move>`](<move:url>) moves the helpers. Closes #20.") == ["unsupported"]


@pytest.mark.parametrize(
    ("sentence", "right"),
    [
        ('[`<level>`](<level:url>): the author puts the price at "around 0.1% of a run".', True),
        ('[`<level>`](<level:url>): the author puts the price at "around 10% of a run".', False),
        ('[`<level>`](<level:url>): the message says that "it makes every call slower".', False),
        ('[`<undo>`](<undo:url>): the message says "Reverts acme/tools#4".', True),
        ('[`<level>`](<level:url>): the message says "it costs around 0.1% of a run."', True),
        ("[`<level>`](<level:url>)：提交说明写道“几乎没有代价”。", True),
        ('[`<level>`](<level:url>): in the review somebody called it "a small price to pay".', True),
    ],
)
async def test_words_in_quotation_marks_are_looked_for_where_they_are_said_to_stand(
    audit: Audit, sentence: str, right: bool
) -> None:
    assert await _reasons(audit, sentence) == ([] if right else ["quote"])


@pytest.mark.parametrize(
    ("name", "right"),
    [("TOOLS_LOGLEVEL", True), ("TOOLS_LOG_LEVEL", False), ("--return-file-paths", True), ("--return-paths", False)],
)
async def test_variables_and_flags_are_compared_joint_by_joint(audit: Audit, name: str, right: bool) -> None:
    found = await _reasons(audit, f"[`<level>`](<level:url>) reads the new `{name}` at the start.")
    assert found == ([] if right else ["unsupported"])


async def test_the_number_of_a_commit_linked_in_another_repository_is_out_of_scope(audit: Audit) -> None:
    outcome = await audit(
        """# Report 2026-03-12 (UTC)

- [`<turn>`](<turn:url>) ([#4](https://github.com/acme/tools/pull/4)) turns the guard round.
- [`<move>`](<move:url>) ([#7](https://github.com/acme/engine/pull/7)) moves the helpers.
- [`<level>`](<level:url>) follows [#10](https://github.com/acme/engine/pull/10) of the engine.
""",
        repos=("acme/tools", "acme/engine"),
    )
    wrong = [(one.line, one.verdict) for one in outcome.findings if one.kind == "pull request" and one.wrong]
    assert (4, "wrong:out-of-scope") in wrong
    assert not [line for line, _ in wrong if line != 4]


async def test_names_with_initials_given_names_and_a_person_in_the_middle_of_a_sentence(audit: Audit) -> None:
    outcome = await audit(
        """# acme/tools, 2026-03-12 (UTC)

- **The guard** ([#4](https://github.com/acme/tools/pull/4), [`<turn>`](<turn:url>)) by Brian K. Ryu. One file.
- **The level** ([#9](https://github.com/acme/tools/pull/9), [`<level>`](<level:url>)) by Brian. One file.

The news of the day is [`<move>`](<move:url>), in which Ada Lovelace moves the helpers.

Then came [`<check>`](<check:url>), in which Chris P checks the type.

Brian K. Ryu opened the day by turning a guard in [`<turn>`](<turn:url>).
""",
        repos=TOOLS,
    )
    assert [(one.line, one.kind) for one in outcome.findings if one.wrong] == [(8, "author")]


async def test_a_code_block_below_the_remarks_of_an_entry_is_the_entrys(audit: Audit) -> None:
    outcome = await audit(
        """*acme/tools digest, 2026-03-12 (UTC)*

• `<guard>` Add a guard (#3)
    ◦ The first line of it:

```python
def ready():
```

• Move helpers (#7)
    ◦ One function of two:

```python
def first(rows):
```

• `<level>` Read the level from outside (#9)
""",
        repos=TOOLS,
    )
    assert [(one.line, one.verdict) for one in outcome.findings if one.kind == "code" and one.wrong] == []
