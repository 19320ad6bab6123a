"""The command `audit`, as a person runs it, on small repositories with a known history."""

import json
import shutil
import socket
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from evals.model_server.server import ModelServer
from tests.built_once import built_once
from tests.gitzette.conftest import Command, CommandResult, Engine
from tests.scripted_analysis import Scripted

_CORE = "def page(n):\n    return n * 64\n"
RIGHT, WRONG, JUDGED = (
    Path(__file__).with_name("audited").joinpath(f"{name}.md").read_text("utf-8")
    for name in ("right", "wrong", "judged")
)
_FLAG = "parser.add_argument('--max-batch', type=int, default=16)\n"


def _abbreviated(sha: str) -> str:
    """Return a short hash with a digit and a letter: in prose, digits alone are a number."""
    length = 9
    while sha[:length].isdigit() or sha[:length].isalpha():
        length += 1
    return sha[:length]


@dataclass(frozen=True)
class Bench:
    """Two repositories, and the audit of a report about them."""

    folder: Path
    engine: Engine
    kernels: Engine
    shas: dict[str, str]
    command: Command

    def filled(self, template: str) -> str:
        """Put a short hash in the place of `<fix>`, and its address in that of `<fix:url>`."""
        for key, sha in self.shas.items():
            repo = "acme/kernels" if key in ("softmax", "rope") else "acme/engine"
            template = template.replace(f"<{key}:url>", f"https://github.com/{repo}/commit/{sha}")
            template = template.replace(f"<{key}>", _abbreviated(sha))
        return template

    def audit(self, template: str, *options: str) -> CommandResult:
        """Audit a report."""
        report = self.folder / "report.md"
        report.write_text(self.filled(template), encoding="utf-8")
        return self.audit_files(report, options=options)

    def audit_files(self, *reports: Path, options: Sequence[str] = ()) -> CommandResult:
        """Audit the reports in some files."""
        kernels = ["--repo", f"acme/kernels={self.kernels.folder}"]
        files = map(str, reports)
        return self.command("audit", *files, *self.engine.repo, *kernels, *options)

    def causes_in_each(self, templates: Sequence[str]) -> dict[str, set[str]]:
        """Audit many reports at once; give the causes of what is wrong in each."""
        reports = []
        for number, template in enumerate(templates):
            report = self.folder / f"report-{number}.md"
            report.write_text(self.filled(template), encoding="utf-8")
            reports.append(report)
        files = self.audit_files(*reports, options=["--json"]).data["files"]
        causes = {}
        for template, file in zip(templates, files, strict=True):
            causes[template] = {cause for _, cause in _wrong(file["findings"])}
        return causes

    def audit_against(self, template: str, *repos: str) -> CommandResult:
        """Audit a report against these repositories alone."""
        self.audit(template)
        options = [option for repo in repos for option in ("--repo", repo)]
        return self.command("audit", str(self.folder / "report.md"), "--json", *options)

    def findings(self, template: str) -> list[dict[str, Any]]:
        """Give the findings of a report."""
        return list(self.audit(template, "--json").data["findings"])

    def wrong(self, template: str) -> list[tuple[int, str]]:
        """Give the lines that are wrong, with the cause."""
        return _wrong(self.findings(template))


def _wrong(findings: Iterable[dict[str, Any]]) -> list[tuple[int, str]]:
    matching = [finding for finding in findings if finding["verdict"].startswith("wrong:")]
    return [(entry["line"], entry["verdict"].removeprefix("wrong:")) for entry in matching]


@pytest.fixture
def bench(
    engine: Engine, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, command: Command
) -> Bench:
    """Copy the repositories, which are made once."""
    made = built_once(tmp_path_factory, "audited", partial(_make_repositories, engine.folder))
    shutil.rmtree(engine.folder)
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    shas = json.loads((made / "shas.json").read_text())
    return Bench(tmp_path, engine, Engine(tmp_path / "kernels"), shas, command)


def _make_repositories(template: Path, folder: Path) -> None:
    """Make four commits on 2026-03-10, one later, and two of another repository."""

    def day(hour: int, day: int = 10) -> datetime:
        return datetime(2026, 3, day, hour, tzinfo=UTC)

    engine = Engine(Path(shutil.copytree(template, folder / "engine")))
    kernels = engine.cloned(folder / "kernels")
    shas = {
        "flag": engine.commit("[Feature] Add --max-batch (#12)", day(8), "Bo Chen", server=_FLAG),
        "fix": engine.commit(
            "Fix overflow in the paged cache (#13)", day(11), "Ada Lovelace", cache=_CORE
        ),
        "rename": engine.commit(
            "Rename run to execute (#14)", day(15), "Chris P", core="def execute(): ...\n"
        ),
        "drop": engine.commit(
            "Drop python 3.9 (#15)", day(9, 15), "Bo Chen", setup="python_requires = 310\n"
        ),
        "softmax": kernels.commit(
            "Speed up softmax (#5)", day(3), "Dana Scott", softmax="def softmax(): ...\n"
        ),
        "rope": kernels.commit(
            "Add the rope kernel (#6)", day(21), "Dana Scott", rope="def rope_kernel(): ...\n"
        ),
    }
    (folder / "shas.json").write_text(json.dumps(shas))


