"""The audit as a checker: what stands beside a hash, what it prints for other programs, and `--fix`."""

import json
from pathlib import Path

import pytest

from evals.model_server.server import ModelServer
from tests.gitzette.commands.test_audit import Bench, bench, use_judge  # noqa: F401
from tests.scripted_analysis import Scripted

_TITLE = "# acme/engine 2026-03-10\n\n"


_ACCUSED = (
    ("- The cache no longer overflows (<fix>, #12)", "mismatch"),
    ("- `<fix>` (#12) mends the cache", "mismatch"),
    ("- Fix overflow in the paged cache (#31), see <fix>", "mismatch"),
    ("- <fix> (Bo Chen, 2026-03-10): the cache", "metadata"),
    ("- <fix> · Ada Lovelace · 2026-03-02", "metadata"),
    ("- <fix> adds a guard (+1,866 −12)", "number"),
    ("- <fix>: 9 files changed, 4 insertions(+)", "number"),
    ("- [PR](<fix:url>) mends the cache", "label"),
    ("- PR: <fix:url>", "label"),
    ("The text stops here because (", "cut-off"),
    ("| Commit | What |\n|---|---|\n| cache/page.py | More pages |", "column"),
    ("| Commit | What | Who |\n|---|---|---|\n| <fix> | The cache |", "missing-cells"),
    ("- <fix>: the patch is long (`patch_truncated: true`)", "raw-data"),
)


def test_what_stands_beside_a_hash_is_a_claim_about_it(bench: Bench) -> None:  # noqa: F811
    accused = {f"{_TITLE}{line}\n": set(cause.split(", ")) for line, cause in _ACCUSED}
    assert bench.causes_in_each(list(accused)) == accused


_NOT_ACCUSED = (
    "- <fix> (#13) mends the cache (Ada Lovelace, 2026-03-10)",
    "- <fix> mends what came with #12",
    "- <fix> for #99",
    "- <fix> (2 files, at 11:00)",
    "- Bo Chen found what <fix> mends",
    "- Set `enable_cache: true` to see it",
    "- One\n- Two more things\n- And `<fix>`",
    "- See `engine\n  router.py`",
    "".join(f"- Number {n} is done.\n" for n in range(5)) + "- Dropped support for Python 3.9",
    "| Issue | Fixed by |\n|---|---|\n| #12 | <fix> |",
)


def test_what_is_said_with_words_between_is_not_accused(bench: Bench) -> None:  # noqa: F811
    reports = [f"{_TITLE}{line}\n" for line in _NOT_ACCUSED]
    causes = bench.causes_in_each(reports)
    assert {report: cause for report, cause in causes.items() if cause} == {}


def test_a_dead_hash_names_the_commit_of_the_number_beside_it_and_is_corrected(
    bench: Bench,  # noqa: F811
) -> None:
    report = f"{_TITLE}- The cache (`ab12cd3`, #13)\n- <flag> (Ada Lovelace, 2026-03-02)\n"
    (dead,) = [
        finding for finding in bench.findings(report) if finding["verdict"] == "wrong:nonexistent"
    ]
    assert bench.shas["fix"] in dead["evidence"]
    assert dead["replacement"] == bench.shas["fix"][:7]

    ended = bench.audit(report, "--fix")
    text = bench.folder.joinpath("report.md").read_text("utf-8")
    assert ended.status == 0
    assert "3 corrected" in ended.out
    assert f"`{bench.shas['fix'][:7]}`, #13" in text
    assert "(Bo Chen, 2026-03-10)" in text


