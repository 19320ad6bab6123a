"""Annotations that GitHub shows at lines of a pull request: workflow commands on standard output."""

from collections.abc import Iterator

from agent.bumps.bump_report_model import BumpReport
from agent.markdown import visible

_MAX_ANNOTATIONS = 50  # GitHub shows no more of one step
_MAX_MESSAGE = 500


def annotations(report: BumpReport) -> Iterator[str]:
    """Yield an error for each line of own code that fails after a bump."""
    count = 0
    for outcome in report.outcomes:
        bump = outcome.bump
        title = f"{bump.name} {bump.old} to {bump.new}"
        for use in outcome.breaking_uses:
            if count == _MAX_ANNOTATIONS:
                return
            count += 1
            advice = f"; use {use.replacement}" if use.replacement else ""
            message = _message(f"{use.text}{advice}")
            location = f"file={_property(use.file)},line={use.line},title={_property(title)}"
            yield f"::error {location}::{message}"


def _message(text: str) -> str:
    """Return foreign text as the message of a command; it cannot begin another command."""
    return visible(text)[:_MAX_MESSAGE].replace("%", "%25")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")
