"""What a text says of pull requests of other repositories."""

import re

import pytest
from agent.weaving.references import Ref, made_for, naming, rests_on

from tests.patience import within

OTHER = Ref("acme/kernels", 12)


@pytest.mark.parametrize(
    "text",
    [
        "Requires Acme/Kernels#12.",
        "This depends on https://git.example/acme/kernels/pull/12 for the layout",
        "Integrates the routing of [kernels #12](https://git.example/acme/kernels/pull/12)",
        "Upstream PR: acme/kernels#12",
        "The packed path is available since acme/kernels#12",
    ],
)
def test_what_a_change_needs_or_takes_up_is_named(text: str) -> None:
    assert rests_on(f"feat: it\n\n{text}") == [OTHER]


@pytest.mark.parametrize(
    "text",
    [
        "Workaround until acme/kernels#12 is released; it requires nothing else",
        "Does not require acme/kernels#12",
        "See acme/kernels#12",
        "Unlike what depends on acme/kernels#12 this is small",
        "Works around a bug; needs acme/kernels#12 no longer",
        "> Requires acme/kernels#12",
        "Requires #12",
    ],
)
def test_mentions_workarounds_and_own_numbers_are_nothing_to_rest_on(text: str) -> None:
    assert [ref for ref in rests_on(f"feat: it\n\n{text}") if ref == OTHER] == []


@pytest.mark.parametrize(
    "text",
    [
        "- Server integration: https://git.example/acme/server/pull/12",
        "Required by [acme/server#12](https://git.example/acme/server/pull/12)",
        "Enables merging https://git.example/acme/server/pull/12, saving time",
        "The server's consumer is acme/server#12.",
        "Validated E2E in the server. Ref:\nhttps://git.example/acme/server/pull/12",
    ],
)
def test_for_whom_a_change_is_made_is_named(text: str) -> None:
    assert made_for(f"feat: it\n\n{text}") == [Ref("acme/server", 12)]


@pytest.mark.parametrize(
    "text",
    [
        "It was exposed by acme/server#12 which added caching.",
        "Related: acme/server#12",
        "will be addressed by another [PR](https://git.example/acme/server/pull/12)",
        "Design follows the contract from acme/server#12.",
    ],
)
def test_what_is_only_related_is_nobody_it_was_made_for(text: str) -> None:
    assert made_for(f"feat: it\n\n{text}") == []


def test_the_pattern_finds_both_ways_of_writing_a_pull_request() -> None:
    form = re.compile(naming(["acme/se.rver", "o/r"]))
    assert form.search("see acme/se.rver#1")
    assert form.search("https://git.example/o/r/pull/77")
    assert not form.search("https://git.example/o/r/issues/77")


def test_hostile_texts_are_read_in_no_time() -> None:
    with within(2):
        for text in ("requires " * 20_000, "integration " * 20_000, "[" * 20_000, "validated in " * 9_000):
            rests_on(text)
            made_for(text)
