"""`bump` with a model: what changes behind a name is explained, checked and judged."""

from pathlib import Path

import pytest

from evals.model_server.server import ModelServer
from tests.gitzette.conftest import Command, CommandResult
from tests.made_repos import Work
from tests.scripted_analysis import Scripted, analysis, honest, of, said

PROJECT = '[project]\nname = "paint"\nversion = "{}"\n'
CONFIGURATION = '[bump]\nregistries = false\n[bump.packages]\n"pypi:paint" = "ada/paint"\n'
CANVAS = """\
def blend(first, second):
    limit = {limit}
    return min(first + second, limit)


def dither(image):
    level = {level}
    return image * level
"""
LIMIT = "Blend less"
TRUE = said("`blend` stops at `12`.", "", "+    limit = 12")
FALSE = said("`blend` stops at `99`.", "", "+    limit = 12")


def refuting_twins(sentence: str, evidence: str) -> str:
    """Judge honestly, and refuse the facts that are turned round as controls."""
    return "contradicted" if "becomes" in sentence else honest(sentence, evidence)


class Upgrade:
    """A package whose function returns something else, and a repository that calls it."""

    def __init__(self, folder: Path, command: Command) -> None:
        self.command = command
        self.package = Work(folder / "paint")
        self.release("1.0", 22, 1)
        self.changing = self.package.commit(
            LIMIT, {"paint/canvas.py": CANVAS.format(limit=12, level=1)}
        )
        self.other = self.package.commit(
            "Dither more", {"paint/canvas.py": CANVAS.format(limit=12, level=3)}
        )
        self.release("2.0", 12, 3)
        self.own = Work(folder / "own")
        files = {"gitzette.toml": CONFIGURATION, "requirements.txt": "paint==1.0\n"}
        own_code = {"app.py": "from paint.canvas import blend\n\nblend(1, 2)\n"}
        self.base = self.own.commit("Begin", files | own_code)
        self.tip = self.own.commit("Bump", {"requirements.txt": "paint==2.0\n"})

    def release(self, version: str, limit: int, level: int) -> None:
        canvas = CANVAS.format(limit=limit, level=level)
        files = {"paint/__init__.py": "", "paint/canvas.py": canvas}
        self.package.commit(version, {"pyproject.toml": PROJECT.format(version), **files})
        self.package.git("tag", f"v{version}")

    def run(self, *options: str) -> CommandResult:
        return self.command(
            "bump",
            f"{self.base}..{self.tip}",
            "--checkout",
            str(self.own.path),
            "--repo",
            f"ada/paint={self.package.path}",
            *options,
        )


@pytest.fixture
def upgrade(tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch) -> Upgrade:
    monkeypatch.setenv("GITHUB_REPOSITORY", "bob/own")
    return Upgrade(tmp_path, command)


def configure(monkeypatch: pytest.MonkeyPatch, url: str, name: str = "scripted") -> None:
    monkeypatch.setenv("GITZETTE_ANALYST", "model")
    monkeypatch.setenv("GITZETTE_MODEL", name)
    monkeypatch.setenv("GITZETTE_MODEL_URL", url)


