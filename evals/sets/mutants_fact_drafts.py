"""Claims that code makes of a fact: something came, went, or changed its value."""

from collections.abc import Mapping

from agent.evidence import CommitEvidence
from agent.facts import Fact, FactKind
from evals.sets.mutants_case import Operator
from evals.sets.mutants_draft import Draft, Words, plain, with_wrong

_HOLDERS = (
    FactKind.CONSTANT_CHANGED,
    FactKind.CONFIG_CHANGED,
    FactKind.DEPENDENCY_CHANGED,
    FactKind.VERSION_CHANGED,
    FactKind.IMAGE_CHANGED,
)
"""Kinds of facts whose name has the value."""
_COMING = (
    FactKind.SYMBOL_ADDED,
    FactKind.FLAG_ADDED,
    FactKind.ENV_ADDED,
    FactKind.CONFIG_ADDED,
    FactKind.ROUTE_ADDED,
    FactKind.DEPENDENCY_ADDED,
    FactKind.FILE_ADDED,
)
_GOING = (
    FactKind.SYMBOL_REMOVED,
    FactKind.FLAG_REMOVED,
    FactKind.ENV_REMOVED,
    FactKind.CONFIG_REMOVED,
    FactKind.ROUTE_REMOVED,
    FactKind.DEPENDENCY_REMOVED,
    FactKind.FILE_REMOVED,
)
"""Kinds of facts whose name is what came or went; of a parameter the name is the function's."""


def fact_draft(fact: Fact, commit: CommitEvidence) -> Draft | None:
    """Tell a fact that came, went or changed its value; nothing for any other."""
    params = {"kind": fact.kind.value, "name": fact.name}
    if not plain(fact.name):
        return None
    if fact.kind in _COMING or fact.kind in _GOING:
        return _coming_or_going(params, fact, there=fact.kind in _COMING)
    subject = _subject(fact)
    if subject and fact.old and fact.new and plain(fact.old) and plain(fact.new):
        return _changing(params, subject, fact.old, fact.new, commit)
    return None


def _coming_or_going(params: Mapping[str, str], fact: Fact, *, there: bool) -> Draft:
    opposite = (_GOING if there else _COMING)[(_COMING if there else _GOING).index(fact.kind)]
    misspelt = _misspelt(fact.name)
    wrong = (
        (Operator.NEGATION, _coming({**params, "kind": opposite.value}, fact.name, there=not there)),
        (Operator.NEGATION, _coming(params, fact.name, there=there, denied=True)),
        (Operator.INVENTED, _coming({**params, "name": misspelt}, misspelt, there=there)),
    )
    return with_wrong(_coming(params, fact.name, there=there), *wrong)


def _subject(fact: Fact) -> Words | None:
    """Name what has the value: the thing itself, or a default of it."""
    name = f"`{fact.name}`"
    if fact.kind in _HOLDERS:
        return {"en": name, "zh": f"{name} "}
    if fact.kind in (FactKind.FLAG_DEFAULT, FactKind.ENV_DEFAULT):
        return {"en": f"The default of {name}", "zh": f"{name} 的默认值"}
    if fact.kind is FactKind.PARAMETER_DEFAULT and fact.detail and plain(fact.detail):
        return {"en": f"The default of `{fact.detail}` in {name}", "zh": f"{name} 的参数 `{fact.detail}` 的默认值"}
    return None


def _coming(params: Mapping[str, str], name: str, *, there: bool, denied: bool = False) -> Draft:
    now: Words = {"en": f"`{name}` is no longer there.", "zh": f"`{name}` 已不存在。"}
    if there:
        now = {"en": f"`{name}` is now available.", "zh": f"现在可以使用 `{name}`。"}
    if denied:
        words: Words = {
            "en": f"`{name}` is not {'added' if there else 'removed'}.",
            "zh": f"没有{'新增' if there else '移除'} `{name}`。",
        }
    elif there:
        words = {"en": f"`{name}` is added.", "zh": f"新增 `{name}`。"}
    else:
        words = {"en": f"`{name}` is removed.", "zh": f"移除 `{name}`。"}
    return Draft(predicate="fact", params=params, words=words, now=now, bound=True)


def _changing(params: Mapping[str, str], subject: Words, old: str, new: str, commit: CommitEvidence) -> Draft:
    def of(before: str, after: str) -> Draft:
        words: Words = {
            "en": f"{subject['en']} changes from `{before}` to `{after}`.",
            "zh": f"{subject['zh']}由 `{before}` 改为 `{after}`。",
        }
        values = {**params, "old": before, "new": after}
        now: Words = {"en": f"{subject['en']} is now `{after}`.", "zh": f"{subject['zh']}现在是 `{after}`。"}
        return Draft(predicate="fact", params=values, words=words, now=now, bound=True)

    wrong = [(Operator.NEGATION, of(new, old))]
    digits = [at for at, sign in enumerate(new) if sign.isdigit()]
    if digits:
        at = digits[-1]
        off = f"{new[:at]}{(int(new[at]) + 1) % 10}{new[at + 1 :]}"
        wrong += [(Operator.NUMBER, of(old, off))] if not any(off in text for text in commit.texts) else []
    return with_wrong(of(old, new), *wrong)


def _misspelt(name: str) -> str:
    return f"{name[: len(name) // 2]}q{name[len(name) // 2 :]}"
