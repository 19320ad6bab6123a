"""The demo: a small world written by hand, served on loopback, with recorded answers."""

import argparse
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

from agent.domain.errors import UsageError
from agent.domain.window import Window
from agent.ports import Progress
from agent.settings.values import ReportShape, Settings
from evals.github_server.app import GitHubServer
from evals.worlds.data_model import World
from evals.worlds.worlds_from_toml import read_world
from gitzette.day_run import run_day
from gitzette.settings_from_arguments import settings_for

DATA = Path(__file__).with_name("data") / "demo"
TOKEN = "demo"  # noqa: S105 -- the loopback server's only token
_NIGHT = timedelta(hours=8)  # Between the end of a day and its report
_DAY = timedelta(days=1)


@dataclass(frozen=True)
class DemoWorld:
    """The world while it is served, and the settings of a run that reports on it."""

    settings: Settings
    world: World
    server: GitHubServer

    @property
    def now(self) -> datetime:
        """The present of the world."""
        return self.world.now

    async def report_earlier_days(self, window: Window, display: Progress) -> None:
        """Report on the days before a window, each seen on the morning after it.

        Rules write these reports; the report on the window then remembers them.
        """
        settings = self.settings.model_copy(update={"analyst": "rules", "model": None})
        day = date.fromisoformat(self.world.notes["first day"])
        earlier = Window.days(day, day, settings.tz)
        while earlier.end <= window.start:
            morning = earlier.end + _NIGHT
            self.server.move_to(morning)
            await run_day(settings, {}, earlier, settings.repos, morning, display)
            day += _DAY
            earlier = Window.days(day, day, settings.tz)
        self.server.move_to(self.now)


@contextmanager
def demo_world(args: argparse.Namespace, environ: Mapping[str, str]) -> Iterator[DemoWorld]:
    """Build and serve the world while the run lasts."""
    if args.repo:
        raise UsageError("--demo has repositories of its own; leave out --repo")
    with tempfile.TemporaryDirectory(prefix="gitzette-demo-") as name:
        folder = Path(name)
        world = read_world(DATA, folder / "world")
        with GitHubServer(world.repos, tokens=(TOKEN,), now=world.now) as server:
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
                "token": TOKEN,
            }
            settings = Settings.model_validate(values | _requested_settings(args, environ))
            yield DemoWorld(settings, world, server)


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
