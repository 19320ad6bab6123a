"""Plans of the editions of several machines: their settings, the parts to read for each, and shared limits."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from agent.domain.base import Language, RepoId
from agent.domain.errors import ConfigError
from agent.domain.window import Window, zone
from agent.settings.values import Edition, Recipe, RepoSpec, Settings
from memory.fleet import Fleet

_LEFT_TO_PEOPLE = 0.1  # The share of a limit that background work does not use
_MAX_SLEEP_SECONDS = 30.0
_EDITION_SETTINGS = ("tz", "lang", "languages", "layout")  # Those that an edition may override
Admission = Callable[[], Awaitable[None]]  # Waits until one more request may be sent


def editions_of(settings: Settings) -> dict[str, Settings]:
    """Return the settings of each edition by its name.

    If none is configured, there is one without a name.
    """
    if not settings.repos:
        raise ConfigError(
            "workers need repositories: name them as repos in gitzette.toml,"
            " the same on every machine"
        )
    editions: dict[str, Settings] = {}
    for edition in settings.edition:
        editions[edition.name] = _edition_settings(settings, edition)
    return editions or {"": settings}


def _edition_settings(settings: Settings, edition: Edition) -> Settings:
    specs = {spec.name: spec for spec in settings.repos}
    update: dict[str, Any] = {
        "repos": tuple(specs[name] for name in edition.repos) or settings.repos,
        "out": settings.out / edition.name,
    }
    for name in _EDITION_SETTINGS:
        value = getattr(edition, name)
        if value is not None:
            update[name] = value
    if edition.deliver is not None:
        names = edition.deliver
        update["deliver"] = tuple(
            channel for channel in settings.deliver if channel.called in names
        )
    return settings.model_copy(update=update)


def edition_of(settings: Settings, name: str) -> Settings:
    """Return the settings of one edition."""
    editions = editions_of(settings)
    if name not in editions:
        raise ConfigError(f"there is no edition {name!r} in this machine's gitzette.toml")
    return editions[name]


class ShownEdition(NamedTuple):
    """The edition that a machine shows."""

    name: str  # Empty where there is no database or no edition
    settings: Settings


def shown_edition(settings: Settings, name: str | None) -> ShownEdition:
    """Return the edition with a name, or the first one; a single machine has none."""
    if name is None and not (settings.database and settings.edition):
        return ShownEdition("", settings)
    chosen = name or settings.edition[0].name
    return ShownEdition(chosen, edition_of(settings, chosen))


@dataclass(frozen=True)
class PartPlan:
    """One repository and day, with everything that shapes the part of a report about it."""

    settings: Settings
    recipe: Recipe
    beside: tuple[RepoSpec, ...]  # The other repositories of the editions that have it
    spec: RepoSpec
    key: str  # The name of the part; it differs if anything that shapes the part does
    run: str  # The id of the run that reads it, the same on every machine


def part_plan(settings: Settings, repo: RepoId, window: Window) -> PartPlan:
    """Return the plan to read a repository once for all editions that have it.

    It is read in all their languages, beside all their repositories.
    """
    languages: dict[Language, None] = {}
    specs: dict[RepoId, RepoSpec] = {}
    for edition in editions_of(settings).values():
        if edition.tz != window.tz or repo not in {spec.name for spec in edition.repos}:
            continue
        languages |= dict.fromkeys((edition.lang, *edition.languages))
        specs |= {spec.name: spec for spec in edition.repos}
    if repo not in specs:
        raise ConfigError(
            f"no edition has {repo} in {window.tz}; the machines' gitzette.toml differ"
        )
    spec = specs.pop(repo)
    first_language, *further_languages = languages
    update = {
        "lang": first_language,
        "languages": tuple(further_languages),
        "layout": "digest",
        "tz": window.tz,
        "repos": (spec,),
    }
    part_settings = settings.model_copy(update=update)
    recipe = Recipe.of(part_settings, window, (spec,))
    others = [str(name) for name in specs]
    key = f"{repo} {window.key} {_hash(f'{recipe.model_dump_json()} {others}')}"
    return PartPlan(part_settings, recipe, tuple(specs.values()), spec, key, f"part-{_hash(key)}")


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]


def day_window(day: str, tz: str) -> Window:
    """Return the window of a day."""
    parsed = date.fromisoformat(day)
    return Window.days(parsed, parsed, tz)


def missing_days(settings: Settings, published: Mapping[str, object], now: datetime) -> list[str]:
    """Return the days up to yesterday that an edition lacks, oldest first.

    No day is missing before the first one that was published.
    """
    last = Window.yesterday(now, settings.tz).start.astimezone(zone(settings.tz)).date()
    day = last
    if published:
        oldest = last - timedelta(days=settings.catch_up_days - 1)
        day = max(date.fromisoformat(min(published)), oldest)
    missing = []
    while day <= last:
        if day.isoformat() not in published:
            missing.append(day.isoformat())
        day += timedelta(days=1)
    return missing


def request_limit(
    fleet: Fleet, settings: Settings, *, background: bool = False
) -> Admission | None:
    """Return what limits the requests to GitHub of all machines with the same token.

    Work in the background leaves some requests to people.
    """
    if not settings.database:
        return None
    token = settings.token.get_secret_value() if settings.token else ""
    limits = settings.limits
    name = f"requests {_hash(token)}"
    return _admission(fleet, name, limits.requests, limits.requests_seconds, background=background)


def model_limit(
    fleet: Fleet, settings: Settings, environ: Mapping[str, str], *, background: bool = False
) -> Admission | None:
    """Return what limits the questions to a model of all machines with the same key."""
    if not settings.database:
        return None
    key = f"{settings.model_url} {environ.get('OPENAI_API_KEY', '')}"
    limits = settings.limits
    name = f"model {_hash(key)}"
    return _admission(fleet, name, limits.model_calls, limits.model_seconds, background=background)


def _admission(
    fleet: Fleet, name: str, limit: int | None, seconds: int, *, background: bool
) -> Admission | None:
    if limit is None:
        return None
    allowed = max(1, int(limit * (1 - _LEFT_TO_PEOPLE))) if background else limit

    async def admit() -> None:
        # Other machines share the limit, so there is no event to wait for.
        while (wait := fleet.take(name, allowed, seconds)) > 0:
            # Random, so that the machines do not wake up at the same time.
            jitter = random.uniform(0, 0.5)  # noqa: S311
            await asyncio.sleep(min(wait, _MAX_SLEEP_SECONDS) + jitter)

    return admit
