"""Attributes that the objects of a class were given and are given no longer."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

Told = tuple[FactKind, Severity, str, str | None, str | None]
PATH = "pkg/manager.py"
HEAD = "from abc import ABC\n\nfrom elsewhere import Mixin\n\n\n"


def manager(*lines: str, base: str = "", more: str = "") -> str:
    """Write a class whose constructor has these lines."""
    body = "\n".join(f"        {line}" for line in ("self.name = name", *lines))
    return f"{HEAD}class Manager{base}:\n    def __init__(self, name, size):\n{body}\n{more}"


async def told(facts_of: "FactsOf", before: str, after: str, route: str = "blobs") -> list[Told]:
    facts = await facts_of({PATH: before}, {PATH: after}, route)
    return [(fact.kind, fact.severity, fact.name, fact.old, fact.new) for fact in facts]


async def test_attributes_that_went_are_one_fact(facts_of: "FactsOf") -> None:
    before = manager("self.handles = []", "self.limit: int = 3", "self._own = 4")
    facts = await facts_of({PATH: before}, {PATH: manager("self.other = 1")})
    (fact,) = facts
    assert (fact.kind, fact.severity) == (FactKind.FIELD_REMOVED, Severity.INTERNAL)
    assert (fact.name, fact.old, fact.detail) == ("Manager", "handles, limit", "2 attributes")


@pytest.mark.parametrize(
    "after",
    [
        manager("self.handles = size"),
        manager("self.handles, self.rest = size"),
        manager(more="\n    def grow(self):\n        self.handles = [1]\n"),
        manager(more="\n    def grow(self):\n        return self.handles\n"),
        manager(more="\n    handles = ()\n"),
        manager(more="\n    @property\n    def handles(self):\n        return []\n"),
        manager(more="\n    def __getattr__(self, key):\n        return key\n"),
        manager("setattr(self, name, size)"),
        manager(more="\n\ndef make():\n    made = Manager(1, 2)\n    made.handles = []\n    return made\n"),
    ],
)
async def test_what_may_still_be_there_is_not_told(facts_of: "FactsOf", after: str) -> None:
    kinds = {kind for kind, *_ in await told(facts_of, manager("self.handles = []"), after)}
    assert FactKind.FIELD_REMOVED not in kinds


async def test_what_a_base_out_of_sight_may_have_is_not_told(facts_of: "FactsOf") -> None:
    assert await told(facts_of, manager("self.handles = []", base="(Mixin)"), manager(base="(Mixin)")) == []


async def test_a_base_in_the_file_is_asked_too(facts_of: "FactsOf") -> None:
    base = f"{HEAD}class Base(ABC):\n    {{}}\n    def run(self):\n        pass\n\n\n"
    own = "class Manager(Base):\n    def __init__(self):\n        super().__init__()\n{}"
    before = base.format("") + own.format("        self.handles = []\n")
    assert [fact[2] for fact in await told(facts_of, before, base.format("") + own.format(""))] == ["Manager.handles"]
    facts = await told(facts_of, before, base.format("handles = ()") + own.format(""))
    assert FactKind.FIELD_REMOVED not in {kind for kind, *_ in facts}


async def test_private_classes_and_patches_alone_tell_no_attributes(facts_of: "FactsOf") -> None:
    before, after = manager("self.handles = []"), manager()
    assert await told(facts_of, before, after, "hunks") == []
    assert await told(facts_of, before.replace("Manager", "_Manager"), after.replace("Manager", "_Manager")) == []


async def test_an_attribute_that_is_given_the_same_was_renamed(facts_of: "FactsOf") -> None:
    facts = await told(facts_of, manager("self.size = measure(size)"), manager("self.extent = measure(size)"))
    assert facts == [(FactKind.FIELD_RENAMED, Severity.INTERNAL, "Manager.extent", "size", "extent")]


async def test_an_attribute_that_is_used_the_same_was_renamed(facts_of: "FactsOf") -> None:
    use = "\n    def run(self):\n        if self.{0}:\n            return self.{0}.go()\n        return None\n"
    before = manager("self.task = None", more=use.format("task"))
    facts = await told(facts_of, before, manager("self.job = None", more=use.format("job")))
    assert facts == [(FactKind.FIELD_RENAMED, Severity.INTERNAL, "Manager.job", "task", "job")]


async def test_values_like_any_other_do_not_pair_attributes(facts_of: "FactsOf") -> None:
    facts = await told(facts_of, manager("self.task = None"), manager("self.cache = None"))
    assert facts == [(FactKind.FIELD_REMOVED, Severity.INTERNAL, "Manager.task", "task", None)]


async def test_a_property_that_is_set_on_each_object_now_has_not_gone(facts_of: "FactsOf") -> None:
    before = manager(more="\n    @property\n    def tokens(self):\n        return self.name\n")
    assert await told(facts_of, before, manager("self.tokens = name")) == []


USE = "def total(made):\n    return {}\n"


@pytest.mark.parametrize(
    ("user", "before", "severity"),
    [
        ("pkg/other.py", USE.format("made.handles"), Severity.BREAKING),
        ("pkg/other.py", "class Own(Manager):\n    def run(self):\n        return self.handles\n", Severity.BREAKING),
        ("pkg/other.py", "class Own:\n    def run(self):\n        self.handles = 1\n", Severity.INTERNAL),
        ("pkg/other.py", USE.format("made.handles()"), Severity.INTERNAL),
        ("tests/test_other.py", USE.format("made.handles"), Severity.INTERNAL),
    ],
)
async def test_what_others_read_breaks_them(facts_of: "FactsOf", user: str, before: str, severity: Severity) -> None:
    """Whatever reads an attribute has to stop with it, and so the commit shows who does."""
    files = {PATH: manager("self.handles = []"), user: before}
    facts = await facts_of(files, {PATH: manager(), user: USE.format("1")})
    assert [fact.severity for fact in facts if fact.kind is FactKind.FIELD_REMOVED] == [severity]


@pytest.mark.parametrize(("read", "told_as"), [("made.handles", ["Manager.handles"]), ("made.name", [])])
async def test_a_base_of_a_framework_counts_for_nothing_where_others_read(
    facts_of: "FactsOf", read: str, told_as: list[str]
) -> None:
    before = manager("self.handles = []", base="(nn.Module)")
    after = manager(base="(nn.Module)")
    facts = await facts_of({PATH: before, "pkg/b.py": USE.format(read)}, {PATH: after, "pkg/b.py": USE.format("1")})
    assert [fact.name for fact in facts if fact.kind is FactKind.FIELD_REMOVED] == told_as
