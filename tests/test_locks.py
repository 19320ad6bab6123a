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
RUNTIME, SERVER, DEV = "requirements.lock", "requirements-server.lock", "requirements-dev.lock"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS = pytest.mark.parametrize("lock", [RUNTIME, SERVER, DEV])


def entries(lock: str) -> list[str]:
    """Give each requirement of a lock as one line, with its hashes, without comments."""
    text = "\n".join(line for line in (ROOT / lock).read_text("utf-8").splitlines() if not line.strip().startswith("#"))
    return [line for line in text.replace("\\\n", " ").splitlines() if line.strip()]


def pins(lock: str) -> dict[str, list[Requirement]]:
    """Give what is pinned by name; a package may be pinned once for each kind of machine."""
    found: dict[str, list[Requirement]] = {}
    for entry in entries(lock):
        requirement = Requirement(entry.split("--hash=")[0].strip())
        found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return found


def version(pin: Requirement) -> Version:
    (only,) = pin.specifier
    assert only.operator == "==", pin
    return Version(only.version)


def direct(lock: str) -> list[Requirement]:
    names = list(PROJECT["project"]["dependencies"])
    more = {RUNTIME: [], SERVER: PROJECT["project"]["optional-dependencies"]["server"]}
    return [Requirement(text) for text in names + more.get(lock, PROJECT["dependency-groups"]["dev"])]


@LOCKS
def test_a_lock_was_made_from_the_dependencies_of_today(lock: str) -> None:
    told = subprocess.run(
        [sys.executable, "scripts/lock_inputs.py"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    assert re.fullmatch(r"# inputs: sha256:[0-9a-f]{64}", told)
    first = (ROOT / lock).read_text("utf-8").partition("\n")[0]
    assert first == told, f"{lock} is out of date; run scripts/lock"


@LOCKS
def test_everything_is_pinned_to_one_version_with_its_hashes(lock: str) -> None:
    found = entries(lock)
    assert len(found) > 20
    for entry in found:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}( |$)", entry), entry
        assert re.fullmatch(r"[\w.\[\],-]+==[\w.+!]+( ; [^\\]+?)?( +--hash=sha256:[0-9a-f]{64})+ *", entry), entry


@LOCKS
def test_a_lock_names_no_place_to_fetch_from(lock: str) -> None:
    text = (ROOT / lock).read_text("utf-8")
    assert not re.search(r"://|--index|--extra|--find-links|\bfile:|@ ?git|^-", text, re.MULTILINE)


@LOCKS
def test_every_dependency_is_pinned_to_a_version_that_it_allows(lock: str) -> None:
    found = pins(lock)
    for wanted in direct(lock):
        assert canonicalize_name(wanted.name) in found, wanted
        for pin in found[canonicalize_name(wanted.name)]:
            assert wanted.specifier.contains(version(pin), prereleases=True), f"{pin} is not {wanted}"


def test_the_tools_are_locked_with_the_very_versions_that_users_get() -> None:
    runtime, dev = pins(SERVER), pins(DEV)
    assert pins(RUNTIME).keys() <= runtime.keys() <= dev.keys()
    for name, wanted in runtime.items():
        assert {version(pin) for pin in dev[name]} == {version(pin) for pin in wanted}, name


@LOCKS
def test_no_package_is_pinned_twice_for_the_same_machine(lock: str) -> None:
    for name, found in pins(lock).items():
        assert len(found) == 1 or len({str(pin.marker) for pin in found}) == len(found), name


def test_a_lock_knows_when_the_dependencies_changed(tmp_path: Path) -> None:
    script = [sys.executable, str(ROOT / "scripts" / "lock_inputs.py")]
    told = set()
    for wanted in ("httpx>=0.28", "httpx>=0.29", "httpx>=0.28"):
        lines = ["[project]", 'requires-python = ">=3.11"', f'dependencies = ["{wanted}"]', "[dependency-groups]"]
        (tmp_path / "pyproject.toml").write_text("\n".join(lines))
        told.add(subprocess.run(script, cwd=tmp_path, capture_output=True, text=True, check=True).stdout)
    assert len(told) == 2
