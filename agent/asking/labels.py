"""Threads that carry a label: which, and what they brought."""

from agent.asking.choosing import of_pull
from agent.asking.draft import Draft, Item
from agent.asking.findings import Findings
from agent.asking.inquiry import Thing
from agent.asking.telling import commit_item
from agent.domain import Issue, PullRequest

_SHOWN = 10


def labelled(found: Findings) -> Draft | None:
    """List the threads with the labels of the question, newest first; None where there are none."""
    chosen = sorted(with_labels(found), key=lambda one: one.created_at, reverse=True)
    if not chosen:
        return None
    items: list[Item] = []
    for thread in chosen[:_SHOWN]:
        items.append(Item(cite=thread.id))
        if isinstance(thread, PullRequest):
            own = [card for card in of_pull(found, thread.number) if card.repo == thread.repo]
            items += [commit_item(card, (), found) for card in own[:1]]
    return Draft(
        head="labelled",
        values={"count": str(len(chosen)), "label": found.inquiry.labels[0]},
        items=tuple(items),
        more=max(0, len(chosen) - _SHOWN),
        cites=tuple(dict.fromkeys((*(one.id for one in chosen), *(item.cite for item in items)))),
    )


def with_labels(found: Findings) -> list[Issue | PullRequest]:
    """Give the threads of the kind and the time asked for that carry one of the labels."""
    inquiry = found.inquiry
    wanted = {label.lower() for label in inquiry.labels}
    kinds = tuple(
        kind for kind, thing in ((Issue, Thing.ISSUE), (PullRequest, Thing.PULL)) if thing in inquiry.things
    ) or (Issue, PullRequest)
    return [
        one
        for one in found.labelled
        if isinstance(one, kinds)
        and wanted & set(map(str.lower, one.labels))
        and (inquiry.window is None or one.created_at in found.window)
    ]
