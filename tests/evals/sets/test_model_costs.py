"""What a model costs in tokens, counted from what it was asked."""

import json
from typing import Any

from evals.model_server.talk import Asked
from evals.sets.model_tokens import Reader, evidence_shown, tokens_sent


def asked(user: str, *, repo: str = "", tools: tuple[str, ...] = ()) -> Asked:
    system = f"You help engineers who depend on {repo}. You are shown commits." if repo else "You answer exactly."
    body: dict[str, Any] = {"messages": [{"role": "system", "content": system}, {"role": "user", "content": user}]}
    body["tools"] = [{"function": {"name": name}} for name in tools]
    return Asked(0, body)


def test_a_perfect_reader_chooses_what_the_first_line_does_not_settle() -> None:
    rows = "[c1] mid 4.0 remove f (#1) | The function `f` is removed.\n[c2] mid 3.0 rework the ring (#2)"
    reader = Reader(["rework the ring (#2)"])
    question = f"<<m\n{rows}\nm>>\n\nChoose the commits worth explaining, at most 2, the most important first."
    assert json.loads(reader(asked(question)).text) == {"read": ["c2"]}


def test_only_what_a_writer_is_shown_counts_as_shown() -> None:
    shown = asked("<<m\n[c] commit by Ada\nfix: f\nm>>\n\nWrite for the report, in English:")
    judged = asked("<<m\n[c] commit by Ada\nfix: f\nm>>\n\nSomebody wrote these sentences")
    assert evidence_shown([shown]) == evidence_shown([shown, judged]) > 0


def test_tools_are_counted_with_the_words() -> None:
    assert tokens_sent(asked("table", repo="a/b", tools=("get_diff",))) > tokens_sent(asked("table", repo="a/b"))
