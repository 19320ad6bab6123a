"""How settings are read: from the file, the environment over it, the command line over both.

By hand: pydantic-settings reads no given environment, passes over unknown variables, and costs 0.1 s at every start.
"""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agent.domain.base import ConfigError
from agent.settings.values import Settings

FILE_NAME = "gitzette.toml"
_PREFIX = "GITZETTE_"


def read_settings(file: Path | None, environ: Mapping[str, str]) -> Settings:
    """Read the file, then let the environment override it; the error names the key and where it stands."""
    values = _read_file(file) if file else {}
    names = {name.removeprefix(_PREFIX).lower(): name for name, text in environ.items() if text}
    given = {key: environ[name] for key, name in names.items() if name.startswith(_PREFIX)}
    # So that it never stands in a file that is committed.
    if "token" in values | given:
        raise ConfigError("a token is read from the variable GITHUB_TOKEN only")
    if token := (environ.get("GITHUB_TOKEN") or environ.get("GH_TOKEN") or "").strip():
        names["token"], given["token"] = "GITHUB_TOKEN", token
    return _validated(
        values | given, lambda key, path: names[key] if key in given else f"{path} in {FILE_NAME}"
    )


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
        why = (
            "unknown key"
            if first["type"] == "extra_forbidden"
            else first["msg"].removeprefix("Value error, ")
        )
        told = f"{name(str(place[0]), '.'.join(map(str, place)))}: {why}"
        raise ConfigError("".join(one if one.isprintable() else "?" for one in told)) from error


def _read_file(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{file.name} is not valid TOML: {error}") from error
