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
