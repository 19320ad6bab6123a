"""The locks: made from today's dependencies, every pin hashed, no address inside, both of one mind."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
RUNTIME = "requirements.lock"
SERVER = "requirements-server.lock"
DEV = "requirements-dev.lock"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS = pytest.mark.parametrize("lock", [RUNTIME, SERVER, DEV])


def entries(lock: str) -> list[str]:
    """Give each requirement of a lock as one line, with its hashes, without comments."""
    text = "\n".join(
        line
        for line in (ROOT / lock).read_text("utf-8").splitlines()
        if not line.strip().startswith("#")
    )
    return [line for line in text.replace("\\\n", " ").splitlines() if line.strip()]


def pins(lock: str) -> dict[str, list[Requirement]]:
    """Give what is pinned by name; a package may be pinned once for each kind of machine."""
    requirements_found: dict[str, list[Requirement]] = {}
    for entry in entries(lock):
        requirement = Requirement(entry.split("--hash=")[0].strip())
        requirements_found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return requirements_found


def version(pin: Requirement) -> Version:
    (only,) = pin.specifier
    assert only.operator == "==", pin
    return Version(only.version)


def direct(lock: str) -> list[Requirement]:
    names = list(PROJECT["project"]["dependencies"])
    more = {RUNTIME: [], SERVER: PROJECT["project"]["optional-dependencies"]["server"]}
    return [
        Requirement(text) for text in names + more.get(lock, PROJECT["dependency-groups"]["dev"])
    ]


@LOCKS
def test_a_lock_is_of_today_pins_and_hashes_everything_and_names_no_place_to_fetch_from(
    lock: str,
) -> None:
    script = [sys.executable, "scripts/lock_inputs.py"]
    output = subprocess.run(
        script, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    assert re.fullmatch(r"# inputs: sha256:[0-9a-f]{64}", output)
    text = (ROOT / lock).read_text("utf-8")
    assert text.partition("\n")[0] == output, f"{lock} is out of date; run scripts/lock"
    assert len(entries(lock)) > 20
    for entry in entries(lock):
        assert re.fullmatch(
            r"[\w.\[\],-]+==[\w.+!]+( ; [^\\]+?)?( +--hash=sha256:[0-9a-f]{64})+ *", entry
        ), entry
    assert not re.search(r"://|--index|--extra|--find-links|\bfile:|@ ?git|^-", text, re.MULTILINE)


@LOCKS
def test_every_dependency_is_pinned_once_to_a_version_that_it_allows(lock: str) -> None:
    requirements_found = pins(lock)
    for requirement in direct(lock):
        for pin in requirements_found[canonicalize_name(requirement.name)]:
            assert requirement.specifier.contains(version(pin), prereleases=True), (
                f"{pin} is not {requirement}"
            )
    for name, some in requirements_found.items():
        assert len(some) == 1 or len({str(pin.marker) for pin in some}) == len(some), name


def test_the_tools_are_locked_with_the_very_versions_that_users_get() -> None:
    runtime = pins(SERVER)
    dev = pins(DEV)
    assert pins(RUNTIME).keys() <= runtime.keys() <= dev.keys()
    for name, requirement in runtime.items():
        assert {version(pin) for pin in dev[name]} == {version(pin) for pin in requirement}, name
