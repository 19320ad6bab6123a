"""The command `init`: a commented configuration where the user stands, and a workflow that runs every day."""

import argparse
import json
import math
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from importlib.metadata import PackageNotFoundError, distribution
from importlib.resources import files
from pathlib import Path
from string import Template

from agent.domain.base import EXIT_DONE, InputError, Language, StorageError, UsageError
from agent.domain.window import zone
from agent.settings.reading import read_settings
from agent.settings.values import FILE_NAME, RepoSpec, Settings
from gitzette.arguments import checkout_here
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


def init(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Write what is not there yet, and say what to do next."""
    del environ
    root = checkout_above(Path.cwd())
    if args.workflow:
        _check_runner(args.repo, root)
    if not Path(FILE_NAME).exists():
        settings = Settings(
            repos=_repos(args, root), tz=zone(args.tz).key if args.tz else "UTC", lang=args.lang or "en"
        )
        written = [_write(Path(FILE_NAME), configuration(settings.repos, settings.tz, settings.lang))]
    elif not args.workflow:
        raise InputError(f"{FILE_NAME} is already there and is left alone; edit it, or move it away first")
    else:
        settings, written = read_settings(Path(FILE_NAME), {}), []
    daily = "gitzette run --catch-up   is what a timer should run every day; see docs/operations.md"
    if args.workflow:
        written.append(_write(WORKFLOW, workflow(args.tz or settings.tz)))
        daily = f"Commit {FILE_NAME} and {WORKFLOW}, and push: GitHub runs it every day."
    if root is not None:
        written += _ignore(Path(".gitignore"))
    name = "" if settings.repos else f"  Name your repositories in {FILE_NAME}.\n"
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
    address, commit = _git(checkout, "remote", "get-url", "origin"), _git(checkout, "rev-parse", "HEAD")
    return f"git+{address}@{commit}" if address.startswith("https://") and commit else ""


def _git(checkout: Path, *args: str) -> str:
    done = subprocess.run(["git", "-C", str(checkout), *args], capture_output=True, text=True, check=False)
    return done.stdout.strip()


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


def _repos(args: argparse.Namespace, root: Path | None) -> tuple[RepoSpec, ...]:
    """Take what the command line says; without --repo, the checkout one stands in is what one wants to hear about."""
    repos = tuple(map(RepoSpec.parse, args.repo))
    if len({spec.name.lower() for spec in repos}) < len(repos):
        raise UsageError("--repo: a repository is named twice")
    if repos or root is None or args.workflow:
        return repos
    # Written relative to the file, so that both can be moved together.
    return (checkout_here(root).model_copy(update={"path": Path(os.path.relpath(root, Path.cwd()))}),)


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


def _ignore(file: Path) -> list[str]:
    """Add what should not be committed to .gitignore, once."""
    try:
        text = file.read_text("utf-8", errors="surrogateescape") if file.exists() else ""
        missing = [line for line in _IGNORED if line not in text.splitlines()]
        with file.open("a", encoding="utf-8") as stream:
            stream.write(
                "\n" * bool(missing and text and not text.endswith("\n")) + "".join(f"{line}\n" for line in missing)
            )
    except OSError as error:
        raise StorageError(f"cannot write {file}: {error.strerror}") from error
    return [f"added {' and '.join(missing)} to {file}"] if missing else []
