"""What a run leaves for questions: every commit that it read, with threads and links, so that nothing is read twice."""

from agent.analyst import Material
from agent.card import Card
from agent.collected import Collected
from agent.domain import Landed, NoticeKind
from agent.evidence import CommitEvidence
from agent.memories import QuestionMemory
from agent.pulls import pulls_of
from agent.sources import CodeSource

_AUTHORS = 6
_AT_ONCE = 1_000
"""How many commits are noted down before they are stored: of a long window not all are held twice."""
_CUT_OFF = (NoticeKind.SHALLOW,)
"""Notices of a history that does not reach back through the whole window."""


async def leave(memory: QuestionMemory, code: CodeSource, found: Collected, material: Material) -> None:
    """Store what was read; the window counts as known once nothing of it was left unread."""
    rows = {row.commit.sha: row for row in found.landed}
    for start in range(0, len(material.reads), _AT_ONCE):
        seen = [read.evidence for read in material.reads[start : start + _AT_ONCE]]
        cards = [await _card(one, rows.get(one.change.commit.sha), code, found) for one in seen]
        memory.keep(material.repo, cards)
    memory.connect(material.repo, found.threads, tuple(material.links))
    if not any(notice.kind in _CUT_OFF for notice in found.landing.notices):
        memory.complete(material.repo, material.window, [row.commit.sha for row in found.landing.rows])


async def _card(evidence: CommitEvidence, row: Landed | None, code: CodeSource, found: Collected) -> Card:
    """Note down a commit; a merge is by those whose commits it brought in."""
    numbers = pulls_of(evidence)
    card = Card.of(evidence.model_copy(update={"pull": numbers[0]}) if numbers else evidence)
    if not evidence.change.commit.is_merge:
        return card
    if row is not None and row.members:
        members = await code.members(card.sha)
        people = dict.fromkeys(one.author.name for one in members if not one.is_merge)
    else:
        people = dict.fromkeys(one.author for one in found.threads.pulls if one.number == card.pull and one.author)
    return card.model_copy(update={"author": ", ".join(list(people)[:_AUTHORS])}) if people else card
