"""The command `init`: a commented configuration where the user stands, and a workflow that runs every day."""

import argparse
import json
import math
import os
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path
from string import Template

from agent.domain.base import EXIT_DONE, InputError, Language, StorageError, UsageError
from agent.domain.window import zone
from agent.settings.read import FILE_NAME, override, read_settings
from agent.settings.values import RepoSpec, Settings
from gitzette.arguments import checkout_here, git_says
from tools.git.repository import checkout_above

WORKFLOW = Path(".github/workflows/gitzette.yml")
_MINUTE = 23


def init(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Write what is not there yet, and say what to do next."""
    del environ
    settings, file = _settings(args), Path(FILE_NAME)
    if not file.exists():
        _write(file, configuration(settings.repos, settings.tz, settings.lang))
    elif not args.workflow:
        raise InputError(
            f"{FILE_NAME} is already there and is left alone; edit it, or move it away first"
        )
    daily = "gitzette run --catch-up   is what a timer should run every day; see docs/operations.md"
    if args.workflow:
        _write(WORKFLOW, workflow(settings.tz))
        daily = f"Commit {FILE_NAME} and {WORKFLOW}, and push: GitHub runs it every day."
    name = "" if settings.repos else f"  Name your repositories in {FILE_NAME}.\n"
    sys.stdout.write(_fill("init.txt", name=name, daily=daily))
    return EXIT_DONE


def _settings(args: argparse.Namespace) -> Settings:
    """Read what is there, and what the command line says; refuse what a runner of GitHub would not find."""
    root, file = checkout_above(Path.cwd()), Path(FILE_NAME)
    given = {"repos": args.repo, "tz": args.tz, "lang": args.lang}
    known = read_settings(file if file.exists() else None, {})
    settings = override(known, {key: value for key, value in given.items() if value})
    if args.workflow:
        if root is not None and root != Path.cwd():
            raise UsageError(
                f"GitHub reads workflows at the root of a repository only: run this in {root}"
            )
        if local := [spec.name for spec in settings.repos if spec.path]:
            raise UsageError(
                f"{local[0]}: a runner of GitHub has no such path; leave it out with --workflow"
            )
    elif root is not None and not settings.repos:
        # Written relative to the file, so that both can be moved together.
        here = checkout_here(root).model_copy(
            update={"path": Path(os.path.relpath(root, Path.cwd()))}
        )
        return settings.model_copy(update={"repos": (here,)})
    return settings


def configuration(repos: Sequence[RepoSpec], tz: str, lang: Language) -> str:
    """Write the configuration; every key there is stands in it, at least as a comment."""
    example = re.sub(r"(?m)^(?=[\[\w])", "# ", _table(RepoSpec.model_validate("owner/name")))
    tables = "\n".join(map(_table, repos)) or example
    return _fill("gitzette.toml", tz=_quoted(tz), lang=_quoted(lang), repos=tables.rstrip("\n"))


def workflow(tz: str) -> str:
    """Write the workflow that runs every day, an hour or so after midnight in the zone, summer and winter."""
    # GitHub counts in UTC all year; the later of the two midnights is over in both halves of it.
    offsets = [zone(tz).utcoffset(datetime(2026, month, 15)) or timedelta() for month in (1, 7)]  # noqa: DTZ001
    hour = math.ceil((3600 - min(offsets).total_seconds()) / 3600) % 24
    cron, package = f"{_MINUTE} {hour} * * *", _install_address()
    return _fill("workflow.yml", tz=_quoted(tz), cron=_quoted(cron), package=_quoted(package))


def _install_address() -> str:
    """Give the git address and the commit of this copy, as pip wrote them down (PEP 610) or as its checkout says.

    Empty where neither is known: a bare package name would install whatever somebody publishes under it.
    """
    try:
        told = json.loads(distribution("gitzette").read_text("direct_url.json") or "{}")
        return f"git+{told['url']}@{told['vcs_info']['commit_id']}"
    except (PackageNotFoundError, KeyError, TypeError, ValueError):
        checkout = checkout_above(Path(__file__).parent)
    if checkout is None:
        return ""
    address, commit = (
        git_says(checkout, "remote", "get-url", "origin"),
        git_says(checkout, "rev-parse", "HEAD"),
    )
    return f"git+{address}@{commit}" if address.startswith("https://") and commit else ""


def _table(spec: RepoSpec) -> str:
    path = '# path = "../clone"                    # a clone or mirror of your own; default: Gitzette keeps one'
    if spec.path is not None:
        path = f"path = {_quoted(str(spec.path))}"
    return _fill("repository.toml", name=_quoted(spec.name), path=path)


def _fill(template: str, **values: str) -> str:
    return Template(
        files("gitzette").joinpath("templates", template).read_text("utf-8")
    ).substitute(values)


def _quoted(text: str) -> str:
    """Write a string as TOML and YAML both read it; JSON's escapes are theirs, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _write(file: Path, text: str) -> None:
    """Write a file that is not there yet, and say so."""
    told = f"wrote {file}"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        told = f"{file} is already there and is left alone"
    except OSError as error:
        raise StorageError(f"cannot write {file}: {error.strerror}") from error
    sys.stdout.write(f"{told}\n")
