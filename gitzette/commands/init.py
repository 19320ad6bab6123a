"""The command `init`: a commented configuration, and workflows that run it and publish its site."""

import argparse
import json
import math
import os
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path
from string import Template

from agent.domain.base import Language
from agent.domain.errors import EXIT_DONE, InputError, StorageError, UsageError
from agent.domain.window import zone
from agent.settings.read import FILE_NAME, override, read_settings
from agent.settings.values import RepoSpec, Settings
from gitzette.self_packaging import install_address, with_extra, write_wheel
from gitzette.settings_from_arguments import checkout_here
from tools.git.opened_repository import checkout_above

WORKFLOW = Path(".github/workflows/gitzette.yml")
PAGES_WORKFLOW = Path(".github/workflows/gitzette-pages.yml")
WHEELS = Path(".github/gitzette")
_MINUTE = 23  # Not on the hour, when GitHub is busiest and drops runs
_HOUR_SECONDS = 3600


def init(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Write the files that are not there yet, and print what to do next."""
    del environ
    settings = _settings(args)
    file = Path(FILE_NAME)
    if not file.exists():
        _write(file, configuration(settings.repos, settings.tz, settings.lang))
    elif not args.workflow:
        raise InputError(
            f"{FILE_NAME} is already there and is left alone; edit it, or move it away first"
        )
    daily = "gitzette run --catch-up   is what a timer should run every day; see docs/operations.md"
    if args.workflow:
        _write_workflows(settings)
        daily = _fill("init_workflow.txt", file=FILE_NAME, folder=WORKFLOW.parts[0]).rstrip()
    name = "" if settings.repos else f"  Name your repositories in {FILE_NAME}.\n"
    sys.stdout.write(_fill("init.txt", name=name, daily=daily))
    return EXIT_DONE


def _settings(args: argparse.Namespace) -> Settings:
    """Return the settings of the file and the command line; refuse what the workflow cannot use."""
    file = Path(FILE_NAME)
    options = {"repos": args.repo, "tz": args.tz, "lang": args.lang}
    configured = read_settings(file if file.exists() else None, {})
    settings = override(configured, {key: value for key, value in options.items() if value})
    root = checkout_above(Path.cwd())
    if args.workflow:
        _check_for_workflow(settings, root)
        return settings
    if root is None or settings.repos:
        return settings
    # The path is relative to the file, so that both can be moved together.
    path = Path(os.path.relpath(root, Path.cwd()))
    here = checkout_here(root).model_copy(update={"path": path})
    return settings.model_copy(update={"repos": (here,)})


def _check_for_workflow(settings: Settings, root: Path | None) -> None:
    if root is not None and root != Path.cwd():
        raise UsageError(
            f"GitHub reads workflows at the root of a repository only: run this in {root}"
        )
    for spec in settings.repos:
        if spec.path is not None:
            raise UsageError(
                f"{spec.name}: a runner of GitHub has no such path; leave it out with --workflow"
            )


def configuration(repos: Sequence[RepoSpec], tz: str, lang: Language) -> str:
    """Return the text of the configuration: every key is in it, at least as a comment."""
    tables = "\n".join(map(_table, repos))
    if not repos:
        tables = re.sub(r"(?m)^(?=[\[\w])", "# ", _table(RepoSpec.model_validate("owner/name")))
    return _fill("gitzette.toml", tz=_quoted(tz), lang=_quoted(lang), repos=tables.rstrip("\n"))


def _write_workflows(settings: Settings) -> None:
    """Write the workflows, and the package that they install where no address has it."""
    workflows = (WORKFLOW, PAGES_WORKFLOW)
    if all(file.exists() for file in workflows):
        for file in workflows:
            sys.stdout.write(f"{file} is already there and is left alone\n")
        return
    package = install_address()
    if package is None:
        wheel = write_wheel(WHEELS)
        sys.stdout.write(f"wrote {wheel}\n")
        package = f"./{wheel}"
    needs_apprise = any(channel.kind == "apprise" for channel in settings.deliver)
    daily_package = with_extra(package, "apprise") if needs_apprise else package
    _write(WORKFLOW, workflow(settings.tz, daily_package))
    _write(PAGES_WORKFLOW, pages_workflow(package))


def _utc_offset(tz: str, local_time: datetime) -> timedelta:
    return zone(tz).utcoffset(local_time) or timedelta()


def workflow(tz: str, package: str) -> str:
    """Return a workflow that installs a package and runs once every midnight of the zone is over.

    GitHub counts in UTC all year, so the hour is that of the later midnight, summer or winter.
    """
    winter = _utc_offset(tz, datetime(2026, 1, 15))  # noqa: DTZ001
    summer = _utc_offset(tz, datetime(2026, 7, 15))  # noqa: DTZ001
    seconds = _HOUR_SECONDS - min(winter, summer).total_seconds()
    hour = math.ceil(seconds / _HOUR_SECONDS) % 24
    cron = f"{_MINUTE} {hour} * * *"
    return _fill("workflow.yml", tz=_quoted(tz), cron=_quoted(cron), package=_quoted(package))


def pages_workflow(package: str) -> str:
    """Return a workflow that installs a package, builds the site with it, and deploys it."""
    return _fill("pages.yml", package=_quoted(package))


def _table(spec: RepoSpec) -> str:
    path = '# path = "../clone"                    # a clone or mirror of your own; default: Gitzette keeps one'
    if spec.path is not None:
        path = f"path = {_quoted(str(spec.path))}"
    return _fill("repository.toml", name=_quoted(spec.name), path=path)


def _fill(template: str, **values: str) -> str:
    text = files("gitzette").joinpath("templates", template).read_text("utf-8")
    return Template(text).substitute(values)


def _quoted(text: str) -> str:
    """Return a string as TOML and YAML both read it; JSON escapes all that they do, but DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _write(file: Path, text: str) -> None:
    """Write a file and say so; one that is already there is left alone."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        sys.stdout.write(f"{file} is already there and is left alone\n")
    except OSError as error:
        raise StorageError(f"cannot write {file}: {error.strerror}") from error
    else:
        sys.stdout.write(f"wrote {file}\n")
