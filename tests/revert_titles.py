"""Titles that take something back or bring it back, and titles that only look like it.

The one table for everything that reads such titles. Each names `TITLE`, pull request 41, or nothing.
"""

from typing import NamedTuple

TITLE = "Order requests by their cost"


class Case(NamedTuple):
    """A title, how often it reverts, and what it does to what it names."""

    title: str
    reverts: int
    does: str = ""  # A kind of fact; empty where it names nothing that can be found
    names: str = ""  # The title or the number that it names


CASES = (
    # Written by git, GitHub and Gerrit.
    Case(f'Revert "{TITLE}"', 1, "revert", TITLE),
    Case(f'Revert "{TITLE} (#41)" (#57)', 1, "revert", "#41"),
    Case(f'Revert "Revert "{TITLE}""', 2, "reland", TITLE),
    Case(f'Revert "Revert "{TITLE} (#41)" (#57)" (#58)', 2, "reland", "#41"),
    Case(f'Reapply "{TITLE}"', 0, "reland", TITLE),
    Case(f'Reland "{TITLE}" (#60)', 0, "reland", TITLE),
    Case("Reverts acme/engine#41", 1, "revert", "acme/engine#41"),
    # Written by hand.
    Case("Revert #41", 1, "revert", "#41"),
    Case("Revert the new order (#41, #42)", 1, "revert", "#41"),
    Case("Revert the new order (#57)", 1),
    Case(f"Reland {TITLE} (#60)", 0, "reland", TITLE),
    Case(f'Reverted "{TITLE}"', 1, "revert", TITLE),
    Case(f'Reverting "{TITLE}"', 1, "revert", TITLE),
    Case(f"Revert “{TITLE}” (#57)", 1, "revert", TITLE),
    Case(f'Re-land "{TITLE}"', 0, "reland", TITLE),
    Case("Reverted #41 (#57)", 1, "revert", "#41"),
    # Behind tags and types.
    Case(f'fix: revert "{TITLE}" (#57)', 1, "revert", TITLE),
    Case(f'fix(router)!: Revert "{TITLE}"', 1, "revert", TITLE),
    Case(f'[Core][Bugfix] Revert "{TITLE}"', 1, "revert", TITLE),
    Case(f'[Core]: revert "{TITLE}"', 1, "revert", TITLE),
    Case(f'⏪ Revert "{TITLE}"', 1, "revert", TITLE),
    Case("[release/v1.0] revert: #41 for now (#57)", 1, "revert", "#41"),
    Case("revert(router): revert #41", 1, "revert", "#41"),
    Case("revert(router): feat: order requests", 1, "revert", "feat: order requests"),
    Case(f'Revert "fix: Revert "{TITLE}""', 2, "reland", TITLE),
    # A part only.
    Case(f'Partially revert "{TITLE}"', 1, "partial-revert", TITLE),
    Case(f'fix: partially revert "{TITLE} (#41)" (#57)', 1, "partial-revert", "#41"),
    Case("Partial revert of #41", 1, "partial-revert", "#41"),
    Case(f'Revert "Partially revert "{TITLE}""', 2, "partial-reland", TITLE),
    Case(f'Partially reland "{TITLE}"', 0, "partial-reland", TITLE),
    # Something else.
    Case("Support reverting migrations (#41, #42)", 0),
    Case("Reverting migrations works again (#41, #42)", 0),
    Case("Reverts are listed with their numbers (#41, #42)", 0),
    Case("revert_on_error flag", 0),
    Case("feat: revert_on_error flag (#41)", 0),
    Case("Revert-on-error for migrations", 0),
    Case("revert() raises on errors", 0),
    Case("fix: reverted index of pages", 0),
    Case('Rename the button "Revert" to "Undo"', 0),
    Case('"Revert" undoes migrations', 0),
    Case(f"[{TITLE}] Reversion of pages", 0),
    Case('Revert "fix: reverted index of pages"', 1, "revert", "fix: reverted index of pages"),
    Case('Revert "fix: revert index of pages"', 1, "revert", "fix: revert index of pages"),
)
