"""The fixed words of a report, in each language it can be written in."""

from dataclasses import dataclass

from agent.claims import Verdict
from agent.conventions import Purpose
from agent.domain import NoticeKind
from agent.linking.standing import Standing
from agent.report import Depth
from agent.triage import Noise, Tier


@dataclass(frozen=True)
class Words:
    """One language's words; `{}` is filled by code."""

    title: str
    period: str
    partial: str
    one_repo: str
    repos: str
    landed: str
    late_total: str
    contents: str
    incomplete: str
    failed: dict[str, str]
    nothing: str
    empty: str
    one_commit: str
    commits: str
    branch: str
    merges: str
    columns: tuple[str, str, str, str, str, str, str, str]
    late_heading: str
    late_note: str
    releases: str
    prerelease: str
    issues: str
    events: dict[str, str]
    notices: dict[NoticeKind, str]
    not_counted: str
    unreadable: str
    footer: str
    threads: str
    coverage: dict[str, str]
    archive: str
    kept_back: str
    comma: str
    semicolon: str
    breaking: str
    late: str
    highlights: str
    counts: str
    tiers: dict[Tier, str]
    tier_marks: dict[Tier, str]
    depths: dict[Depth, str]
    noises: dict[Noise, str]
    purposes: dict[Purpose, str]
    folded: str
    not_read: str
    where: str
    inside: str
    """Stands between the files of a change and the functions in them."""
    more: str
    kind: str
    scope: str
    changed: str
    risk: str
    advice: str
    speech: str
    pair: str
    pair_times: str
    files: str
    one_file: str
    all_commits: str
    statistics: str
    by: dict[str, str]
    fixed: dict[str, str]
    issue_groups: dict[str, str]
    """What else happened to issues, beside `events`."""
    elsewhere: str
    standings: dict[Standing, str]
    """How an issue stands, where the links do not say it."""
    first_in: str
    unreleased: str
    waiting: str
    outlook: str
    still_open: str
    series: str
    stories: str
    update_since: str
    story_kinds: dict[str, str]
    acts: dict[str, str]
    part: str
    part_of: str
    inferred: str
    """The label of analysis that follows from its evidence."""
    reported: str
    """Stands in front of what only an issue says."""
    evidence: str
    counted_evidence: str
    one_fact: str
    facts: str
    checked: str
    dropped: str
    verdicts: dict[Verdict, str]
    graded: str
    not_analysed: str
    configure: tuple[str, str]
    """How to configure a model, in two lines."""
    kinds: str
    """How much of each kind of text a page has."""
    judged: str
    not_judged: str
    """No judge is recorded, as in reports of earlier versions."""
    controls: str
    stop: str
    no_analysis: str
    """A model ran, and nothing of it was published."""
    refused: str
    left_as_facts: str
    fallbacks: str
    """What the rules did without the model."""
    parts: dict[str, str]
    """Parts of a model's work, by name."""
    spent: str
    colon: str
    listing: str
