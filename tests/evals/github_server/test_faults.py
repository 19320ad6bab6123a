"""What goes wrong on purpose goes wrong exactly as told."""

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from urllib.parse import urlsplit

import httpx
import pytest

from agent.domain.errors import InputError
from evals.github_server.app import GitHubServer
from evals.github_server.faults import STORM
from evals.worlds.data_model import Repo

Connect = Callable[..., httpx.Client]
ROCKET = "/repos/acme/rocket"


def test_a_fault_happens_as_often_and_where_it_was_told_to(
    server: GitHubServer, api: httpx.Client
) -> None:
    server.faults.add("bad_gateway", "/issues", after=1, times=2)
    assert api.get(ROCKET).status_code == 200
    assert [api.get(f"{ROCKET}/issues").status_code for _ in range(4)] == [200, 502, 502, 200]
    assert server.faults.fired == [("bad_gateway", f"{ROCKET}/issues")] * 2
    with pytest.raises(InputError, match="there is no fault 'thunder'"):
        server.faults.add("thunder")


@pytest.mark.parametrize(
    ("kind", "error"), [("reset", httpx.ReadError), ("half_body", httpx.RemoteProtocolError)]
)
def test_a_connection_breaks_and_the_next_one_works(
    server: GitHubServer, api: httpx.Client, kind: str, error: type[Exception]
) -> None:
    server.faults.add(kind)
    with pytest.raises(error):
        api.get(f"{ROCKET}/commits")
    assert api.get(f"{ROCKET}/commits").status_code == 200


def test_a_slow_answer_is_whole_in_the_end_and_does_not_hold_up_the_end_of_the_server(
    repos: tuple[Repo, ...], connect: Connect
) -> None:
    begun = time.monotonic()
    with GitHubServer(repos) as server:
        server.faults.add("slow", seconds=0.2)
        server.faults.add("slow", seconds=30)
        assert len(connect(server).get(f"{ROCKET}/commits").json()) == 30
        assert time.monotonic() - begun >= 0.2
        with pytest.raises(httpx.ReadTimeout):
            connect(server).get(ROCKET, timeout=0.2)
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize("path", ["/graphql", "/acme/rocket.git/git-upload-pack"])
def test_a_client_that_goes_away_in_the_middle_of_a_request_is_no_crash_of_the_server(
    repos: tuple[Repo, ...], connect: Connect, path: str
) -> None:
    with GitHubServer(repos) as server:
        address = urlsplit(server.url)
        with socket.create_connection((address.hostname, address.port)) as client:
            request = (
                f"POST {path} HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: 100\r\n\r\n"
            )
            client.sendall(request.encode() + b"half of a bo")
            # One that came later is answered, so the server is waiting for the rest of this body.
            assert connect(server).get(ROCKET).status_code == 200
        assert connect(server).get(ROCKET).status_code == 200
        assert connect(server).get(ROCKET).status_code == 200


def weather(api: httpx.Client, paths: list[str]) -> list[tuple[str, int]]:
    """Ask each path until it is answered, and tell how often that took."""
    tries = []
    for path in paths:
        for attempt in range(1, 9):
            with suppress(httpx.TransportError):
                if api.get(path).status_code == 200:
                    tries.append((path, attempt))
                    break
    return tries


def test_a_storm_is_the_same_for_the_same_seed_and_lets_every_request_through_in_the_end(
    repos: tuple[Repo, ...], connect: Connect
) -> None:
    paths = [f"{ROCKET}/issues/{number}" for number in range(10, 25)]
    seen = []
    for order in (paths, paths[::-1]):
        with GitHubServer(repos) as server:
            server.faults.storm(seed=7, rate=0.5, kinds=STORM, seconds=0.01)
            seen.append(sorted(weather(connect(server), order)))
            assert {kind for kind, _ in server.faults.fired} >= {
                "bad_gateway",
                "reset",
                "half_body",
            }
    assert seen[0] == seen[1]
    assert len(seen[0]) == len(paths)
    assert max(tries for _, tries in seen[0]) == 3
