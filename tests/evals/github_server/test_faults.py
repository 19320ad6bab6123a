"""What goes wrong on purpose goes wrong exactly as told."""

import time
from collections.abc import Callable

import httpx
import pytest

from agent.errors import InputError
from evals.github_server.app import GitHubServer
from evals.github_server.faults import STORM
from evals.worlds.model import Repo

Connect = Callable[..., httpx.Client]
ROCKET = "/repos/acme/rocket"
QUERY = {"query": '{ a: repository(owner: "acme", name: "rocket") { x: name y: url } rateLimit { cost } }'}


def test_a_bad_gateway_happens_once_and_only_where_it_was_told_to(server: GitHubServer, connect: Connect) -> None:
    api = connect(server)
    server.faults.add("bad_gateway", "/issues", after=1, times=2)
    assert api.get(ROCKET).status_code == 200
    answers = [api.get(f"{ROCKET}/issues") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 502, 502, 200]
    assert answers[1].json() == {"message": "Server Error"}
    assert [hit.fault for hit in server.requests] == ["", "", "bad_gateway", "bad_gateway", ""]
    assert server.faults.fired == [("bad_gateway", f"{ROCKET}/issues")] * 2


def test_error_pages_come_as_html_even_where_json_is_promised(server: GitHubServer, connect: Connect) -> None:
    api = connect(server)
    server.faults.add("unicorn")
    server.faults.add("html_labelled_json")
    unicorn, liar = api.get(ROCKET), api.get(ROCKET)
    assert (unicorn.status_code, unicorn.headers["content-type"]) == (504, "text/html; charset=utf-8")
    assert (liar.status_code, liar.headers["content-type"]) == (503, "application/json; charset=utf-8")
    assert "Unicorn" in unicorn.text
    assert liar.text.startswith("<!DOCTYPE html>")


def test_a_connection_is_reset_without_a_word(server: GitHubServer, connect: Connect) -> None:
    api = connect(server)
    server.faults.add("reset")
    with pytest.raises(httpx.ReadError, match="reset"):
        api.get(ROCKET)
    assert api.get(ROCKET).status_code == 200


def test_half_a_body_arrives_with_the_length_of_the_whole(server: GitHubServer, connect: Connect) -> None:
    api = connect(server)
    server.faults.add("half_body")
    with pytest.raises(httpx.RemoteProtocolError, match="peer closed connection"):
        api.get(f"{ROCKET}/commits")
    assert api.get(f"{ROCKET}/commits").status_code == 200


def test_a_slow_answer_dribbles_and_is_whole_in_the_end(server: GitHubServer, connect: Connect) -> None:
    api = connect(server)
    server.faults.add("slow", seconds=0.3)
    begun = time.monotonic()
    assert len(api.get(f"{ROCKET}/commits?per_page=100").json()) == 100
    assert time.monotonic() - begun >= 0.3


def test_a_slow_answer_does_not_hold_up_the_end_of_the_server(repos: tuple[Repo, ...], connect: Connect) -> None:
    begun = time.monotonic()
    with GitHubServer(repos) as server:
        server.faults.add("slow", seconds=30)
        with pytest.raises(httpx.ReadTimeout):
            connect(server).get(ROCKET, timeout=0.2)
    assert time.monotonic() - begun < 10


def test_limits_are_refused_with_and_without_a_time_to_wait(server: GitHubServer, connect: Connect) -> None:
    api = connect(server)
    for kind in ("forbidden_retry_after", "forbidden_secondary", "primary_exhausted"):
        server.faults.add(kind)
    polite, silent, empty = (api.get(ROCKET) for _ in range(3))
    assert [answer.status_code for answer in (polite, silent, empty)] == [403] * 3
    assert (polite.headers["retry-after"], "retry-after" in silent.headers) == ("1", False)
    assert "secondary rate limit" in silent.json()["message"]
    assert int(silent.headers["x-ratelimit-remaining"]) > 4000
    assert empty.headers["x-ratelimit-remaining"] == "0"
    assert 0 <= int(empty.headers["x-ratelimit-reset"]) - time.time() <= 2
    assert api.get(ROCKET).status_code == 200


