"""What a report claims of a commit: beside its hash, in its row, and in the list below its line."""

import subprocess
from datetime import UTC, datetime

import pytest

from tests.gitzette.commands.test_audit import Bench, bench  # noqa: F401

_TITLE = "# acme/engine 2026-03-10\n\n"
_PULL = "https://github.com/acme/engine/pull"
_ISSUE = "https://github.com/acme/engine/issues"


_ACCUSED = (
    (f"- `<fix>` ([#99]({_PULL}/99)) mends the cache", "mismatch"),
    (f"- `<fix>` ([#13]({_PULL}/13)), by Bo Chen", "metadata"),
    ("- 提交 `<fix>`(#13),作者 Bo Chen,+2/−0。", "metadata"),
    ("- `<fix>` (#13) by Ada Lovelace, dated 2026-03-02. It mends the cache", "metadata"),
    ("- `<fix>` (#13) by Ada Lovelace on 2026-03-02, mends the cache", "metadata"),
    (f"- `<fix>` [#13]({_PULL}/13) by Bo Chen: it mends the cache", "metadata"),
    ("- `<fix>` (#13), by Ada Lovelance on 2026-03-10", "metadata"),
    ("- `<fix>` touches 3 files (+2/−0)", "number"),
    ("- `<fix>`: 改动 3 个文件,+2/−0", "number"),
    ("- `<fix>`: 4 insertions and 12 deletions", "number"),
    ("- `<fix>` adds a guard. 1 file changed, 9 insertions", "number"),
    ("- <fix> and <flag>: 90 lines added and 80 removed", "number"),
    ("- 提交 `<fix>`: 新增 9 行,删除 3 行", "number"),
    ("- <fix> mends the cache. Files: `engine/server.py`.", "path"),
    ("- <fix> mends the cache (+7/−0 in `*.py`)", "number"),
    ("| Commit | Files | Lines |\n|---|---|---|\n| <fix> | 3 | +2/−0 |", "number"),
    ("| Commit | File |\n|---|---|\n| <fix> | `caching/pages.py` |", "path"),
    (
        "| Time (UTC) | Title |\n|---|---|\n| 2026-03-02 11:00 | Fix overflow (#13) |",
        "metadata",
    ),
    ("- 3b82591: mends the cache", "nonexistent"),
    ("- <fix> mends `caching/cache.py`", "path"),
    ("- <flag> adds `max_batch_size`", "code"),
    ("- <flag> adds `Server.max_batch_size()`", "code"),
    ("### Batches (<flag>)\n\n- The option is `max_batch_size`", "code"),
    ("The option of <flag> is new.\n\n- It is called `max_batch_size`", "code"),
    ("The option of <flag> is new.\n\n- It's new\n  - called `max_batch_size`", "code"),
)


def test_what_a_statement_claims_of_its_commit_is_checked(bench: Bench) -> None:  # noqa: F811
    accused = {f"{_TITLE}{line}\n": set(cause.split(", ")) for line, cause in _ACCUSED}
    assert bench.causes_in_each(list(accused)) == accused


