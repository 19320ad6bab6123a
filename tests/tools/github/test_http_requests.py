"""The client in bad weather: what can get better is tried again, what cannot ends soon, and nothing waits for ever."""

import asyncio

import httpx
import pytest
from pydantic import TypeAdapter

from agent.domain.errors import RateLimited, UpstreamError
from tests.tools.github.conftest import Kit
from tools.github.http_requests import ApiRequest, ApiUsage, RequestPolicy, Wire
from tools.github.rest_shapes import GraphAnswer
from tools.github.server_address import Address

NUMBERS = TypeAdapter(list[int])
SECONDARY = {"message": "You have exceeded a secondary rate limit. Please wait a few minutes"}
ABUSE = {"message": "You have triggered an abuse detection mechanism."}


class Viewer(GraphAnswer):
    data: dict[str, str] | None = None


async def test_faults_that_pass_are_tried_again(kit: Kit) -> None:
    html = {"Content-Type": "text/html"}
    kit.hub.on(
        "/x",
        kit.Reply(502, {"message": "Server Error"}),
        kit.Reply(504, body=b"<html>Unicorn!</html>", headers=html),
        kit.Reply(503, body=b"<html>labelled as JSON</html>"),
        kit.Reply(fault="reset"),
        kit.Reply(json=[1], fault="half"),
        kit.Reply(200, body=b"<!DOCTYPE html>"),
        kit.Reply(200, body=b"[1, 2"),
        kit.Reply(
            json=[1],
            headers={
                "X-RateLimit-Remaining": "zéro",
                "X-RateLimit-Reset": "-1",
                "Retry-After": "9" * 400,
            },
        ),
    )
    client = kit.client(policy=RequestPolicy(attempts=8))
    assert (await client.get("/x", NUMBERS)).value == [1]
    assert client.usage.sent == 8
    assert client.usage.retried == 7


async def test_a_server_that_dribbles_is_cut_off(kit: Kit) -> None:
    kit.hub.on(
        "/x", kit.Reply(body=b"[" + b" " * 100 + b"1]", fault="dribble"), kit.Reply(json=[1])
    )
    assert (
        await kit.client(policy=RequestPolicy(request_seconds=0.3)).get("/x", NUMBERS)
    ).value == [1]


async def test_an_endless_answer_is_an_error_before_memory_ends(kit: Kit) -> None:
    kit.hub.on("/x", kit.Reply(body=b"[" + b"1," * 200_000 + b"1]"))
    with pytest.raises(UpstreamError, match="larger than") as caught:
        await kit.client(policy=RequestPolicy(max_bytes=100_000)).get("/x", NUMBERS)
    assert not caught.value.retryable
    assert len(kit.hub.seen) == 1


@pytest.mark.parametrize("status", [403, 429])
@pytest.mark.parametrize("body", [SECONDARY, ABUSE])
async def test_a_secondary_limit_with_retry_after_waits_that_long(
    kit: Kit, status: int, body: dict[str, str]
) -> None:
    kit.hub.on("/x", kit.Reply(status, body, headers={"Retry-After": "7"}), kit.Reply(json=[1]))
    client = kit.client()
    assert (await client.get("/x", NUMBERS)).value == [1]
    assert kit.time.slept == [7.0]
    assert client.usage.waited == 7.0


async def test_a_limit_that_is_prolonged_during_a_wait_is_waited_for_to_its_new_end(
    kit: Kit,
) -> None:
    kit.hub.on("/x", kit.Reply(json=[1]))

    def refuse(seconds: int) -> None:
        wire.limits.refused("core", 429, httpx.Headers({"Retry-After": str(seconds)}), "")

    async def sleep(seconds: float) -> None:
        if not kit.time.slept:
            refuse(20)  # Another request that was under way
        await kit.time.sleep(seconds)

    async with httpx.AsyncClient() as http:
        wire = Wire(
            Address(kit.hub.base),
            lambda: http,
            authorization=None,
            policy=RequestPolicy(),
            usage=ApiUsage(),
            clock=kit.time.clock,
            sleep=sleep,
            jitter=lambda: 0.5,
        )
        refuse(7)
        await wire.send_once(ApiRequest("GET", f"{kit.hub.base}/x"), lambda answer: answer.status)
    assert kit.time.slept == [7.0, 13.0]