@pytest.mark.parametrize(
    "sentence",
    [
        "<flag> adds an option for the batches, and <fix> mends the overflow of the cache.",
        "There is an option for the batches now (<flag>), and the cache does not overflow (<fix>).",
        "批处理现在有一个新的选项（`<flag>`）,缓存的溢出问题也得到了修复（`<fix>`）。",
    ],
)
def test_a_sentence_about_two_commits_is_judged_by_clauses(
    bench: Bench,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
    sentence: str,
) -> None:
    def opinion(clause: str, evidence: str) -> str:
        shows_option = "--max-batch (#12)" in evidence
        shows_cache = "overflow in the paged" in evidence
        if "cache" in clause or "缓存" in clause:
            return "stated" if shows_cache and not shows_option else "contradicted"
        is_about_option = "option" in clause or "选项" in clause
        is_stated = is_about_option and shows_option and not shows_cache
        return "stated" if is_stated else "contradicted"

    with ModelServer(
        Scripted(opinion=opinion, quote="of acme/engine, 2026-03-10"), context=32_768
    ) as server:
        use_judge(monkeypatch, server.url)
        monkeypatch.setenv("GITZETTE_MODEL", server.model)
        findings = bench.findings(f"{_TITLE}{sentence}\n")
    judged = [finding for finding in findings if finding["kind"] == "sentence"]
    assert [finding["verdict"] for finding in judged] == ["right", "right"]


_READ = (
    (
        "Mends an overflow in the paged cache of every page (`<fix>`, Ada Lovelace, 2026-03-10).",
        "Mends an overflow in the paged cache of every page.",
    ),
    (
        "`<fix>` (#13) by Ada Lovelace on 2026-03-10: it mends an overflow in the paged cache.",
        "it mends an overflow in the paged cache.",
    ),
    (
        "<fix> — `cache.py`, +2/-0, mends an overflow in the paged cache.",
        "mends an overflow in the paged cache.",
    ),
    (
        "With +2/-0 lines the paged cache does not overflow any more (commit <fix>, #13).",
        "With […] lines the paged cache does not overflow any more.",
    ),
    (
        "#12 `<fix>` Thanks everybody! - No overflow in the paged cache.",
        "Thanks everybody! - No overflow in the paged cache.",
    ),
    ("`<fix>`: removes `page` for `n` from `cache`", "removes `page` for `n` from `cache`"),
    # What is said with the hash or the number is the sentence's own.
    (
        "Since <fix> of #13 the paged cache does not overflow any more.",
        "Since <fix> of #13 the paged cache does not overflow any more.",
    ),
    # Another's number, and a name that git does not know.
    (
        "Follows #12: no overflow in the paged cache any more (<fix>, @somebody).",
        "Follows #12: no overflow in the paged cache any more (<fix>, @somebody).",
    ),
)