_NOT_ACCUSED = (
    f"- `<fix>` ([#13]({_PULL}/13)) by Ada Lovelace on 2026-03-10 and later",
    f"- `<fix>` ([#99]({_ISSUE}/99)) mends the cache",
    f"- `<fix>` ([#99]({_PULL}/99), [#13]({_PULL}/13)) mends the cache",
    "- Fix overflow in the paged cache (#99) (#13) <fix>",
    "- `<fix>` was reverted by Bo Chen",
    "- `<fix>` (#13), by Adá Lovelace on 2026-03-10",
    "- `<fix>` (#13), by ada-l on 2026-03-10",
    "- `<fix>`, by Bo Chen's wish",
    "- `<fix>` (#13), 2026-03-10 11:01",
    "- The cache (<flag>, <fix>, #14, <rename>)",
    "- `<fix>`: 2 insertions and 0 deletions in 1 file",
    "- `<fix>`: 1 file changed, 2 insertions. Files: `cache.py`.",
    "- <fix> and <flag>: 3 lines added and 0 removed",
    "- <fix> and <flag>: 1 addition, 0 deletions in the latter",
    "- 提交 `<fix>`: 新增 2 行,删除 0 行",
    "- 3b82591 is the number of a ticket",
    "- <fix> mends the cache (+2/−0 in `*.py`)",
    "- Batches and the cache (#12 <flag>, #13 <fix>, #14 <rename>)",
    "- <fix> mends the cache\n\n  PR: https://github.com/acme/kernels/pull/6",
    "- #12, #13 (+70/−4)",
    "- <rename>:\n\n  ```python\n  def execute(\n  ): ...\n  ```",
    # An example of the writer's, who shows how to use what is new.
    "- Rename run to execute (<rename>)\n\n  ```python\n  execute(all=True)\n  ```",
    "- `<fix>` touches 1 file (+2/−0), and 3 files use it",
    "- `<fix>` adds 2 lines: 2 files more than that import it",
    # A proposal of the writer, and a name that is told from the changed one.
    "- <flag> should have been called `batches_at_once_limit`",
    "- <flag> adds `--max-batch`; `max_batch_size` would say more",
    "- <flag> adds `maxBatch`, as `MAX_BATCH`",
    f"- Changes\n  - One (PR: {_PULL}/98)\n  - Two (PR: {_PULL}/97)\n  - The cache (#13)",
    # An option of another program, and a name of one of several pull requests.
    "- <flag> is for `--ignore-max-batch`",
    "- Batches have a limit, `max_batch_size` (#14, #12)",
    "- Batches have a limit, which is called `max_batch_size` now (#12)",
    # It stands elsewhere in the files.
    "- <flag> has nothing to do with `MAX_ROUTES`",
    "- <fix> is not about `router.py`",
    # Of another repository, and of several commits.
    "- <flag> is for `max_batch_size` of acme/kernels",
    "Since <flag> this landed:\n\n- `max_batch_size` (<fix>)\n- Rename (<rename>)",
)


def test_what_may_be_true_of_a_commit_is_not_accused(bench: Bench) -> None:  # noqa: F811
    reports = [f"{_TITLE}{line}\n" for line in _NOT_ACCUSED]
    causes = bench.causes_in_each(reports)
    assert {report: cause for report, cause in causes.items() if cause} == {}


def test_a_date_is_read_to_its_end_however_long_the_line(bench: Bench) -> None:  # noqa: F811
    lines = []
    for length in range(225, 305):
        lines.append(f"- <fix> ({'x' * length}), +2/−0, 2026-03-10, mended")
    report = _TITLE + "\n".join(lines) + "\n"
    assert "metadata" not in {cause for _, cause in bench.wrong(report)}
    assert (3, "metadata") in bench.wrong(report.replace("2026-03-10", "2026-03-02"))


def test_the_value_of_an_option_is_that_of_the_change(bench: Bench) -> None:  # noqa: F811
    moment = datetime(2026, 3, 10, 16, tzinfo=UTC)
    server = "run('suite.py --timeout-per-file 3600 --shards 4')\n"
    bench.shas["suite"] = bench.engine.commit("Run it (#16)", moment, "Ada", server=server)
    report = _TITLE + "- <suite> runs with `--timeout-per-file {}`\n"
    assert bench.wrong(report.format(3600)) == []
    assert bench.wrong(report.format(5400)) == [(3, "code")]
    # Of an option that the change does not set nothing is claimed.
    assert bench.wrong(_TITLE + "- <suite> also works with `--workers 8`\n") == []


def test_numbers_beside_hashes_are_pull_requests_where_all_others_are(
    bench: Bench,  # noqa: F811
) -> None:
    lines = ["- <flag> (#12)", "- <fix> (#13)", "- <rename> (#14)"]
    lines += ["- <flag> (#12) again", "- <fix> (#13) again"]
    assert bench.wrong(_TITLE + "\n".join([*lines, "- <fix> (#99)"])) == [(8, "mismatch")]
    assert bench.wrong(_TITLE + "\n".join([*lines[:2], "- <fix> (#99)"])) == []


def test_a_link_to_another_pull_request_is_wrong_though_the_title_has_the_right_number(
    bench: Bench,  # noqa: F811
) -> None:
    line = "- {} (#{}) <{}>, PR [#{}]({}/{})"
    commits = [
        ("[Feature] Add --max-batch", 12, "flag"),
        ("Fix overflow in the paged cache", 13, "fix"),
        ("Rename run to execute", 14, "rename"),
    ]
    commits += commits[:2]
    lines = [line.format(title, n, name, n, _PULL, n) for title, n, name in commits]
    assert bench.wrong(_TITLE + "\n".join(lines)) == []
    lines.append(line.format("Fix overflow in the paged cache", 13, "fix", 99, _PULL, 99))
    assert bench.wrong(_TITLE + "\n".join(lines)) == [(8, "mismatch")]


