"""The command `bump`: what the new versions of dependencies do to one's own code."""

import argparse
import asyncio
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import ValidationError

from agent.browser_urls import Web
from agent.bumps.bump_report_model import BumpReport
from agent.bumps.bump_settings import BumpSettings, PackageEntry
from agent.bumps.github_annotations import annotations
from agent.bumps.pins import Bump
from agent.bumps.pull_comment import CommentWriter, marker
from agent.domain.base import RepoId
from agent.domain.errors import (
    EXIT_DONE,
    EXIT_INCOMPLETE,
    ConfigError,
    InputError,
    StorageError,
    UpstreamError,
    UsageError,
)
from agent.domain.references import repo_id
from agent.markdown import visible
from agent.settings.read import FILE_NAME, override, read_settings
from agent.settings.values import Settings
from gitzette.home_folder import home_of
from gitzette.settings_from_arguments import checkout_here
from gitzette.terminal_output import as_json, say
from tools.git.mirrors import MirrorKeeper
from tools.git.process import remote_environment
from tools.git.source import GitSource
from tools.github.client import GitHubClient
from tools.github.pull_comments import pull_ends, put_comment
from tools.packages.bump_effects import BumpReader, OwnRange
from tools.packages.package_repositories import SourceFinder
from tools.packages.registry import DeclaredSource, NotDeclared, Registries
from tools.packages.repository_trees import TreeReader
from tools.packages.user_pins import read_pin_changes

_SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
_MAX_SUMMARY_BYTES = 1_000_000  # GitHub refuses a summary of more than 1 MiB


class RangeEnds(NamedTuple):
    """The commits that are compared, as they were named."""

    base: str
    tip: str


class OwnCheckout(NamedTuple):
    """The user's own repository: what it is called, and where it is."""

    repo: RepoId
    path: Path


def bump(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """Report on the dependencies that a range bumps; status 3 for what --fail-on names."""
    if args.comment and args.pr is None:
        raise UsageError("--comment needs --pr N, the pull request to comment on")
    # The file in a checkout may be the pull request's: it decides nothing but what its base says.
    settings = override(read_settings(None, environ), {"repos": args.repo} if args.repo else {})
    if args.analyst:
        settings = override(settings, {"analyst": args.analyst})
    report = asyncio.run(_run(args, settings, environ))
    if args.fail_on == "used-breaking" and report.is_breaking:
        return EXIT_INCOMPLETE
    return EXIT_INCOMPLETE if report.model_failures else EXIT_DONE


async def _run(
    args: argparse.Namespace, settings: Settings, environ: Mapping[str, str]
) -> BumpReport:
    checkout = _own_checkout(args.checkout, environ)
    token = settings.token.get_secret_value() if settings.token else None
    async with GitHubClient(base_url=settings.github_url, token=token) as client:
        report = await _read(args, settings, environ, checkout, client)
        writer = CommentWriter(report, Web(settings.web))
        _print_report(args.format, report, writer)
        _write_summary(environ, writer)
        if args.comment:
            await _comment(client, report, args.pr, writer)
    return report


def _own_checkout(path: Path | None, environ: Mapping[str, str]) -> OwnCheckout:
    """Return the named clone or mirror, or the checkout around the current folder.

    In a workflow GitHub says what the repository is called.
    """
    name = environ.get("GITHUB_REPOSITORY", "")
    if path is not None and name:
        return OwnCheckout(repo_id(name), path)
    spec = checkout_here(path or Path.cwd())
    assert spec.path is not None
    return OwnCheckout(repo_id(name) if name else spec.name, spec.path)


async def _read(
    args: argparse.Namespace,
    settings: Settings,
    environ: Mapping[str, str],
    checkout: "OwnCheckout",
    client: GitHubClient,
) -> BumpReport:
    repo = checkout.repo
    trees = await TreeReader.at(checkout.path)
    ends = await _range_ends(args, trees, repo, client)
    tip = await _existing_commit(trees, ends.tip)
    named_base = await _existing_commit(trees, ends.base)
    base = await trees.merge_base(named_base, tip)
    if not base:
        raise InputError(
            f"{ends.base} and {ends.tip} share no commit here; fetch more of the history"
            " (fetch-depth: 0 in a workflow)"
        )
    bump_settings = await _bump_settings(trees, base, args.map)
    home = home_of(settings, environ)
    sources = PackageSources(settings, environ, home)
    registries = Registries(home / "bump" / "registries")

    async def look_up(package: Bump) -> DeclaredSource:
        if not bump_settings.registries:
            raise NotDeclared("no registry is asked (registries = false)")
        return await registries.declared_source(package)

    host = (urlsplit(settings.web).hostname or "").lower()
    finder = SourceFinder(bump_settings.packages, sources.trees, look_up, host)
    reader = BumpReader(
        compared=OwnRange(repo, trees, base, tip, _folders(args.uses or [], checkout.path)),
        finder=finder,
        open_trees=sources.trees,
        open_code=sources.code,
        settings=bump_settings,
        cache=home / "bump",
        say=_say_visibly,
    )
    changes = await read_pin_changes(trees, base, tip)
    if settings.analyst != "model":
        return await reader.report(changes)
    # Importing what models need takes longer than reading most bumps.
    from gitzette.bump_commit_explainer import open_explainer

    async with open_explainer(settings, environ, bump_settings.max_explained) as explainer:
        explaining = replace(reader, explain=explainer.explain, model=explainer.model)
        return await explaining.report(changes)


def _say_visibly(text: str) -> None:
    """Print progress on one line: a runner would take a line of a hostile name for a command."""
    say(visible(text))


async def _range_ends(
    args: argparse.Namespace, trees: TreeReader, repo: RepoId, client: GitHubClient
) -> RangeEnds:
    """Return the named range, that of the pull request, or the branch against its origin."""
    if args.range:
        base, separator, tip = args.range.partition("..")
        if not separator or not base:
            raise UsageError(f"{args.range!r} is not a range; write BASE..HEAD")
        return RangeEnds(base, tip.lstrip(".") or "HEAD")
    if args.pr is not None:
        pull = await pull_ends(client, repo, args.pr)
        return RangeEnds(pull.base.sha, pull.tip.sha)
    for name in ("refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"):
        if await trees.commit(name):
            return RangeEnds(name, "HEAD")
    raise UsageError("there is no branch to compare with; write BASE..HEAD or --pr N")


async def _existing_commit(trees: TreeReader, revision: str) -> str:
    sha = await trees.commit(revision)
    if not sha:
        raise InputError(f"{revision!r} is no commit of this checkout; fetch it first")
    return sha


async def _bump_settings(trees: TreeReader, base: str, map_file: Path | None) -> BumpSettings:
    """Return `[bump]` of the configuration as the base has it, with the packages of map files."""
    texts = await trees.texts(base, [FILE_NAME])
    table = _toml(FILE_NAME, texts.get(FILE_NAME, "")).get("bump", {})
    settings = _validated(FILE_NAME, table)
    packages: dict[str, PackageEntry] = {}
    if settings.map:
        mapped = await trees.texts(base, [settings.map])
        packages |= _packages(settings.map, mapped.get(settings.map, ""))
    packages |= settings.packages
    if map_file is not None:
        packages |= _packages(map_file.name, _map_text(map_file))
    return settings.model_copy(update={"packages": packages})


def _map_text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"--map {file} cannot be read: {error}") from error


