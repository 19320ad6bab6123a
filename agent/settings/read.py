"""Reading settings: the file first, the environment over it, the command line over both.

This is not left to pydantic-settings, which cannot read a given environment, ignores unknown
variables and adds 0.1 s to every start.
"""

import difflib
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from agent.domain.errors import ConfigError
from agent.settings.values import RepoSpec, Settings

FILE_NAME = "gitzette.toml"
PREFIX = "GITZETTE_"
_TOKEN_VARIABLES = ("GITHUB_TOKEN", "GH_TOKEN")
Origin = Callable[[str, str], str]  # Names where a key, given with its path, was set


def read_settings(file: Path | None, environ: Mapping[str, str]) -> Settings:
    """Return the settings of the file, overridden by the environment.

    Raise `ConfigError` with the key or variable that is wrong.
    """
    values = _read_file(file) if file else {}
    variables = _variables(environ)
    for key, variable in variables.items():
        values[key] = environ[variable]
    if "token" in values:
        # A token in the file would be committed with it sooner or later.
        raise ConfigError("a token is read from the variable GITHUB_TOKEN only")
    for variable in _TOKEN_VARIABLES:
        token = environ.get(variable, "").strip()
        if token:
            values["token"] = token
            variables["token"] = variable
            break

    def origin(key: str, path: str) -> str:
        return variables.get(key) or f"{path} in {FILE_NAME}"

    return _validated(values, origin)


def override(settings: Settings, options: Mapping[str, Any]) -> Settings:
    """Return the settings with the options of the command line in place of what they set.

    Options are as untrusted as the file. A repository that they name keeps what is configured for
    it, except for the path where they give another one.
    """
    values = {name: getattr(settings, name) for name in settings.model_fields_set}
    configured = settings.repos
    if configured and options.get("source") == "api":
        # A user who asks for the API does not want the configured clones to be read.
        configured = tuple(spec.model_copy(update={"path": None}) for spec in configured)
        values["repos"] = configured
    if "repos" in options:
        # An edition chooses among the configured repositories; these may be others.
        editions = settings.edition
        values["edition"] = [edition.model_copy(update={"repos": ()}) for edition in editions]
    values |= options
    overridden = _validated(values, _option_name)
    if "repos" not in options:
        return overridden
    by_name = {spec.name.lower(): spec for spec in configured}
    specs = tuple(_with_configuration(spec, by_name) for spec in overridden.repos)
    return overridden.model_copy(update={"repos": specs})


def _option_name(key: str, _: str) -> str:
    """Return the option of the command line that sets a key; some keys are plurals."""
    return f"--{key.removesuffix('s')}"


def _with_configuration(spec: RepoSpec, by_name: Mapping[str, RepoSpec]) -> RepoSpec:
    """Return what is configured for a repository, with the path of `spec` where it has one."""
    configured = by_name.get(spec.name.lower())
    if configured is None:
        return spec
    if spec.path is None:
        return configured
    return configured.model_copy(update={"path": spec.path})


def _variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the variable that sets each key; an empty variable sets nothing."""
    variables: dict[str, str] = {}
    for name, text in environ.items():
        if name.startswith(PREFIX) and text:
            variables[name.removeprefix(PREFIX).lower()] = name
    return variables


def _validated(values: Mapping[str, Any], origin: Origin) -> Settings:
    """Return the settings, or raise `ConfigError` with the first key that is wrong and why.

    The message leaves out the value, which may be a secret.
    """
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        details = error.errors(include_input=False, include_url=False, include_context=False)[0]
        location = [str(part) for part in details["loc"]] or ["edition"]
        reason = details["msg"].removeprefix("Value error, ")
        if details["type"] == "extra_forbidden":
            reason = f"unknown key{_suggestion(location)}"
        message = f"{origin(location[0], '.'.join(location))}: {reason}"
        raise ConfigError(_printable(message)) from error


def _suggestion(location: Sequence[str]) -> str:
    """Return which known key an unknown one resembles, or the table it belongs to."""
    tables = _keys_by_table()
    key = location[-1].lower()
    table = location[0] if len(location) > 1 else ""
    for other_table, keys in tables.items():
        if key in keys:
            where = f"under [{other_table}]" if other_table else "above the first table"
            return f"; it belongs {where}"
    similar = difflib.get_close_matches(key, tables.get(table, ()), n=1)
    return f"; did you mean {similar[0]}?" if similar else ""


def _keys_by_table() -> dict[str, Collection[str]]:
    """Return the keys of each table of the file; those above all tables are under ''."""
    schema = Settings.model_json_schema()
    tables: dict[str, Collection[str]] = {"": schema["properties"].keys() - {"token"}}
    for name, field in schema["properties"].items():
        reference = field.get("$ref") or field.get("items", {}).get("$ref", "")
        definition = schema["$defs"].get(reference.rpartition("/")[2])
        if definition is not None:
            tables[name] = definition["properties"].keys()
    return tables


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)


def _read_file(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise ConfigError(f"cannot read {file}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{file.name} is not valid TOML: {error}") from error
