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
_OF_A_MODEL = {"prices", "budget", "analyst", "model", "model_url", "model_context"}
_OF_A_MODEL |= {"model_reading", "model_writing", "model_judging"}
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
            yield _settings(args, environ, server, [repo.full_name for repo in world.repos], folder), world.now


def _settings(
    args: argparse.Namespace, environ: Mapping[str, str], server: GitHubServer, names: list[str], folder: Path
) -> Settings:
    """Take the reader's own model where one is asked for; else look at no configuration, for it may be broken."""
    own = settings_for(args, environ) if args.analyst == "model" else None
    model = {key: getattr(own, key) for key in _OF_A_MODEL} if own else {}
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
    ).model_copy(update=model)