def test_nothing_is_wrong_in_a_right_report_and_prose_is_not_checked(bench: Bench) -> None:
    findings = bench.findings(RIGHT)
    assert [finding for finding in findings if finding["verdict"].startswith("wrong")] == []
    assert {finding["verdict"] for finding in findings if finding["kind"] == "sentence"} == {
        "not-checked"
    }
    kinds = {finding["kind"] for finding in findings if finding["verdict"] == "right"}
    assert kinds >= {
        "commit",
        "pull request of commit",
        "author",
        "date",
        "statistics",
        "path",
        "identifier",
        "code",
    }
    assert kinds >= {"anchor", "window", "label"}


def test_each_kind_of_error_is_found_on_its_line(bench: Bench) -> None:
    assert ", ".join(f"{line} {cause}" for line, cause in sorted(bench.wrong(WRONG))) == (
        "9 metadata, 9 metadata, 9 mismatch, 10 out-of-scope, 11 nonexistent, 12 number, 12 window, 15 label, "
        "16 label, 16 nonexistent, 17 label, 18 number, 22 quote, 25 dead-anchor, 27 raw-data, 33 failed-output, "
        "40 cut-off, 44 cut-off"
    )


def test_what_may_be_right_is_not_accused(bench: Bench) -> None:
    lines = (
        "The pin moves to `0a1b2c3d4e5f` of [other](https://github.com/acme/other), which is not given.",
        "Issue #99 and 20260310 and 5e1000000 are numbers, and so is `12345678`.",
        "- <fix> (see also the earlier <drop>) by adding a guard",
        "- <fix> fixes what #3 reported",
        "- Author: ada99 (<fix>)",
        "- <fix> touches more than 40 files of others, +5 % / -3 %",
        "The server answered 404 once, which <fix> does not mention.",
        "Call `torch.compile` or set `SOME_OTHER_SETTING` before, as [the docs](https://example.org/a/b) say.",
    )
    assert bench.wrong("# acme/engine\n\n" + "\n\n".join(lines) + "\n") == []


def test_a_report_ends_with_0_or_3_and_tells_errors_first_by_cause(bench: Bench) -> None:
    assert bench.audit("# acme/engine 2026-03-10\n\n- Add a flag (<flag>)\n").status == 0
    anchors = "".join(f"- [to {number}](#gone-{number})\n" for number in range(170))
    text = f"# acme/engine 2026-03-10 <script>alert(1)</script>\n\n- Lost (abc1234)\n- Long ago: <drop>\n\n{anchors}"
    page = bench.folder / "audit.html"
    result = bench.audit(text, "--html", str(page))
    assert result.status == 3
    lines = result.out.splitlines()
    assert lines[2:4] == ["References to nothing (1)", "  line 3    commit: abc1234"]
    assert lines[4].strip() == "acme/engine has no commit abc1234"
    assert {"Dead anchors (170)", "  and 150 more; --json lists them"} <= set(lines)
    # The page shows the report as text and reaches for nothing.
    html = page.read_text(encoding="utf-8")
    assert all(escaped in html for escaped in ("&lt;script&gt;", "References to nothing (1)"))
    assert not any(active in html for active in ("<script", "src=", "<link"))


@pytest.mark.parametrize("admits", [False, True])
def test_a_judge_that_admits_a_control_is_not_believed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, *, admits: bool
) -> None:
    def opinion(sentence: str, evidence: str) -> str:
        names_in_evidence = [name for name in sentence.split("`")[1::2] if name in evidence]
        if "thinks" in sentence:
            return "inferred"
        return "stated" if names_in_evidence or admits else "contradicted"

    with ModelServer(
        Scripted(opinion=opinion, quote="of acme/engine, 2026-03-10"), context=32_768
    ) as server:
        monkeypatch.setenv("GITZETTE_MODEL", server.model)
        monkeypatch.setenv("GITZETTE_MODEL_URL", server.url)
        Path("gitzette.toml").write_text('analyst = "model"\n')
        matching = [finding for finding in bench.findings(JUDGED) if finding["kind"] == "sentence"]
    verdicts = {entry["line"]: entry["verdict"] for entry in matching}
    if admits:
        assert set(verdicts.values()) == {"not-checked"}
        return
    assert verdicts == {7: "right", 8: "unverifiable", 9: "wrong:contradicted", 15: "right"}
    assert bench.shas["fix"] in next(entry["evidence"] for entry in matching if entry["line"] == 9)


