"""The command `init`: a commented configuration where the user stands, and what else a daily run needs."""

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, TypeVar, cast, get_args

from agent.configuration import read_settings
from agent.errors import EXIT_DONE, InputError, StorageError, UsageError
from agent.settings import FILE_NAME, Language, RepoSpec
from agent.window import zone
from gitzette.arguments import checkout_here
from gitzette.blanks import configuration, workflow
from tools.git.repository import checkout_above

WORKFLOW = Path(".github/workflows/gitzette.yml")
# A token pasted into .env, and what a run that was killed in the middle of writing leaves behind.
_IGNORED = (".env", "/gazette/**/.*")
_LANGUAGES = get_args(Language)
T = TypeVar("T")


@dataclass(frozen=True)
class Answers:
    """What the configuration is filled with."""

    repos: tuple[RepoSpec, ...]
    tz: str = "UTC"
    lang: Language = "en"


def init(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Write what is not there yet, and say what to do next."""
    del environ
    root = checkout_above(Path.cwd())
    if args.workflow:
        _check_runner(args.repo, root)
    written = []
    if not Path(FILE_NAME).exists():
        answers = _given(args, root)
        if sys.stdin.isatty() and sys.stderr.isatty():
            answers = ask(answers, sys.stdin, sys.stderr)
        written.append(_write(Path(FILE_NAME), configuration(answers.repos, answers.tz, answers.lang)))
    elif not args.workflow:
        raise InputError(f"{FILE_NAME} is already there and is left alone; edit it, or move it away first")
    else:
        settings = read_settings(Path(FILE_NAME), {})
        answers = Answers(settings.repos, args.tz or settings.tz)
    if args.workflow:
        written.append(_write(WORKFLOW, workflow(answers.tz)))
    if root is not None and (ignored := _ignore(Path(".gitignore"))):
        written.append(ignored)
    sys.stdout.write("".join(f"{told}\n" for told in (*written, "", *_next(args, answers))))
    return EXIT_DONE


def ask(known: Answers, answers: TextIO, questions: TextIO) -> Answers:
    """Ask for what matters most; an empty answer takes what stands in brackets."""
    named = " ".join(spec.name for spec in known.repos)
    repos = _until_right("Repositories, as owner/name, separated by spaces", named, _repos, answers, questions)
    tz = _until_right("Time zone that cuts the days", known.tz, lambda text: zone(text).key, answers, questions)
    lang = _until_right("Language of the reports (en, zh)", known.lang, _language, answers, questions)
    kept = {spec.name: spec for spec in known.repos}
    return Answers(tuple(kept.get(spec.name, spec) for spec in repos), tz, lang)


def _until_right(question: str, default: str, read: Callable[[str], T], answers: TextIO, questions: TextIO) -> T:
    """Ask again until the answer makes sense; when there are no more answers, the default is taken."""
    while True:
        questions.write(f"{question} [{default}]: ")
        questions.flush()
        line = answers.readline()
        try:
            return read(line.strip() or default)
        except UsageError as error:
            questions.write(f"  {error}\n")
            if not line:
                raise


def _repos(text: str) -> tuple[RepoSpec, ...]:
    return tuple(RepoSpec.parse(name) for name in dict.fromkeys(text.replace(",", " ").split()))


def _language(text: str) -> Language:
    if text not in _LANGUAGES:
        raise UsageError(f"{text!r} is not one of {', '.join(_LANGUAGES)}")
    return cast(Language, text)


def _given(args: argparse.Namespace, root: Path | None) -> Answers:
    """Take what the command line says; without --repo, the checkout one stands in is what one wants to hear about."""
    repos = tuple(RepoSpec.parse(text) for text in args.repo)
    if len({spec.name.lower() for spec in repos}) < len(repos):
        raise UsageError("--repo: a repository is named twice")
    if not repos and root is not None and not args.workflow:
        repos = (_relative(checkout_here(root), root),)
    return Answers(repos, zone(args.tz).key if args.tz else "UTC", args.lang or "en")


def _relative(spec: RepoSpec, root: Path) -> RepoSpec:
    """Write the checkout's own place relative to the file, so that both can be moved together."""
    return spec.model_copy(update={"path": Path(os.path.relpath(root, Path.cwd()))})


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
            stream.write("".join(f"{line}\n" for line in ([""] if text and not text.endswith("\n") else []) + missing))
    except OSError as error:
        raise StorageError(f"cannot write {file}: {error.strerror}") from error
    return f"added {' and '.join(missing)} to {file}"


def _next(args: argparse.Namespace, answers: Answers) -> list[str]:
    steps = [] if answers.repos else [f"Name your repositories in {FILE_NAME}."]
    steps.append("Set GITHUB_TOKEN, so that issues are read; for public repositories a token without scopes will do.")
    steps += [
        "gitzette doctor           checks that everything is there",
        "gitzette run              reports on yesterday",
    ]
    if args.workflow:
        steps.append(f"Commit {FILE_NAME} and {WORKFLOW}, and push: GitHub runs it every day.")
    else:
        steps.append("gitzette run --catch-up   is what a timer should run every day; see docs/operations.md")
    return ["Next:", *(f"  {step}" for step in steps)]
