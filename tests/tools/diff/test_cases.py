"""Folders of files before and after a commit, and the facts that somebody who depends on them must be told.

`facts.json` holds the expected `facts`, each with the fields that matter, and in `absent` the kinds, severities and
names that must not be told. With whole files every fact that users see must be expected, but for code that only changes
inside of functions. With hunks alone a fact may be judged or named otherwise: `hunks` holds the fields that differ, or
`false` where the hunks cannot show it, and `absent_in_hunks` replaces `absent` there. `message` is the commit's, where
it matters.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from agent.domain.base import RepoId
from agent.domain.commits import Change
from agent.domain.facts import Fact, FactSheet, Severity
from tests.made_repos import Work
from tools.diff.fact_ranking import MAX_INTERNAL, MAX_VISIBLE
from tools.diff.files_read_for_facts import study
from tools.git.source import GitSource

CASES = Path(__file__).parent / "cases"
NAMES = sorted(file.parent.relative_to(CASES).as_posix() for file in CASES.glob("*/*/facts.json"))
REPO = RepoId("acme/engine")
Expected = dict[str, Any]


def files_of(tree: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(tree)): file.read_bytes() for file in tree.rglob("*") if file.is_file()
    }


async def studied(
    path: Path, before: Path, after: Path, message: str = "change"
) -> tuple[Change, list[FactSheet]]:
    """Commit both trees and read the second commit: by whole files and trees, and by its hunks alone."""
    work = Work(path)
    source = GitSource(REPO, path)
    old = files_of(before)
    new = files_of(after)
    work.commit("begin", old)
    change = await anext(
        source.changes([work.commit(message, dict.fromkeys(old.keys() - new.keys()) | new)])
    )
    return change, [await study(source, change, hunks=hunks) for hunks in (False, True)]


def fits(fact: Fact, expected: Expected) -> bool:
    fact_fields = fact.model_dump(mode="json")
    return all(fact_fields[field] == value for field, value in expected.items() if field != "hunks")


def assert_shown(change: Change, sheet: FactSheet) -> None:
    """Every line of every place is a changed line of its file, as the diff has it."""
    patches = {file.path: (file.patch or "").split("\n") for file in change.files}
    for fact in sheet.facts:
        for location in fact.places:
            assert all(
                line[:1] in ("+", "-") and line in patches[location.file] for line in location.lines
            ), fact


@pytest.mark.parametrize("name", NAMES)
async def test_a_commit_tells_its_facts(name: str, tmp_path: Path) -> None:
    case = json.loads((CASES / name / "facts.json").read_text("utf-8"))
    sides = (CASES / name / "before", CASES / name / "after")
    change, (full_version, hunks) = await studied(
        tmp_path / "clone", *sides, case.get("message", "change")
    )
    expected_facts: list[Expected] = case["facts"]
    in_hunks = [
        fact | (fact.get("hunks") or {})
        for fact in expected_facts
        if fact.get("hunks") is not False
    ]
    absent = case.get("absent", ())
    absent_in_hunks = case.get("absent_in_hunks", absent)
    for sheet, expected, unexpected in (
        (full_version, expected_facts, absent),
        (hunks, in_hunks, absent_in_hunks),
    ):
        for expectation in expected:
            assert any(fits(fact, expectation) for fact in sheet.facts), (
                sheet.route,
                expectation,
                sheet.facts,
            )
        for fact in sheet.facts:
            assert not {fact.kind, fact.severity, fact.name} & set(unexpected), (sheet.route, fact)
        assert_shown(change, sheet)
    for fact in full_version.facts:
        seen = fact.severity is not Severity.INTERNAL and fact.kind != "code-changed"
        assert not seen or any(fits(fact, expectation) for expectation in expected_facts), fact
    assert full_version.skipped == hunks.skipped == ()


async def test_a_giant_commit_is_told_by_what_users_reach_and_no_longer_than_somebody_reads(
    tmp_path: Path,
) -> None:
    before = tmp_path / "before"
    after = tmp_path / "after"
    for number in range(80):
        for side, default in ((before, 1), (after, 2)):
            file = side / f"pkg/part_{number}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            helper = f"\n\ndef _helper_{number}(one):\n    return one\n" if side is before else ""
            flag = f'parser.add_argument("--part-{number}", default={default})'
            file.write_text(f"def add(parser):\n    {flag}\n{helper}")
    (before / "setup.py").write_text(
        'from setuptools import setup\n\nsetup(name="engine", version="1.0.0")\n'
    )
    (after / "setup.py").write_text(
        'from setuptools import setup\n\nsetup(name="engine", version="2.0.0")\n'
    )
    change, sheets = await studied(tmp_path / "clone", before, after)
    for sheet in sheets:
        internal = sum(fact.severity is Severity.INTERNAL for fact in sheet.facts)
        assert internal <= MAX_INTERNAL
        assert len(sheet.facts) - internal == MAX_VISIBLE
        assert sheet.facts[0].kind == "version-changed"
        assert_shown(change, sheet)
