"""The tests themselves: they pass whatever the caller's environment holds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HOSTILE = dict(
    line.split("=", 1) for line in (ROOT / "tests" / "hostile_environment").read_text().splitlines()
)
"""Variables that would mislead the program; `scripts/check` runs all tests with them."""


@pytest.mark.heavy  # The gate runs every test in this environment
def test_tests_pass_whatever_the_callers_environment_holds() -> None:
    commands = "tests/gitzette/test_cli.py"
    tests = [
        f"{commands}::test_the_file_gives_repositories_zone_and_language",
        f"{commands}::test_wrong_use_is_one_line_that_says_what_to_do_and_writes_nothing",
        f"{commands}::test_common_names_are_ours_even_where_others_have_the_same",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cov", *tests],
        cwd=ROOT,
        env=os.environ | HOSTILE,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4_000:]