def test_what_is_no_report_is_told_in_one_line(command: Command, tmp_path: Path) -> None:
    report = tmp_path / "odd.md"
    odd = {
        None: "cannot be read",
        b"  \n\n": "is empty",
        b"\x89PNG\0\0": "Markdown file",
        b"\xff\xfe": "is not UTF-8",
    }
    for content, result in odd.items():
        if content is not None:
            report.write_bytes(content)
        done = command("audit", str(report))
        assert (done.status, done.err.count("\n"), result in done.err) == (2, 1, True)


@pytest.mark.parametrize(("layout", "lang"), [("ledger", "en"), ("digest", "zh")])
def test_any_edit_of_a_report_of_ours_is_shown_with_its_line(
    bench: Bench, layout: str, lang: str
) -> None:
    out = bench.folder / "out"
    repo = bench.engine.repo
    style = ["--layout", layout, "--lang", lang, "--out", str(out)]
    assert bench.command("run", *repo, "--date", "2026-03-10", *style).status == 0
    report = out / "reports" / "2026-03-10.md"
    text = report.read_text(encoding="utf-8")
    assert bench.command("audit", str(report), *repo).status == 0
    line = next(
        number for number, entry in enumerate(text.split("\n"), 1) if "Fix overflow" in entry
    )
    lines = []
    for old, new in ((bench.shas["fix"][:7], "abcdef0"), ("Fix overflow", "Fix underflow")):
        report.write_text(text.replace(old, new, 1), encoding="utf-8")
        result = bench.command("audit", str(report), *repo, "--json")
        assert (result.status, {entry["verdict"] for entry in result.data["findings"]}) == (
            3,
            {"wrong:edited"},
        )
        lines.append({entry["line"] for entry in result.data["findings"]})
    assert line in lines[-1]


# A report that does not say which repository it is about.
UNNAMED = """# What happened on 2026-03-10

- Add a flag · Commit: <flag>
- Fix the overflow · Commit: <fix>
- Rename run to execute · Commit: <rename>

| Commit | What |
|---|---|
| <fix> | the overflow |
"""


def test_with_the_wrong_repository_one_thing_is_said_and_no_hash_is_called_wrong(
    bench: Bench,
) -> None:
    kernels = f"acme/kernels={bench.kernels.folder}"
    result = bench.audit_against(UNNAMED, kernels)
    assert result.status == 3
    assert result.data["summary"]["wrong"] == 0
    (finding,) = result.data["findings"]
    assert finding["verdict"] == "unverifiable"
    question = "none of the 3 hashes is in acme/kernels; is it the right repository?"
    assert finding["evidence"] == question
    result = bench.command("audit", str(bench.folder / "report.md"), "--repo", kernels)
    assert f"Incomplete: {question}\n" in result.out
    # The same with the right name and the wrong folder, and where #14 is something else.
    named_report = (
        UNNAMED.replace("# What happened on", "# acme/engine") + "\nSee #5 and #6, too.\n"
    )
    result = bench.audit_against(named_report, f"acme/engine={bench.kernels.folder}")
    assert result.status == 3
    assert result.data["summary"]["wrong"] == 0
    verdicts = {entry["claim"]: entry["verdict"] for entry in result.data["findings"]}
    assert verdicts == dict.fromkeys(("acme/engine", "#5", "#6"), "unverifiable")


def test_sections_about_a_repository_that_is_not_given_are_not_called_wrong(bench: Bench) -> None:
    report = """# What happened on 2026-03-10

## Serving

- Add a flag · Commit: <flag>
- Fix the overflow · Commit: <fix>
- Rename run to execute · Commit: <rename>

## Faster arithmetic

### Softmax

- Speed up softmax · Commit: <softmax>
- Speed it up again · Commit: 0123abcd99

### Rope

- Add rope (#12) · Commit: <rope>
"""
    result = bench.audit_against(report, f"acme/engine={bench.engine.folder}")
    assert result.status == 3
    assert result.data["summary"]["wrong"] == 0
    (incomplete,) = result.data["summary"]["incomplete"]
    where = "under “Faster arithmetic” is in acme/engine"
    assert incomplete == f"none of the 3 hashes {where}; is it the right repository?"
    # Its numbers are not those of a repository in which it has no commit.
    (number,) = [entry for entry in result.data["findings"] if entry["kind"] == "thread"]
    assert number["verdict"] == "unverifiable"
    mixed = "# News\n\n| Commit |\n|---|\n| <flag> |\n| <fix> |\n| <softmax> |\n| <rope> |\n"
    result = bench.audit_against(mixed, f"acme/engine={bench.engine.folder}")
    assert (result.status, result.data["summary"]["wrong"]) == (3, 0)
    assert result.data["summary"]["incomplete"] == [
        "2 of the 4 hashes are not in acme/engine; is the report about another repository, too?"
    ]


