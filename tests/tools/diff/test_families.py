"""What a class hands to a base or mixin in another file it still has; what several files had moves to one for all."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
RUN = "    def run(self, x):\n        return x\n"
STOP = (
    "    def stop_all(self, x):\n        y = x + 1\n        for z in range(y):\n"
    "            y = self.step(y, z) + self.other(z, y)\n        return self.close(y)\n"
)
LIMIT = "    limit: int = 3\n"
GONE = (FactKind.SYMBOL_REMOVED, FactKind.FIELD_REMOVED)
COME = (FactKind.SYMBOL_ADDED, FactKind.FIELD_ADDED)


@ROUTES
@pytest.mark.parametrize("base", ["", f"class Mixin:\n{RUN.replace('run', 'start')}"])
async def test_members_that_a_new_base_has_now_have_not_gone(base: str, route: str, facts_of: "FactsOf") -> None:
    before = {"pkg/a.py": f"class Cache:\n{LIMIT}\n{RUN}\n{STOP}", "pkg/b.py": base} if base else {}
    before |= {"pkg/a.py": f"class Cache:\n{LIMIT}\n{RUN}\n{STOP}"}
    after = {
        "pkg/a.py": f"from .b import Mixin\n\n\nclass Cache(Mixin):\n{RUN}",
        "pkg/b.py": f"{base or 'class Mixin:'}\n{LIMIT}\n{STOP}",
    }
    facts = await facts_of(before, after, route)
    assert not [fact for fact in facts if fact.kind in (*GONE, *COME)]
    assert FactKind.BASE_CHANGED in {fact.kind for fact in facts}


async def test_a_method_that_two_classes_hand_to_their_base_has_not_gone(facts_of: "FactsOf") -> None:
    heir = "from .base import Base\n\n\nclass {}(Base):\n{}"
    base = f"class Base:\n{RUN}"
    before = {"pkg/base.py": base} | {f"pkg/{name}.py": heir.format(name, f"{LIMIT}\n{STOP}") for name in "ab"}
    after = {"pkg/base.py": f"{base}\n{STOP}"} | {f"pkg/{name}.py": heir.format(name, LIMIT) for name in "ab"}
    assert await facts_of(before, after) == []


async def test_fields_of_a_record_that_its_base_has_now_have_not_gone(facts_of: "FactsOf") -> None:
    base = "@dataclass\nclass Base:\n    go: int = 1\n"
    heir = "from .base import Base\n\n\n@dataclass\nclass Heir(Base):\n    run: int = 1\n"
    before = {"pkg/base.py": base, "pkg/a.py": f"{heir}{LIMIT}"}
    assert await facts_of(before, {"pkg/base.py": f"{base}{LIMIT}", "pkg/a.py": heir}) == []


async def test_a_field_that_the_base_has_with_another_default_is_told(facts_of: "FactsOf") -> None:
    base = "@dataclass\nclass Base:\n    go: int = 1\n"
    heir = "from .base import Base\n\n\n@dataclass\nclass Heir(Base):\n    run: int = 1\n"
    before = {"pkg/base.py": base, "pkg/a.py": f"{heir}{LIMIT}"}
    after = {"pkg/base.py": f"{base}{LIMIT.replace('3', '4')}", "pkg/a.py": heir}
    assert {fact.kind for fact in await facts_of(before, after)} == {FactKind.FIELD_REMOVED, FactKind.FIELD_ADDED}


@ROUTES
async def test_a_method_whose_class_is_out_of_sight_breaks_nobody_by_moving(route: str, facts_of: "FactsOf") -> None:
    far = "".join(f"    def far_{number}(self):\n        return {number}\n\n" for number in range(9))
    heir = f"from .base import Base\n\n\nclass Heir(Base):\n{far}"
    base = f"class Base:\n{far}"
    before = {"pkg/base.py": base, "pkg/a.py": heir + STOP}
    facts = await facts_of(before, {"pkg/base.py": base + STOP, "pkg/a.py": heir}, route)
    assert not [fact for fact in facts if fact.severity is Severity.BREAKING]


@ROUTES
async def test_a_function_that_two_files_had_and_one_has_now_has_moved(route: str, facts_of: "FactsOf") -> None:
    rest = "def stay(a):\n    return a\n"
    body = (
        "    total = x * y + 3\n    for step in range(total):\n        total += step * work(total)\n    return total\n"
    )
    own = f"{rest}\n\ndef tally(x, y):\n{body}"
    facts = await facts_of(
        {"pkg/a.py": own, "pkg/b.py": own, "pkg/c.py": rest},
        {"pkg/a.py": rest, "pkg/b.py": rest, "pkg/c.py": own},
        route,
    )
    assert [(fact.kind, fact.old) for fact in facts] == [
        (FactKind.SYMBOL_MOVED, "pkg/a.py"),
        (FactKind.SYMBOL_MOVED, "pkg/b.py"),
    ]


@pytest.mark.parametrize("route", ["blobs", "hunks"])
async def test_a_class_that_inherits_from_its_namesake_elsewhere_has_lost_nothing(
    route: str, facts_of: "FactsOf"
) -> None:
    body = "    def start(self):\n        return 1\n\n    def stop(self):\n        return 2\n"
    before = {"pkg/cute/testing.py": f"class Timer:\n{body}", "pkg/x.py": "y = 1\n"}
    shim = (
        'from pkg.testing import Timer as _Timer\n\n\n@deprecated("use pkg.testing")\nclass Timer(_Timer):\n    pass\n'
    )
    after = {"pkg/cute/testing.py": shim, "pkg/testing.py": f"class Timer:\n{body}"}
    facts = await facts_of(before, after, route)
    assert not [fact for fact in facts if fact.kind is FactKind.SYMBOL_REMOVED]
    assert [fact for fact in facts if fact.kind is FactKind.DEPRECATED and fact.name == "Timer"]


async def test_what_a_class_declares_over_its_base_is_no_addition(facts_of: "FactsOf") -> None:
    base = "class Base:\n    autocast: bool = True\n\n    def prepare(self, x):\n        return x\n"
    old = "from .base import Base\n\n\nclass Own(Base):\n    size: int = 1\n"
    new = f"{old}    autocast: bool = False\n\n    def prepare(self, x):\n        return x + 1\n"
    before, after = (
        {"pkg/base.py": base, "pkg/own.py": old},
        {"pkg/base.py": f"{base}\n\nLIMIT = 3\n", "pkg/own.py": new},
    )
    facts = [fact for fact in await facts_of(before, after) if fact.name.startswith("Own.")]
    told = {(fact.kind, fact.name, fact.old, fact.severity) for fact in facts}
    assert told == {
        (FactKind.FIELD_CHANGED, "Own.autocast", "True", Severity.BEHAVIOUR),
        (FactKind.SYMBOL_ADDED, "Own.prepare", None, Severity.BEHAVIOUR),
    }


async def test_an_import_of_which_a_linter_is_told_is_not_new(facts_of: "FactsOf") -> None:
    old = "from pkg.ir import func\n\n\ndef run():\n    return func\n"
    facts = await facts_of({"pkg/a.py": old}, {"pkg/a.py": old.replace("func\n\n\n", "func  # noqa: F401\n\n\n", 1)})
    assert not [fact for fact in facts if fact.kind is FactKind.SYMBOL_ADDED]


@ROUTES
async def test_a_base_on_a_line_of_its_own_is_told(facts_of: "FactsOf", route: str) -> None:
    source = "from lib import Loud, Model, Part\n\n\nclass Talker(\n    Model,\n{}    Part,\n):\n    size = 4\n"
    (fact,) = await facts_of({"pkg/talk.py": source.format("")}, {"pkg/talk.py": source.format("    Loud,\n")}, route)
    assert (fact.kind, fact.name) == (FactKind.BASE_CHANGED, "Talker")
    assert (fact.old, fact.new) == ("Model, Part", "Model, Loud, Part")


@pytest.mark.parametrize(("base", "severity"), [("Op, Layer", Severity.BEHAVIOUR), ("Layer", Severity.BREAKING)])
async def test_what_a_new_base_may_have_is_renamed_without_breaking(
    facts_of: "FactsOf", base: str, severity: Severity
) -> None:
    body = "    def {}(self, x):\n        y = x + 1\n        z = y * y\n        return self.scale(y, z)\n"
    before = "from lib import Layer, Op\n\n\nclass Norm(Layer):\n" + body.format("forward")
    after = before.replace("(Layer)", f"({base})").replace("forward", "forward_native")
    facts = await facts_of({"pkg/norm.py": before}, {"pkg/norm.py": after})
    assert [fact.severity for fact in facts if fact.kind is FactKind.SYMBOL_RENAMED] == [severity]


async def test_what_a_base_of_a_new_base_may_have_breaks_nobody(facts_of: "FactsOf") -> None:
    body = "    def {}(self, x):\n        y = x + 1\n        z = y * y\n        return self.scale(y, z)\n"
    before = "from lib import Layer, Op\n\n\nclass Norm(Layer):\n" + body.format("forward")
    after = "from lib import Op\n\n\nclass _Norm(Op):\n" + body.format("forward_native")
    after += "\n\nclass Norm(_Norm):\n    pass\n"
    facts = await facts_of({"pkg/norm.py": before}, {"pkg/norm.py": after})
    assert not [fact for fact in facts if fact.severity is Severity.BREAKING]
