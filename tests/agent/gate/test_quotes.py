"""A quotation is verbatim, in the place it names, or it fails."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.base import Language
from agent.domain.claims import Quote
from agent.domain.evidence import CommitEvidence
from tests.agent.gate.conftest import analysis, make_commit, wrong

PATH = "src/router/limits.py"
COMMIT = make_commit()


def verdicts(text: str, commit: CommitEvidence = COMMIT, **location: Any) -> list[str]:
    """Check one quotation of a commit."""
    return [
        objection.verdict
        for objection in wrong(commit, quotes=(Quote(cite=commit.id, text=text, **location),))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "if topK > 8:",
        "+    if topK > 8:",
        "+ if topK > 8:",
        "-    if topK > 22:",
        "    if topK > 8:\n        raise ValueError(“topK must be at most 8”)",
        "# Larger values overflow the shared buffer.\n    if topK > 8:",
        "limit = request.limit\nif topK > 22:",
        "limit = request.limit … if topK > 8:",
        "limit = request.limit\n[...]\nreturn pick(limit)",
        "TIMEOUT = 30",
        "-    TIMEOUT = 30\n+    TIMEOUT = 45",
        'raise ValueError(\\"topK must be at most 8\\")',
    ],
)
def test_words_of_the_diff_pass_with_or_without_its_signs(text: str) -> None:
    assert verdicts(text, file=PATH) == verdicts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "if topK > 9:",
        "if topK > 2",
        "if topK > 2:",
        "if top > 8:",
        "TIMEOUT = 4",
        "-    if topK > 8:",
        "+    if topK > 22:",
        "if topK > 8: return pick(limit)",
        "return pick(limit) … if topK > 8:",
        "return pick(limit)\nTIMEOUT = 30",
        "if topk > 8:",
        "...",
        "",
    ],
)
def test_other_words_fail(text: str) -> None:
    assert verdicts(text, file=PATH) == ["quote"]


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("It says “The buffer holds 8 entries” [@1].", True),
        ("It says “The buffer holds 9 entries” [@1].", False),
        ('It rejects with "topK must be at most 8" now.', True),
        ('It rejects with "topK must be at least 8" now.', False),
        ("The “fast path” is gone.", True),
        ("它写道“Larger values overflow”。", True),
        ("它写道“Larger buffers overflow”。", False),
        ("It says: “overflow”.", True),
        ("The message says “insecure MAX_ROUTES”.", False),
        ("The “new topK” is lower.", True),
    ],
)
def test_words_in_quotation_marks_are_the_words_of_the_evidence(text: str, passes: bool) -> None:
    lang: Language = "zh" if "它" in text else "en"
    assert (
        "passage" not in [claim.check for claim in analysis(COMMIT, text=text, lang=lang)]
    ) is passes


# ---------------------------------------------------------------- properties

_WORD = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=2, max_size=8)
_LINE = st.lists(
    _WORD | st.integers(0, 999).map(str) | st.sampled_from(["=", "(", ")", "+", "->", "“x”"]),
    min_size=1,
    max_size=7,
)
_PATCH = st.lists(st.tuples(st.sampled_from(" +-"), _LINE.map(" ".join)), min_size=1, max_size=12)


@given(_PATCH, st.data())
def test_lines_taken_from_a_patch_always_pass(
    lines: list[tuple[str, str]], data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, len(lines) - 1))
    patch = "@@ -1,9 +1,9 @@\n" + "\n".join(mark + text for mark, text in lines)
    taken = lines[first : last + 1]
    for quoted in (
        "\n".join(mark + text for mark, text in taken),
        "\n".join(text for _, text in taken),
    ):
        assert verdicts(quoted, make_commit(patch=patch), file=PATH) == []


@given(_PATCH, st.data())
def test_a_changed_word_always_fails(lines: list[tuple[str, str]], data: st.DataObject) -> None:
    patch = "@@ -1,9 +1,9 @@\n" + "\n".join(mark + text for mark, text in lines)
    _, text = data.draw(st.sampled_from(lines))
    words = list(re.finditer(r"\w+", text))
    if not words:
        return
    word = data.draw(st.sampled_from(words))
    # Capitals are nowhere in the patch, so the new word cannot be there by chance.
    changed = (
        text[: word.start()]
        + data.draw(st.sampled_from(["Other", word[0] + "X", "X" + word[0]]))
        + text[word.end() :]
    )
    assert verdicts(changed, make_commit(patch=patch), file=PATH) == ["quote"]
