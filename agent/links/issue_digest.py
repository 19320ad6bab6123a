"""What later days need of an issue: how it stands, the words by which it is found, and what earlier days know."""

import re
from collections.abc import Sequence

from agent.domain.base import Frozen
from agent.domain.commits import Issue
from agent.domain.links import Grade, Link, Relation, Standing

GIVEN_UP = ("not_planned", "duplicate")  # Reasons for which an issue is closed that was not fixed
BROUGHT_BACK = "brings back"  # How the evidence of a link begins whose commit lands a fix again
_TITLE, _BODY, _TERMS, _LABELS = 300, 12_000, 400, 12
# Words and the names of code, Chinese by pairs of characters.
_WORD = re.compile(r"[A-Za-z_][\w-]{1,60}|[\u3400-\u9fff]{2,40}", re.ASCII)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


class Digest(Issue):
    """What is known of an issue: its words are gone, its title is not."""

    body: str = ""
    terms: tuple[str, ...]  # The words of title and body, each once


class Known(Frozen):
    """What the memory hands to a run."""

    issues: tuple[Digest, ...] = ()
    """The open issues as they were when last seen; none where the memory is not up to date."""
    links: tuple[Link, ...] = ()  # What earlier reports told of fixes, the newest last


def digest(issue: Issue) -> Digest:
    """Read an issue; of a long one its head counts."""
    fields = issue.model_dump(exclude={"body", "title", "labels"})
    title, body = issue.title[:_TITLE], _COMMENT.sub(" ", issue.body[:_BODY])
    return Digest(
        title=title,
        labels=issue.labels[:_LABELS],
        terms=terms(f"{title}\n{body}")[:_TERMS],
        **fields,
    )


def terms(text: str) -> tuple[str, ...]:
    """Give the words of a text, each once, in its order."""
    found: dict[str, None] = {}
    for word in _WORD.findall(text):
        if word[0] > "z":
            found |= dict.fromkeys(word[place : place + 2] for place in range(len(word) - 1))
        else:
            found[word.lower().strip("-_").replace("-", "_")] = None
    return tuple(found)


def standing(issue: Issue, links: Sequence[Link]) -> Standing:
    """Tell how an issue stands; a fix counts as long as nothing took it back, and a reopened issue is not fixed."""
    own = [link for link in links if link.issue == issue.id]
    fixes = [link for link in own if link.may_read_fixed]
    taken_back = sum(
        link.relation is Relation.REVERTS and link.grade is not Grade.C for link in own
    )
    brought_back = sum("".join(link.evidence).startswith(BROUGHT_BACK) for link in fixes)
    if issue.state_reason in GIVEN_UP:
        return "not planned"
    if taken_back > brought_back:
        return "fixed, but the fix was reverted"
    if issue.state == "open" and issue.state_reason == "reopened":
        return "reopened"
    if fixes:
        return "fixed" if issue.state == "closed" else "addressed, still open"
    if any(link.may_read_likely for link in own):
        return "likely fixed"
    return "open" if issue.state == "open" else "closed"