def test_a_change_behind_a_used_name_is_explained_with_its_commit(
    upgrade: Upgrade, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer(Scripted({LIMIT: analysis(TRUE)}, opinion=refuting_twins)) as server:
        configure(monkeypatch, server.url, server.model)
        result = upgrade.run()
        written_about = of(server, "Analysis")
    assert result.status == 0
    assert "**Changes behind names that you use**, explained by" in result.out
    line = next(line for line in result.out.splitlines() if line.startswith("- `blend`"))
    assert f"https://github.com/bob/own/blob/{upgrade.tip}/app.py#L1" in line
    assert ": `blend` stops at `12`. (`paint`, " in line
    assert f"https://github.com/ada/paint/commit/{upgrade.changing}" in line
    assert "v2.0" in written_about[0], written_about[0][:900]
    # `dither` is not used, so nobody is asked about its commit.
    assert len(written_about) == 1
    assert "only told where a model explained its commit" in result.out


def test_a_sentence_that_its_commit_does_not_show_is_left_out(
    upgrade: Upgrade, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ModelServer(Scripted({LIMIT: analysis(FALSE)}, opinion=refuting_twins)) as server:
        configure(monkeypatch, server.url, server.model)
        result = upgrade.run()
    assert result.status == 0
    assert "`99`" not in result.out
    assert "Changes behind names" not in result.out


def test_a_sentence_that_the_judge_refutes_is_left_out(
    upgrade: Upgrade, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuting = Scripted(analyses={LIMIT: analysis(TRUE)}, opinion=lambda *_: "contradicted")
    with ModelServer(refuting) as server:
        configure(monkeypatch, server.url, server.model)
        assert "stops at" not in upgrade.run().out


def test_a_model_that_fails_leaves_the_facts_and_says_so(
    upgrade: Upgrade, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = upgrade.run().out
    configure(monkeypatch, "http://127.0.0.1:9/v1")
    result = upgrade.run()
    assert result.status == 3
    assert "Changes of behaviour are not all explained, because the model failed: " in result.out
    assert alone.splitlines()[0] == result.out.splitlines()[0]
    assert upgrade.run("--analyst", "rules").out == alone


def test_commits_beyond_the_limit_are_counted(
    upgrade: Upgrade, monkeypatch: pytest.MonkeyPatch
) -> None:
    upgrade.own.git("checkout", "-q", "-B", "main", upgrade.base)
    settings = CONFIGURATION.replace("[bump]\n", "[bump]\nmax_explained = 1\n")
    own_code = "from paint.canvas import blend, dither\n"
    upgrade.base = upgrade.own.commit("Limit", {"gitzette.toml": settings, "app.py": own_code})
    upgrade.tip = upgrade.own.commit("Bump", {"requirements.txt": "paint==2.0\n"})
    with ModelServer(Scripted(analyses={})) as server:
        configure(monkeypatch, server.url, server.model)
        result = upgrade.run()
    assert "1 more commits change names that you use and are not explained" in result.out


def test_a_change_behind_a_name_of_an_included_header_is_explained(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "  a += 1;\n" * 5
    header = f"inline int blend(int a) {{{{\n{lines}  int limit = {{}};\n  return a < limit ? a : limit;\n}}}}\n"
    other = "inline int dither(int a) {{\n  return a * {};\n}}\n"
    paint = Work(tmp_path / "paint")
    old = paint.commit(
        "1.0",
        {"include/paint/blend.h": header.format(22), "include/paint/dither.h": other.format(1)},
    )
    paint.commit("Dither more", {"include/paint/dither.h": other.format(3)})
    new = paint.commit(LIMIT, {"include/paint/blend.h": header.format(12)})
    own = Work(tmp_path / "own")
    pin = "FetchContent_Declare(\n  paint\n  GIT_REPOSITORY https://github.com/ada/paint\n  GIT_TAG {}\n)\n"
    source = "#include <paint/blend.h>\n\nint half(int a) { return blend(a) / 2; }\n"
    base = own.commit("Begin", {"CMakeLists.txt": pin.format(old), "app.cpp": source})
    tip = own.commit("Bump", {"CMakeLists.txt": pin.format(new)})
    monkeypatch.setenv("GITHUB_REPOSITORY", "bob/own")
    told = said("`blend` stops at `12`.", "", "+  int limit = 12;")
    with ModelServer(Scripted({LIMIT: analysis(told)}, opinion=refuting_twins)) as server:
        configure(monkeypatch, server.url, server.model)
        places = ["--checkout", str(own.path), "--repo", f"ada/paint={paint.path}"]
        result = command("bump", f"{base}..{tip}", *places)
        written_about = of(server, "Analysis")
    line = next(line for line in result.out.splitlines() if line.startswith("- `blend`"))
    assert "app.cpp#L3" in line
    assert ": `blend` stops at `12`." in line
    assert len(written_about) == 1
