"""How settings are read: the file, the environment over it, the command line over both; and how a mistake is told."""

import difflib
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from agent.domain.base import ConfigError
from agent.settings.deliveries import Delivery
from agent.settings.editions import Edition, Limits
from agent.settings.values import FILE_NAME, Budget, RepoSpec, Settings, Tiers

PREFIX = "GITZETTE_"
_TABLES: dict[str, type[BaseModel]] = {"budget": Budget, "tiers": Tiers, "limits": Limits}
_LISTS: dict[str, type[BaseModel]] = {"repos": RepoSpec, "deliver": Delivery, "edition": Edition}
# A token is read from GITHUB_TOKEN only, so that it never stands in a file that is committed.
_NESTED = ("prices", "deliver", "edition", *_TABLES)
_FLAT_KEYS = tuple(key for key in Settings.model_fields if key not in ("token", *_NESTED))


def read_settings(file: Path | None, environ: Mapping[str, str]) -> Settings:
    """Read the file, then let the environment override it; the error names the key and where it stands."""
    values: dict[str, Any] = {}
    if file is not None:
        values = _read_file(file)
        _anchor_paths(values, file.parent)
    overrides = {
        key.removeprefix(PREFIX).lower(): value
        for key, value in environ.items()
        if key.startswith(PREFIX) and value != ""
    }
    _refuse_unknown(overrides, _FLAT_KEYS, "in the environment", spell=_variable)
    token = (environ.get("GITHUB_TOKEN") or environ.get("GH_TOKEN") or "").strip()
    merged = values | overrides | ({"token": token} if token else {})
    where = f"in {file.name if file else FILE_NAME}"
    return _validated(merged, lambda key, path: _variable(key) if key in overrides else f"{path} {where}")


def override(settings: Settings, given: Mapping[str, Any]) -> Settings:
    """Put what the command line says over the settings; it is as untrusted as the file."""
    known = {name: getattr(settings, name) for name in settings.model_fields_set}
    return _validated(known | dict(given), lambda key, _: "--" + key.removesuffix("s"))


def _validated(values: dict[str, Any], name: Callable[[str, str], str]) -> Settings:
    """Make the settings, or tell in one line which key is wrong and why; the value may be a secret and is not told."""
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        place = first["loc"] or ("edition",)
        key, path = str(place[0]), ".".join(map(str, place))
        told = "GITHUB_TOKEN" if key == "token" else name(key, path)
        raise ConfigError(f"{told}: {' '.join(first['msg'].removeprefix('Value error, ').split())}") from error


def _read_file(file: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{file.name} is not valid TOML: {error}") from error
    if "token" in values:
        raise ConfigError(f"a token does not belong in {file.name}; put it in the variable GITHUB_TOKEN")
    _refuse_unknown(values, (*_FLAT_KEYS, *_NESTED), f"in {file.name}")
    for name, table_kind in _TABLES.items():
        if isinstance(values.get(name), dict):
            _refuse_unknown(values[name], table_kind.model_fields, f"in [{name}] of {file.name}")
    for name, table_kind in _LISTS.items():
        for table in _tables(values.get(name)):
            _refuse_unknown(table, table_kind.model_fields, f"in {name} of {file.name}")
    return values


def _tables(repos: object) -> list[dict[str, Any]]:
    """Pick the repositories that are written as tables, not as plain names."""
    return [item for item in repos if isinstance(item, dict)] if isinstance(repos, list) else []


def _anchor_paths(values: dict[str, Any], folder: Path) -> None:
    """Read relative paths from where the file stands, not from where the command runs."""
    for table, key in ((values, "out"), (values, "home"), *((item, "path") for item in _tables(values.get("repos")))):
        if isinstance(table.get(key), str):
            table[key] = _anchored(table[key], folder)
    if isinstance(values.get("uses"), str | list):
        listed = values["uses"] if isinstance(values["uses"], list) else [values["uses"]]
        values["uses"] = [_anchored(one, folder) if isinstance(one, str) else one for one in listed]
    if isinstance(values.get("repos"), list):
        values["repos"] = [_anchored_spec(item, folder) for item in values["repos"]]


def _anchored_spec(item: object, folder: Path) -> object:
    """Anchor the path of `"owner/name=PATH"`."""
    name, equals, path = item.partition("=") if isinstance(item, str) else ("", "", "")
    return f"{name}={_anchored(path, folder)}" if equals and path else item


def _anchored(path: str, folder: Path) -> str:
    return path if path.startswith("~") else str(folder / path)


def _variable(key: str) -> str:
    """Spell a key the way the environment does."""
    return PREFIX + key.upper()


def _refuse_unknown(given: Iterable[str], known: Iterable[str], where: str, spell: Callable[[str], str] = str) -> None:
    """Stop at the first key nobody knows and name the nearest one that exists."""
    names = sorted(known)
    for key in given:
        if key not in names:
            near = difflib.get_close_matches(key.lower(), names, n=1, cutoff=0.5)
            hint = f"did you mean {spell(near[0])}?" if near else f"known are {', '.join(map(spell, names))}"
            told = spell(key) if key.isprintable() else repr(spell(key))
            raise ConfigError(f"unknown key {told} {where}; {hint}")
