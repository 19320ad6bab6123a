"""The topics of the judged parts of a report: a new part replaces the earlier one on its topic."""

from typing import Literal, NamedTuple

from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.links import Story
from agent.domain.report import Report


class JudgedTopic(NamedTuple):
    """The topic of a judged part of a report; a new part replaces the earlier one on its topic."""

    kind: Literal["analysis", "relations", "summary", "brief"]
    about: EvidenceId | RepoId | None  # A commit, or a repository; None for the brief


def topic_of(claim: Claim) -> JudgedTopic | None:
    """Return the topic of a judged claim; None for what code alone says."""
    if claim.free and claim.role == "brief":
        return JudgedTopic("brief", None)
    if claim.free and claim.role == "summary" and not claim.about:
        return JudgedTopic("summary", claim.repo)
    if not claim.about:
        return None
    if claim.free:
        return JudgedTopic("analysis", claim.about[0])
    if claim.judged_by:
        return JudgedTopic("relations", claim.about[0])
    return None


def relation_topics(story: Story) -> set[JudgedTopic]:
    """Return the topics of a story's relations."""
    return {JudgedTopic("relations", commit) for commit in story.news}


def topics_of(report: Report) -> frozenset[JudgedTopic]:
    """Return the topics on which a run has something judged."""
    topics: set[JudgedTopic] = set()
    for claim in report.claims:
        topic = topic_of(claim)
        if topic is not None:
            topics.add(topic)
    for link in report.links:
        if link.judged_by:
            topics.add(JudgedTopic("relations", link.change))
    for story in report.stories:
        if story.judged_by:
            topics |= relation_topics(story)
    return frozenset(topics)