def test_parts_of_a_copied_title_are_no_sentences_of_the_report(bench: Bench) -> None:  # noqa: F811
    moment = datetime(2026, 3, 10, 19, tzinfo=UTC)
    title = "Keep requests of one group. Wait for nobody else in the other groups. (#18)"
    bench.shas["keep"] = bench.engine.commit(title, moment, "Ada", keep="PAGES = 1\n")
    row = f"| Commit | Title |\n|---|---|\n| <keep> | {title} |\n"
    verdicts = {finding["verdict"] for finding in bench.findings(_TITLE + row)}
    assert verdicts == {"right"}


def test_what_the_author_says_in_the_commit_is_copied_and_no_sentence_to_be_judged(
    bench: Bench,  # noqa: F811
) -> None:
    moment = datetime(2026, 3, 10, 19, tzinfo=UTC)
    message = "Keep pages (#18)\n\nIt greatly reduces the memory of long requests."
    (bench.engine.folder / "CHANGES.md").write_text("Fix the typing of validators in `pages`\n")
    bench.shas["keep"] = bench.engine.commit(message, moment, "Ada", keep="PAGES = 1\n")
    report = f"{_TITLE}- <keep> (#18): {{}}\n"

    def sentences(words: str) -> list[str]:
        findings = bench.findings(report.format(words))
        return [finding["claim"] for finding in findings if finding["kind"] == "sentence"]

    assert sentences("It greatly reduces the memory of long requests.") == []
    assert sentences("Fix the typing of validators in `pages`") == []
    assert len(sentences("It greatly reduces the latency of long requests.")) == 1
    assert len(sentences("Break the typing of validators in `pages`")) == 1


def test_the_line_of_a_fence_that_the_change_has_not_is_named(bench: Bench) -> None:  # noqa: F811
    lines = [
        "- <rename>:",
        "",
        "  ```python",
        "  def execute(): ...",
        "  def perform(): ...",
        "  ```",
    ]
    assert bench.wrong(_TITLE + "\n".join(lines) + "\n") == [(7, "quote")]


@pytest.mark.parametrize(
    "introduction",
    ["In `core.py`, since <rename>", "- <rename>:"],
)
def test_what_is_said_to_be_quoted_is_in_the_change(
    bench: Bench,  # noqa: F811
    introduction: str,
) -> None:
    report = f"{_TITLE}{introduction}\n\n```python\ndef {{}}(): ...\n```\n"
    assert bench.wrong(report.format("execute")) == []
    assert bench.wrong(report.format("perform")) == [(6, "quote")]


def test_the_lines_of_a_diff_are_those_of_the_change_but_how_to_change_others_is_advice(
    bench: Bench,  # noqa: F811
) -> None:
    item = f"{_TITLE}- Rename run to execute (<rename>)\n\n  ```diff\n  {{}}\n  ```\n"
    assert bench.wrong(item.format("+def execute(): ...")) == []
    assert bench.wrong(item.format("+def execute(): ...\n  +def executes(): ...")) == [(7, "quote")]
    assert bench.wrong(item.format("@@ -1 +1 @@\n  +def perform(): ...")) == [(7, "quote")]
    assert bench.wrong(item.format("-worker.run()\n  +worker.execute()")) == []


def test_an_example_that_comes_with_the_change_is_told_again(
    bench: Bench,  # noqa: F811
) -> None:
    moment = datetime(2026, 3, 10, 18, tzinfo=UTC)
    note = "```diff\n-run(pages, limit)\n+execute(pages, limit)\n```\n"
    bench.engine.folder.joinpath("note.md").write_text(note, encoding="utf-8")
    bench.shas["note"] = bench.engine.commit("Rename run to execute (#18)", moment, "Ada", a="A\n")
    item = f"{_TITLE}- Rename run to execute (<note>)\n\n{{}}"
    assert bench.wrong(item.format(note)) == []
    assert bench.wrong(item.format(note.replace("execute", "perform"))) == []


def test_the_number_behind_a_copied_title_is_that_of_the_title(
    bench: Bench,  # noqa: F811
) -> None:
    moment = datetime(2026, 3, 10, 18, tzinfo=UTC)
    subject = "fix(cache): keep pages that are read (#17)"
    bench.shas["keep"] = bench.engine.commit(subject, moment, "Ada", keep="PAGES = 1\n")
    line = f"{_TITLE}* **cache:** Keep pages that are read ([#{{0}}]({_ISSUE}/{{0}})) <keep>\n"
    assert bench.wrong(line.format(17)) == []
    assert bench.wrong(line.format(98)) == [(3, "mismatch")]
    assert bench.wrong(f"{_TITLE}- keep pages that are read, for #98 (<keep>)\n") == []
    message = f"fix(cache): keep pages that are cold (#19)\n\nBackports {_PULL}/97"
    bench.shas["cold"] = bench.engine.commit(message, moment, "Ada", cold="PAGES = 2\n")
    line = "* **cache:** Keep pages that are cold ([#97]({pull}/97)) <cold>\n"
    assert bench.wrong(_TITLE + line.format(pull=_PULL)) == []


