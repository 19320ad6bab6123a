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
        """Make claims of the sentences by the numbers of their lines; each cites everything that was shown."""
        told = {place: one for place, one in said.items() if self._tells(place, one, languages)}
        return [self._claim(place, one, shown, languages) for place, one in sorted(told.items())]

    def _tells(self, place: int, one: Statement, languages: Sequence[Language]) -> bool:
        if place:
            return place < len(self.lines) and says_more(one, self.title)
        return self.in_short or self.is_foreign(languages)

    def _claim(self, place: int, one: Statement, shown: Shown, languages: Sequence[Language]) -> Claim:
        commit, short = self.read.evidence.change.commit, place == 0 and self.in_short
        draft = draft_of(
            one,
            f"{commit.repo}@{commit.sha[:12]}{_MADE}{place}",
            Role.SUMMARY if short else Role.EFFECT,
            (self.handle,),
            commit.repo,
            languages,
        )
        cites = tuple(dict.fromkeys((*draft.cites, *(point.source for point in self.points))))
        whole = draft.model_copy(update={"cites": cites, "about": () if short else draft.about})
        return settle(whole, seen_with(shown, self.points))


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


def line_of(claim: Claim, read: Read, points: Sequence[Point]) -> str:
    """Find the line that a claim says anew, by the number in its name."""
    place = claim.id.rpartition(_MADE)[2]
    lines = _lines(read, points)
    return lines[int(place)] if place.isdecimal() and int(place) < len(lines) else lines[0]


def _lines(read: Read, points: Sequence[Point]) -> tuple[str, ...]:
    return (_NUMBER.sub("", read.evidence.change.commit.title), *(one.text for one in points))


def seen_with(shown: Shown, points: Sequence[Point]) -> Shown:
    """Add the threads whose words were shown to what may be cited."""
    threads = dict.fromkeys(one.source for one in points if one.source not in shown.handles.values())
    return replace(shown, handles={**shown.handles, **{f"t{n}": name for n, name in enumerate(threads, start=1)}})
