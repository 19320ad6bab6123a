"""The templates of pull requests that a clone has."""

from agent.domain.errors import AppError
from agent.domain.references import pull_number
from agent.ports import CloneSource, CodeSource
from agent.triage.collected_commits import Collected

_PULL_TEMPLATES = (
    ".github/pull_request_template.md",
    ".github/PULL_REQUEST_TEMPLATE.md",
    "pull_request_template.md",
    "PULL_REQUEST_TEMPLATE.md",
    "docs/pull_request_template.md",
    "docs/PULL_REQUEST_TEMPLATE.md",
)
"""Where GitHub looks for the form of a pull request."""


async def pull_templates(code: CodeSource, collected: Collected) -> tuple[str, ...]:
    """Return the forms for pull requests that a clone has, where the window has pull requests.

    Messages of squashed pull requests have the form even where no thread was read.
    """
    tip = collected.landing.tip
    if tip is None or not isinstance(code, CloneSource):
        return ()
    titles = (row.commit.title for row in collected.landed)
    if not collected.threads.pulls and not any(map(pull_number, titles)):
        return ()
    templates = []
    for path in _PULL_TEMPLATES:
        try:
            text = await code.file(tip, path)
        except AppError:
            continue  # A form only says what not to quote: its absence must not end a report
        if text:
            templates.append(text)
    return tuple(templates)
