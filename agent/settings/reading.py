"""How settings are read: the file, the environment over it, the command line over both; and how a mistake is told.

By hand: pydantic-settings reads no given environment, passes over unknown variables, and costs 0.1 s at every start.
"""

import difflib
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from agent.domain.base import ConfigError
from agent.settings.values import FILE_NAME, Budget, Delivery, Edition, Limits, RepoSpec, Settings, Tiers

PREFIX = "GITZETTE_"
_TABLES: dict[str, type[BaseModel]] = {"budget": Budget, "tiers": Tiers, "limits": Limits}
_LISTS: dict[str, type[BaseModel]] = {"repos": RepoSpec, "deliver": Delivery, "edition": Edition}
# A token is read from GITHUB_TOKEN only, so that it never stands in a file that is committed.
_VARIABLES = sorted(Settings.model_fields.keys() - _TABLES.keys() - {"prices", "deliver", "edition", "token"})


def read_settings(file: Path | None, environ: Mapping[str, str]) -> Settings:
    """Read the file, then let the environment override it; the error names the key and where it stands."""
    values = _read_file(file) if file is not None else {}
    given = {key.removeprefix(PREFIX).lower(): text for key, text in environ.items() if key.startswith(PREFIX) and text}
    _refuse_unknown(given, _VARIABLES, "in the environment", _variable)
    token = (environ.get("GITHUB_TOKEN") or environ.get("GH_TOKEN") or "").strip()
    merged = values | given | ({"token": token} if token else {})
    where = file.name if file else FILE_NAME
    return _validated(merged, lambda key, path: _variable(key) if key in given else f"{path} in {where}")


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
        told = "GITHUB_TOKEN" if place[0] == "token" else name(str(place[0]), ".".join(map(str, place)))
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
    _refuse_unknown(values, Settings.model_fields, f"in {file.name}")
    for name, table in _TABLES.items():
        if isinstance(values.get(name), dict):
            _refuse_unknown(values[name], table.model_fields, f"in [{name}] of {file.name}")
    for name, table in _LISTS.items():
        for item in values[name] if isinstance(values.get(name), list) else ():
            if isinstance(item, dict):
                _refuse_unknown(item, table.model_fields, f"in {name} of {file.name}")
    for key in values.keys() & {"out", "home", "uses"}:
        values[key] = _anchored(values[key], file.parent)
    if isinstance(values.get("repos"), list):
        values["repos"] = [_anchored_repo(one, file.parent) for one in values["repos"]]
    return values


def _anchored(value: Any, folder: Path) -> Any:
    """Read relative paths from where the file stands, not from where the command runs."""
    if isinstance(value, list):
        return [_anchored(one, folder) for one in value]
    return str(folder / value) if isinstance(value, str) and not value.startswith("~") else value


def _anchored_repo(value: Any, folder: Path) -> Any:
    """Anchor the path of a table, or of `"owner/name=PATH"`."""
    if isinstance(value, dict):
        return value | {key: _anchored(path, folder) for key, path in value.items() if key == "path"}
    name, equals, path = value.partition("=") if isinstance(value, str) else ("", "", "")
    return f"{name}={_anchored(path, folder)}" if equals and path else value


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
