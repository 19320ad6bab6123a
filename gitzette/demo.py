"""The demonstration: a small made-up world, served on loopback and analysed by recorded answers."""

import argparse
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from agent.domain.base import UsageError
from agent.settings.values import ReportShape, Settings
from evals.github_server.app import GitHubServer
from evals.worlds.worlds import build
from gitzette.arguments import settings_for

_SEED = 1
_TOKEN = "demo"  # noqa: S105 -- the loopback server's only token


@contextmanager
def demo_world(
    args: argparse.Namespace, environ: Mapping[str, str]
) -> Iterator[tuple[Settings, datetime]]:
    """Build and serve the world while the run lasts; yield its settings and its present time."""
    if args.repo:
        raise UsageError("--demo has repositories of its own; leave out --repo")
    with tempfile.TemporaryDirectory(prefix="gitzette-demo-") as name:
        folder = Path(name)
        world = build("demo", _SEED, folder / "world")
        with GitHubServer(world.repos, tokens=(_TOKEN,), now=world.now) as server:
            if not (args.date or args.since):
                args.date = world.notes["reported day"]
            values = {
                "repos": [repo.full_name for repo in world.repos],
                "out": "gazette-demo",
                "site": True,
                "home": folder / "home",
                "github_url": server.url,
                "git_url": server.git_url,
                # Reserved for examples: a made-up repository must not link to somebody's real one.
                "web_url": "https://git.example",
                "token": _TOKEN,
            }
            yield Settings.model_validate(values | _requested_settings(args, environ)), world.now


def _requested_settings(args: argparse.Namespace, environ: Mapping[str, str]) -> dict[str, object]:
    """Return the settings that the command line gives, with the reader's own model if asked for.

    Otherwise no configuration is read, because it may be broken.
    """
    given: dict[str, object] = {}
    for name in ("tz", "lang", "layout", "source", "out"):
        if getattr(args, name):
            given[name] = getattr(args, name)
    if args.analyst is None:
        return given | {"analyst": "model", "model": "recorded answers", "languages": ("en", "zh")}
    if args.analyst == "rules":
        return given
    configured = settings_for(args, environ)
    for name in ReportShape.model_fields:
        if name.startswith(("model", "prices", "budget")):
            given[name] = getattr(configured, name)
    return given | {"analyst": "model"}
