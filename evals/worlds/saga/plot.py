"""What happens in the world of stories: series in many spellings, earlier changes that are named, what looks so."""

from dataclasses import dataclass

from evals.worlds.dice import Dice

SPELLINGS = (
    "[{label}][{k}/N] {text}",
    "[{k}/{n}] {label}: {text}",
    "[{label}] {text} ({k}/{n})",
    "{label} Part {k}: {text}",
    "[{label}] Stage {k}: {text}",
    "{label} Phase {k} - {text}",
    "[{k}/n][{label}] {text}",
    "[{label} {k}/N] {text}",
    "[{label}] {text} (part {k}/{n})",
    "{label} [{k}/{n}]: {text}",
    "[{label}] step {k}: {text}",
    "【{label}】{text}（{k}/{n}）",
)
LABELS = (
    "Radix Cache",
    "Paged Pool",
    "Elastic Router",
    "Spec Decode",
    "KV Offload",
    "Weight Sync",
    "Draft Tree",
    "Prefix Hash",
    "Expert Swap",
    "Graph Replay",
    "Token Ring",
    "Shard Plan",
)
TEXTS = (
    "move the helpers into a package",
    "unify the lock interface",
    "drop the old entry point",
    "give every block an owner",
    "share buffers between ranks",
    "name the limits",
)
NAMING = (
    "Follow-up to <<{}>>.",
    "Fixes a regression introduced in <<{}>>.",
    "See also <<{}>>.",
    "Unlike <<{}>> this keeps the order.",
    "This is not a follow-up to <<{}>>.",
    "修复 <<{}>> 引入的问题。",
    "<<{}>> 的后续。",
)
"""How messages name an earlier change: that they do is a fact, what they mean by it is not."""
QUOTING = ("> follow-up to <<{}>>\n\nNo, that is something else.", "```\nfollow-up to <<{}>>\n```")
"""What names nothing: quotations and code."""
FALSE_PARTS = (
    "support 2/4 sparsity in the packed layout",
    "tune step3 models",
    "keep stage-1 kernels warm",
    "skip 1/2 of the probes",
    "run the nightly 24/7",
    "part of the pool is pinned now",
)


@dataclass(frozen=True)
class Part:
    """One part of a series: which, under which subject, on which day."""

    key: str
    index: int
    subject: str
    day: int


@dataclass(frozen=True)
class Serial:
    """A series as it lands."""

    key: str
    parts: tuple[Part, ...]
    """In the order in which they land."""


def serials(dice: Dice, days: int) -> list[Serial]:
    """Plan a series for each spelling; in some a part lands after the next one."""
    found = []
    for number, spelling in enumerate(SPELLINGS):
        total = dice.between(3, 5)
        order = list(range(1, total + 1))
        if dice.chance(0.5):
            late = dice.between(1, total - 2)
            order[late], order[late + 1] = order[late + 1], order[late]
        first = dice.between(0, days - total - 1)
        label = LABELS[number]
        parts = tuple(
            Part(
                f"serial-{number}-{index}",
                index,
                spelling.format(label=label, k=index, n=total, text=TEXTS[(number + index) % len(TEXTS)]),
                first + place,
            )
            for place, index in enumerate(order)
        )
        found.append(Serial(f"serial-{number}", parts))
    return found
