"""A flag goes on as it was, whichever way it is declared: by a call, or by the annotation of a field."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
CALLED = """
@dataclass
class ServerArgs:
    tp_size: int = 1
    fp8_runner: str = "auto"
    urls: List[str] = dataclasses.field(default_factory=list)
    mode: Literal["auto", "normal"] = "auto"
    dist_init_addr: Optional[str] = None

    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--tensor-parallel-size", "--tp-size", type=int, default=ServerArgs.tp_size)
        parser.add_argument("--fp8-backend", dest="fp8_runner", default=ServerArgs.fp8_runner, choices=["auto", "b"])
        parser.add_argument("--urls", nargs="+", default=[])
        parser.add_argument("--mode", choices=["normal", "auto"], default="auto")
        parser.add_argument("--dist-init-addr", "--nccl-init-addr", type=str)
"""
ANNOTATED = """
@dataclass
class ServerArgs:
    tp_size: A[int, Arg(help="Parts.", aliases=["--tensor-parallel-size"])] = 1
    fp8_runner: A[str, Arg(help="Which.", cli_name="--fp8-backend", choices=["auto", "b"])] = "auto"
    urls: A[List[str], Arg(help="Where.", nargs="+")] = dataclasses.field(default_factory=list)
    mode: A[Literal["auto", "normal"], "How."] = "auto"
    dist_init_addr: A[Optional[str], Arg(help="Where.", aliases=["--nccl-init-addr"])] = None

    @staticmethod
    def add_cli_args(parser):
        add_cli_args_from_dataclass(parser, ServerArgs)
"""


@ROUTES
@pytest.mark.parametrize(("old", "new"), [(CALLED, ANNOTATED), (ANNOTATED, CALLED)])
async def test_flags_that_are_declared_another_way_have_not_changed(
    old: str, new: str, route: str, facts_of: "FactsOf"
) -> None:
    facts = await facts_of({"pkg/server_args.py": old}, {"pkg/server_args.py": new}, route)
    assert [fact for fact in facts if fact.kind.value.startswith("flag")] == []


async def test_another_default_of_a_flag_that_is_declared_another_way_is_told(facts_of: "FactsOf") -> None:
    new = ANNOTATED.replace('] = "auto"', '] = "b"', 1)
    facts = await facts_of({"pkg/server_args.py": CALLED}, {"pkg/server_args.py": new})
    flags = [(fact.kind, fact.name, fact.old, fact.new) for fact in facts if fact.kind.value.startswith("flag")]
    assert flags == [(FactKind.FLAG_DEFAULT, "--fp8-backend", '"auto"', '"b"')]


@ROUTES
async def test_a_spelling_that_an_annotation_gains_or_loses_is_told(route: str, facts_of: "FactsOf") -> None:
    new = ANNOTATED.replace("--tensor-parallel-size", "--tp").replace('cli_name="--fp8-backend"', 'cli_name="--fp8"')
    facts = await facts_of({"pkg/server_args.py": ANNOTATED}, {"pkg/server_args.py": new}, route)
    assert {(fact.kind, fact.name, fact.severity) for fact in facts} == {
        (FactKind.FLAG_REMOVED, "--tensor-parallel-size", Severity.BREAKING),
        (FactKind.FLAG_ADDED, "--tp", Severity.ADDITIVE),
        (FactKind.FLAG_RENAMED, "--fp8", Severity.BREAKING),
    }


@ROUTES
async def test_choices_in_another_order_are_the_same_choices(route: str, facts_of: "FactsOf") -> None:
    text = 'def add(p):\n    p.add_argument("--mode", choices=[{}])\n'
    old, new = ({"pkg/args.py": text.format(choices)} for choices in ('"a", "b"', '"b", "a"'))
    assert await facts_of(old, new, route) == []
