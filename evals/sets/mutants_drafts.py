"""Claims that code makes of a commit, each with the versions of it that are wrong by construction."""

from collections.abc import Callable, Iterator
from datetime import timedelta

from agent.evidence import CommitEvidence
from agent.gate.pulls import pulls_of
from evals.sets.mutants_case import Operator
from evals.sets.mutants_cites import one_word_changed, quotable
from evals.sets.mutants_draft import Draft, Words, plain, with_wrong
from evals.sets.mutants_fact_drafts import fact_draft
from evals.sets.mutants_stock import Stock

Maker = Callable[[CommitEvidence, Stock], Draft | None]


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
    return with_wrong(of(files, added, deleted), *((Operator.NUMBER, one) for one in wrong))


def _authored(commit: CommitEvidence, stock: Stock) -> Draft | None:
    own = commit.change.commit.author.name
    others = sorted({one.change.commit.author.name for one in stock.of(commit.repo)})
    strangers = [name for name in others if name != own and not any(name in text for text in commit.texts)]

    def of(name: str) -> Draft:
        words: Words = {"en": f"Authored by {name}.", "zh": f"作者：{name}。"}
        return Draft(predicate="authored", params={"author": name}, words=words)

    return with_wrong(of(own), *((Operator.AUTHOR, of(name)) for name in _some(strangers, commit)))


def _dated(commit: CommitEvidence, _: Stock) -> Draft | None:
    def of(days: int) -> Draft:
        day = f"{commit.at + timedelta(days=days):%Y-%m-%d}"
        words: Words = {"en": f"Landed on {day}.", "zh": f"于 {day} 合入。"}
        return Draft(predicate="dated", params={"at": day, "tz": "UTC"}, words=words)

    return with_wrong(of(0), (Operator.DATE, of(1)), (Operator.DATE, of(-1)))


def _titled(commit: CommitEvidence, _: Stock) -> Draft | None:
    title = commit.change.commit.title
    if len(title.split()) < 2:
        return None
    wrong = Draft(predicate="titled", params={"title": one_word_changed(title)})
    return with_wrong(Draft(predicate="titled", params={"title": title}), (Operator.QUOTE_WORD, wrong))


def _pull(commit: CommitEvidence, _: Stock) -> Draft | None:
    numbers = pulls_of(commit)
    if not numbers:
        return None
    near = [number for number in (numbers[0] + 1, numbers[0] - 1) if number > 0 and number not in numbers]
    wrong = ((Operator.NEIGHBOUR, Draft(predicate="pull", params={"number": str(number)})) for number in near)
    return with_wrong(Draft(predicate="pull", params={"number": str(numbers[0])}), *wrong)


def _state(_: CommitEvidence, __: Stock) -> Draft | None:
    wrong = (Draft(predicate="state", params={"state": state}) for state in ("not landed", "open", "closed"))
    return with_wrong(Draft(predicate="state", params={"state": "landed"}), *((Operator.STATE, one) for one in wrong))


# ---------------------------------------------------------------- content


def _touches(commit: CommitEvidence, stock: Stock) -> Draft | None:
    stranger = stock.stranger(commit)
    if not commit.paths or not plain(commit.paths[0]):
        return None

    def of(path: str) -> Draft:
        words: Words = {"en": f"It touches `{path}`.", "zh": f"改动涉及 `{path}`。"}
        return Draft(predicate="touches", params={"path": path}, words=words, bound=True)

    others = [] if stranger is None else [path for path in stranger.paths[:1] if plain(path)]
    return with_wrong(of(commit.paths[0]), *((Operator.INVENTED, of(path)) for path in others))


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
    return with_wrong(Draft(predicate="shows", quotes=(quote,)), *wrong)


def _fact(commit: CommitEvidence, _: Stock) -> Draft | None:
    told = (fact_draft(fact, commit) for fact in commit.facts)
    return next((draft for draft in told if draft is not None), None)


# ---------------------------------------------------------------- helpers


def _some(names: list[str], commit: CommitEvidence) -> list[str]:
    """Pick one, not always the same."""
    return [names[int(commit.change.commit.sha[:4], 16) % len(names)]] if names else []


MAKERS: tuple[Maker, ...] = (_fact, _counts, _authored, _touches, _dated, _shows, _titled, _pull, _state)
