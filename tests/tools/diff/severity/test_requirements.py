"""A raised minimum breaks users whose installation fitted before and is refused now."""

import pytest

from tools.diff.severity.requirements import refuses_all_before


@pytest.mark.parametrize(
    ("name", "old", "new", "is_refused"),
    [
        ("python", ">=3.9", ">=3.10", True),
        ("python", ">=3.9", ">=3.9.2", False),
        ("python", "~=3.9", ">=3.10", True),
        ("python", ">=3.9", "~=3.11", True),
        ("python", ">3.8", ">3.9", True),
        ("python", ">=3.10", ">=3.9", False),
        ("python", ">=3.8,>=3.9", ">=3.9", False),
        ("torch", ">=1.13", ">=2.0", True),
        ("torch", "~=1.13", "~=2.0", True),
        ("torch", ">=2.0", ">=2.4", False),
        # Nobody was sure to run on what a pin allowed, and without a minimum nothing is refused.
        ("torch", "==1.13", ">=2.0", False),
        ("torch", ">=1.0,==1.*", ">=2.0", False),
        ("torch", ">=1.13", "===2.0", False),
        ("torch", "", ">=2.0", False),
        ("torch", "<2", ">=2.0", False),
        ("torch", ">=1.13", "", False),
        ("torch", ">=1.13", "no version", False),
    ],
)
def test_a_minor_version_of_python_and_a_major_one_of_a_package_count(
    name: str, old: str, new: str, is_refused: bool
) -> None:
    assert refuses_all_before(name, old, new) is is_refused
