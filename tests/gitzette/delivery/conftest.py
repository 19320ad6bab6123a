"""Receivers on loopback that hold senders to the real limits of each channel, and reports to send to them."""

import base64
import hashlib
import hmac
import json
import re
import socketserver
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from agent.domain.report import Report
from agent.settings.values import Delivery
from evals.loopback import Loopback
from tests.made_reports import FIRST, made_day

SECRET = "a secret of both sides"


@dataclass
class Receiver:
    """What was accepted and what was refused; `trouble` is answered first, once each."""

    port: int = 0
    accepted: list[Any] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    trouble: list[tuple[int, dict[str, str], str]] = field(default_factory=list)


def slack_fault(body: bytes) -> str | None:
    data = json.loads(body)
    blocks = data["blocks"]
    if len(blocks) > 50:
        return "invalid_blocks"
    if len(json.dumps(blocks, ensure_ascii=False)) > 13_172:
        return "msg_blocks_too_long"
    for block in blocks:
        text = block["text"]["text"]
        if block["type"] != "section" or not 1 <= len(text) <= 3_000:
            return "invalid_blocks"
        if fault := control_sequence(text):
            return fault
    return control_sequence(data["text"])


def control_sequence(text: str) -> str | None:
    """Find anything between angle brackets that is no link with a label, as a mention is."""
    link_texts = re.findall(r"<([^>]*)>", text)
    wrong = [link for link in link_texts if not re.fullmatch(r"https?://[^\s<>|]+\|[^<>|]+", link)]
    return f"a control sequence: {wrong[0]}" if wrong else None


def feishu_fault(body: bytes) -> str | None:
    if len(body) > 20 * 1_024:
        return '{"code":9499,"msg":"Bad Request","data":{}}'
    data = json.loads(body)
    key = f"{data['timestamp']}\n{SECRET}".encode()
    signed = base64.b64encode(hmac.new(key, b"", hashlib.sha256).digest()).decode()
    if signed != data["sign"] or abs(time.time() - int(data["timestamp"])) > 3_600:
        return '{"code":19021,"msg":"sign match fail or timestamp is not within one hour from current time"}'
    (post,) = data["content"]["post"].values()
    pieces = [piece for line in post["content"] for piece in line]
    if data["msg_type"] != "post" or {piece["tag"] for piece in pieces} - {"text", "a"}:
        return '{"code":19002,"msg":"params error"}'
    if any("<at" in piece["text"] for piece in pieces):
        return '{"code":19002,"msg":"somebody is named"}'
    return None


FAULTS = {
    "/slack": (slack_fault, 400, 200, "ok"),
    "/feishu": (feishu_fault, 200, 200, '{"code":0}'),
}


class Services(Loopback):
    """Answers as the services do."""

    def __init__(self, receiver: Receiver) -> None:
        super().__init__()
        self.receiver, receiver.port = receiver, int(self.url.rpartition(":")[2])
        self.start(self)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        request = Request(scope, receive)
        body = await request.body()
        if self.receiver.trouble:
            status, headers, reply_text = self.receiver.trouble.pop(0)
            await Response(reply_text, status, headers)(scope, receive, send)
            return
        find, refused, taken, reply_text = FAULTS.get(request.url.path, (None, 401, 204, ""))
        fault = (
            find(body) if find else hook_fault(body, request.headers.get("X-Gitzette-Signature"))
        )
        if fault:
            self.receiver.refused.append(fault)
        else:
            self.receiver.accepted.append(json.loads(body))
        await Response(fault or reply_text, refused if fault else taken)(scope, receive, send)


def hook_fault(body: bytes, signature: str | None) -> str | None:
    signed = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    return (
        "too large"
        if len(body) > 1_048_576
        else None
        if signature == f"sha256={signed}"
        else "who are you?"
    )


class MailHandler(socketserver.StreamRequestHandler):
    """A mail server that keeps to RFC 5321: lines of 998 bytes, dots."""

    receiver: Receiver

    def handle(self) -> None:
        self._say("220 mail.test ESMTP")
        for line in self.rfile:
            verb = line.split()[0].upper() if line.split() else b""
            if verb == b"MAIL" and self.receiver.trouble:
                code, _, reply_text = self.receiver.trouble.pop(0)
                self._say(f"{code} {reply_text}")
            elif verb == b"DATA":
                self._say("354 go on")
                self._say(self._taken())
            elif verb == b"QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250-mail.test\r\n250 8BITMIME" if verb == b"EHLO" else "250 fine")

    def _taken(self) -> str:
        lines: list[bytes] = []
        for line in self.rfile:
            if line == b".\r\n":
                break
            if len(line) > 1_000:
                self.receiver.refused.append("a line is too long")
            lines.append(line.removeprefix(b".") if line.startswith(b"..") else line)
        mail = message_from_bytes(b"".join(lines), policy=default)
        assert isinstance(mail, EmailMessage)
        page = mail.get_body(("html",))
        assert page is not None
        if len(page.get_content().encode()) > 102 * 1_000:
            self.receiver.refused.append("Gmail would clip it")
        self.receiver.accepted.append(mail)
        return "552 refused" if self.receiver.refused else "250 taken"

    def _say(self, text: str) -> None:
        self.wfile.write(f"{text}\r\n".encode())


@dataclass(frozen=True)
class Sinks:
    """A receiver for HTTP and one for mail, a channel of each kind, and the variables that hold their addresses."""

    web: Receiver
    mail: Receiver

    @property
    def environ(self) -> dict[str, str]:
        paths = {
            name.upper(): f"http://127.0.0.1:{self.web.port}/{name}"
            for name in ("slack", "feishu", "hook")
        }
        return paths | {"SMTP": f"smtp://127.0.0.1:{self.mail.port}", "SECRET": SECRET}

    @property
    def specs(self) -> tuple[Delivery, ...]:
        return (
            Delivery(
                kind="email", address_env="SMTP", sender="g@example.org", to=("team@example.org",)
            ),
            Delivery(kind="slack", address_env="SLACK"),
            Delivery(kind="feishu", address_env="FEISHU", secret_env="SECRET"),
            Delivery(kind="webhook", address_env="HOOK", secret_env="SECRET"),
        )


@pytest.fixture
def sinks() -> Iterator[Sinks]:
    web = Receiver()
    mail = Receiver()
    services = Services(web)
    with socketserver.ThreadingTCPServer(
        ("127.0.0.1", 0), type("Own", (MailHandler,), {"receiver": mail})
    ) as server:
        mail.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield Sinks(web, mail)
        server.shutdown()
        thread.join()
    services.stop()


@pytest.fixture(scope="session")
def busy() -> Report:
    """The report of a busy day: more than 200 commits in eight repositories."""
    return made_day(FIRST, most=50)


@pytest.fixture(scope="session")
def calm(busy: Report) -> Report:
    """A smaller report of the same day."""
    shas = {row.sha for row in busy.ledger[:25]}
    claims = []
    for claim in busy.claims:
        if not shas.isdisjoint(commit.sha for commit in claim.about):
            claims.append(claim)
    return busy.model_copy(
        update={"ledger": busy.ledger[:25], "claims": tuple(claims), "links": (), "stories": ()}
    )


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A folder in which reports are."""
    folder = tmp_path / "out"
    (folder / "reports").mkdir(parents=True)
    return folder
