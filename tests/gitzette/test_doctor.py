"""The doctor: what it looks at, what it says, and its exit status."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from evals.loopback import Loopback
from gitzette.cli import main
from tests.gitzette.conftest import Engine

pytestmark = pytest.mark.usefixtures("corner")


class Examined:
    """What the doctor said as data."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        capsys.readouterr()
        self.status = main(["doctor", "--json"])
        data = json.loads(capsys.readouterr().out)
        self.verdict: str = data["verdict"]
        self.ok: bool = data["ok"]
        self.all = data["findings"]
        self.findings = {finding["what"]: (finding["ok"], finding["says"]) for finding in data["findings"]}


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


def test_a_fresh_folder_is_well_and_the_last_line_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].startswith("all is well")
    told = "\n".join(lines)
    for what in ("configuration", "output", "reports: none yet", "memory", "git", "token"):
        assert what in told
    assert "model" not in told
    assert not Path("gazette").exists()


def test_missing_days_and_clones_are_named_with_what_makes_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Engine.made(tmp_path / "engine")
    Path("gitzette.toml").write_text(f'repos = ["a/engine={tmp_path}/engine"]')
    today = datetime.now(UTC).date()
    main(["run", "--date", str(today - timedelta(days=2))])
    found = Examined(capsys)
    assert "yesterday's is due" in found.findings["reports"][1]
    assert found.findings["clone"] == (True, f"a/engine: {tmp_path}/engine")
    main(["run", "--date", str(today - timedelta(days=4))])
    found = Examined(capsys)
    assert found.findings["reports"][0] is False
    assert f"missing or failed: {today - timedelta(days=3)}: `gitzette run --catch-up`" in found.findings["reports"][1]
    main(["run", "--catch-up"])
    assert Examined(capsys).status == 0
    (tmp_path / "engine").rename(tmp_path / "away")
    found = Examined(capsys)
    assert (found.status, found.verdict) == (3, "needs care: clone")


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
    status: int, body: bytes, ok: bool, says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with endpoint(status, body) as (url, keys):
        monkeypatch.setenv("GITZETTE_MODEL_URL", url)
        monkeypatch.setenv("GITZETTE_MODEL", "large")
        monkeypatch.setenv("OPENAI_API_KEY", "c4nary")
        found = Examined(capsys)
    told = [one["says"] for one in found.all if one["what"] == "model"]
    assert says.format(url=url) in told[0]
    assert set(keys) == {"Bearer c4nary"}
    # Where the list is one, the server is also asked what it can do; this one cannot chat.
    assert not ok or "large does not answer small questions" in told[1]
    assert "c4nary" not in json.dumps(found.findings)
    assert found.status == 3
