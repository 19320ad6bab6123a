"""An upgrade guide in words."""

from collections.abc import Iterator
from typing import NamedTuple, get_args

from agent.domain.base import Language
from agent.domain.facts import Fact
from agent.domain.ledger import OwnUse
from agent.domain.upgrade import SET, Part, Upgrade
from agent.telling import fact_sentence, joined


class UpgradeEntry(NamedTuple):
    """Items that make one sentence."""

    text: str
    commits: tuple[str, ...]
    backwards: bool
    uses: tuple[OwnUse, ...]
    files: tuple[str, ...]


def entries(guide: Upgrade, part: Part, lang: Language) -> Iterator[UpgradeEntry]:
    """Tell a part in few sentences: what users set before what they call, what the same commits did together."""
    groups: dict[tuple[tuple[str, ...], bool, tuple[OwnUse, ...]], list[Fact]] = {}
    for one in sorted(
        (one for one in guide.items if one.part == part), key=lambda one: _rank(one.fact)
    ):
        groups.setdefault((one.commits, one.backwards, one.uses), []).append(one.fact)
    for key, members in groups.items():
        for fact in joined(members):
            files = dict.fromkeys(place.file for place in fact.places)
            yield UpgradeEntry(fact_sentence(fact, lang), *key, tuple(files))


def guide_lines(guide: Upgrade) -> list[str]:
    """Write the guide as plain lines, for a program that reads on with other tools."""
    lines = [f"{guide.repo} from {guide.old.name} to {guide.new.name}: {guide.commits} commits"]
    for part in get_args(Part):
        for one in entries(guide, part, "en"):
            lacks = f" ({guide.new.name} lacks it)" if one.backwards else ""
            by = ", ".join(f"{sha[:12]} {guide.titles[sha]}" for sha in one.commits)
            lines.append(f"{part}: {one.text} {by}{lacks}")
    return [
        *lines,
        *(
            f"taken back: {one.sha[:12]} {guide.titles[one.sha]} by {one.by[:12]}"
            for one in guide.undone
        ),
    ]


def _rank(fact: Fact) -> int:
    return next((place for place, start in enumerate(SET) if fact.kind.startswith(start)), len(SET))