def test_a_report_whose_repository_is_not_given_is_not_called_checked(bench: Bench) -> None:
    linked = "# News\n\n- [`<fix>`](<fix:url>) and [`<flag>`](<flag:url>)\n"
    result = bench.audit_against(linked, f"acme/kernels={bench.kernels.folder}")
    assert result.status == 3
    assert result.data["summary"]["wrong"] == 0
    assert result.data["summary"]["not_given"] == {"acme/engine": 2}
    (incomplete,) = result.data["summary"]["incomplete"]
    assert incomplete == "none of the 2 hashes could be looked up: give acme/engine with --repo"


def test_a_commit_of_another_repository_is_found_whatever_else_is_given(bench: Bench) -> None:
    planted = UNNAMED.replace("<rename>", "<softmax>")
    engine = f"acme/engine={bench.engine.folder}"
    kernels = f"acme/kernels={bench.kernels.folder}"
    result = bench.audit_against(planted, engine)
    assert wrong_lines(result) == [(5, "nonexistent")]
    result = bench.audit_against(planted, engine, kernels)
    assert wrong_lines(result) == [(5, "out-of-scope")]
    (finding,) = [
        entry for entry in result.data["findings"] if entry["line"] == 5 and "wrong" in str(entry)
    ]
    assert finding["evidence"].startswith("it belongs to acme/kernels, not to acme/engine: ")


def wrong_lines(result: CommandResult) -> list[tuple[int, str]]:
    findings = [entry for entry in result.data["findings"] if entry["verdict"].startswith("wrong:")]
    return [(finding["line"], finding["verdict"].removeprefix("wrong:")) for finding in findings]


def test_sections_about_several_repositories_are_each_held_to_their_own(bench: Bench) -> None:
    report = """# What happened on 2026-03-10

## Serving

- Add a flag (<flag>, #12)
- Fix the overflow (<fix>, #13)

### Rename (#14)

It is called execute now (<rename>).

## Faster arithmetic

- Speed up softmax (<softmax>, #5)
- Add rope (<rope>, #6)

## The engine takes kernels up to <rope>

- Take up kernels `<softmax>` as well (<flag>)
"""
    findings = bench.findings(report)
    assert [finding for finding in findings if finding["verdict"].startswith("wrong")] == []
    # Numbers are those of the section's repository.
    threads = {finding["claim"]: finding for finding in findings if finding["kind"] == "thread"}
    assert "acme/engine@" in threads["#12"]["evidence"]
    assert "acme/engine@" in threads["#14"]["evidence"]
    assert "acme/kernels@" in threads["#5"]["evidence"]
    planted = report.replace("(<rope>, #6)", "(<fix>, #6)").replace("(<rename>)", "(<softmax>)")
    assert bench.wrong(planted) == [(10, "out-of-scope")]
    planted = planted.replace("## The engine", "- Mend the build (<softmax>)\n\n## The engine")
    assert bench.wrong(planted) == [(10, "out-of-scope"), (15, "out-of-scope")]


@contextmanager
def silent_server() -> Iterator[str]:
    """A server of a model that takes every question and answers none."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1"


def use_judge(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("GITZETTE_MODEL", "judge-1")
    monkeypatch.setenv("GITZETTE_MODEL_URL", url)
    monkeypatch.setenv("GITZETTE_MODEL_CONTEXT", "32768")
    Path("gitzette.toml").write_text('analyst = "model"\n[budget]\nretry_seconds = 0.01\n')


def test_a_judge_that_is_away_is_status_3_and_what_it_did_not_read_is_counted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with silent_server() as url:
        pass  # Nobody listens there any more
    use_judge(monkeypatch, url)
    result = bench.audit(JUDGED)
    assert result.status == 3
    assert (
        "Incomplete: judge-1 did not read 4 of 4 sentences: the judge did not answer" in result.out
    )
    assert "0 wrong" in result.out
    assert "judging 4 sentences" in result.err
    assert "4 of 4 sentences judged" in result.err


def test_an_audit_ends_in_time_with_what_it_has(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = JUDGED + "\n- Lost: abc1234f\n"
    with silent_server() as url:
        use_judge(monkeypatch, url)
        began = time.monotonic()
        result = bench.audit(lost, "--max-seconds", "2")
    assert time.monotonic() - began < 30
    assert result.status == 3
    assert "judge-1 did not read 4 of 4 sentences: the time for the audit was over" in result.out
    # What code could prove is there.
    assert "acme/engine has no commit abc1234f" in result.out
    assert bench.audit(lost, "--max-seconds", "0").status == 2
