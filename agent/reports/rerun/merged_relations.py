"""Relations in a merged report: new links and stories, and earlier ones that the new run missed."""

from collections.abc import Collection
from dataclasses import dataclass

from agent.domain.base import RepoId
from agent.domain.links import Link, Story
from agent.domain.report import Report
from agent.links.admitted_relation_links import are_of_one_pair, with_link
from agent.reports.rerun.claims import MergedClaims
from agent.reports.rerun.merged_ledger import MergedLedger
from agent.reports.rerun.repositories import MergedRepositories, repo_of
from agent.reports.rerun.topics_of_judged_parts import JudgedTopic, relation_topics


@dataclass(frozen=True)
class MergedRelations:
    """The links and stories of both runs."""

    earlier: Report
    new: Report
    repositories: MergedRepositories
    ledger: MergedLedger
    claims: MergedClaims
    threads_lost: Collection[RepoId]  # The new run failed to read the threads of these

    def links(self) -> list[Link]:
        """Return the links of both runs; what a judge said earlier stays until it is said anew."""
        links = self.repositories.uncovered(self.earlier.links)
        new = list(self.new.links)
        for link in self.earlier.links:
            if self.repositories.is_uncovered(link) or link.change not in self.ledger.rows:
                continue
            is_lost = link.change in self.ledger.read_less or repo_of(link) in self.threads_lost
            has_successor = any(are_of_one_pair(link, other) for other in new)
            if (
                link.judged_by
                and JudgedTopic("relations", link.change) not in self.claims.new_topics
            ):
                new = with_link(new, link)
            elif is_lost and not has_successor:
                new.append(link)
        return [*links, *new]

    def stories(self) -> list[Story]:
        """Return the stories of both runs, without new ones that an earlier one contains."""
        stories = self.repositories.uncovered(self.earlier.stories)
        kept: list[Story] = []
        for story in self.earlier.stories:
            if not self.repositories.is_uncovered(story) and self._is_missed(story):
                kept.append(story)
        for story in self.new.stories:
            if not any(_continues(earlier, story) for earlier in kept):
                stories.append(story)
        return [*stories, *kept]

    def _is_missed(self, story: Story) -> bool:
        """Return True for an earlier story that the new run could not find."""
        if not story.news or not self.ledger.has_landed(story.news):
            return False
        if story.judged_by:
            return self.claims.new_topics.isdisjoint(relation_topics(story))
        return self.ledger.read_less.issuperset(story.news) or not self.repositories.has_read(
            story.steps
        )


def _continues(earlier: Story, story: Story) -> bool:
    """Return True if an earlier story has the same news and all steps of a new one."""
    return earlier.news == story.news and set(story.steps) <= set(earlier.steps)
