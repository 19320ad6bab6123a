"""What one project of the world takes up of the other: new names, what messages say, and what only looks so."""

from dataclasses import dataclass

from evals.worlds.drafts import Maker, text

_LEND, _BORROW = "tensorforge/paged_{}.py", "swiftserve/adapter_{}.py"


@dataclass(frozen=True)
class Loan:
    """A name that the one project brings and the other one begins to use."""

    name: str
    day: int
    apart: int
    """So many days later it is used."""
    lines: str
    """How it is used; `{module}` and `{name}` stand for what was brought."""
    true: bool = True
    """It is taken up; otherwise it only looks so."""
    path: str = _BORROW
    again: int | None = None
    """So many days after that a second file uses it, which is no news."""


LOANS = (
    Loan("gather_paged_rows", 1, 2, "from tensorforge.{module} import {name}\n\nROWS = {name}\n"),
    Loan("scatter_paged_rows", 2, 0, "from tensorforge.{module} import (\n    {name},\n)\n\nROWS = {name}\n"),
    Loan("PagedRowPlanner", 3, 4, "import tensorforge\n\nPLANNER = tensorforge.{module}.{name}(4)\n"),
    Loan("compact_paged_rows", 4, 1, 'ROWS = _lazy("tensorforge.{module}", "{name}")\n', again=3),
    Loan("prefetch_paged_rows", 6, 5, "from tensorforge.{module} import {name} as prefetch\n\nROWS = prefetch\n"),
    Loan("rotate_paged_rows", 5, 2, "from otherforge.{module} import {name}\n\nROWS = {name}\n", true=False),
    Loan("migrate_paged_rows", 7, 1, "# tensorforge.{module}.{name} would be faster here.\nROWS = 1\n", true=False),
    Loan("evict_paged_rows", 8, 2, 'ROWS = "tensorforge.{module}.{name}"\n', true=False),
    Loan("pin_rows", 9, 1, "from tensorforge.{module} import {name}x\n\nROWS = {name}x\n", true=False),
    Loan(
        "trace_paged_rows",
        10,
        1,
        "from tensorforge.{module} import {name}\n\n\ndef test_rows():\n    assert {name}(2)\n",
        true=False,
        path="tests/test_adapter_{}.py",
    ),
)
OLD = "from tensorforge._types import ModelConfig\n\nROWS = ModelConfig\n"
"""How a name is used that the other project always had."""
SAYINGS = (
    ("Requires {}.", True),
    ("Depends on {} for the packed layout.", True),
    ("Integrates the kernels of {}.", True),
    ("Unlike {} this keeps the order.", False),
    ("Workaround until {} is released.", False),
    ("See {} for a similar change.", False),
    ("The crash that {} brought is worked around here.", False),
)
"""What a message of the one project says of a pull request of the other, and whether it rests on that."""


def brought(number: int, loan: Loan) -> Maker:
    """Bring a file with a name that nobody had before."""
    kind = "class" if loan.name[0].isupper() else "def"
    body = "    def __init__(self, rows):\n        self.rows = rows\n" if kind == "class" else "    return rows\n"
    head = f"{kind} {loan.name}:\n" if kind == "class" else f"{kind} {loan.name}(rows):\n"
    return text(_LEND.format(number), "", head + body, "feat", f"bring {loan.name}", f"引入 {loan.name}")


def used(number: int, loan: Loan, path: str = "") -> Maker:
    """Use the name in a file of its own."""
    lines = loan.lines.format(module=f"paged_{number}", name=loan.name)
    where = path or loan.path.format(number)
    return text(where, "", lines, "feat", f"adapter {number} for rows", f"行的适配器 {number}")
