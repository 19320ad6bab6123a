"""Versions in a report: tags that links name, what links to versions are called, and dates of versions."""

import subprocess
from datetime import UTC, datetime

import pytest

from tests.gitzette.commands.test_audit import Bench, bench  # noqa: F401

_WEB = "https://github.com/acme/engine"


@pytest.fixture
def tagged(bench: Bench) -> Bench:  # noqa: F811
    """Tag a version on each of seven days."""
    for number in range(7):
        moment = datetime(2026, 3, 16 + number, 9, tzinfo=UTC)
        bench.engine.commit(f"Release 1.{number}.0", moment, version=f"{number}\n")
        tag = ["git", "-C", str(bench.engine.folder), "tag", f"v1.{number}.0"]
        subprocess.run(tag, check=True, env={"PATH": "/usr/bin:/bin"})
    return bench


_ACCUSED = (
    (f"[All changes]({_WEB}/compare/v1.1.0...v1.2.1)", "nonexistent"),
    (f"See {_WEB}/releases/tag/v1.2.1", "nonexistent"),
    (f"## [1.2.0]({_WEB}/compare/v1.3.0...v1.4.0)", "label"),
    (f"[1.2.0]: {_WEB}/compare/v1.2.1...v1.3.0", "label, nonexistent"),
    (f"- [`v1.2.0`]({_WEB}/releases/tag/v1.3.0)", "label"),
)


def test_links_to_versions_lead_where_they_say(tagged: Bench) -> None:
    accused = {f"# acme/engine\n\n{line}\n": set(cause.split(", ")) for line, cause in _ACCUSED}
    assert tagged.causes_in_each(list(accused)) == accused


_NOT_ACCUSED = (
    f"## [1.2.0]({_WEB}/compare/v1.1.0...v1.2.0)",
    f"[1.2.0]: {_WEB}/compare/v1.1.0...v1.2.0",
    f"[Unreleased]: {_WEB}/compare/v1.6.0...HEAD",
    f"- [v1.2.0]({_WEB}/releases/tag/v1.2.0)",
    f"- [v1.2]({_WEB}/releases/tag/v1.2.0)",
    # Newer and older than all tags, of another form, and branches.
    f"[1.7.0]: {_WEB}/compare/v1.6.0...v1.7.0",
    f"[0.1.0]: {_WEB}/releases/tag/v0.1.0",
    f"[Changes]({_WEB}/compare/engine-v1.2.1...engine-v1.2.2)",
    f"[Changes]({_WEB}/compare/v1.2...v1.3)",
    f"[Changes]({_WEB}/compare/release/1.2...main)",
    "[1.2.0]: https://github.com/acme/elsewhere/compare/v1.1.0...v9.2.0",
)


def test_other_links_to_versions_are_not_accused(tagged: Bench) -> None:
    reports = [f"# acme/engine\n\n{line}\n" for line in _NOT_ACCUSED]
    causes = tagged.causes_in_each(reports)
    assert {report: cause for report, cause in causes.items() if cause} == {}


def test_a_version_is_dated_as_its_tag_is_where_the_others_are(tagged: Bench) -> None:
    lines = [f"## v1.{number}.0 - March {16 + number}, 2026\n\n- One\n" for number in range(6)]
    assert tagged.wrong("# acme/engine\n\n" + "\n".join(lines)) == []
    wrong = lines[5].replace("March 21", "March 12")
    late = lines[3].replace("March 19", "April 19")
    assert [
        line
        for line, _ in tagged.wrong("# acme/engine\n\n" + "\n".join([*lines[:3], late, *lines[4:]]))
    ] == [15]
    assert [
        cause for _, cause in tagged.wrong("# acme/engine\n\n" + "\n".join([*lines[:5], wrong]))
    ] == ["metadata"]
    # It may be dated before it is tagged, but not before the version that went before it.
    early = lines[5].replace("March 21", "March 20")
    assert tagged.wrong("# acme/engine\n\n" + "\n".join([*lines[:5], early])) == []
    impossible = lines[5].replace("March 21, 2026", "February 31, 2026")
    assert tagged.wrong("# acme/engine\n\n" + "\n".join([*lines[:5], impossible])) == []
    # Of a project that dates its versions in its own way nothing is said.
    assert tagged.wrong("# acme/engine\n\n" + "\n".join([*lines[:4], wrong])) == []


def test_a_hash_in_a_copied_title_is_no_sign_of_another_repository(bench: Bench) -> None:  # noqa: F811
    moment = datetime(2026, 3, 10, 18, tzinfo=UTC)
    title = "Update acme/action to 6cebc9d (#21)"
    bench.shas["action"] = bench.engine.commit(title, moment, "Ada", action="PIN = '6cebc9d'\n")
    ended = bench.audit(
        "# Changes\n\n* Update acme/action to 6cebc9d ([#21](<action:url>))\n", "--json"
    )
    assert ended.status == 0
    assert ended.data["summary"]["incomplete"] == []
