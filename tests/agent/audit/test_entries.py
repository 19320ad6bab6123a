"""What a report's headings say: which repository a part is about, and which days."""

import pytest

from agent.audit.entries import read_page
from agent.domain.base import RepoId

REPOS = [RepoId("octo/engine"), RepoId("octo/router")]


@pytest.mark.parametrize(
    ("title", "days", "scope"),
    [
        ("Engine 2026-04-15 变更速览", "2026-04-15", {"octo/engine"}),
        ("octo/router: 20–24 April 2026", "2026-04-20 to 2026-04-24", {"octo/router"}),
        ("Router - 20th - 24th of April 2026", "2026-04-20 to 2026-04-24", {"octo/router"}),
        ("Engine and router, 30–24 April 2026", "None", set[str]()),
        ("What the engine did on 24 April 2026", "2026-04-24", set[str]()),
    ],
)
def test_a_title_says_the_repository_and_the_days(title: str, days: str, scope: set[str]) -> None:
    entry = read_page(f"# {title}\n\n- `1234567` does something\n", "report.md", REPOS)[-1]
    assert (str(entry.days), {str(repo) for repo in entry.scope}) == (days, scope)
