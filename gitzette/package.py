"""Where this copy of Gitzette comes from: its version, and the address from which the same can be installed."""

import json
import subprocess
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

from tools.git.repository import checkout_above


def own_version() -> str:
    """Give the version, or say that this is a checkout."""
    try:
        return version("gitzette")
    except PackageNotFoundError:
        return "(from a checkout)"


def install_address() -> str:
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
