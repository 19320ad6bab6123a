"""The demonstration: a small made-up world, served on loopback and reported on; it needs nothing at all."""

import argparse
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from pydantic import SecretStr

from agent.errors import UsageError
from agent.settings import RepoSpec, Settings
from evals.github_server.app import GitHubServer
from evals.worlds.worlds import build
from gitzette.arguments import settings_for

_SEED = 1
_OF_A_MODEL = (
    "analyst",
    "model",
    "model_url",
    "model_reading",
    "model_writing",
    "model_judging",
    "model_context",
    "prices",
    "budget",
)
_TOKEN = "demo"  # noqa: S105 -- the loopback server's only token


@contextmanager
def demo_world(args: argparse.Namespace, environ: Mapping[str, str]) -> Iterator[tuple[Settings, datetime]]:
    """Build and serve the world while the run lasts; give its settings and its present time."""
    if args.repo:
        raise UsageError("--demo has repositories of its own; leave out --repo")
    with tempfile.TemporaryDirectory(prefix="gitzette-demo-") as name:
        folder = Path(name)
        world = build("demo", _SEED, folder / "world")
        with GitHubServer(world.repos, tokens=(_TOKEN,), now=world.now) as server:
            if not (args.date or args.since):
                args.date = world.notes["reported day"]
            settings = _settings(args, server, [repo.full_name for repo in world.repos], folder)
            yield settings.model_copy(update=_explained(args, environ)), world.now


def _settings(args: argparse.Namespace, server: GitHubServer, names: list[str], folder: Path) -> Settings:
    return Settings(
        repos=tuple(RepoSpec.parse(name) for name in names),
        tz=args.tz or "UTC",
        lang=args.lang or "en",
        layout=args.layout or "digest",
        source=args.source or "both",
        out=args.out or Path("gazette-demo"),
        home=folder / "home",
        github_url=server.url,
        git_url=server.git_url,
        # Reserved for examples: a made-up repository must not link to somebody's real one.
        web_url="https://git.example",
        token=SecretStr(_TOKEN),
    )


def _explained(args: argparse.Namespace, environ: Mapping[str, str]) -> dict[str, object]:
    """Take the reader's own model where one is asked for; else look at no configuration, for it may be broken."""
    if args.analyst != "model":
        return {}
    own = settings_for(args, environ)
    return {key: getattr(own, key) for key in _OF_A_MODEL}
