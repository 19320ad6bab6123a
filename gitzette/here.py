"""The checkout a user stands in, as a repository to report on."""

import configparser
import re
from pathlib import Path

from agent.errors import UsageError
from agent.ids import RepoId, repo_id
from agent.settings import FILE_NAME, RepoSpec
from tools.git.repository import checkout_above


def checkout_here(folder: Path) -> RepoSpec:
    """Name the checkout by its origin where that is a hosted repository, else `local/<folder>`."""
    path = checkout_above(folder)
    if path is None:
        raise UsageError(
            f"no repository to report on: use --repo owner/name, write {FILE_NAME}, or stand in a git checkout"
        )
    return RepoSpec(name=_origin(path) or _local(path), path=path)


def _origin(path: Path) -> RepoId | None:
    """Read the origin's address from the checkout's own configuration."""
    try:
        text = (path / ".git" / "config").read_text("utf-8", errors="replace")
        # Git indents its keys; the parser takes an indented line for a continuation.
        config = configparser.ConfigParser(strict=False, interpolation=None, allow_no_value=True)
        config.read_string("\n".join(line.strip() for line in text.splitlines()))
        return repo_id(config['remote "origin"']["url"])
    except (OSError, KeyError, configparser.Error, UsageError, AttributeError):
        return None


def _local(path: Path) -> RepoId:
    return RepoId(f"local/{re.sub(r'[^A-Za-z0-9._-]', '-', path.name).strip('.') or 'checkout'}")
