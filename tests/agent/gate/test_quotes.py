"""A quotation is verbatim, in the place it names, or it fails."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.domain.base import Language
from agent.domain.claims import Claim, Judgement, Quote
from agent.domain.evidence import Dossier
from agent.gate.quotes import check_passages, check_quotes
from tests.agent.gate.conftest import REPO, commit_evidence

Make = Callable[..., Any]


def quotes(claim: Claim, dossier: Dossier, lang: Language) -> Judgement | None:
    """Give the first quotation or passage that is not verbatim."""
    found = (*check_quotes(claim, dossier), *check_passages(claim, dossier, claim.text.get(lang, "")))
    return next(iter(found), None)


PATH = "src/router/limits.py"


@pytest.fixture
def wrong(fault: Make) -> Make:
    """Check one quotation of one artefact."""

    def run(evidence: Any, text: str, **place: Any) -> Any:
        return fault(quotes, evidence, text="So.", quotes=(Quote(cite=evidence.id, text=text, **place),))

    return run


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
def test_words_of_the_diff_pass_with_or_without_its_signs(wrong: Make, make_commit: Make, text: str) -> None:
    assert wrong(make_commit(), text, file=PATH) is None
    assert wrong(make_commit(), text) is None


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
def test_other_words_fail(wrong: Make, make_commit: Make, text: str) -> None:
    found = wrong(make_commit(), text, file=PATH)
    assert found.verdict == "quote"


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
    ],
)
def test_words_in_quotation_marks_are_the_words_of_the_evidence(
    fault: Make, make_commit: Make, text: str, passes: bool
) -> None:
    found = fault(quotes, make_commit(), text=text)
    assert (found is None) is passes


# ---------------------------------------------------------------- properties

_WORD = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=2, max_size=8)
_LINE = st.lists(
    _WORD | st.integers(0, 999).map(str) | st.sampled_from(["=", "(", ")", "+", "->", "“x”"]), min_size=1, max_size=7
)
_PATCH = st.lists(st.tuples(st.sampled_from(" +-"), _LINE.map(" ".join)), min_size=1, max_size=12)


def _judged(patch: str, text: str) -> Any:
    evidence = commit_evidence(patch=patch)
    quote = Quote(cite=evidence.id, text=text, file=PATH)
    claim = Claim(id="k", repo=REPO, role="change", cites=(evidence.id,), quotes=(quote,))
    return quotes(claim, Dossier(found={evidence.id: evidence}), "en")


@given(_PATCH, st.data())
def test_lines_taken_from_a_patch_always_pass(lines: list[tuple[str, str]], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(lines) - 1))
    last = data.draw(st.integers(first, len(lines) - 1))
    patch = "@@ -1,9 +1,9 @@\n" + "\n".join(mark + text for mark, text in lines)
    taken = lines[first : last + 1]
    assert _judged(patch, "\n".join(mark + text for mark, text in taken)) is None
    assert _judged(patch, "\n".join(text for _, text in taken)) is None


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
        text[: word.start()] + data.draw(st.sampled_from(["Other", word[0] + "X", "X" + word[0]])) + text[word.end() :]
    )
    found = _judged(patch, changed)
    assert found is not None
    assert found.verdict == "quote"
