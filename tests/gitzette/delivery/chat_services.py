"""The services that Apprise speaks to, on loopback: they are asked by their real names, over TLS."""

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HOSTS = ("discord.com", "api.telegram.org", "prod-01.westus.logic.azure.com")
LIMITS = {
    "discord": 2_000,  # characters of the content
    "telegram": 4_096,  # characters of the text
    "mattermost": 4_000,  # characters of the text, on older servers
    "teams": 28_000,  # bytes of the card
    "ntfy": 4_096,  # bytes of the message; a longer one arrives as a file
    "matrix": 65_536,  # bytes of the event
    "gotify": 60_000,
}


@dataclass
class Trouble:
    """An answer that is given once, in place of the service's own."""

    status: int
    body: str = ""


@dataclass
class ChatServices:
    """What arrived, by the name of the service; `trouble` is answered first, once each."""

    port: int = 0
    messages: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    trouble: list[Trouble] = field(default_factory=list)

    @property
    def addresses(self) -> dict[str, str]:
        """The address of each service, as a user writes it, with its made-up secret."""
        here = f"127.0.0.1:{self.port}"
        return {
            "discord": "discord://4174216298/discord-s3cret-token-of-a-webhook",
            "telegram": "tgram://123456789:telegram_s3cret_token/12315544/",
            "teams": "workflows://prod-01.westus.logic.azure.com:443/W0RKFLOW/teams-s3cret/",
            "mattermost": f"mmost://{here}/mmosts3cret113474722377935511fc8",
            "matrix": f"matrix://bot:matrix-s3cret@{here}/%21room%3Amatrix.test",
            "ntfy": f"ntfy://:ntfy-s3cret@{here}/gazette",
            "gotify": f"gotify://{here}/gotify-s3cret",
        }

    def answer(self, host: str, method: str, path: str, body: bytes) -> tuple[int, str]:
        """Take a request as the service would that it was sent to."""
        if self.trouble:
            trouble = self.trouble.pop(0)
            return trouble.status, trouble.body
        if "/_matrix/" in path and "/send/" not in path:
            login = {"access_token": "t", "user_id": "@bot:matrix.test", "room_id": "!room:x"}
            return 200, json.dumps(login | {"device_id": "D", "home_server": "matrix.test"})
        name = _service_of(host, path)
        message = json.loads(body)
        if _size(name, message, body) > LIMITS[name]:
            self.refused.append(f"{name}: too long")
            return 400, "too long"
        self.messages.setdefault(name, []).append(message)
        return 200, json.dumps({"ok": True, "event_id": "$1", "result": {"message_id": 1}})


def _service_of(host: str, path: str) -> str:
    by_host = {
        "discord.com": "discord",
        "api.telegram.org": "telegram",
        "prod-01.westus.logic.azure.com": "teams",
    }
    if host in by_host:
        return by_host[host]
    if path.startswith("/hooks/"):
        return "mattermost"
    if "/_matrix/" in path:
        return "matrix"
    return "gotify" if path == "/message" else "ntfy"


def _size(name: str, message: dict[str, Any], body: bytes) -> int:
    texts = {"discord": "content", "telegram": "text", "mattermost": "text"}
    if name in texts:
        return len(message[texts[name]])
    if name == "ntfy":
        return len(message["message"].encode())
    return len(body)


def shown(name: str, message: dict[str, Any]) -> str:
    """Return the text of a message as its service reads it."""
    if name == "teams":
        (attachment,) = message["attachments"]
        return "\n".join(block["text"] for block in attachment["content"]["body"])
    keys = {
        "discord": "content",
        "telegram": "text",
        "mattermost": "text",
        "matrix": "formatted_body",
    }
    return str(message[keys.get(name, "message")])


@contextmanager
def serving(folder: Path) -> Iterator[tuple[ChatServices, dict[str, str]]]:
    """Serve on loopback; also give the variables by which clients come here with every host."""
    certificate = _certificate(folder)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate)
    services = ChatServices()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        host = "127.0.0.1"

        def do_CONNECT(self) -> None:
            self.host = self.path.partition(":")[0]
            self.send_response(200)
            self.end_headers()
            self.connection = tls.wrap_socket(self.connection, server_side=True)
            self.rfile = self.connection.makefile("rb")
            self.wfile = self.connection.makefile("wb", buffering=0)
            self.close_connection = False

        def finish(self) -> None:
            super().finish()
            self.connection.close()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = urlsplit(self.path).path
            status, text = services.answer(self.host, self.command, path, body)
            data = text.encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_PUT = do_POST

        def log_message(self, *_: Any) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        services.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        proxy = f"http://127.0.0.1:{server.server_port}"
        variables = {"HTTPS_PROXY": proxy, "https_proxy": proxy, "NO_PROXY": "127.0.0.1"}
        yield services, variables | {"REQUESTS_CA_BUNDLE": str(certificate)}
        server.shutdown()
        thread.join()


def _certificate(folder: Path) -> Path:
    """Write a key and a certificate for the services' names into one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "loopback")])
    start = datetime.now(UTC) - timedelta(hours=1)
    names = x509.SubjectAlternativeName([x509.DNSName(host) for host in HOSTS])
    authority = x509.BasicConstraints(ca=True, path_length=None)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + timedelta(days=2))
        .add_extension(names, critical=False)
        .add_extension(authority, critical=True)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file = folder / "loopback.pem"
    file.write_bytes(secret + certificate.public_bytes(serialization.Encoding.PEM))
    return file
