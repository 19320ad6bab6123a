"""From where another machine can install this copy: an address with its commit, or a wheel."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from gitzette.self_packaging import PACKAGES, install_address, write_wheel
from tests.made_repos import Work

ROOT = Path(__file__).parents[2]
SHA = "a" * 40
URL = "https://git.example/gitzette.git"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put this copy into a `site-packages` as an installer does; return the folder of its metadata."""
    site = tmp_path / "user" / ".venv" / "site-packages"
    info = site / "gitzette-7.8.9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.4\nName: gitzette\nVersion: 7.8.9\n")
    (info / "entry_points.txt").write_text("[console_scripts]\ngitzette = gitzette.cli:main\n")
    (site / "gitzette").symlink_to(ROOT / "gitzette")
    monkeypatch.syspath_prepend(site)
    return info


@pytest.mark.parametrize(
    ("origin", "address"),
    [
        (
            {"url": URL, "vcs_info": {"vcs": "git", "commit_id": SHA}},
            f"git+{URL}@{SHA}",
        ),
        ({"url": "ssh://git@host/x.git", "vcs_info": {"vcs": "git", "commit_id": SHA}}, None),
        (
            {"url": "https://x.example/g.whl", "archive_info": {"hashes": {"sha256": "ab12"}}},
            "https://x.example/g.whl#sha256=ab12",
        ),
        ({"url": "https://x.example/g.whl", "archive_info": {}}, None),
        ({"url": "file:///gone/g.whl", "archive_info": {"hashes": {"sha256": "ab12"}}}, None),
        ({"url": "file:///gone", "dir_info": {}}, None),
        ({}, None),
    ],
)
def test_an_installed_copy_is_installed_again_from_where_it_came(
    installed: Path, origin: dict[str, Any], address: str | None
) -> None:
    # The user's own project around the environment has an address, which is not ours.
    user = Work(installed.parents[2])
    user.commit("Begin")
    publish(user, "https://git.example/project.git")
    (installed / "direct_url.json").write_text(json.dumps(origin))
    assert install_address() == address


def test_a_copy_installed_from_a_checkout_is_installed_from_its_origin_once_it_is_pushed(
    installed: Path, work: Work
) -> None:
    origin = {"url": work.path.as_uri(), "dir_info": {}}
    (installed / "direct_url.json").write_text(json.dumps(origin))
    commit = work.commit("Begin")
    work.git("remote", "add", "origin", URL)
    assert install_address() is None
    work.git("update-ref", "refs/remotes/origin/main", commit)
    assert install_address() == f"git+{URL}@{commit}"
    work.commit("Not pushed")
    assert install_address() is None


def publish(work: Work, url: str) -> None:
    work.git("remote", "add", "origin", url)
    work.git("update-ref", "refs/remotes/origin/main", "HEAD")


def test_a_wheel_holds_every_package_and_says_what_it_needs(tmp_path: Path) -> None:
    wheel = write_wheel(tmp_path)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        info = next(name for name in names if name.endswith("/METADATA")).partition("/")[0]
        metadata = archive.read(f"{info}/METADATA").decode()
        record = archive.read(f"{info}/RECORD").decode()
    assert {name.partition("/")[0] for name in names} == {*PACKAGES, info}
    assert "gitzette/templates/workflow.yml" in names
    assert not [name for name in names if "__pycache__" in name]
    assert len(record.splitlines()) == len(names)
    assert "\nRequires-Dist: langgraph>=" in metadata
    assert "\nProvides-Extra: server\n" in metadata
    # Committing it again commits no change.
    assert write_wheel(tmp_path / "again").read_bytes() == wheel.read_bytes()


@pytest.mark.usefixtures("installed")
def test_the_wheel_of_an_installed_copy_repeats_its_metadata(tmp_path: Path) -> None:
    wheel = write_wheel(tmp_path)
    assert wheel.name == "gitzette-7.8.9-py3-none-any.whl"
    probe = "from importlib.metadata import distribution as d; print(d('gitzette').entry_points)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", probe],
        env={"PYTHONPATH": str(wheel)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert "gitzette.cli:main" in done.stdout
