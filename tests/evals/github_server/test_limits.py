"""Who may ask how often, and what costs nothing."""

import socket
from collections.abc import Callable

import httpx
import pytest

from evals.github_server.app import GitHubServer
from evals.github_server.limits import Allowance
from evals.worlds.model import Repo

Connect = Callable[..., httpx.Client]
ROCKET = "/repos/acme/rocket"


def test_every_answer_carries_the_headers_of_github(api: httpx.Client) -> None:
    headers = api.get(f"{ROCKET}/issues/1").headers
    assert headers["etag"].startswith('W/"')
    assert len(headers["etag"]) == 68
    assert headers["cache-control"] == "private, max-age=60, s-maxage=60"
    assert (headers["x-ratelimit-limit"], headers["x-ratelimit-resource"]) == ("5000", "core")
    assert headers["last-modified"].endswith("GMT")
    assert headers["server"] == "github.com"
    assert "x-github-request-id" in headers


def test_an_unchanged_answer_is_free_for_whoever_shows_a_token(server: GitHubServer, connect: Connect) -> None:
    for token, cost in (("t0ken", 1), (None, 2)):
        api = connect(server, token=token)
        first = api.get(f"{ROCKET}/commits")
        strong = first.headers["etag"].removeprefix("W/")
        second = api.get(f"{ROCKET}/commits", headers={"If-None-Match": f'"other", {strong}'})
        assert (second.status_code, second.content, second.headers["etag"]) == (304, b"", first.headers["etag"])
        assert int(second.headers["x-ratelimit-used"]) == cost
    assert [(hit.status, hit.free) for hit in server.requests] == [
        (200, False),
        (304, True),
        (200, False),
        (304, False),
    ]


def test_another_page_or_a_new_commit_is_another_etag(server: GitHubServer, connect: Connect) -> None:
    api = connect(server)
    etag = api.get(f"{ROCKET}/commits?per_page=2").headers["etag"]
    assert api.get(f"{ROCKET}/commits?per_page=3", headers={"If-None-Match": etag}).status_code == 200
    server.set_push("acme/rocket", 1)
    assert api.get(f"{ROCKET}/commits?per_page=2", headers={"If-None-Match": etag}).status_code == 200


def test_a_date_answers_as_well_as_an_etag(api: httpx.Client) -> None:
    changed = api.get(f"{ROCKET}/issues/1").headers["last-modified"]
    assert api.get(f"{ROCKET}/issues/1", headers={"If-Modified-Since": changed}).status_code == 304
    old = "Mon, 01 Jan 2001 00:00:00 GMT"
    assert api.get(f"{ROCKET}/issues/1", headers={"If-Modified-Since": old}).status_code == 200
    assert api.get(f"{ROCKET}/issues/1", headers={"If-Modified-Since": "nonsense"}).status_code == 200


def test_a_guest_has_60_requests_and_then_waits_for_the_hour(repos: tuple[Repo, ...], connect: Connect) -> None:
    hour = [1_770_000_000.0]
    with GitHubServer(repos, allowance=Allowance(anonymous=2), clock=lambda: hour[0]) as server:
        guest = connect(server, token=None)
        assert [guest.get(ROCKET).status_code for _ in range(3)] == [200, 200, 403]
        refused = guest.get(ROCKET)
        assert refused.json()["message"].startswith("API rate limit exceeded")
        assert (refused.headers["x-ratelimit-remaining"], refused.headers["x-ratelimit-reset"]) == ("0", "1770003600")
        assert connect(server).get(ROCKET).status_code == 200
        assert guest.get("/rate_limit").json()["resources"]["core"]["remaining"] == 0
        hour[0] += 3600
        assert guest.get(ROCKET).status_code == 200


def test_the_limits_are_those_of_github(api: httpx.Client, shared: GitHubServer, connect: Connect) -> None:
    assert api.get("/rate_limit").json()["rate"]["limit"] == 5000
    assert connect(shared, token=None).get("/rate_limit").json()["rate"]["limit"] == 60


def test_a_wrong_token_is_refused_and_never_written_down(server: GitHubServer, connect: Connect) -> None:
    refused = connect(server, token="stolen").get(ROCKET)
    assert (refused.status_code, refused.json()["message"]) == (401, "Bad credentials")
    assert connect(server, token=None).get(ROCKET, headers={"Authorization": "token t0ken"}).status_code == 200
    assert connect(server, token=None).get(ROCKET, auth=("ada", "t0ken")).status_code == 200
    assert "stolen" not in repr(server.requests)
    assert "t0ken" not in repr(server.requests)


def test_whoever_does_not_say_who_he_is_is_turned_away(server: GitHubServer) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as line:
        line.sendall(f"GET {ROCKET} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: line.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert b"User-Agent" in answer


@pytest.mark.parametrize(
    "head", ["Content-Length: -5", "Content-Length: x", "Content-Length: 99999999999", "Transfer-Encoding: chunked"]
)
def test_a_body_of_nonsensical_length_is_refused(head: str, server: GitHubServer) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as line:
        line.sendall(f"POST /graphql HTTP/1.1\r\nHost: x\r\n{head}\r\n\r\nzzz\r\n".encode())
        assert line.recv(4096).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_can_be_changed(method: str, api: httpx.Client) -> None:
    assert api.request(method, f"{ROCKET}/issues").status_code == 404


def test_an_unknown_version_of_the_api_is_refused(api: httpx.Client) -> None:
    assert api.get(ROCKET, headers={"X-GitHub-Api-Version": "1999-01-01"}).status_code == 400


def test_a_former_name_leads_to_the_repository_by_its_id(api: httpx.Client, shared: GitHubServer) -> None:
    moved = api.get("/repos/old/rocket/commits?per_page=3")
    assert moved.status_code == 301
    assert moved.headers["location"] == f"{shared.url}/repositories/4711/commits?per_page=3"
    assert len(api.get(moved.headers["location"]).json()) == 3


def test_names_are_found_whatever_their_case(api: httpx.Client) -> None:
    assert api.get("/repos/ACME/Rocket").json()["full_name"] == "acme/rocket"


def test_an_enterprise_client_stays_below_its_own_address(shared: GitHubServer, connect: Connect) -> None:
    api = connect(shared, base=shared.ghe_url)
    commits = api.get("repos/acme/rocket/commits?per_page=2")
    assert commits.links["next"]["url"].startswith(f"{shared.url}/api/v3/repositories/4711/commits?")
    assert commits.json()[0]["url"].startswith(f"{shared.url}/api/v3/repos/")
    query = {"query": '{repository(owner:"acme",name:"rocket"){name}}'}
    assert api.post(f"{shared.url}/api/graphql", json=query).json()["data"]["repository"]["name"] == "rocket"


def test_no_answer_leads_to_the_real_github(api: httpx.Client, named: dict[str, str]) -> None:
    for path in ("", "/commits", f"/commits/{named['merge']}", "/issues?state=all", "/pulls?state=all", "/releases"):
        response = api.get(ROCKET + path)
        assert "github.com" not in response.text.replace("users.noreply.github.com", "")
        assert "github.com" not in response.headers.get("link", "")
