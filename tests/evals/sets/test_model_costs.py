"""What a model costs in tokens and in time, counted from what it was asked."""

from typing import Any

from evals.model_server.talk import Asked
from evals.sets.model_latency import longest_chain
from evals.sets.model_tokens import Reader, tokens_sent


def asked(user: str, *, repo: str = "", tools: tuple[str, ...] = ()) -> Asked:
    system = f"You help engineers who depend on {repo}. You are shown commits." if repo else "You answer exactly."
    body: dict[str, Any] = {"messages": [{"role": "system", "content": system}, {"role": "user", "content": user}]}
    body["tools"] = [{"function": {"name": name}} for name in tools]
    return Asked(0, body, {})


def test_the_longest_chain_has_probes_turns_of_reading_writing_and_saying_anew() -> None:
    reading = [asked("table", repo="a/b", tools=("get_diff",))] * 2
    writing = [asked("Commit", repo="a/b")] * 5
    anew = [asked("It was refused: no", repo="a/b")] * 3
    other = [asked("table", repo="c/d", tools=("get_diff",))]
    assert longest_chain([asked("colour"), *reading, *writing, *anew, *other]) == 1 + 2 + 1 + 1
    assert longest_chain([]) == 0


def test_a_perfect_reader_reads_what_the_first_line_does_not_settle() -> None:
    rows = "[c1] mid 4.0 remove f (#1)\n[c2] mid 3.0 rework the ring (#2)"
    reader = Reader(["rework the ring (#2)"])
    calls = reader(asked(rows, repo="a/b", tools=("get_diff",))).calls
    assert [call.arguments for call in calls] == ['{"sha": "c2"}']
    assert reader(asked(f"{rows}\nWhat you have read so far:", repo="a/b", tools=("get_diff",))).calls == ()


def test_tools_are_counted_with_the_words() -> None:
    assert tokens_sent(asked("table", repo="a/b", tools=("get_diff",))) > tokens_sent(asked("table", repo="a/b"))
