"""What messages name of repositories that nobody configured: told by name, and nothing else."""

from datetime import UTC, datetime
from pathlib import Path

from tests.gitzette.conftest import Command
from tests.made_repos import Work

DAY = datetime(2026, 2, 4, tzinfo=UTC)
HASH = "0123456789abcdef0123456789abcdef01234567"
MESSAGES = (
    "Lower the limit\n\nSee upstream/engine#12 for why. Needs upstream/engine#13.",
    f"Raise it\n\nPorts https://github.com/upstream/engine/commit/{HASH} of"
    " https://github.com/upstream/engine/pull/44.",
    "Keep it\n\nFrom acme/engine#7, see #8; `upstream/engine#9` is code.",
)


def made(work: Work) -> None:
    """Make a day of commits whose messages name things of another repository."""
    work.commit("Begin", {"router.py": "ROUTES = 0\n"}, at=DAY.replace(day=1, hour=9))
    for number, message in enumerate(MESSAGES, start=1):
        files = {"router.py": f"ROUTES = {number}\n"}
        work.commit(message, files, at=DAY.replace(hour=9 + number))


def test_the_card_of_a_commit_says_what_it_refers_to_in_a_repository_that_is_not_read(
    tmp_path: Path, command: Command
) -> None:
    work = Work(tmp_path / "engine")
    made(work)
    day = ("--repo", f"acme/engine={work.path}", "--date", "2026-02-04")
    report = command("run", *day, "--json").data
    told = [claim for claim in report["claims"] if claim["predicate"] == "refers outside"]
    titles = {f"{row['repo']}@{row['sha']}": row["title"] for row in report["ledger"]}
    texts = {titles[claim["about"][0]]: claim["text"]["en"] for claim in told}
    assert texts == {
        "Lower the limit": "Refers to `upstream/engine#12`, `upstream/engine#13`.",
        "Raise it": "Refers to `upstream/engine@012345678`, `upstream/engine#44`.",
    }
    # Nobody has read what it names: no relation is asserted, and nothing is linked as an issue.
    assert report["links"] == []
    assert not any("upstream" in str(story) for story in report["stories"])
    pages = [Path(line) for line in command("run", *day).out.splitlines() if line.endswith("md")]
    (page,) = [path.read_text("utf-8") for path in pages]
    assert "Refers to `upstream/engine#12`, `upstream/engine#13`." in page


def test_nothing_of_a_repository_of_the_report_is_told_as_if_nobody_read_it(
    tmp_path: Path, command: Command
) -> None:
    work = Work(tmp_path / "engine")
    made(work)
    upstream = Work(tmp_path / "upstream")
    upstream.commit("Begin", {"core.py": "LIMIT = 0\n"}, at=DAY.replace(day=1, hour=9))
    upstream.commit("Bound it (#13)", {"core.py": "LIMIT = 1\n"}, at=DAY.replace(day=2, hour=9))
    repos = ("--repo", f"acme/engine={work.path}", "--repo", f"Upstream/Engine={upstream.path}")
    report = command("run", *repos, "--date", "2026-02-04", "--json").data
    assert "refers outside" not in [claim["predicate"] for claim in report["claims"]]
