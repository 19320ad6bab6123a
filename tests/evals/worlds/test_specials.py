"""What the full world promises to contain, looked up in the repositories with git."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from evals.worlds.full import hostile, shapes
from evals.worlds.gold import gold_window, push_at
from evals.worlds.model import LandedGold, Repo, World

Git = Callable[..., bytes]


def day(text: str) -> tuple[datetime, datetime]:
    start = datetime.fromisoformat(text).replace(tzinfo=UTC)
    return start, start + timedelta(days=1)


def the(full: World, role: str) -> Repo:
    return full.repo(full.notes[role])


def sha_of(full: World, role: str, name: str) -> str:
    return full.notes[f"{full.notes[role]}: {name}"].rpartition("@")[2]


def row_of(full: World, role: str, name: str) -> LandedGold:
    return next(row for row in full.landed if row.sha == sha_of(full, role, name))


def test_nothing_lands_anywhere_on_the_empty_day(full: World) -> None:
    assert not [row for repo in full.repos for row in gold_window(full, repo.full_name, *day(full.notes["empty day"]))]


def test_more_than_two_hundred_commits_land_on_the_busy_day(full: World) -> None:
    assert len(gold_window(full, full.notes["squash repository"], *day(full.notes["busy day"]))) >= 200


def test_one_day_has_forty_commits_in_one_repository(full: World) -> None:
    assert len(gold_window(full, full.notes["squash repository"], *day(full.notes["forty-commit day"]))) == 40


def test_one_repository_only_squashes_and_another_only_merges(full: World, git: Git) -> None:
    squash, merge = the(full, "squash repository"), the(full, "merge repository")
    assert git(squash, "rev-list", "--first-parent", "--min-parents=2", "HEAD") == b""
    plain = git(merge, "rev-list", "--first-parent", "--max-parents=1", "HEAD").split()
    assert len(plain) == 1


def test_two_reachable_commits_share_seven_digits(full: World, git: Git) -> None:
    one, two = sha_of(full, "odd repository", "alike one"), sha_of(full, "odd repository", "alike two")
    reachable = git(the(full, "odd repository"), "rev-list", "HEAD").decode().split()
    assert one != two
    assert one[:7] == two[:7]
    assert {one, two} <= set(reachable)


def test_late_commits_are_dated_before_what_was_pushed_earlier(full: World) -> None:
    row, repo = row_of(full, "renamed repository", "late"), the(full, "renamed repository")
    window = day(full.notes["late day"])
    assert row not in gold_window(full, repo.full_name, *window, push=row.push - 1)
    assert row in gold_window(full, repo.full_name, *window, push=row.push)
    earlier = [other for other in full.landed if other.repo == repo.full_name and other.push < row.push]
    assert any(other.committed_at > window[1] and "skewed" not in other.tags for other in earlier)


def test_a_force_push_takes_commits_away_and_their_objects_stay(full: World, git: Git) -> None:
    repo = the(full, "renamed repository")
    forced = next(i for i, push in enumerate(repo.pushes) if push.forced)
    gone = [row for row in full.landed if row.repo == repo.full_name and row.dropped_by == forced]
    assert len(gone) == 3
    assert all("dropped" in row.tags for row in gone)
    reachable = git(repo, "rev-list", "HEAD").decode().split()
    for row in gone:
        assert row.sha not in reachable
        assert git(repo, "cat-file", "-t", row.sha) == b"commit\n"
    before, after = (
        gold_window(full, repo.full_name, *day("2026-03-23"), push=index) for index in (forced - 1, forced)
    )
    assert {row.sha for row in before} - {row.sha for row in after} == {row.sha for row in gone}


def test_a_merge_of_the_branch_into_a_feature_takes_rows_off_the_line_without_force(full: World, git: Git) -> None:
    repo, row = the(full, "odd repository"), row_of(full, "odd repository", "foxtrot")
    assert not repo.pushes[row.push].forced
    gone = [other.sha for other in full.landed if other.repo == repo.full_name and other.dropped_by == row.push]
    assert gone
    assert set(gone) <= set(row.members)


def test_clocks_are_wrong_by_decades_in_both_directions(full: World) -> None:
    assert row_of(full, "renamed repository", "past clock").committed_at.year == 1999
    assert row_of(full, "renamed repository", "future clock").committed_at.year == 2037


@pytest.mark.parametrize(
    ("note", "moments"),
    [
        (
            "american dst day",
            ["2026-03-08T05:00:00", "2026-03-08T07:00:00", "2026-03-09T03:59:59", "2026-03-09T04:00:00"],
        ),
        (
            "european dst day",
            ["2026-03-28T23:00:00", "2026-03-29T01:00:00", "2026-03-29T21:59:59", "2026-03-29T22:00:00"],
        ),
        ("midnight", ["2026-03-03T00:00:00", "2026-03-03T23:59:59", "2026-03-03T16:00:00", "2026-03-06T05:00:00"]),
    ],
)
def test_commits_stand_at_the_edges_of_days(full: World, note: str, moments: list[str]) -> None:
    dates = {row.committed_at for row in full.landed if row.repo == full.notes["renamed repository"]}
    assert {datetime.fromisoformat(moment).replace(tzinfo=UTC) for moment in moments} <= dates


def test_the_huge_commit_has_three_thousand_files(full: World) -> None:
    assert len(row_of(full, "odd repository", "huge").files) == shapes.HUGE


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("mode change", b":100644 100755 "),
        ("symlink", b":000000 120000 "),
        ("type change", b":100644 120000 "),
        ("type change back", b":120000 100644 "),
        ("submodule", b":000000 160000 "),
        ("submodule bump", b":160000 160000 "),
        ("pure rename", b" R100\0"),
        ("rename with edit", b" R0"),
        ("latin path", shapes.LATIN_PATH),
        ("odd paths", b"tab\there.txt"),
        ("odd paths", "unicode/文档-é-😀.md".encode()),
        ("empty file", b" e69de29bb2d1d6434b8b29ae775ad8c2e48c5391 "),
    ],
)
def test_files_change_in_every_way(full: World, git: Git, name: str, raw: bytes) -> None:
    told = git(
        the(full, "odd repository"), "diff-tree", "-r", "-z", "-M", "--full-index", sha_of(full, "odd repository", name)
    )
    assert raw in told


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("binary", b"Binary files /dev/null and b/assets/logo.png differ"),
        ("binary change", b"Binary files a/assets/logo.png and b/assets/logo.png differ"),
        ("no newline change", b"\\ No newline at end of file"),
        ("crlf change", b"-y=2\r\n+y=3\r\n"),
        ("generated", b"+++ b/package-lock.json"),
        ("latin content change", b"+Fran\xe7oise"),
        ("fixture", b"+\x1e" + hostile.FAKE_SHA.encode() + b"\x1f"),
    ],
)
def test_contents_come_in_every_form(full: World, git: Git, name: str, text: bytes) -> None:
    assert text in git(the(full, "odd repository"), "show", "--format=", sha_of(full, "odd repository", name))


def test_the_empty_commit_changes_nothing(full: World) -> None:
    assert row_of(full, "odd repository", "empty commit").files == ()


@pytest.mark.parametrize(("name", "message"), hostile.MESSAGES, ids=[name for name, _ in hostile.MESSAGES])
def test_hostile_messages_are_kept_byte_for_byte(full: World, git: Git, name: str, message: str) -> None:
    raw = git(the(full, "odd repository"), "cat-file", "commit", sha_of(full, "odd repository", name))
    assert raw.partition(b"\n\n")[2] == message.encode()


def test_messages_come_in_other_encodings(full: World, git: Git) -> None:
    repo = the(full, "odd repository")

    def raw(name: str) -> bytes:
        return git(repo, "cat-file", "commit", sha_of(full, "odd repository", name))

    assert "Naïve café".encode("latin-1") in raw("latin message")
    assert b"\nencoding " not in raw("latin message")
    assert b"\nencoding ISO-8859-1\n" in raw("latin message declared")
    assert "修复编码问题".encode("gbk") in raw("gbk message declared")
    assert (
        "Grüße aus Köln" in git(repo, "show", "-s", sha_of(full, "odd repository", "latin message declared")).decode()
    )


def test_merges_are_nested_octopus_unrelated_and_long_lived(full: World, git: Git) -> None:
    repo = the(full, "merge repository")
    nested = row_of(full, "merge repository", "nested")
    merges = git(repo, "rev-list", "--no-walk", "--min-parents=2", *nested.members).split()
    assert len(merges) == 2
    assert len(git(repo, "rev-list", "--parents", "-n1", sha_of(full, "merge repository", "octopus")).split()) == 5
    old = git(repo, "show", "-s", "--format=%ct", row_of(full, "merge repository", "long-lived").members[0])
    assert int(old) < row_of(full, "merge repository", "long-lived").committed_at.timestamp() - 14 * 86_400
    roots = git(the(full, "odd repository"), "rev-list", "--max-parents=0", "HEAD").split()
    assert len(roots) == 2


def patch_id(git: Git, repo: Repo, *diff: str) -> bytes:
    return git(repo, "patch-id", "--stable", stdin=git(repo, "diff", *diff)).split()[0]


def test_a_revert_undoes_and_a_reland_repeats_the_change(full: World, git: Git) -> None:
    repo = the(full, "squash repository")
    fused, out, back = (sha_of(full, "squash repository", name) for name in ("fused", "unfuse", "refuse"))
    assert (
        patch_id(git, repo, out, f"{out}^")
        == patch_id(git, repo, f"{fused}^", fused)
        == patch_id(git, repo, f"{back}^", back)
    )
    assert f"This reverts commit {fused}." in git(repo, "show", "-s", "--format=%B", out).decode()
    assert [row_of(full, "squash repository", name).edits[0].kind for name in ("unfuse", "refuse")] == [
        "revert",
        "reland",
    ]


def test_a_cherry_pick_names_its_origin_and_has_the_same_patch(full: World, git: Git) -> None:
    repo = the(full, "squash repository")
    pick, origin = (sha_of(full, "squash repository", name) for name in ("pick", "picked from"))
    assert f"(cherry picked from commit {origin})" in git(repo, "show", "-s", "--format=%B", pick).decode()
    assert patch_id(git, repo, f"{pick}^", pick) == patch_id(git, repo, f"{origin}^", origin)
    assert pick in {row.sha for row in full.landed}
    assert origin not in {row.sha for row in full.landed}


def test_bots_releases_and_chinese_messages_land(full: World, git: Git) -> None:
    tags = {tag for row in full.landed for tag in row.tags}
    assert {"bot", "release", "chinese", "root", "late", "dst", "midnight", "skewed", "hostile"} <= tags
    start, end = day(full.notes["release day"])
    assert any("release" in row.tags for row in gold_window(full, full.notes["squash repository"], start, end))
    row = next(row for row in full.landed if "chinese" in row.tags)
    subject = git(full.repo(row.repo), "show", "-s", "--format=%s", row.sha).decode()
    assert any("\u4e00" <= letter <= "\u9fff" for letter in subject)


def test_one_repository_is_empty_and_one_had_other_names(full: World, git: Git) -> None:
    empty = the(full, "empty repository")
    assert empty.pushes == ()
    assert git(empty, "for-each-ref") == b""
    assert "lumen-ai/loadkit" in the(full, "renamed repository").former_names
    assert push_at(empty, full.now) == -1
