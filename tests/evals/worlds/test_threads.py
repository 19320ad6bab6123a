import re
from collections.abc import Callable
from datetime import timedelta

import pytest

from evals.worlds.gold import gold_line
from evals.worlds.model import Issue, Pull, Repo, World

Git = Callable[..., bytes]
CHINESE = re.compile("[\u4e00-\u9fff]")


@pytest.fixture(params=["demo", "full"])
def world(request: pytest.FixtureRequest) -> World:
    chosen: World = request.getfixturevalue(request.param)
    return chosen


def threads(repo: Repo) -> list[Issue | Pull]:
    return [*repo.issues, *repo.pulls]


def pull(world: World, role: str, key: str) -> Pull:
    return next(pull for pull in world.repo(world.notes[role]).pulls if pull.head_ref == key)


def issue_named(world: World, role: str, title: str) -> Issue:
    return next(issue for issue in world.repo(world.notes[role]).issues if title in issue.title)


def test_issues_and_pulls_share_one_row_of_numbers_in_the_order_of_opening(world: World) -> None:
    for repo in world.repos:
        rows = sorted(threads(repo), key=lambda thread: thread.number)
        assert len({row.number for row in rows}) == len(rows)
        assert [row.created_at for row in rows] == sorted(row.created_at for row in rows)


def test_events_and_comments_are_in_the_order_of_time_and_within_the_thread(world: World) -> None:
    for repo in world.repos:
        for thread in threads(repo):
            for moments in ([event.at for event in thread.events], [comment.created_at for comment in thread.comments]):
                assert moments == sorted(moments)
                assert all(thread.created_at <= moment <= thread.updated_at <= world.now for moment in moments), thread


def test_ids_are_unique_and_grow_with_time(world: World) -> None:
    for repo in world.repos:
        events = sorted((event.id, event.at) for thread in threads(repo) for event in thread.events)
        comments = sorted((comment.id, comment.created_at) for thread in threads(repo) for comment in thread.comments)
        for rows in (events, comments):
            assert len({number for number, _ in rows}) == len(rows)
            assert [moment for _, moment in rows] == sorted(moment for _, moment in rows)


def test_merged_pulls_landed_and_the_commit_says_so(world: World, git: Git) -> None:
    for repo in world.repos:
        if not repo.pulls:
            continue
        line = {row.sha: row for row in gold_line(world, repo.full_name)}
        merged = [pull for pull in repo.pulls if pull.merged_at]
        shas = "".join(f"{pull.merge_commit}\n" for pull in merged).encode()
        told = git(repo, "log", "--no-walk=unsorted", "--stdin", "--format=%H %s", stdin=shas).decode().splitlines()
        subjects = dict(line.split(" ", 1) for line in told)
        for one in merged:
            assert one.merge_commit is not None
            subject = subjects[one.merge_commit]
            assert subject.endswith(f" (#{one.number})") or subject.startswith(
                f"Merge pull request #{one.number} from "
            )
            assert (one.merge_commit in line) == (one.base == repo.default_branch)
            assert one.state == "closed"
            if one.merge_commit in line:
                assert line[one.merge_commit].committed_at == one.merged_at


def test_every_head_of_a_pull_exists_and_its_last_commit_is_the_head(world: World, git: Git) -> None:
    for repo in world.repos:
        shas = sorted({sha for pull in repo.pulls for sha in (pull.head_sha, *pull.commits)})
        told = git(repo, "cat-file", "--batch-check=%(objecttype)", stdin="".join(f"{sha}\n" for sha in shas).encode())
        assert told.decode().split() == ["commit"] * len(shas)
        assert all(pull.commits[-1] == pull.head_sha for pull in repo.pulls)


def test_what_is_closed_exists_and_a_landed_closing_reference_closed_it(world: World) -> None:
    for repo in world.repos:
        for one in repo.pulls:
            for name, number in one.closes:
                issue = next(issue for issue in world.repo(name).issues if issue.number == number)
                if one.merged_at:
                    closed = [event for event in issue.events if event.kind == "closed"]
                    assert (repo.full_name, one.number) in [event.source for event in closed]


def test_an_issue_is_in_the_state_of_its_last_event(world: World) -> None:
    for repo in world.repos:
        for issue in repo.issues:
            turns = [event for event in issue.events if event.kind in ("closed", "reopened")]
            assert issue.state == ("closed" if turns and turns[-1].kind == "closed" else "open")
            assert (issue.closed_at is not None) == (issue.state == "closed")


