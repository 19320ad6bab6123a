"""The doctor: what it looks at, what it says, and its exit status."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evals.loopback import Loopback
from tests.gitzette.conftest import Command, Engine, Told

Findings = dict[str, tuple[bool, str]]


@pytest.fixture
def examine(command: Command) -> Callable[[], tuple[Told, Findings]]:
    """Give what the doctor says as data, and the last finding of each kind."""

    def examined() -> tuple[Told, Findings]:
        told = command("doctor", "--json")
        return told, {finding["what"]: (finding["ok"], finding["says"]) for finding in told.data["findings"]}

    return examined


@contextmanager
def endpoint(status: int, body: bytes) -> Iterator[tuple[str, list[str | None]]]:
    """Serve one answer to everything, and note the keys that came with the questions."""
    keys: list[str | None] = []

    async def answer(request: Request) -> Response:
        keys.append(request.headers.get("authorization"))
        return Response(body, status if request.url.path == "/v1/models" else 404)

    server = Loopback()
    server.start(Starlette(routes=[Route("/{_:path}", answer, methods=["GET", "POST"])]))
    yield f"{server.url}/v1", keys
    server.stop()


def test_a_fresh_folder_is_well_and_the_last_line_says_so(command: Command) -> None:
    told = command("doctor")
    assert told.status == 0
    assert told.out.splitlines()[-1].startswith("all is well")
    for what in ("configuration", "output", "reports: none yet", "memory", "git", "token"):
        assert what in told.out
    assert "model" not in told.out
    assert not Path("gazette").exists()


def test_missing_days_and_clones_are_named_with_what_makes_them(
    tmp_path: Path, command: Command, examine: Callable[[], tuple[Told, Findings]]
) -> None:
    Engine.made(tmp_path / "engine")
    Path("gitzette.toml").write_text(f'repos = ["a/engine={tmp_path}/engine"]')
    today = datetime.now(UTC).date()
    command("run", "--date", str(today - timedelta(days=2)))
    _, found = examine()
    assert "yesterday's is due" in found["reports"][1]
    assert found["clone"] == (True, f"a/engine: {tmp_path}/engine")
    command("run", "--date", str(today - timedelta(days=4)))
    ok, says = examine()[1]["reports"]
    assert (ok, f"missing or failed: {today - timedelta(days=3)}: `gitzette run --catch-up`" in says) == (False, True)
    command("run", "--catch-up")
    assert examine()[0].status == 0
    (tmp_path / "engine").rename(tmp_path / "away")
    told, _ = examine()
    assert (told.status, told.data["verdict"]) == (3, "needs care: clone")


@pytest.mark.parametrize(
    ("status", "body", "ok", "says"),
    [
        (200, b'{"object": "list", "data": [{"id": "small"}, {"id": "large"}]}', True, "answers; models offered: 2"),
        (200, b'{"data": [{"id": "small"}]}', False, "answers, but does not offer large"),
        (401, b"{}", False, "{url}/models refuses the key (HTTP 401)"),
        (200, b"<html>", False, "does not answer with a list of models"),
    ],
)
def test_the_endpoint_of_a_model_is_asked_where_one_is_configured(
    status: int, body: bytes, ok: bool, says: str, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    with endpoint(status, body) as (url, keys):
        monkeypatch.setenv("GITZETTE_MODEL_URL", url)
        monkeypatch.setenv("GITZETTE_MODEL", "large")
        monkeypatch.setenv("OPENAI_API_KEY", "c4nary")
        examined = command("doctor", "--json")
    told = [one["says"] for one in examined.data["findings"] if one["what"] == "model"]
    assert says.format(url=url) in told[0]
    assert set(keys) == {"Bearer c4nary"}
    # Where the list is one, the server is also asked what it can do; this one cannot chat.
    assert not ok or "large does not answer small questions" in told[1]
    assert "c4nary" not in examined.out + examined.err
    assert examined.status == 3