async def test_an_exhausted_limit_waits_until_its_reset(kit: Kit) -> None:
    spent = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(kit.time.now) + 30)}
    kit.hub.on(
        "/x",
        kit.Reply(403, {"message": "API rate limit exceeded"}, headers=spent),
        kit.Reply(json=[1]),
    )
    assert (await kit.client().get("/x", NUMBERS)).value == [1]
    assert kit.time.slept == [31.0]


async def test_a_reset_too_far_away_is_told_instead_of_waited_for(kit: Kit) -> None:
    spent = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(kit.time.now) + 3000)}
    kit.hub.on("/x", kit.Reply(403, {"message": "API rate limit exceeded"}, headers=spent))
    client = kit.client(token=None)
    for _ in range(2):
        with pytest.raises(RateLimited, match="GITHUB_TOKEN raises the limit") as caught:
            await client.get("/x", NUMBERS)
        assert caught.value.retry_after == 3001.0
    assert (len(kit.hub.seen), kit.time.slept) == (1, [])


async def test_waits_end_at_the_deadline_of_the_run(kit: Kit) -> None:
    limited = kit.Reply(429, SECONDARY, headers={"Retry-After": "50"})
    kit.hub.on("/x", limited, kit.Reply(json=[1]), limited, kit.Reply(json=[1]), limited)
    client = kit.client(policy=RequestPolicy(run_seconds=120))
    await client.get("/x", NUMBERS)
    await client.get("/x", NUMBERS)
    with pytest.raises(RateLimited):
        await client.get("/x", NUMBERS)
    assert kit.time.slept == [50.0, 50.0]


async def test_a_graphql_limit_comes_with_status_200_and_is_waited_for(kit: Kit) -> None:
    limited = {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded"}]}
    spent = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(kit.time.now) + 30)}
    kit.hub.on(
        "/graphql", kit.Reply(json=limited, headers=spent), kit.Reply(json={"data": {"x": "y"}})
    )
    answer = await kit.client().graphql("{x}", {}, Viewer, stamp="")
    assert answer.data == {"x": "y"}
    assert kit.time.slept == [31.0]


async def test_a_server_that_is_not_there_is_an_error_of_one_line(kit: Kit) -> None:
    nobody = kit.client(base="http://127.0.0.1:9", policy=RequestPolicy(attempts=2))
    with pytest.raises(UpstreamError, match=r"^GET 127\.0\.0\.1:9/x: ConnectError"):
        await nobody.get("/x", NUMBERS)


async def test_a_server_that_says_when_is_asked_again_then(kit: Kit) -> None:
    kit.hub.on("/x", kit.Reply(503, headers={"Retry-After": "4"}), kit.Reply(json=[1]))
    await kit.client().get("/x", NUMBERS)
    assert kit.time.slept == [4.0]
    nonsense = ("9" * 400, "soon", "-5")
    replies = [kit.Reply(503, headers={"Retry-After": text}) for text in nonsense]
    kit.hub.on("/y", *replies, kit.Reply(json=[1]))
    await kit.client().get("/y", NUMBERS)
    assert kit.time.slept == [4.0, 0.75, 1.5, 3.0]


async def test_after_a_secondary_limit_requests_go_one_at_a_time_and_one_without_end_is_given_up(
    kit: Kit,
) -> None:
    kit.hub.on("/x", kit.Reply(403, SECONDARY, headers={"Retry-After": "1"}), kit.Reply(json=[1]))
    kit.hub.on("/y", kit.Reply(json=[1], fault="late"))
    client = kit.client()
    await client.get("/x", NUMBERS)
    await asyncio.gather(*(client.get("/y", NUMBERS, {"n": number}) for number in range(4)))
    assert kit.hub.most_at_once == 1
    kit.time.slept.clear()
    kit.hub.on("/z", kit.Reply(403, SECONDARY))
    with pytest.raises(RateLimited) as raised:
        await kit.client().get("/z", NUMBERS)
    assert (raised.value.retry_after, kit.time.slept) == (240.0, [60.0, 120.0])


async def test_no_request_is_sent_when_the_last_answer_said_that_none_is_left(kit: Kit) -> None:
    spent = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(kit.time.now) + 10)}
    kit.hub.on("/x", kit.Reply(json=[1], headers=spent), kit.Reply(json=[2]))
    client = kit.client()
    await client.get("/x", NUMBERS)
    await client.get("/x", NUMBERS)
    assert kit.time.slept == [11.0]
