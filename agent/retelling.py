"""How a small model writes of a commit: it says anew, line by line, what stands in the title and what others wrote."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from agent.analyst import Material, Read
from agent.claims import Claim, Role
from agent.drafts import Shown, settle
from agent.points import Point, points_of
from agent.settings import Language
from agent.tongue import speaks
from agent.utterances import Statement, draft_of, says_more

_NUMBER = re.compile(r"\s*\(#\d+\)$")
_MADE = ".m"
"""Stands in the name of a claim before the number of its line."""
_REPORTED: dict[Language, str] = {"en": "Reported: ", "zh": "报告的问题："}
_BETWEEN = re.compile(r"[,;]\s+")
_CONDITION = re.compile(
    r"(?:and |or |but )?(?:if|when(?:ever)?|while|unless|until|without|except|only|for|in|on|with|at|where)\b",
    re.IGNORECASE,
)
_DEPENDENT = re.compile(
    r"(?:and|or|but|so|yet|as|after|before|since|because|though|although|which|who|that|then|thus|to|by|from|via|\w+ing)\b",
    re.IGNORECASE,
)
_FEW_WORDS = 5
_IN_SHORT = 3
"""Commits whose titles, said in a sentence, sum up a day."""


@dataclass(frozen=True)
class Telling:
    """One commit as it is put to a small model, and as what it says is taken."""

    read: Read
    handle: str
    points: tuple[Point, ...]
    in_short: bool
    """Whether what it says of the title stands in the summary of the day."""

    @property
    def lines(self) -> tuple[str, ...]:
        """The title without its number, and what is to be told; there is a sentence to be said for each."""
        return _lines(self.read, self.points)

    @property
    def title(self) -> str:
        """What the commit calls itself."""
        return self.lines[0]

    @property
    def brief(self) -> str:
        """The lines as they are shown."""
        return "\n".join(f"{number}. {line}" for number, line in enumerate(self.lines, start=1))

    def is_worth(self, languages: Sequence[Language]) -> bool:
        """Tell whether the page would gain: nobody needs a title said again in its own language."""
        return self.in_short or bool(self.points) or self.is_foreign(languages)

    def is_foreign(self, languages: Sequence[Language]) -> bool:
        """Tell whether the title is in a language that its readers did not ask for."""
        return not all(speaks(self.title, lang) for lang in languages)

    def claims(self, said: Mapping[int, Statement], shown: Shown, languages: Sequence[Language]) -> list[Claim]:
        """Make claims of the sentences by the numbers of their lines.

        Each cites all that the author wrote; what was reported cites the report alone.
        """
        told = {place: one for place, one in said.items() if self._tells(place, one, languages)}
        return [self._claim(place, one, shown, languages) for place, one in sorted(told.items())]

    def _tells(self, place: int, one: Statement, languages: Sequence[Language]) -> bool:
        if place:
            return place < len(self.lines) and says_more(one, self.title)
        return self.in_short or self.is_foreign(languages)

    def _claim(self, place: int, one: Statement, shown: Shown, languages: Sequence[Language]) -> Claim:
        commit, short = self.read.evidence.change.commit, place == 0 and self.in_short
        point = self.points[place - 1] if place else None
        draft = draft_of(
            _framed(one, point),
            f"{commit.repo}@{commit.sha[:12]}{_MADE}{place}",
            Role.SUMMARY if short else Role.EFFECT,
            (self.handle,),
            commit.repo,
            languages,
        )
        alike = (one.source for one in self.points if one.reported is bool(point and point.reported))
        cites = tuple(dict.fromkeys((*draft.cites, *alike)))
        whole = draft.model_copy(update={"cites": cites, "about": () if short else draft.about})
        return settle(whole, only_seen(shown, (self.read,), self.points))


def _framed(one: Statement, point: Point | None) -> Statement:
    """Say of what was reported that it was, lest it be taken for what the commit does; code says what is cited."""
    one = one.model_copy(update={"cites": []})
    if point is None or not point.reported:
        return one
    said: dict[Language, str] = {"en": one.en, "zh": one.zh}
    return one.model_copy(update={lang: f"{_REPORTED[lang]}{text}" for lang, text in said.items() if text})


def tellings(deep: Sequence[Read], shown: Shown, material: Material, languages: Sequence[Language]) -> list[Telling]:
    """Put the commits that a small model may write of in order, the heaviest first; a day of one is not summed up."""
    handles = {name: handle for handle, name in shown.handles.items()}
    made = [
        Telling(
            read=read,
            handle=handles[read.evidence.id],
            points=tuple(points_of(read, material)),
            in_short=place < _IN_SHORT and len(deep) > 1,
        )
        for place, read in enumerate(deep)
    ]
    return [one for one in made if one.is_worth(languages)]


def main_clause_of(claim: Claim, read: Read, points: Sequence[Point]) -> str:
    """Find the first clause that stands by itself in the line that a claim says anew; a condition is not left out."""
    line = _lines(read, points)[_place(claim, points)]
    clauses = [clause.strip() for clause in _BETWEEN.split(line)]
    if any(map(_CONDITION.match, clauses)):
        return line
    whole = (clause for clause in clauses if len(clause.split()) >= _FEW_WORDS and not _DEPENDENT.match(clause))
    return next(whole, line)


def said_again(claim: Claim, one: Statement, points: Sequence[Point]) -> Statement:
    """Put another sentence for the same line as the first one was put."""
    place = _place(claim, points)
    return _framed(one, points[place - 1] if place else None)


def _place(claim: Claim, points: Sequence[Point]) -> int:
    """Read the number of a line in the name of a claim; what has none says the title."""
    place = claim.id.rpartition(_MADE)[2]
    return int(place) if place.isdecimal() and int(place) <= len(points) else 0


def _lines(read: Read, points: Sequence[Point]) -> tuple[str, ...]:
    return (_NUMBER.sub("", read.evidence.change.commit.title), *(one.text for one in points))


def only_seen(shown: Shown, reads: Sequence[Read], points: Sequence[Point]) -> Shown:
    """Leave of what may be cited these commits, and the threads whose words stand in their lines."""
    own = {read.evidence.id for read in reads}
    handles = {handle: name for handle, name in shown.handles.items() if name in own}
    threads = dict.fromkeys(one.source for one in points if one.source not in own)
    return replace(shown, handles={**handles, **{f"t{n}": name for n, name in enumerate(threads, start=1)}})