def test_the_history_grows_between_two_pages(server: GitHubServer, connect: Connect, named: dict[str, str]) -> None:
    api = connect(server)
    server.set_push("acme/rocket", 0)
    server.faults.add("grow", "/commits", after=1, repo="acme/rocket", push=2)
    first = api.get(f"{ROCKET}/commits?per_page=5")
    second = api.get(first.links["next"]["url"])
    assert first.json()[0]["sha"] == named["edit"]
    assert {commit["sha"] for commit in first.json()} & {commit["sha"] for commit in second.json()} == set()
    assert api.get(f"{ROCKET}/commits").json()[0]["sha"] == named["tip"]
    whole = [commit["sha"] for commit in api.get(f"{ROCKET}/commits?per_page=100").json()]
    assert [commit["sha"] for commit in second.json()] == whole[5:10]


def test_a_redirect_to_another_origin_shows_whether_the_token_travels(
    server: GitHubServer, repos: tuple[Repo, ...], connect: Connect
) -> None:
    with GitHubServer(repos) as elsewhere:
        server.faults.add("redirect_elsewhere", location=elsewhere.url)
        answer = connect(server).get(f"{ROCKET}/issues?page=1", follow_redirects=True)
        assert answer.url == f"{elsewhere.url}{ROCKET}/issues?page=1"
        assert [(hit.query, hit.who) for hit in elsewhere.requests] == [("page=1", "anonymous")]


def test_graphql_fails_in_its_own_ways(server: GitHubServer, connect: Connect) -> None:
    api = connect(server)
    for kind in ("graphql_rate_limited", "graphql_partial", "bad_gateway"):
        server.faults.add(kind, "/graphql")
    limited, partial, gateway, right = (api.post("/graphql", json=QUERY) for _ in range(4))
    assert (limited.status_code, limited.json()["errors"][0]["type"]) == (200, "RATE_LIMITED")
    assert (limited.headers["x-ratelimit-remaining"], limited.headers["x-ratelimit-resource"]) == ("0", "graphql")
    assert partial.json()["data"]["a"] == {"x": "rocket", "y": None}
    assert partial.json()["errors"][0]["path"] == ["a", "y"]
    assert gateway.status_code == 502
    assert "errors" not in right.json()


def test_an_unknown_fault_is_refused_at_once(server: GitHubServer) -> None:
    with pytest.raises(InputError, match="there is no fault 'thunder'"):
        server.faults.add("thunder")


def weather(server: GitHubServer, api: httpx.Client, paths: list[str]) -> list[tuple[str, int]]:
    """Ask each path until it is answered, and tell how often that took."""
    tries = []
    for path in paths:
        for attempt in range(1, 10):
            try:
                if api.get(path).status_code == 200:
                    tries.append((path, attempt))
                    break
            except httpx.TransportError:
                continue
    return tries


def test_a_storm_is_the_same_for_the_same_seed_and_lets_every_request_through_in_the_end(
    repos: tuple[Repo, ...], connect: Connect
) -> None:
    paths = [f"{ROCKET}/issues/{number}" for number in range(10, 40)]
    seen = []
    for order in (paths, paths[::-1]):
        with GitHubServer(repos) as server:
            server.faults.storm(seed=7, rate=0.5, kinds=STORM, seconds=0.01)
            seen.append(sorted(weather(server, connect(server), order)))
            assert 10 < len(server.faults.fired) < 60
            assert {kind for kind, _ in server.faults.fired} >= {"bad_gateway", "reset", "half_body"}
            server.faults.clear()
            assert connect(server).get(ROCKET).status_code == 200
    assert seen[0] == seen[1]
    assert len(seen[0]) == len(paths)
    assert max(tries for _, tries in seen[0]) == 3