def _toml(name: str, text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{name} at the base is not valid TOML: {error}") from error


def _packages(name: str, text: str) -> dict[str, PackageEntry]:
    return _validated(name, {"packages": _toml(name, text).get("packages", {})}).packages


def _validated(name: str, table: object) -> BumpSettings:
    try:
        return BumpSettings.model_validate(table)
    except ValidationError as error:
        details = error.errors(include_input=False, include_url=False)[0]
        key = ".".join(str(part) for part in details["loc"])
        raise ConfigError(f"bump.{key} in {name}: {details['msg']}") from error


def _folders(paths: list[Path], checkout: Path) -> list[str]:
    """Return the folders of --uses as paths in the checkout; the checkout itself means all."""
    folders: list[str] = []
    for path in paths:
        resolved = path.resolve()
        if not resolved.is_relative_to(checkout.resolve()):
            raise UsageError(f"--uses {path} is not in the checkout {checkout}")
        relative = resolved.relative_to(checkout.resolve()).as_posix()
        if relative != ".":
            folders.append(relative)
    return folders


class PackageSources:
    """Opens the repositories of packages: clones that were named, else mirrors of our own."""

    def __init__(self, settings: Settings, environ: Mapping[str, str], home: Path) -> None:
        token = settings.token.get_secret_value() if settings.token else None
        self._keeper = MirrorKeeper(home, settings.git_url, token, environ=environ)
        self._environ = environ
        self._paths = {spec.name.lower(): spec.path for spec in settings.repos}
        self._trees: dict[str, TreeReader] = {}
        self._code: dict[str, GitSource] = {}

    async def trees(self, repo: RepoId) -> TreeReader:
        """Return the trees of a repository, which is brought up to date once."""
        await self._open(repo)
        return self._trees[repo.lower()]

    async def code(self, repo: RepoId) -> GitSource:
        """Return the commits of a repository."""
        await self._open(repo)
        return self._code[repo.lower()]

    async def _open(self, repo: RepoId) -> None:
        key = repo.lower()
        if key in self._trees:
            return
        path = self._paths.get(key)
        network: Mapping[str, str] = remote_environment(self._environ)
        if path is None:
            path = await self._keeper.refresh(repo)
            network = self._keeper.network
        self._trees[key] = await TreeReader.at(path, network)
        self._code[key] = GitSource(repo, path, network=network)


def _print_report(form: str, report: BumpReport, writer: CommentWriter) -> None:
    if form == "json":
        sys.stdout.write(as_json(report.model_dump(mode="json")))
    elif form == "github":
        for line in annotations(report):
            sys.stdout.write(f"{line}\n")
    else:
        sys.stdout.write(writer.markdown())


def _write_summary(environ: Mapping[str, str], writer: CommentWriter) -> None:
    """Append the whole report to the summary of a workflow's step, where there is one."""
    path = environ.get(_SUMMARY_VARIABLE)
    if not path:
        return
    content = writer.markdown().encode("utf-8", "replace")[:_MAX_SUMMARY_BYTES]
    try:
        with Path(path).open("ab") as file:
            file.write(content)
    except OSError as error:
        raise StorageError(f"{_SUMMARY_VARIABLE} {path}: {error.strerror}") from error


async def _comment(
    client: GitHubClient, report: BumpReport, number: int, writer: CommentWriter
) -> None:
    """Write the comment; a token that may not is no error, because the summary has it all."""
    try:
        change = await put_comment(
            client,
            report.repo,
            number,
            marker(report.repo),
            writer.comment(),
            may_create=report.has_bumps,
        )
    except UpstreamError as error:
        _say_visibly(f"no comment was written ({error}); the summary of the run has the report")
        return
    say(f"the comment of #{number} is {change}")