def test_the_judge_reads_a_sentence_without_what_code_has_compared(
    bench: Bench,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sentences: set[str] = set()

    def opinion(sentence: str, _evidence: str) -> str:
        sentences.add(sentence)
        return "stated"

    with ModelServer(Scripted(opinion=opinion), context=32_768) as server:
        use_judge(monkeypatch, server.url)
        monkeypatch.setenv("GITZETTE_MODEL", server.model)
        bench.causes_in_each([f"{_TITLE}- {item}\n" for item, _ in _READ])
    assert {bench.filled(read) for _, read in _READ} - sentences == set()


def test_what_code_found_wrong_is_not_held_against_the_rest_of_the_sentence(
    bench: Bench,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def opinion(sentence: str, _evidence: str) -> str:
        is_right = "overflow" in sentence and "Bo Chen" not in sentence
        return "stated" if is_right else "contradicted"

    with ModelServer(
        Scripted(opinion=opinion, quote="of acme/engine, 2026-03-10"), context=32_768
    ) as server:
        use_judge(monkeypatch, server.url)
        monkeypatch.setenv("GITZETTE_MODEL", server.model)
        findings = bench.findings(f"{_TITLE}- <fix>, by Bo Chen: no overflow in the paged cache\n")
    verdicts = {finding["kind"]: finding["verdict"] for finding in findings}
    assert verdicts["author"] == "wrong:metadata"
    assert verdicts["sentence"] == "right"


def test_a_statement_of_nothing_but_what_code_compares_is_no_sentence(
    bench: Bench,  # noqa: F811
) -> None:
    listed = "- commit <fix>, by Ada Lovelace on 2026-03-10, 2 insertions and 0 deletions\n"
    findings = bench.findings(_TITLE + listed)
    assert {finding["verdict"] for finding in findings} == {"right"}


def test_other_programs_can_read_the_findings(bench: Bench) -> None:  # noqa: F811
    report = f"{_TITLE}- Lost, 100 % (abc1234)\n"
    log = json.loads(bench.audit(report, "--format", "sarif").out)
    (result,) = log["runs"][0]["results"]
    assert result["ruleId"] == "nonexistent"
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}
    ended = bench.audit(report, "--format", "github")
    assert ended.out.startswith("::error file=")
    assert ",line=3,title=References to nothing::commit%3A abc1234" not in ended.out
    assert ",line=3,title=References to nothing::commit: abc1234" in ended.out
    badge = bench.folder / "badge.svg"
    assert bench.audit(report, "--badge", str(badge)).status == 3
    assert "0 of 1 supported" in badge.read_text("utf-8")


def test_sarif_says_where_in_the_line_the_wrong_words_are(bench: Bench) -> None:  # noqa: F811
    log = json.loads(bench.audit(f"{_TITLE}- <fix> (Bo Chen)\n", "--format", "sarif").out)
    (result,) = log["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    line = (bench.folder / "report.md").read_text("utf-8").split("\n")[2]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "Bo Chen"
    assert log["runs"][0]["columnKind"] == "unicodeCodePoints"


def test_a_baseline_is_about_the_files_it_names(bench: Bench) -> None:  # noqa: F811
    report = f"{_TITLE}- Lost (abc1234)\n"
    bench.audit(report)
    other = bench.folder / "other.md"
    other.write_text(report, encoding="utf-8")
    baseline = bench.folder / "baseline.json"
    first = ["audit", str(bench.folder / "report.md"), *bench.engine.repo]
    baseline.write_text(bench.command(*first, "--json").out, encoding="utf-8")
    both = [*first[:2], str(other), *bench.engine.repo, "--baseline", str(baseline), "--json"]
    known, new = bench.command(*both).data["files"]
    assert (known["summary"]["wrong"], new["summary"]["wrong"]) == (0, 1)


def test_rules_and_a_baseline_select_what_counts(bench: Bench) -> None:  # noqa: F811
    report = f"{_TITLE}- Lost (abc1234)\n- [there](#nowhere)\n- The cache (<fix>)\n"
    assert bench.audit(report, "--ignore", "nonexistent,dead-anchor").status == 0
    ended = bench.audit(report, "--only", "dead-anchor", "--json")
    wrong = [entry["verdict"] for entry in ended.data["findings"] if "wrong" in entry["verdict"]]
    assert wrong == ["wrong:dead-anchor"]
    baseline = bench.folder / "baseline.json"
    baseline.write_text(bench.audit(report, "--json").out, encoding="utf-8")
    assert bench.audit(report, "--baseline", str(baseline)).status == 0
    worse = report + "- [and there](#neither)\n"
    assert bench.audit(worse, "--baseline", str(baseline)).status == 3
    assert bench.audit(worse, "--fail-on", "never").status == 0
    assert bench.audit(f"{_TITLE}- <fix> for #99\n", "--fail-on", "unsupported").status == 3

    ended = bench.audit(report, "--only", "spelling")
    assert ended.status == 2
    assert "--only spelling is no rule; the rules are" in ended.err
    baseline.write_text("[]", encoding="utf-8")
    ended = bench.audit(report, "--baseline", str(baseline))
    assert ended.status == 2
    assert "is no audit" in ended.err


def test_several_reports_are_audited_at_once(bench: Bench) -> None:  # noqa: F811
    bench.audit(f"{_TITLE}- Lost (abc1234)\n")
    second = bench.folder / "second.md"
    second.write_text("# acme/engine\n\nNothing landed.\n", encoding="utf-8")
    ended = bench.command(
        "audit", str(bench.folder / "report.md"), str(second), *bench.engine.repo, "--json"
    )
    assert ended.status == 3
    assert [Path(entry["file"]).name for entry in ended.data["files"]] == ["report.md", "second.md"]


def test_a_flood_is_one_finding(bench: Bench) -> None:  # noqa: F811
    rows = "".join(f"- <{name}>\n" for name in ("flag", "fix", "rename", "drop"))
    report = f"# acme/engine 2026-01-02\n\n{rows}{rows}"
    (flood,) = [
        finding for finding in bench.findings(report) if finding["verdict"] == "wrong:window"
    ]
    assert flood["claim"].startswith("8 of 8 commits are outside")
    assert flood["evidence"].endswith("lines 3, 4, 5, 6, 7, 8, 9, 10")
