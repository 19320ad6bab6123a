"""A range is bumped if no version is in both the old and the new one."""

import pytest

from agent.bumps.pin_files import read_pins
from agent.bumps.pins import pin_changes
from agent.bumps.version_range_changes import RangeChanges, range_changes


def changes(before: str, after: str, path: str = "requirements.txt") -> RangeChanges:
    return range_changes({path: read_pins(path, before, {})}, {path: read_pins(path, after, {})})


@pytest.mark.parametrize(
    ("old", "new", "versions"),
    [
        (">=0.25.0,<0.26.0", ">=0.26.0,<0.27.0", ("0.25.0", "0.26.0")),
        (">=0.30,<=0.30.0", ">=0.32.2,<=0.32.2", ("0.30", "0.32.2")),
        ("~=1.4.2", "~=1.5.0", ("1.4.2", "1.5.0")),
        ("==2.*", "==3.*", ("2", "3")),
        (">=2.16,!=2.16.3,<2.17", ">=3.0,<4", ("2.16", "3.0")),
        (">=3.0,<4", ">=2.16,<2.17", ("3.0", "2.16")),
    ],
)
def test_ranges_without_a_version_in_both_are_a_bump(
    old: str, new: str, versions: tuple[str, str]
) -> None:
    (bump,) = changes(f"paint{old}\n", f"Paint {new}  # now\n").bumps
    assert (bump.key, bump.old, bump.new) == ("pypi:paint", *versions)
    assert "requirements.txt allows" in bump.ranges


@pytest.mark.parametrize(
    ("old", "new"),
    [(">=1", ">=2"), (">=1,<3", ">=1,<4"), ("<2", "<3"), (">=1.0,<=2.0", ">=2.0,<3.0")],
)
def test_ranges_that_may_share_a_version_are_unclear(old: str, new: str) -> None:
    range_changes = changes(f"paint{old}\n", f"paint{new}\n")
    assert range_changes.bumps == []
    assert "the same version may fit both" in range_changes.unclear[0].reason


def test_a_package_with_several_ranges_in_a_file_is_left_alone() -> None:
    text = "paint>=1,<2 ; python_version < '3.9'\npaint>=2,<3\n"
    assert changes(text, text.replace("<3", "<4")) == ([], [])


def test_projects_write_ranges_as_well() -> None:
    flit = '[tool.flit.metadata]\nmodule = "app"\nrequires = ["paint >=1,<2"]\n'
    (bump,) = changes(flit, flit.replace(">=1,<2", ">=2,<3"), "pyproject.toml").bumps
    assert (bump.old, bump.new) == ("1", "2")


@pytest.mark.parametrize(("old", "new"), [(">=0.9.11,<=0.10.1", "==0.11.1"), ("==1.0", ">=2,<3")])
def test_a_pin_in_the_place_of_a_range_is_a_bump(old: str, new: str) -> None:
    assert len(changes(f"paint{old}\n", f"paint{new}\n").bumps) == 1


def test_a_pin_within_the_range_before_it_is_unclear() -> None:
    range_changes = changes("paint>=1,<2\n", "paint==1.5\n")
    assert (range_changes.bumps, len(range_changes.unclear)) == ([], 1)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("setup.py", 'import os\nsetup(name="own", install_requires=["paint=={}"])\n'),
        ("setup.py", 'setup(extras_require={{"all": ["six", "paint=={}"]}})\n'),
        ("setup.cfg", "[metadata]\nname = own\n\n[options]\ninstall_requires =\n    paint=={}\n"),
        ("setup.cfg", "[options.extras_require]\nall =\n    paint=={}  # now\n"),
    ],
)
@pytest.mark.parametrize(("old", "new"), [("1.0", "2.0"), ("1.*", "2.*")])
def test_requirements_of_setuptools_are_read(path: str, text: str, old: str, new: str) -> None:
    before = {path: read_pins(path, text.format(old), {})}
    after = {path: read_pins(path, text.format(new), {})}
    bumps = [*range_changes(before, after).bumps, *pin_changes(before, after).bumps]
    assert [bump.key for bump in bumps] == ["pypi:paint"]
