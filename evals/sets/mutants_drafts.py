"""Claims that code makes of a commit, each with the versions of it that are wrong by construction."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from agent.claims import Quote
from agent.evidence import CommitEvidence
from agent.facts import Fact, FactKind
from agent.gate.pulls import pulls_of
from agent.settings import Language
from evals.sets.mutants_case import Operator
from evals.sets.mutants_cites import one_word_changed, quotable
from evals.sets.mutants_stock import Stock

Words = Mapping[Language, str]


@dataclass(frozen=True, kw_only=True)
class Draft:
    """A claim before anything is cited: a predicate with its values, and words in both languages or none."""

    predicate: str
    params: Mapping[str, str] = field(default_factory=dict)
    words: Words = field(default_factory=dict)
    now: Words = field(default_factory=dict)
    """The same told as what is there now, where it can be."""
    quotes: tuple[Quote, ...] = ()
    bound: bool = False
    """Whether it can be true of no commit but the one it was made of, nor of that one together with another."""
    wrong: tuple[tuple[Operator, "Draft"], ...] = ()


Maker = Callable[[CommitEvidence, Stock], Draft | None]
_LONGEST = 48
_HOLDERS = (
    FactKind.CONSTANT_CHANGED,
    FactKind.CONFIG_CHANGED,
    FactKind.DEPENDENCY_CHANGED,
    FactKind.VERSION_CHANGED,
    FactKind.IMAGE_CHANGED,
)
"""Kinds of facts whose name has the value."""


def drafts(commit: CommitEvidence, stock: Stock) -> Iterator[Draft]:
    """Make every kind of claim that a commit gives."""
    for maker in MAKERS:
        if (draft := maker(commit, stock)) is not None:
            yield draft


# ---------------------------------------------------------------- metadata


def _counts(commit: CommitEvidence, _: Stock) -> Draft | None:
    change = commit.change
    if not change.files:
        return None

    def of(files: int, added: int, deleted: int) -> Draft:
        noun = "file" if files == 1 else "files"
        words: Words = {
            "en": f"The commit changes {files} {noun}, +{added} −{deleted}.",
            "zh": f"该提交改动 {files} 个文件，+{added} −{deleted}。",
        }
        params = {"files": str(files), "additions": str(added), "deletions": str(deleted)}
        return Draft(predicate="counts", params=params, words=words)

    files, added, deleted = len(change.files), change.additions, change.deletions
    wrong = (of(files + 1, added, deleted), of(files, added + 1, deleted), of(files, added, deleted + 1))
    return _with(of(files, added, deleted), *((Operator.NUMBER, one) for one in wrong))


def _authored(commit: CommitEvidence, stock: Stock) -> Draft | None:
    own = commit.change.commit.author.name
    others = sorted({one.change.commit.author.name for one in stock.of(commit.repo)})
    strangers = [name for name in others if name != own and not any(name in text for text in commit.texts)]

    def of(name: str) -> Draft:
        words: Words = {"en": f"Authored by {name}.", "zh": f"作者：{name}。"}
        return Draft(predicate="authored", params={"author": name}, words=words)

    return _with(of(own), *((Operator.AUTHOR, of(name)) for name in _some(strangers, commit)))


def _dated(commit: CommitEvidence, _: Stock) -> Draft | None:
    def of(days: int) -> Draft:
        day = f"{commit.at + timedelta(days=days):%Y-%m-%d}"
        words: Words = {"en": f"Landed on {day}.", "zh": f"于 {day} 合入。"}
        return Draft(predicate="dated", params={"at": day, "tz": "UTC"}, words=words)

    return _with(of(0), (Operator.DATE, of(1)), (Operator.DATE, of(-1)))


def _titled(commit: CommitEvidence, _: Stock) -> Draft | None:
    title = commit.change.commit.title
    if len(title.split()) < 2:
        return None
    wrong = Draft(predicate="titled", params={"title": one_word_changed(title)})
    return _with(Draft(predicate="titled", params={"title": title}), (Operator.QUOTE_WORD, wrong))


def _pull(commit: CommitEvidence, _: Stock) -> Draft | None:
    numbers = pulls_of(commit)
    if not numbers:
        return None
    near = [number for number in (numbers[0] + 1, numbers[0] - 1) if number > 0 and number not in numbers]
    wrong = ((Operator.NEIGHBOUR, Draft(predicate="pull", params={"number": str(number)})) for number in near)
    return _with(Draft(predicate="pull", params={"number": str(numbers[0])}), *wrong)


def _state(_: CommitEvidence, __: Stock) -> Draft | None:
    wrong = (Draft(predicate="state", params={"state": state}) for state in ("not landed", "open", "closed"))
    return _with(Draft(predicate="state", params={"state": "landed"}), *((Operator.STATE, one) for one in wrong))


# ---------------------------------------------------------------- content


def _touches(commit: CommitEvidence, stock: Stock) -> Draft | None:
    stranger = stock.stranger(commit)
    if not commit.paths or not _plain(commit.paths[0]):
        return None

    def of(path: str) -> Draft:
        words: Words = {"en": f"It touches `{path}`.", "zh": f"改动涉及 `{path}`。"}
        return Draft(predicate="touches", params={"path": path}, words=words, bound=True)

    others = [] if stranger is None else [path for path in stranger.paths[:1] if _plain(path)]
    return _with(of(commit.paths[0]), *((Operator.INVENTED, of(path)) for path in others))


def _shows(commit: CommitEvidence, stock: Stock) -> Draft | None:
    quote, stranger = quotable(commit), stock.stranger(commit)
    if quote is None:
        return None
    changed = quote.model_copy(update={"text": one_word_changed(quote.text)})
    wrong = [(Operator.QUOTE_WORD, Draft(predicate="shows", quotes=(changed,)))]
    foreign = quotable(stranger) if stranger is not None else None
    if foreign is not None and not any(foreign.text in text for text in commit.texts):
        moved = foreign.model_copy(update={"cite": commit.id, "file": None})
        wrong.append((Operator.QUOTE_ELSEWHERE, Draft(predicate="shows", quotes=(moved,))))
    return _with(Draft(predicate="shows", quotes=(quote,)), *wrong)


def _fact(commit: CommitEvidence, _: Stock) -> Draft | None:
    told = (fact_draft(fact, commit) for fact in commit.facts)
    return next((draft for draft in told if draft is not None), None)


def fact_draft(fact: Fact, commit: CommitEvidence) -> Draft | None:
    """Tell a fact that came, went or changed its value; nothing for any other."""
    params = {"kind": fact.kind.value, "name": fact.name}
    if not _plain(fact.name):
        return None
    for ending, opposite in (("-added", "-removed"), ("-removed", "-added")):
        if fact.kind.value.endswith(ending):
            there = ending == "-added"
            turned = {**params, "kind": fact.kind.value.replace(ending, opposite)}
            wrong = (
                (Operator.NEGATION, _coming(turned, fact.name, there=not there)),
                (Operator.NEGATION, _coming(params, fact.name, there=there, denied=True)),
                (
                    Operator.INVENTED,
                    _coming({**params, "name": _misspelt(fact.name)}, _misspelt(fact.name), there=there),
                ),
            )
            return _with(_coming(params, fact.name, there=there), *wrong)
    subject = _subject(fact)
    if subject and fact.old and fact.new and _plain(fact.old) and _plain(fact.new):
        return _changing(params, subject, fact.old, fact.new, commit)
    return None


def _subject(fact: Fact) -> Words | None:
    """Name what has the value: the thing itself, or a default of it."""
    name = f"`{fact.name}`"
    if fact.kind in _HOLDERS:
        return {"en": name, "zh": f"{name} "}
    if fact.kind in (FactKind.FLAG_DEFAULT, FactKind.ENV_DEFAULT):
        return {"en": f"The default of {name}", "zh": f"{name} 的默认值"}
    if fact.kind is FactKind.PARAMETER_DEFAULT and fact.detail and _plain(fact.detail):
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
    return _with(of(old, new), *wrong)


# ---------------------------------------------------------------- helpers


def _with(draft: Draft, *wrong: tuple[Operator, Draft]) -> Draft:
    return Draft(**{**vars(draft), "wrong": tuple(wrong)})


def _plain(text: str) -> bool:
    return 1 < len(text) <= _LONGEST and text.isprintable() and "`" not in text and text == text.strip()


def _misspelt(name: str) -> str:
    return f"{name[: len(name) // 2]}q{name[len(name) // 2 :]}"


def _some(names: list[str], commit: CommitEvidence) -> list[str]:
    """Pick one, not always the same."""
    return [names[int(commit.change.commit.sha[:4], 16) % len(names)]] if names else []


MAKERS: tuple[Maker, ...] = (_fact, _counts, _authored, _touches, _dated, _shows, _titled, _pull, _state)
