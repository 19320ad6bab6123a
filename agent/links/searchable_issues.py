"""Issues in the form in which they are searchable on later days: their state, and the words that find them."""

import re
from collections.abc import Sequence

from agent.domain.base import Frozen
from agent.domain.links import Grade, Link, Relation, Standing
from agent.domain.threads import Issue
from agent.links.issue_body import frames_in, reported_text

GIVEN_UP = ("not_planned", "duplicate")  # Reasons to close an issue without a fix
BROUGHT_BACK = "brings back"  # How the evidence begins for a commit that lands a fix again
_MAX_TITLE = 300  # Characters
_MAX_BODY = 40_000  # Characters: a dump of the environment may come before the report
_MAX_TERMS = 400
_MAX_LABELS = 12
# Words and identifiers; Chinese words are taken apart later.
_WORD = re.compile(r"[A-Za-z_][\w-]{1,60}|[\u3400-\u9fff]{2,40}", re.ASCII)
_MAX_NAMES = 120  # Identifiers
# `max_routes`, `FusedMoE`, `sm90`, `--flag`: a sign, a digit or a capital within a word.
_NAME = re.compile(r"(?:--)?[A-Za-z_][\w-]{2,60}", re.ASCII)
_IS_NAME = re.compile(r"--|_|\d|[a-z][A-Z]", re.ASCII)


class Digest(Issue):
    """An issue with the words of its body in place of the body."""

    body: str = ""
    terms: tuple[str, ...]  # The words of title and body, each once
    names: tuple[str, ...] = ()  # Those of them that are identifiers, as they are written
    frames: tuple[str, ...] = ()  # The last frames of its tracebacks, as `file.py:function`


class Known(Frozen):
    """The issues in the memory."""

    issues: tuple[Digest, ...] = ()
    """The open issues as they were last seen; none if the memory is not up to date."""
    links: tuple[Link, ...] = ()  # The fixes in earlier reports, the newest last


def digest(issue: Issue) -> Digest:
    """Return the digest of an issue; of a long one only the beginning counts."""
    fields = issue.model_dump(exclude={"body", "title", "labels"})
    title = issue.title[:_MAX_TITLE]
    body = issue.body[:_MAX_BODY]
    text = f"{title}\n{reported_text(body)}"
    return Digest(
        title=title,
        labels=issue.labels[:_MAX_LABELS],
        terms=terms(text)[:_MAX_TERMS],
        names=names_in(text)[:_MAX_NAMES],
        frames=frames_in(body),
        **fields,
    )


def names_in(text: str) -> tuple[str, ...]:
    """Return the identifiers of a text, each once, in its order: plain words are none."""
    words = dict.fromkeys(_NAME.findall(text))
    return tuple(word for word in words if is_name(word))


def is_name(word: str) -> bool:
    """Return True if a word is an identifier by its looks: with a sign, a digit or a capital."""
    return _IS_NAME.search(word) is not None


def terms(text: str) -> tuple[str, ...]:
    """Return the words of a text, each once, in its order; Chinese by pairs of characters."""
    words: dict[str, None] = {}
    for word in _WORD.findall(text):
        if word[0] <= "z":
            words[word.lower().strip("-_").replace("-", "_")] = None
            continue
        for start in range(len(word) - 1):
            words[word[start : start + 2]] = None
    return tuple(words)


def standing(issue: Issue, links: Sequence[Link]) -> Standing:
    """Return whether an issue is fixed.

    A fix counts until a commit takes it back, and an issue that was reopened is not fixed.
    """
    issue_links = [link for link in links if link.issue == issue.id]
    fixes = [link for link in issue_links if link.may_read_fixed]
    if issue.state_reason in GIVEN_UP:
        return "not planned"
    if _is_taken_back(issue_links, fixes):
        return "fixed, but the fix was reverted"
    if issue.state == "open" and issue.state_reason == "reopened":
        return "reopened"
    if fixes:
        return "fixed" if issue.state == "closed" else "addressed, still open"
    if any(link.may_read_likely for link in issue_links):
        return "likely fixed"
    return "open" if issue.state == "open" else "closed"


def _is_taken_back(links: Sequence[Link], fixes: Sequence[Link]) -> bool:
    """Return True if fixes were reverted more often than they were brought back."""
    reverts = 0
    for link in links:
        if link.relation is Relation.REVERTS and link.grade is not Grade.C:
            reverts += 1
    relands = sum("".join(link.evidence).startswith(BROUGHT_BACK) for link in fixes)
    return reverts > relands