def test_people_write_in_english_and_in_chinese(world: World) -> None:
    texts = [thread.title + thread.body for repo in world.repos for thread in threads(repo)]
    chinese = [text for text in texts if CHINESE.search(text)]
    assert len(chinese) >= 10
    assert len(texts) - len(chinese) >= 10


def test_only_the_first_issue_behind_a_keyword_is_closed(full: World) -> None:
    one = pull(full, "squash repository", "fix-nan")
    numbers = re.findall(r"#(\d+), #(\d+)", one.body)[0]
    assert one.closes == ((full.notes["squash repository"], int(numbers[0])),)
    second = next(i for i in full.repo(full.notes["squash repository"]).issues if i.number == int(numbers[1]))
    assert second.state == "open"


def test_a_keyword_on_another_base_closes_nothing(full: World) -> None:
    one = pull(full, "squash repository", "other-base")
    assert one.base == "release/0.5"
    assert one.merged_at is not None
    assert one.closes == ()
    assert re.search(r"(?i)(fix|close|resolve)\w*:? #\d+", one.body)
    issue = issue_named(full, "squash repository", "v0.5: wheel lacks")
    assert issue.state == "open"
    assert [event.will_close for event in issue.events if event.kind == "cross-referenced"] == [False]


def test_quoted_and_fenced_keywords_and_headings_close_nothing(full: World) -> None:
    quoted, fenced = pull(full, "squash repository", "fused"), pull(full, "squash repository", "fix-mask")
    assert re.search(r"^> .*fixes #\d+", quoted.body, re.M)
    assert re.search(r"```\nfixes #\d+\n```", fenced.body)
    assert "## Related Issues" in fenced.body
    assert quoted.closes == fenced.closes == ()


def test_a_keyword_in_a_commit_closes_the_issue_but_is_no_reference_of_the_pull(full: World, git: Git) -> None:
    one = pull(full, "squash repository", "fix-experts")
    issue = issue_named(full, "squash repository", "384 experts")
    assert one.closes == ()
    assert [event.commit for event in issue.events if event.kind == "closed"] == [one.merge_commit]
    message = git(
        full.repo(full.notes["squash repository"]), "show", "-s", "--format=%B", str(one.merge_commit)
    ).decode()
    assert re.search(rf"(?i)(fixes|closes|fix) #{issue.number}\b", message)


def test_a_pull_can_be_linked_by_hand_and_close_an_issue_elsewhere(full: World) -> None:
    by_hand = pull(full, "merge repository", "fix-utf8")
    assert by_hand.closes
    assert f"#{by_hand.closes[0][1]}" not in by_hand.body
    abroad = pull(full, "merge repository", "forge")
    assert abroad.closes[0][0] == full.notes["squash repository"]
    assert f"Fixes {abroad.closes[0][0]}#{abroad.closes[0][1]}" in abroad.body


def test_there_are_duplicates_not_planned_reopened_deleted_and_anonymous_threads(full: World) -> None:
    issues = [issue for repo in full.repos for issue in repo.issues]
    pulls = [pull for repo in full.repos for pull in repo.pulls]
    assert {"duplicate", "not_planned", "completed", "reopened"} <= {issue.state_reason for issue in issues}
    assert any(issue.deleted for issue in issues)
    assert any(issue.author is None for issue in issues)
    assert any(pull.head_repo is None for pull in pulls)
    assert any(pull.author is None for pull in pulls)
    assert any(pull.state == "open" for pull in pulls)
    assert any(pull.state == "closed" and not pull.merged_at for pull in pulls)


def test_bots_comment_and_templates_carry_hidden_text(full: World) -> None:
    bots = {user.login for repo in full.repos for user in repo.users if user.bot}
    comments = [comment for repo in full.repos for thread in threads(repo) for comment in thread.comments]
    assert any(comment.author in bots for comment in comments)
    assert any("<!--" in comment.body for comment in comments)
    assert any("- [ ]" in pull.body and "- [x]" in pull.body for repo in full.repos for pull in repo.pulls)


def test_releases_stand_at_a_landed_commit(full: World, git: Git) -> None:
    repo = full.repo(full.notes["squash repository"])
    line = {row.sha: row for row in gold_line(full, repo.full_name)}
    assert {(release.prerelease, release.draft) for release in repo.releases} == {
        (False, False),
        (True, False),
        (False, True),
    }
    for release in repo.releases:
        assert release.created_at == line[release.commit].committed_at
        if release.published_at:
            assert git(repo, "rev-parse", f"refs/tags/{release.tag}").decode().strip() == release.commit
            assert timedelta() <= release.published_at - release.created_at < timedelta(days=1)
