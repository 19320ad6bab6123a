"""Conditions on which options are set: those that came or went with them, and those that ask for more or less."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
RUN = (
    "import lib\n\n\nclass {name}:\n    def start(self, args, device):\n        lib.begin()\n{body}        lib.end()\n"
)
PATH = "pkg/run.py"


def run(*lines: str, name: str = "Runner") -> str:
    """Write a method with these lines."""
    return RUN.format(name=name, body="".join(f"        {line}\n" for line in lines))


async def told(
    facts_of: "FactsOf", before: str, after: str, route: str = "blobs"
) -> list[tuple[str, str | None, str | None, str | None]]:
    """Tell what functions decide otherwise."""
    facts = [
        fact for fact in await facts_of({PATH: before}, {PATH: after}, route) if fact.kind is FactKind.VALUE_CHANGED
    ]
    assert all(fact.severity is Severity.BEHAVIOUR for fact in facts)
    return [(fact.name, fact.detail, fact.old, fact.new) for fact in facts]


SWITCHED = ('if args.backend == "slow":', "    self.enable_overlap = False")
WRAPPED = ("if (", '    args.backend == "slow"', "    and not args.eager", "):", "    args.overlap = False")


@ROUTES
async def test_an_option_that_is_no_longer_set_under_a_condition_is_told(facts_of: "FactsOf", route: str) -> None:
    said = 'False if args.backend == "slow"'
    assert await told(facts_of, run(*SWITCHED), run(), route) == [("Runner.start", "self.enable_overlap", said, None)]
    said = f"{said} and not args.eager"
    assert await told(facts_of, run(*WRAPPED), run(), route) == [("Runner.start", "args.overlap", said, None)]


@ROUTES
async def test_a_switch_that_options_turn_now_is_told(facts_of: "FactsOf", route: str) -> None:
    facts = await told(facts_of, run(), run(*SWITCHED), route)
    assert facts == [("Runner.start", "self.enable_overlap", None, 'False if args.backend == "slow"')]


async def test_a_condition_that_asks_for_more_is_told_with_the_option_below_it(facts_of: "FactsOf") -> None:
    wider = (*WRAPPED[:3], "    and device.fast()", *WRAPPED[3:])
    said = 'False if args.backend == "slow" and not args.eager'
    facts = await told(facts_of, run(*WRAPPED), run(*wider))
    assert facts == [("Runner.start", "args.overlap", said, f"{said} and device.fast()")]


async def test_what_a_class_of_options_sets_of_its_own_is_told(facts_of: "FactsOf") -> None:
    lines = ('if self.layout == "paged" and on_rocm():', '    self.layout = "flat"')
    facts = await told(facts_of, run(*lines, name="ServerArgs"), run(name="ServerArgs"))
    assert facts == [("ServerArgs.start", "self.layout", '"flat" if self.layout == "paged" and on_rocm()', None)]
    assert await told(facts_of, run(*lines), run()) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # The whole attribute went, or came.
        (("self.enable_overlap = True", *SWITCHED), ()),
        ((), ("self.enable_overlap = True", *SWITCHED)),
        # Set elsewhere, or on another branch.
        (SWITCHED, ("lib.go()", "self.enable_overlap = choose(args)")),
        (("if args.slow:", "    lib.go()", "else:", SWITCHED[1]), ()),
        # Nothing that anybody asked for.
        (("if self.size > 4:", "    self.enable_overlap = False"), ()),
        (("if args.slow:", "    self.index = 4"), ()),
        # Other names, the same question, a part that another line asks for now.
        (SWITCHED, ('if args.kind == "slow":', SWITCHED[1])),
        (("if args.slow:", SWITCHED[1]), ("if args.slow is not None:", SWITCHED[1])),
        (
            ("if args.slow and args.eager:", "    args.overlap = False"),
            ("if not args.eager:", "    return None", "if args.slow:", "    args.overlap = False"),
        ),
    ],
)
async def test_what_may_be_the_same_is_not_told(
    facts_of: "FactsOf", before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    assert await told(facts_of, run(*before), run(*after)) == []


async def test_what_another_file_sets_now_is_not_told(facts_of: "FactsOf") -> None:
    other = "def prepare(args):\n{}    return args\n"
    before = {PATH: run(*WRAPPED), "pkg/other.py": other.format("")}
    after = {PATH: run(), "pkg/other.py": other.format("    args.overlap = False\n")}
    assert PATH not in {
        fact.places[0].file for fact in await facts_of(before, after) if fact.kind is FactKind.VALUE_CHANGED
    }


@ROUTES
async def test_a_value_that_stays_in_one_of_its_branches_is_told(facts_of: "FactsOf", route: str) -> None:
    after = run("if args.size < 4:", "    args.max_batch = 8", "else:", "    args.max_batch = 80")
    facts = await told(facts_of, run("args.max_batch = 8"), after, route)
    assert facts == [("Runner.start", "args.max_batch", "8", "8 if args.size < 4 else 80")]
