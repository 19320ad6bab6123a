"""Failures of a model at what a report asked of it."""

from agent.domain.account import Part
from agent.domain.report import Failure, Report

_WRITING: tuple[Part, ...] = ("explaining", "judging")  # Without these nothing can be published


def model_failures(report: Report) -> tuple[Failure, ...]:
    """Return a failure for each repository that lacks analysis because the model failed everywhere.

    A model that wrote something did its work, whatever it failed at besides; so did one whose every
    sentence was refused.
    """
    if not report.analyst.startswith("model"):
        return ()
    if any(claim.free for claim in report.claims):
        return ()
    failures = []
    for section in report.sections:
        fallbacks = section.account.fallbacks
        if any(fallback.part in _WRITING for fallback in fallbacks):
            # The first one has the cause; later ones may only say that nobody was asked any more.
            message = fallbacks[0].reason
            failures.append(Failure(repo=section.repo, stage="model", message=message))
    return tuple(failures)
