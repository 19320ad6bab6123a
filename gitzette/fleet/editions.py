"""What settings say of workers: which editions there are, what has to be read for each, which limits all share."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from hashlib import sha256

from agent.domain.base import ConfigError, RepoId
from agent.domain.window import Window, zone
from agent.settings.values import Recipe, RepoSpec, Settings
from memory.fleet import Fleet

_LEFT_TO_PEOPLE = 0.1
_LONGEST_NAP = 30.0
Admission = Callable[[], Awaitable[None]]  # Waits until one more request may be sent


def editions_of(settings: Settings) -> dict[str, Settings]:
    """Give each edition by its name with the settings that it has; one without a name where none is configured."""
    if not settings.repos:
        raise ConfigError(
            "workers need repositories: name them as repos in gitzette.toml, the same on every machine"
        )
    found, by_name = dict[str, Settings](), {spec.name: spec for spec in settings.repos}
    for one in settings.edition:
        own = {name: getattr(one, name) for name in ("tz", "lang", "languages", "layout")}
        given = {name: value for name, value in own.items() if value is not None}
        given |= {
            "repos": tuple(by_name[name] for name in one.repos) or settings.repos,
            "out": settings.out / one.name,
        }
        if one.deliver is not None:
            given["deliver"] = tuple(
                channel for channel in settings.deliver if channel.called in one.deliver
            )
        found[one.name] = settings.model_copy(update=given)
    return found or {"": settings}


def edition_of(settings: Settings, name: str) -> Settings:
    """Give the settings of one edition."""
    found = editions_of(settings)
    if name not in found:
        raise ConfigError(f"there is no edition {name!r} in this machine's gitzette.toml")
    return found[name]


def shown_edition(settings: Settings, name: str | None) -> tuple[str, Settings]:
    """Choose the edition that a machine shows: the one asked for, else the first; one machine alone has none."""
    if name is None and not (settings.database and settings.edition):
        return "", settings
    chosen = name or settings.edition[0].name
    return chosen, edition_of(settings, chosen)


@dataclass(frozen=True)
class PartPlan:
    """One repository and day, with everything that shapes what is said of it."""

    settings: Settings
    recipe: Recipe
    beside: tuple[RepoSpec, ...]  # The other repositories of the editions that have it
    spec: RepoSpec
    key: str  # The name of the part: another one for everything that would be said otherwise
    run: str  # The id of the run that reads it, the same on every machine that takes it up


def part_plan(settings: Settings, repo: RepoId, window: Window) -> PartPlan:
    """Plan the reading of a repository for all editions that have it: in all their languages, beside all theirs."""
    mine = [
        one
        for one in editions_of(settings).values()
        if one.tz == window.tz and repo in {s.name for s in one.repos}
    ]
    if not mine:
        raise ConfigError(
            f"no edition has {repo} in {window.tz}; the machines' gitzette.toml differ"
        )
    first, *languages = dict.fromkeys(lang for one in mine for lang in (one.lang, *one.languages))
    specs = {spec.name: spec for one in mine for spec in one.repos}
    spec = specs.pop(repo)
    shape = {
        "lang": first,
        "languages": tuple(languages),
        "layout": "digest",
        "tz": window.tz,
        "repos": (spec,),
    }
    part = settings.model_copy(update=shape)
    recipe = Recipe.of(part, window, (spec,))
    key = f"{repo} {window.key} {_hash(f'{recipe.model_dump_json()} {[str(name) for name in specs]}')}"
    return PartPlan(part, recipe, tuple(specs.values()), spec, key, f"part-{_hash(key)}")


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def day_window(day: str, tz: str) -> Window:
    """Give the window of a day."""
    return Window.days(date.fromisoformat(day), date.fromisoformat(day), tz)


def missing_days(settings: Settings, published: Mapping[str, object], now: datetime) -> list[str]:
    """List the days that an edition lacks up to yesterday, oldest first; nothing is missed before the first one."""
    last = Window.yesterday(now, settings.tz).start.astimezone(zone(settings.tz)).date()
    oldest = last - timedelta(days=settings.catch_up_days - 1)
    first = max(date.fromisoformat(min(published)), oldest) if published else last
    days = [(first + timedelta(days=count)).isoformat() for count in range((last - first).days + 1)]
    return [day for day in days if day not in published]


def request_limit(
    fleet: Fleet, settings: Settings, *, background: bool = False
) -> Admission | None:
    """Limit the requests to GitHub of all machines with this token; work in the background leaves some to people."""
    token, limits = settings.token.get_secret_value() if settings.token else "", settings.limits
    most = limits.requests if settings.database else None
    return _admission(
        fleet, f"requests {_hash(token)}", most, limits.requests_seconds, background=background
    )


def model_limit(
    fleet: Fleet, settings: Settings, environ: Mapping[str, str], *, background: bool = False
) -> Admission | None:
    """Limit the questions to a model of all machines with this key."""
    key, limits = f"{settings.model_url} {environ.get('OPENAI_API_KEY', '')}", settings.limits
    most = limits.model_calls if settings.database else None
    return _admission(
        fleet, f"model {_hash(key)}", most, limits.model_seconds, background=background
    )


def _admission(
    fleet: Fleet, name: str, most: int | None, seconds: int, *, background: bool
) -> Admission | None:
    if most is None:
        return None
    allowed = max(1, int(most * (1 - _LEFT_TO_PEOPLE))) if background else most

    async def admit() -> None:
        while (wait := fleet.take(name, allowed, seconds)) > 0:  # noqa: ASYNC110 -- nobody tells us
            # Not all at the same moment.
            await asyncio.sleep(min(wait, _LONGEST_NAP) + random.uniform(0, 0.5))  # noqa: S311

    return admit
