"""Which numbers of a series are there, and which between them are not."""

from agent.asking.draft import Draft
from agent.asking.findings import Findings
from agent.weaving.parts import read_part


def with_numbers(draft: Draft, found: Findings) -> Draft:
    """Say of the parts that an answer counts or lists which numbers they have, and which are missing between them."""
    if draft.abstained or not found.inquiry.series:
        return draft
    parts = [part for name in draft.cites if name in found.cards and (part := read_part(found.cards[name].title))]
    have = {part.index for part in parts}
    if len(have) < 2:
        return draft
    missing = sorted(set(range(1, max(have))) - have)
    numbers = {"have": ", ".join(map(str, sorted(have))), "missing": ", ".join(map(str, missing))}
    return draft.model_copy(update={"notes": (*draft.notes, ("gaps" if missing else "no gaps", numbers))})
