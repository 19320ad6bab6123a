"""What a conversation is about at the moment, so that "it" and "that commit" mean something."""

from agent.asking.draft import Draft
from agent.asking.inquiry import Aim, Inquiry
from agent.domain import Frozen
from agent.ids import RepoId


class Focus(Frozen):
    """The things that the last answer was about."""

    repos: tuple[RepoId, ...] = ()
    shas: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, inquiry: Inquiry, draft: Draft) -> "Focus":
        """Remember what was asked for, and the first thing that was shown."""
        shown = [item.cite for item in draft.items][:1]
        shas = [name.rpartition("@")[2] for name in shown if "@" in name]
        numbers = [int(name.rpartition("#")[2]) for name in shown if "#" in name]
        return cls(
            repos=inquiry.repos,
            shas=inquiry.shas or tuple(shas),
            numbers=inquiry.numbers or tuple(numbers),
            names=inquiry.names,
        )


def focused(inquiry: Inquiry, focus: Focus) -> Inquiry:
    """Read a question in the light of the last one: what it leaves open is what was spoken of."""
    update: dict[str, object] = {}
    if not inquiry.repos and focus.repos:
        update["repos"] = focus.repos
    named = inquiry.shas or inquiry.numbers or inquiry.names
    if inquiry.follows and not named:
        if focus.numbers:
            update["numbers"] = focus.numbers
        elif focus.shas:
            update["shas"] = focus.shas
        else:
            update["names"] = focus.names
        if inquiry.aim is Aim.CHANGES and (focus.numbers or focus.shas):
            update["aim"] = Aim.EXPLAIN
        update["terms"] = ()
    return inquiry.model_copy(update=update) if update else inquiry
