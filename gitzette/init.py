"""The command `init`: a commented configuration where the user stands, and a workflow that runs every day."""

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TypeVar, cast, get_args

from agent.domain.base import EXIT_DONE, InputError, Language, StorageError, UsageError
from agent.domain.window import zone
from agent.settings.reading import read_settings
from agent.settings.values import FILE_NAME, RepoSpec
from gitzette.arguments import checkout_here
from gitzette.package import install_address
from tools.git.repository import checkout_above

WORKFLOW = Path(".github/workflows/gitzette.yml")
# A token pasted into .env, and what a run that was killed in the middle of writing leaves behind.
_IGNORED = (".env", "/gazette/**/.*")
_NO_REPOS = '# [[repos]]\n# name = "owner/name"\n'
_MINUTE = 23
_NEXT = """\

Next:
{name}  Set GITHUB_TOKEN, so that issues are read; for public repositories a token without scopes will do.
  gitzette doctor           checks that everything is there
  gitzette run              reports on yesterday
  {daily}
"""
T = TypeVar("T")


def init(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Write what is not there yet, and say what to do next."""
    del environ
    root = checkout_above(Path.cwd())
    if args.workflow:
        _check_runner(args.repo, root)
    written = []
    if not Path(FILE_NAME).exists():
        repos, tz, lang = _given(args, root)
        if sys.stdin.isatty() and sys.stderr.isatty():
            repos, tz, lang = _asked(repos, tz, lang)
        written.append(_write(Path(FILE_NAME), configuration(repos, tz, lang)))
    elif not args.workflow:
        raise InputError(f"{FILE_NAME} is already there and is left alone; edit it, or move it away first")
    else:
        settings = read_settings(Path(FILE_NAME), {})
        repos, tz = settings.repos, args.tz or settings.tz
    if args.workflow:
        written.append(_write(WORKFLOW, workflow(tz)))
    if root is not None and (ignored := _ignore(Path(".gitignore"))):
        written.append(ignored)
    daily = "gitzette run --catch-up   is what a timer should run every day; see docs/operations.md"
    if args.workflow:
        daily = f"Commit {FILE_NAME} and {WORKFLOW}, and push: GitHub runs it every day."
    name = "" if repos else f"  Name your repositories in {FILE_NAME}.\n"
    sys.stdout.write("".join(f"{told}\n" for told in written) + _NEXT.format(name=name, daily=daily))
    return EXIT_DONE


def configuration(repos: Sequence[RepoSpec], tz: str, lang: Language) -> str:
    """Write the configuration; every key there is stands in it, at least as a comment."""
    # Without a repository, the table of one is shown, but for its head and its name.
    example = "".join(_table(RepoSpec.parse("owner/name")).splitlines(keepends=True)[2:])
    tables = "\n".join(map(_table, repos)) or _NO_REPOS + example
    return _fill("gitzette.toml", tz=_quoted(tz), lang=_quoted(lang), repos=tables.rstrip("\n"))


def workflow(tz: str) -> str:
    """Write the workflow that runs every day, an hour or so after midnight in the zone, summer and winter."""
    # GitHub counts in UTC all year; the later of the two midnights is over in both halves of it.
    offsets = [zone(tz).utcoffset(datetime(2026, month, 15)) or timedelta() for month in (1, 7)]  # noqa: DTZ001
    hour = math.ceil((3600 - min(offsets).total_seconds()) / 3600) % 24
    cron, package = f"{_MINUTE} {hour} * * *", install_address()
    return _fill("workflow.yml", tz=_quoted(tz), cron=_quoted(cron), package=_quoted(package))


def _table(spec: RepoSpec) -> str:
    path = '# path = "../clone"                    # a clone or mirror of your own; default: Gitzette keeps one'
    if spec.path is not None:
        path = f"path = {_quoted(str(spec.path))}"
    return _fill("repository.toml", name=_quoted(spec.name), path=path)


def _fill(template: str, **values: str) -> str:
    return Template(files("gitzette").joinpath("templates", template).read_text("utf-8")).substitute(values)


def _quoted(text: str) -> str:
    """Write a string as TOML and YAML both read it; JSON's escapes are theirs, but for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _given(args: argparse.Namespace, root: Path | None) -> tuple[tuple[RepoSpec, ...], str, Language]:
    """Take what the command line says; without --repo, the checkout one stands in is what one wants to hear about."""
    repos = tuple(map(RepoSpec.parse, args.repo))
    if len({spec.name.lower() for spec in repos}) < len(repos):
        raise UsageError("--repo: a repository is named twice")
    if not repos and root is not None and not args.workflow:
        # Written relative to the file, so that both can be moved together.
        place = Path(os.path.relpath(root, Path.cwd()))
        repos = (checkout_here(root).model_copy(update={"path": place}),)
    return repos, zone(args.tz).key if args.tz else "UTC", args.lang or "en"


def _asked(repos: tuple[RepoSpec, ...], tz: str, lang: Language) -> tuple[tuple[RepoSpec, ...], str, Language]:
    """Ask for what matters most; an empty answer takes what stands in brackets."""
    names = " ".join(spec.name for spec in repos)
    known = {spec.name: spec for spec in repos}
    named = _until_right("Repositories, as owner/name, separated by spaces", names, _repos)
    tz = _until_right("Time zone that cuts the days", tz, lambda text: zone(text).key)
    lang = _until_right("Language of the reports (en, zh)", lang, _language)
    return tuple(known.get(spec.name, spec) for spec in named), tz, lang


def _until_right(question: str, default: str, read: Callable[[str], T]) -> T:
    """Ask again until the answer makes sense; when there are no more answers, the default is taken."""
    while True:
        sys.stderr.write(f"{question} [{default}]: ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        try:
            return read(line.strip() or default)
        except UsageError as error:
            sys.stderr.write(f"  {error}\n")
            if not line:
                raise


def _repos(text: str) -> tuple[RepoSpec, ...]:
    return tuple(map(RepoSpec.parse, dict.fromkeys(text.replace(",", " ").split())))


def _language(text: str) -> Language:
    if text not in get_args(Language):
        raise UsageError(f"{text!r} is not one of {', '.join(get_args(Language))}")
    return cast(Language, text)


def _check_runner(repos: Sequence[str], root: Path | None) -> None:
    """Refuse what a runner would not find."""
    if root is not None and root != Path.cwd():
        raise UsageError(f"GitHub reads workflows at the root of a repository only: run this in {root}")
    if local := [text for text in repos if "=" in text]:
        raise UsageError(f"{local[0]}: a runner of GitHub has no such path; leave it out with --workflow")


def _write(file: Path, text: str) -> str:
    """Write a file that is not there yet."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        return f"{file} is already there and is left alone"
    except OSError as error:
        raise StorageError(f"cannot write {file}: {error.strerror}") from error
    return f"wrote {file}"


def _ignore(file: Path) -> str | None:
    """Add what should not be committed to .gitignore, once."""
    try:
        text = file.read_text("utf-8", errors="surrogateescape") if file.exists() else ""
        missing = [line for line in _IGNORED if line not in text.splitlines()]
        if not missing:
            return None
        with file.open("a", encoding="utf-8") as stream:
            stream.write("\n" * bool(text and not text.endswith("\n")) + "".join(f"{line}\n" for line in missing))
    except OSError as error:
        raise StorageError(f"cannot write {file}: {error.strerror}") from error
    return f"added {' and '.join(missing)} to {file}"
