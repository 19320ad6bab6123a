"""The scripted model in a process of its own answers over HTTP and tells what it was asked."""

import httpx

from evals.model_server.apart import served_apart
from evals.model_server.honest import honest


def test_a_server_apart_answers_after_its_latency_and_hands_over_what_was_asked() -> None:
    body = {"model": "scripted", "messages": [{"role": "user", "content": 'Say {"supported"} or not.'}]}
    with served_apart(honest, latency=0.05, context=4096) as server:
        models = httpx.get(f"{server.url}/models").json()
        answer = httpx.post(f"{server.url}/chat/completions", json=body)
        (asked,) = server.asked()
    assert models["data"] == [{"id": server.model, "object": "model", "max_model_len": 4096}]
    assert "The facts say so." in answer.json()["choices"][0]["message"]["content"]
    assert answer.elapsed.total_seconds() >= 0.05
    assert "supported" in asked.user
