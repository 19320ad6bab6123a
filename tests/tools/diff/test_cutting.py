"""What is kept of a list of facts that nobody would read to its end."""

from agent.facts import Fact, FactKind, Place, Severity
from tools.diff.cutting import MOST, cut
from tools.diff.draft import Draft, Where
from tools.diff.grouping import Shown, group


def fact(kind: FactKind, name: str, severity: Severity) -> Fact:
    return Fact(kind=kind, severity=severity, name=name, detail=None, old=None, new=None, places=())


def test_what_people_type_is_kept_before_what_only_code_calls() -> None:
    removed = [fact(FactKind.SYMBOL_REMOVED, f"gone_{n}", Severity.BREAKING) for n in range(30)]
    kinds = (FactKind.PARAMETER_ADDED, FactKind.PARAMETER_REMOVED, FactKind.FIELD_ADDED, FactKind.FIELD_REMOVED)
    inner = [fact(kind, f"{kind}_{n}", Severity.INTERNAL) for kind in kinds for n in range(3)]
    flag = fact(FactKind.FLAG_RENAMED, "--gated-act", Severity.INTERNAL)
    kept, left = cut([*removed, *inner, flag])
    assert flag in kept
    assert len(kept) == MOST
    assert left


def test_renames_and_deprecations_have_places_before_the_third_parameter() -> None:
    parameters = [fact(FactKind.PARAMETER_REMOVED, f"f_{n}", Severity.BREAKING) for n in range(60)]
    reasons = [fact(FactKind.SIGNATURE_CHANGED, f"g_{n}", Severity.BEHAVIOUR) for n in range(30)]
    renamed = [fact(FactKind.SYMBOL_RENAMED, f"new_{n}", Severity.BREAKING) for n in range(5)]
    deprecated = [fact(FactKind.DEPRECATED, f"old_{n}", Severity.BEHAVIOUR) for n in range(3)]
    kept, _ = cut([*parameters, *renamed, *reasons, *deprecated])
    assert set(renamed) | set(deprecated) < set(kept)
    assert len(kept) == MOST


def test_who_is_told_of_a_class_by_its_new_name_is_told_the_old_one() -> None:
    removed = [fact(FactKind.SYMBOL_REMOVED, f"gone_{n}", Severity.BREAKING) for n in range(60)]
    inner = [fact(FactKind.PARAMETER_ADDED, f"f_{n}", Severity.INTERNAL) for n in range(5)]
    detail = fact(FactKind.SIGNATURE_CHANGED, "DiagnosticError.__init__", Severity.BREAKING)
    rename = fact(FactKind.SYMBOL_RENAMED, "DiagnosticError", Severity.INTERNAL)
    kept, _ = cut([*removed, detail, *inner, rename])
    assert detail in kept
    assert rename in kept


def test_a_whole_package_is_kept_among_many_facts() -> None:
    removed = [fact(FactKind.SYMBOL_REMOVED, f"gone_{n}", Severity.BREAKING) for n in range(60)]
    files = [fact(FactKind.FILE_ADDED, f"pkg/{n}.py", Severity.ADDITIVE) for n in range(30)]
    package = fact(FactKind.FILE_ADDED, "operators", Severity.ADDITIVE).model_copy(update={"detail": "package"})
    kept, _ = cut([*removed, *files, package])
    assert package in kept


def test_methods_declared_over_a_base_give_way_to_the_other_changes_of_behaviour() -> None:
    removed = [fact(FactKind.SYMBOL_REMOVED, f"gone_{n}", Severity.BREAKING) for n in range(60)]
    over = [fact(FactKind.SYMBOL_ADDED, f"A{n}.__init__", Severity.BEHAVIOUR) for n in range(9)]
    over = [one.model_copy(update={"detail": "3 overrides" if n else "override"}) for n, one in enumerate(over)]
    changed = [fact(FactKind.SIGNATURE_CHANGED, f"f_{n}", Severity.BEHAVIOUR) for n in range(9)]
    kept, _ = cut([*removed, *over, *changed])
    assert set(changed) < set(kept)


