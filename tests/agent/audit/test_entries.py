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
        ("Engine: 8 to 14 June 2026", "2026-06-08 to 2026-06-14", {"octo/engine"}),
        ("Engine: June 8–14, 2026", "2026-06-08 to 2026-06-14", {"octo/engine"}),
        ("Engine: June 29 to July 5, 2026", "2026-06-29 to 2026-07-05", {"octo/engine"}),
        ("Engine: 29 December to 4 January 2026", "2025-12-29 to 2026-01-04", {"octo/engine"}),
        ("Engine 2026年6月29日至7月5日", "2026-06-29 to 2026-07-05", {"octo/engine"}),
        ("Engine 2026年6月8日至14日", "2026-06-08 to 2026-06-14", {"octo/engine"}),
        ("Engine: 2026-06-08 - 14 commits", "2026-06-08", {"octo/engine"}),
        ("What the engine did on 24 April 2026", "2026-04-24", set[str]()),
    ],
)
def test_a_title_says_the_repository_and_the_days(title: str, days: str, scope: set[str]) -> None:
    entry = read_page(f"# {title}\n\n- `1234567` does something\n", "report.md", REPOS)[-1]
    assert (str(entry.days), {str(repo) for repo in entry.scope}) == (days, scope)
