"""Joins the parts of a day into one report."""

from collections.abc import Iterable, Iterator, Sequence

from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.ledger import LedgerRow, OwnUse
from agent.domain.links import Link, Related, Story
from agent.domain.placement import CommitGroup
from agent.domain.report import Drop, Failure, Report
from agent.links.admitted_relation_links import missing_relations
from agent.reports.chapter import Chapter, drop_of
from agent.reports.model_failures import model_failures
from graphs.state import PublishInput


def report_of(state: PublishInput, analyst: str) -> Report:
    """Return the report of a day, its chapters in the order of the repositories asked for."""
    repos = [spec.name for spec in state["specs"]]
    chapters = [state["chapters"][repo] for repo in repos if repo in state["chapters"]]
    claims: list[Claim] = []
    links: list[Link] = []
    stories: list[Story] = []
    drops: list[Drop] = []
    related: list[Related] = []
    groups: list[CommitGroup] = []
    for chapter in chapters:
        claims += _claims_of(chapter, state["analysis"])
        links += chapter.links
        stories += chapter.stories
        drops += chapter.drops
        related += chapter.related
        groups += chapter.groups
    # What speaks of several repositories comes last, as in a report that is merged.
    ties = state["ties"]
    claims += [claim for claim in state["analysis"] if claim.repo is None]
    claims += ties.claims
    stories += ties.stories
    drops += ties.drops
    drops += missing_relations(related, links, stories)
    for refusal in state["refused"]:
        # What was refused about single commits is in the chapters.
        if not refusal.claim.about and not refusal.repaired:
            drops.append(drop_of(refusal.claim, refusal.reasons[0]))
    ledger: list[LedgerRow] = []
    for chapter in chapters:
        ledger += chapter.ledger
    report = Report(
        window=state["window"],
        repos=tuple(repos),
        sections=tuple(chapter.section for chapter in chapters),
        ledger=tuple(ledger),
        claims=tuple(claims),
        links=tuple(links),
        stories=tuple(stories),
        groups=tuple(groups),
        drops=tuple(drops),
        uses=tuple(_own_uses(state, repos)),
        analyst=analyst,
        account=state["account"],
    )
    failures = [*_failures(state, chapters), *model_failures(report)]
    return report.model_copy(update={"failures": _in_order(failures, repos)})


def _claims_of(chapter: Chapter, summaries: Sequence[Claim]) -> Iterator[Claim]:
    """Yield what is said of a repository: the analysis, the summary of its day, then the facts."""
    yield from (claim for claim in chapter.claims if claim.free)
    yield from (claim for claim in summaries if claim.repo == chapter.section.repo)
    yield from (claim for claim in chapter.claims if not claim.free)


def _own_uses(state: PublishInput, repos: Sequence[RepoId]) -> Iterator[OwnUse]:
    for repo in repos:
        if repo in state["chapters"]:
            yield from state["collected"][repo].own_uses


def _failures(state: PublishInput, chapters: Iterable[Chapter]) -> Iterator[Failure]:
    """Yield each failure once: tasks that are written one by one may fail one by one."""
    yield from dict.fromkeys(state["failures"])
    for chapter in chapters:
        yield from chapter.failures


def _in_order(failures: Iterable[Failure], repos: Sequence[RepoId]) -> tuple[Failure, ...]:
    """Sort failures by repository and stage; those of no single repository come last."""
    order: dict[RepoId | None, int] = {repo: number for number, repo in enumerate(repos)}
    last = len(order)

    def position(failure: Failure) -> tuple[int, str]:
        return order.get(failure.repo, last), failure.stage

    return tuple(sorted(failures, key=position))
