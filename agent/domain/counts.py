"""The numbers at the end of a report: what was read, what was checked, what was left out."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from agent.domain.claims import Claim, Kind, Role
from agent.domain.report import Depth, Report


def footer_counts(report: Report) -> dict[str, int]:
    """Count what was done with the landed commits."""
    depths = Counter(row.depth for row in report.ledger)
    return {
        "landed": len(report.ledger),
        "late": sum(row.late for row in report.ledger),
        **{depth.value: depths[depth] for depth in Depth},
        "unreadable_files": sum(row.unreadable for row in report.ledger),
    }


def kind_counts(claims: Iterable[Claim]) -> dict[str, int]:
    """Count claims by the kind of text that they are; headlines apart, which are no sentences."""
    claims = list(claims)
    kinds = Counter(claim.kind for claim in claims if claim.role is not Role.HEADLINE)
    return {kind.value: kinds[kind] for kind in Kind} | {"headlines": sum(c.role is Role.HEADLINE for c in claims)}


def model_counts(report: Report) -> dict[str, Any]:
    """Count what a model wrote and cost, how its judge did, and what the rules did without it."""
    whole = sum((section.account for section in report.sections), report.account)
    return {
        "statements": sum(claim.free for claim in report.claims),
        "dropped": sum(drop.free for drop in report.drops),
        "judges": sorted({claim.judged_by for claim in report.claims if claim.judged_by}),
        "controls": {"hidden": whole.judging.controls, "refused": whole.judging.caught},
        "spent": whole.spent.model_dump(mode="json"),
        "fallbacks": dict(sorted(Counter(one.part for one in whole.fallbacks).items())),
        "reasons": sorted({one.reason for one in whole.fallbacks}),
    }


def checked_counts(report: Report) -> dict[str, Any]:
    """Count what was said, what was refused, and how sure the links are."""
    # A reader can count what stands on the page: the rest has no sentence.
    landed = {f"{row.repo}@{row.sha}" for row in report.ledger}
    told = [link for link in report.links if link.change in landed]
    return {
        "claims": len(report.claims),
        "kinds": kind_counts(report.claims),
        "citations": sum(len(claim.sources) for claim in report.claims),
        "dropped": dict(sorted(Counter(drop.verdict.value for drop in report.drops).items())),
        "links": dict(sorted(Counter(link.grade.value for link in told).items())),
    }
