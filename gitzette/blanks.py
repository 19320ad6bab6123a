"""The files that `init` writes: templates of this package with their blanks filled."""

import json
import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from importlib.resources import files
from string import Template

from agent.settings import Language, RepoSpec
from agent.window import zone
from gitzette.package import install_address

_NO_REPOS = '# [[repos]]\n# name = "owner/name"\n'
_MINUTE = 23


def configuration(repos: Sequence[RepoSpec], tz: str, lang: Language) -> str:
    """Write the configuration; every key there is stands in it, at least as a comment."""
    tables = "\n".join(map(_table, repos)) or _NO_REPOS + _rest(_table(RepoSpec.parse("owner/name")))
    return _fill("gitzette.toml", tz=_quoted(tz), lang=_quoted(lang), repos=tables.rstrip("\n"))


def workflow(tz: str) -> str:
    """Write the workflow that runs every day, an hour or so after midnight in the zone, summer and winter."""
    # GitHub counts in UTC all year; the later of the two midnights is over in both halves of it.
    offsets = [zone(tz).utcoffset(datetime(2026, month, 15)) or timedelta() for month in (1, 7)]  # noqa: DTZ001
    hour = math.ceil((3600 - min(offsets).total_seconds()) / 3600) % 24
    return _fill(
        "workflow.yml", tz=_quoted(tz), cron=_quoted(f"{_MINUTE} {hour} * * *"), package=_quoted(install_address())
    )


def _table(spec: RepoSpec) -> str:
    path = '# path = "../clone"                    # a clone or mirror of your own; default: Gitzette keeps one'
    if spec.path is not None:
        path = f"path = {_quoted(str(spec.path))}"
    return _fill("repository.toml", name=_quoted(spec.name), path=path)


def _rest(table: str) -> str:
    """Leave out the first two lines of a table: its head and its name."""
    return "".join(table.splitlines(keepends=True)[2:])


def _fill(template: str, **values: str) -> str:
    return Template(files("gitzette").joinpath("templates", template).read_text("utf-8")).substitute(values)


def _quoted(text: str) -> str:
    """Write a string as TOML and YAML both read it; JSON's escapes are theirs, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