def test_a_far_fetched_rename_is_not_told_where_everything_changes() -> None:
    def renamed(old: str, new: str) -> Shown:
        return Shown(Draft(FactKind.SYMBOL_RENAMED, new, True, Where(), old, new, "function"), None)

    gone = [Shown(Draft(FactKind.SYMBOL_REMOVED, f"f{n}", True, Where(), f"f{n}"), None) for n in range(60)]
    facts, _ = group([*gone, renamed("compile", "_parse_options_from_str"), renamed("make_atom", "make_tma_atom")])
    assert [fact.name for fact in facts if fact.kind is FactKind.SYMBOL_RENAMED] == ["make_tma_atom"]


def test_decorators_give_way_to_what_is_refused() -> None:
    removed = [fact(FactKind.SYMBOL_REMOVED, f"gone_{n}", Severity.BREAKING) for n in range(60)]
    wired = [fact(FactKind.SIGNATURE_CHANGED, f"Model{n}", Severity.BEHAVIOUR) for n in range(9)]
    wired = [one.model_copy(update={"detail": "decorators"}) for one in wired]
    refused = [fact(FactKind.ERROR_ADDED, f"f_{n}", Severity.BEHAVIOUR) for n in range(9)]
    kept, _ = cut([*removed, *wired, *refused])
    assert set(refused) < set(kept)


def test_a_new_model_is_told_however_much_came_with_it() -> None:
    removed = [fact(FactKind.SYMBOL_REMOVED, f"gone_{n}", Severity.BREAKING) for n in range(60)]
    flags = [fact(FactKind.FLAG_ADDED, f"--flag-{n}", Severity.ADDITIVE) for n in range(30)]
    files = [fact(FactKind.FILE_ADDED, f"pkg/{n}.py", Severity.ADDITIVE) for n in range(30)]
    model = fact(FactKind.FILE_ADDED, "models/inkling.py", Severity.ADDITIVE).model_copy(update={"detail": "model"})
    named = fact(FactKind.REGISTERED, "inkling", Severity.ADDITIVE)
    kept, _ = cut([*removed, *flags, *files, model, named])
    assert {model, named} < set(kept)


def test_a_far_fetched_rename_is_told_where_its_parameters_are() -> None:
    gone = [Shown(Draft(FactKind.SYMBOL_REMOVED, f"f{n}", True, Where(), f"f{n}"), None) for n in range(60)]
    names = "swizzle_rows", "interleave_scale"
    rename = Shown(Draft(FactKind.SYMBOL_RENAMED, names[1], True, Where(), *names, "function"), None)
    lost = Shown(Draft(FactKind.PARAMETER_REMOVED, names[1], True, Where(), "m: int", None, "m"), None)
    facts, _ = group([*gone, rename, lost])
    assert {FactKind.SYMBOL_RENAMED, FactKind.PARAMETER_REMOVED} <= {fact.kind for fact in facts}


def test_what_python_refuses_has_its_place_before_what_sources_of_c_do() -> None:
    removed = [fact(FactKind.SYMBOL_REMOVED, f"gone_{n}", Severity.BREAKING) for n in range(60)]
    checks = [
        fact(FactKind.ERROR_CHANGED, f"CHECK_{n}", Severity.BEHAVIOUR).model_copy(
            update={"places": (Place(file=f"csrc/{n}.cu", line=1, lines=()),)}
        )
        for n in range(20)
    ]
    raised = fact(FactKind.ERROR_CHANGED, "ValueError", Severity.BEHAVIOUR).model_copy(
        update={"places": (Place(file="pkg/a.py", line=1, lines=()),)}
    )
    kept, _ = cut([*removed, *checks, raised])
    assert raised in kept