def test_a_link_to_another_repository_is_wrong_though_that_is_not_given(
    bench: Bench,  # noqa: F811
) -> None:
    sha = bench.shas["fix"]
    line = f"- [`{sha[:9]}`](https://github.com/acme/{{}}/commit/{sha}) (#13) mends the cache\n"
    assert bench.wrong(_TITLE + line.format("kernels")) == [(3, "out-of-scope")]
    assert bench.wrong(_TITLE + line.format("docs")) == [(3, "out-of-scope")]
    # A fork has the commit, too.
    assert bench.wrong(_TITLE + line.format("engine-fork")) == []


def test_a_commit_of_a_branch_may_have_landed_by_another_pull_request(
    bench: Bench,  # noqa: F811
) -> None:
    git = ["git", "-C", str(bench.engine.folder)]
    moment = datetime(2026, 3, 10, 18, tzinfo=UTC)
    subprocess.run([*git, "checkout", "-qb", "next"], check=True)
    sha = bench.engine.commit("Prepare the next version (#16)", moment, "Ada", next="NEXT = 1\n")
    subprocess.run([*git, "checkout", "-q", "main"], check=True)
    bench.shas["next"] = sha
    assert bench.wrong(f"{_TITLE}- #14 <next> prepares the next version\n") == []


def test_a_renamed_repository_has_the_commits_that_most_links_to_its_old_name_lead_to(
    bench: Bench,  # noqa: F811
) -> None:
    lines = []
    for key, number in (("flag", 12), ("fix", 13), ("rename", 14)):
        sha = bench.shas[key]
        lines.append(f"- [`{sha[:9]}`](https://github.com/acme/motor/commit/{sha}) (#{number})\n")
    assert bench.wrong(_TITLE + "".join(lines)) == []


def test_one_person_may_have_two_names(bench: Bench) -> None:  # noqa: F811
    moment = datetime(2026, 3, 10, 17, tzinfo=UTC)
    for name in ("Grace Hopper", "amazinggrace"):
        bench.shas[name[:5]] = bench.engine.commit(
            f"Compile, {name}", moment, name, email="grace@example.org", compiler=f"# {name}\n"
        )
    assert bench.wrong(f"{_TITLE}- <Grace> (amazinggrace)\n- <amazi> by Grace Hopper\n") == []
    assert bench.wrong(f"{_TITLE}- <fix> (amazinggrace)\n") == [(3, "metadata")]
    # Whose login it is, git does not know.
    assert bench.wrong(f"{_TITLE}- <fix> (@amazinggrace)\n") == []


def test_a_dead_hash_with_one_wrong_digit_means_its_commit_and_is_corrected_everywhere(
    bench: Bench,  # noqa: F811
) -> None:
    right = bench.shas["fix"]
    dead = right[:6] + ("0" if right[6] != "0" else "1") + right[7:]
    report = f"{_TITLE}- [{dead[:12]}](https://github.com/acme/engine/commit/{dead}) (Bo Chen)\n"
    report += "- <flag> adds an option\n"
    assert bench.wrong(report) == [(3, "metadata"), (3, "nonexistent")]
    ended = bench.audit(report, "--fix")
    mended = bench.folder.joinpath("report.md").read_text("utf-8")
    assert ended.status == 0
    assert f"[{right[:12]}](https://github.com/acme/engine/commit/{right}) (Ada Lovelace)" in mended


def test_a_label_with_one_wrong_digit_is_corrected(bench: Bench) -> None:  # noqa: F811
    right = bench.shas["fix"]
    label = right[:8] + ("0" if right[8] != "0" else "1")
    report = f"{_TITLE}- [{label}](https://github.com/acme/engine/commit/{right}) mends it\n"
    assert bench.wrong(report) == [(3, "label")]
    assert bench.audit(report, "--fix").status == 0
    mended = bench.folder.joinpath("report.md").read_text("utf-8")
    assert f"[{right[:9]}](https://github.com/acme/engine/commit/{right})" in mended
