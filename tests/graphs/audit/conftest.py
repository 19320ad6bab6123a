"""Made-up repositories with a known history, and the audit as a user would run it."""

import os
import subprocess
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agent.audit.statement import Finding
from agent.desks import Desk
from agent.domain import NoticeKind
from agent.ids import RepoId
from agent.settings import RepoSpec
from agent.sources import NoThreads
from graphs.audit import AuditDeps, build
from tools.git.source import GitSource

CLEAN = {"PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}
ENGINE, KERNELS, TOOLS = RepoId("acme/engine"), RepoId("acme/kernels"), RepoId("acme/tools")
WORKSHOP, DEPOT = RepoId("acme/workshop"), RepoId("acme/depot")
Files = Mapping[str, str]

_SERVER = """import argparse
parser = argparse.ArgumentParser()
parser.add_argument('--max-batch', type=int, default=16)
"""
_ADA, _BO, _CHRIS, _DANA = "Ada Lovelace", "Bo Chen", "Chris P", "Dana"
Made = dict[str, tuple[str, str, str, Files]]
_ENGINE: Made = {
    "start": (_ADA, "01T09:00", "Start the engine (#1)", {"engine/core.py": "def run(limit=4):\n    return limit\n"}),
    "tune": (_ADA, "08T10:00", "Tune the default (#10)", {"engine/core.py": "def run(limit=8):\n    return limit\n"}),
    "flag": (
        _BO,
        "10T08:30",
        "[Feature] Add --max-batch to the server (#12)",
        {"engine/server.py": _SERVER, "docs/flags.md": "# Flags\n--max-batch\n"},
    ),
    "fix": (
        _ADA,
        "10T11:00",
        "Fix overflow in paged cache (#13)\n\nFixes #11",
        {
            "engine/cache.py": "def page(n):\n    return n * 64\n",
            "tests/test_cache.py": "def test():\n    assert True\n",
        },
    ),
    "rename": (
        _CHRIS,
        "10T15:20",
        "Rename run to execute (#14)",
        {"engine/core.py": "def execute(limit=8):\n    return limit\n"},
    ),
    "drop": (_BO, "11T09:00", "Drop python 3.9 (#15)", {"setup.cfg": "python_requires = >=3.10\n"}),
}
_SOFTMAX = "__global__ void softmax() {}\nint a = 1;\n"
_KERNELS: Made = {
    "softmax": (_DANA, "10T03:00", "Speed up softmax (#5)", {"src/softmax.cu": _SOFTMAX}),
    "rope": (_DANA, "10T21:00", "Add rope kernel (#6)", {"src/rope.cu": "__global__ void rope() {}\n"}),
}
_BRIAN = "Brian K. Ryu"
_GUARD = "def ready():\n    return {0}\n\n\n# Expected output: {1}\n"
_HELPERS = "def first(rows):\n    return rows[0]\n\n\ndef last(rows):\n    return rows[-1]\n"
_GONE = ""
_TOOLS: Made = {
    "guard": (
        _ADA,
        "12T08:00",
        "Add a guard (#3)",
        {"tools/guard.py": _GUARD.format("False", "(2, 3)"), "tools/helpers.py": _HELPERS},
    ),
    "turn": (_BRIAN, "12T09:00", "Turn the guard round (#4)", {"tools/guard.py": _GUARD.format("True", "(1, 2)")}),
    "move": (_ADA, "12T10:00", "Move helpers (#7)", {"tools/helpers.py": _GONE, "tools/support.py": _HELPERS}),
    "undo": (
        _CHRIS,
        "12T11:00",
        'Revert "Turn the guard round" (#8)\n\nReverts acme/tools#4',
        {"tools/guard.py": _GUARD.format("False", "(2, 3)")},
    ),
    "level": (
        _BRIAN,
        "12T12:00",
        "Read the level from outside (#9)\n\nIt costs around 0.1% of a run, which nobody will notice.",
        {"tools/log.py": 'level = os.environ["TOOLS_LOGLEVEL"]\nparser.add_argument("--return-file-paths")\n'},
    ),
    "check": (
        _ADA,
        "12T13:00",
        "Check the type (#21)\n\nTo close\nhttps://github.com/acme/tools/issues/20",
        {"tools/check.py": "def check(value):\n    assert value\n"},
    ),
}


_BENCH = "import picks\n\nCUSTOM = {0}\n\n\ndef main(rows):\n    {1} = picks.choose(rows)\n    return first\n"
_PRESS = "def press(force: int = 2{0}) -> int:\n    return force\n"
_WARM = "@requires([90, 100])\n" + _PRESS.format(", warm: bool = True") + "# SHOP_WARM_UP\n"
_BASE = "ARG IMAGE=acme/base:{0}-complete\nARG KERNELS={1}\n"
_JIG = "def jig():\n    return 1\n\n\ndef run_jig_test():\n    return jig()\n"


def _workshop(pinned: str) -> Made:
    """Write the history of a repository that pins a commit of another one."""
    return {
        "lay": (
            _ADA,
            "14T08:00",
            "Lay out the workshop (#40)",
            {
                "shop/bench.py": _BENCH.format('""', "first, second, third"),
                "shop/press.py": _PRESS.format(""),
                "Dockerfile": _BASE.format("7.1", "0123abcd"),
                "serve.sh": "serve --node-size=2\n",
            },
        ),
        "press": (
            _BO,
            "14T09:00",
            "Warm the press (#41)\n\nThe check may not run, causing the fallback to be taken and disable HEAT.\n"
            "This gives ~1% uplift for small plates. `test_press.py` mostly passes.\n\nCloses #39",
            {"shop/press.py": _WARM},
        ),
        "pin": (
            _CHRIS,
            "14T10:00",
            "Pin the kernels (#42)",
            {
                "shop/bench.py": _BENCH.format("None", "first, second"),
                "Dockerfile": _BASE.format("7.0", pinned),
                "serve.sh": "serve --nnodes=2\n",
            },
        ),
        "jig": (_BO, "15T09:00", "Add a jig (#43)", {"shop/jig.py": _JIG}),
        "unjig": (_ADA, "15T10:00", 'Revert "Add a jig" (#44)\n\nReverts acme/workshop#43', {"shop/jig.py": _GONE}),
    }


_SHELF = "def test_{0}():\n    assert {1}\n"
_OPTIONS = 'addr: str = "127.0.0.1"\nport: int = 29501\nparser.add_argument("--addr")\nparser.add_argument("--port")\n'
_DEPOT: Made = {
    "stock": (
        _ADA,
        "16T08:00",
        "Stock the depot (#50)",
        {
            "tests/old/test_low.py": _SHELF.format("low", 1),
            "tests/old/test_high.py": _SHELF.format("high", 2),
            "requirements.txt": "acme-kernels==4.5.2\n",
        },
    ),
    "late": (
        _BO,
        "16T09:00",
        "Log what is late (#51)\n\nSigned-off-by: Bo Chen <somebody@example.org>\n"
        "Co-authored-by: Ada Lovelace <ada@example.org>",
        {"depot/late.py": "DEPOT_LATE_MS = EnvInt(-1)\nif took < limit:\n    skip()\n"},
    ),
    "options": (_ADA, "16T10:00", "Add an address and a port (#52)", {"depot/options.py": _OPTIONS}),
    "shelve": (
        _CHRIS,
        "16T11:00",
        "Move tests to the shelf (#53)\n\nThe lower ones would slow non-empty shelves down, which keep their order.",
        {
            "tests/old/test_low.py": _GONE,
            "tests/old/test_high.py": _GONE,
            "tests/shelf/test_low.py": _SHELF.format("low", 1),
            "tests/shelf/test_high.py": _SHELF.format("high", 2),
        },
    ),
    "newer": (_BO, "16T12:00", "Take newer kernels (#54)", {"requirements.txt": "acme-kernels==4.6.0.dev0\n"}),
    "back": (
        _ADA,
        "16T13:00",
        "Take the address back (#55)\n\nPartial revert of https://github.com/acme/depot/pull/52 for now.",
        {"depot/options.py": _OPTIONS.replace('parser.add_argument("--addr")\n', "")},
    ),
    "header": (
        _CHRIS,
        "16T14:00",
        "Read X-Shop-Routing-Key (#56)",
        {"depot/head.py": 'KEY = "X-Shop-Routing-Key"\nSGL = 1\n'},
    ),
}


@dataclass(frozen=True)
class History:
    """A repository and its commits by a short name."""

    path: Path
    shas: dict[str, str]

    def short(self, key: str) -> str:
        """Abbreviate a hash as people do."""
        return self.shas[key][:7]


@dataclass(frozen=True)
class World:
    """The repositories, and what reports write of them."""

    engine: History
    kernels: History
    tools: History
    workshop: History
    depot: History

    def fill(self, template: str) -> str:
        """Put hashes and addresses in: `<flag>` a short hash, `<flag:full>` a whole one, `<flag:url>` its address."""
        pairs = (
            (ENGINE, self.engine),
            (KERNELS, self.kernels),
            (TOOLS, self.tools),
            (WORKSHOP, self.workshop),
            (DEPOT, self.depot),
        )
        for repo, history in pairs:
            for key, sha in history.shas.items():
                template = template.replace(f"<{key}>", sha[:7]).replace(f"<{key}:full>", sha)
                template = template.replace(f"<{key}:url>", f"https://github.com/{repo}/commit/{sha}")
        return template


@dataclass
class Desks:
    """Mirrors, and nobody to ask for threads."""

    folders: dict[RepoId, Path]
    opened: list[RepoId] = field(default_factory=list)

    async def open(self, spec: RepoSpec) -> Desk:
        """Open one mirror."""
        self.opened.append(spec.name)
        source = GitSource(spec.name, self.folders[spec.name])
        return Desk(code=source, threads=NoThreads(spec.name, NoticeKind.LOCAL_ONLY), diffs=None)


class Quiet:
    """Nobody watches."""

    def step(self, repo: RepoId, what: str, done: int = 0, total: int = 0) -> None:
        """Say nothing."""


@dataclass(frozen=True)
class Outcome:
    """What an audit says."""

    findings: list[Finding]
    summary: dict[str, Any]

    def wrong(self) -> dict[str, str]:
        """Give the reason for each wrong claim."""
        return {finding.claim: finding.verdict.removeprefix("wrong:") for finding in self.findings if finding.wrong}

    def reasons(self) -> list[str]:
        """List why things are wrong, in the order of the lines."""
        return [finding.verdict.removeprefix("wrong:") for finding in self.findings if finding.wrong]


Audit = Callable[..., Awaitable[Outcome]]


def _make(path: Path, commits: Made) -> History:
    path.mkdir(parents=True)

    def git(*arguments: str, env: dict[str, str] | None = None) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=path, env=CLEAN | (env or {}), capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    git("init", "--quiet", "--initial-branch=main")
    shas = {}
    for key, (who, at, message, files) in commits.items():
        for name, content in files.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            if content == _GONE:
                (path / name).unlink()
            else:
                (path / name).write_text(content)
        git("add", "--all")
        sides = ("AUTHOR", "COMMITTER")
        values = (("NAME", who), ("EMAIL", "somebody@example.org"), ("DATE", f"2026-03-{at}:00Z"))
        env = {f"GIT_{side}_{name}": value for side in sides for name, value in values}
        git("commit", "--quiet", "-m", message, env=env)
        shas[key] = git("rev-parse", "HEAD")
    return History(path, shas)


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Make all repositories once."""
    folder = tmp_path_factory.mktemp("audited")
    made = (("engine", _ENGINE), ("kernels", _KERNELS), ("tools", _TOOLS), ("depot", _DEPOT))
    engine, kernels, tools, depot = (_make(folder / name, commits) for name, commits in made)
    return World(engine, kernels, tools, _make(folder / "workshop", _workshop(kernels.shas["rope"][:8])), depot)


@pytest.fixture
def audit(world: World) -> Audit:
    """Audit a report over the first two repositories, or those that are named."""

    async def run(template: str, name: str = "report.md", repos: tuple[RepoId, ...] = (ENGINE, KERNELS)) -> Outcome:
        folders = {ENGINE: world.engine.path, KERNELS: world.kernels.path, TOOLS: world.tools.path}
        folders |= {WORKSHOP: world.workshop.path, DEPOT: world.depot.path}
        deps = AuditDeps(desks=Desks(folders), progress=Quiet())
        specs = tuple(RepoSpec(name=repo, path=folders[repo]) for repo in repos)
        state: dict[str, Any] = {"text": world.fill(template), "name": name, "specs": specs}
        result = await build().ainvoke(state, context=deps)
        return Outcome(result["findings"], result["summary"])

    return run
