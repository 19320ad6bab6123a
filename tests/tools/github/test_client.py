"""The client against a scripted server: paging, conditional requests, redirects, and a token that stays home."""

import logging
import traceback

import pytest
from hpack import Encoder
from pydantic import TypeAdapter

from agent.domain.errors import ConfigError, UpstreamError
from tests.tools.github.conftest import Kit
from tools.github.http_cache import TransientCache
from tools.github.http_requests import RequestRefused

NUMBERS = TypeAdapter(list[int])


async def test_pages_are_followed_by_link_alone(kit: Kit) -> None:
    links = '<BASE/repositories/7/x?after=q>; rel="next", <BASE/x?page=9>; rel="last"'
    kit.hub.on("/x", kit.Reply(json=[1], headers={"Link": links}))
    kit.hub.on("/repositories/7/x", kit.Reply(json=[2], headers={"Link": '<BASE/x>; rel="prev"'}))
    assert [page.value async for page in kit.client().pages("/x", NUMBERS)] == [[1], [2]]
    assert kit.hub.seen[1].query == {"after": "q"}


async def test_no_page_or_redirect_leads_to_another_origin_or_in_circles(kit: Kit) -> None:
    other = await kit.another_hub()
    kit.hub.on("/x", kit.Reply(json=[1], headers={"Link": f'<{other.base}/x>; rel="next"'}))
    kit.hub.on("/old", kit.Reply(302, headers={"Location": f"{other.base}/x"}))
    kit.hub.on("/round", kit.Reply(302, headers={"Location": "/round"}))
    for path, problem in (
        ("/x", "another origin"),
        ("/old", "another origin"),
        ("/round", "circles"),
    ):
        with pytest.raises(UpstreamError, match=problem):
            _ = [page async for page in kit.client().pages(path, NUMBERS)]
    assert other.seen == []


async def test_an_unchanged_answer_is_free_and_keeps_its_next_page(kit: Kit) -> None:
    kit.hub.on("/x", kit.Reply(json=[1], headers={"Link": '<BASE/y>; rel="next"'}))
    kit.hub.on("/y", kit.Reply(json=[2]))
    cache = TransientCache()
    for free in (0, 2):
        client = kit.client(cache=cache)
        assert [page.value async for page in client.pages("/x", NUMBERS)] == [[1], [2]]
        assert (client.usage.sent, client.usage.free) == (2, free)


async def test_what_one_token_may_see_is_not_served_to_another(kit: Kit) -> None:
    kit.hub.on("/x", kit.Reply(json=[1]))
    cache = TransientCache()
    await kit.client(cache=cache).get("/x", NUMBERS)
    await kit.client(cache=cache, token="another").get("/x", NUMBERS)
    await kit.client(cache=cache, token=None).get("/x", NUMBERS)
    assert all("if-none-match" not in seen.headers for seen in kit.hub.seen)


async def test_a_damaged_cache_entry_is_as_good_as_none(kit: Kit) -> None:
    class Damaged(TransientCache):
        def get(self, key: str) -> bytes | None:
            return b"\xff not what was put"

    kit.hub.on("/x", kit.Reply(json=[1]))
    assert (await kit.client(cache=Damaged()).get("/x", NUMBERS)).value == [1]


async def test_bad_credentials_tell_to_check_the_token_without_showing_it(kit: Kit) -> None:
    kit.hub.on("/x", kit.Reply(401, {"message": "Bad credentials"}))
    with pytest.raises(RequestRefused, match="check GITHUB_TOKEN") as caught:
        await kit.client().get("/x", NUMBERS)
    assert kit.token not in "".join(traceback.format_exception(caught.value))
    assert len(kit.hub.seen) == 1


async def test_error_messages_of_a_hostile_server_are_short_and_printable(kit: Kit) -> None:
    kit.hub.on("/x", kit.Reply(422, {"message": "\x1b[31m\n" + "A" * 9000}))
    with pytest.raises(RequestRefused) as caught:
        await kit.client().get("/x", NUMBERS)
    assert len(str(caught.value)) < 300
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("host", ["ghe.example", "10.0.0.7:8080", "localhost.example"])
def test_a_token_is_not_taken_to_another_machine_in_clear_text(kit: Kit, host: str) -> None:
    with pytest.raises(
        ConfigError, match=r"github_url: .* not encrypted.*; write https://"
    ) as caught:
        kit.client(base=f"http://{host}/api/v3")
    assert kit.token not in str(caught.value)
    assert "\n" not in str(caught.value)
    kit.client(base=f"https://{host}/api/v3")
    kit.client(base=f"http://{host}/api/v3", token=None)


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "[::1]:8080", "localhost"])
def test_a_server_on_this_machine_gets_the_token_without_encryption(kit: Kit, host: str) -> None:
    assert kit.client(base=f"http://{host}").has_token


@pytest.mark.parametrize("token", ["", "two words", "line\nbreak", "käse"])
def test_a_token_that_cannot_be_one_is_refused_unseen(kit: Kit, token: str) -> None:
    with pytest.raises(ConfigError) as caught:
        kit.client(token=token)
    assert not token or token not in str(caught.value)


async def test_the_client_never_shows_its_token(kit: Kit) -> None:
    assert kit.token not in repr(kit.client())
    assert kit.token not in repr(vars(kit.client()))


async def test_no_log_shows_the_token_even_at_debug_level(
    kit: Kit, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    kit.hub.on("/x", kit.Reply(401), kit.Reply(json=[1]))
    client = kit.client()
    with pytest.raises(RequestRefused):
        await client.get("/x", NUMBERS)
    await client.get("/x", NUMBERS)
    Encoder().encode([("authorization", f"Bearer {kit.token}")])
    assert "httpx" in {record.name for record in caplog.records}
    assert "hpack.hpack" not in {record.name for record in caplog.records}
    assert kit.token not in caplog.text


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_inside_the_origin_is_followed_with_the_token(
    kit: Kit, status: int
) -> None:
    kit.hub.on("/old", kit.Reply(status, {"message": "Moved"}, headers={"Location": "BASE/new"}))
    kit.hub.on("/new", kit.Reply(json=[5]))
    page = await kit.client().get("/old", NUMBERS)
    assert (page.value, page.moved) == ([5], True)
    assert kit.hub.seen[1].headers["authorization"] == f"Bearer {kit.token}"


async def test_what_will_not_get_better_is_asked_once(kit: Kit) -> None:
    forbidden = {"message": "Resource not accessible by personal access token"}
    kit.hub.on("/forbidden", kit.Reply(403, forbidden))
    kit.hub.on("/odd", kit.Reply(json=[1, "two"]))
    for path, reason in (("/forbidden", "not accessible"), ("/odd", "'1'")):
        with pytest.raises(UpstreamError, match=reason) as raised:
            await kit.client().get(path, NUMBERS)
        assert not raised.value.retryable
    assert kit.hub.paths == ["/forbidden", "/odd"]
    assert kit.time.slept == []
