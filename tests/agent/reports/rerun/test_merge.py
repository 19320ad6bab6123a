"""Merging: what a new run of a window takes over from the report that is there."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from agent.domain.account import Account, Fallback, Judging
from agent.domain.affected_versions import Affected
from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow
from agent.domain.links import Grade, Link, Relation, Story, StoryStep
from agent.domain.release_notes import ReleaseNotes
from agent.domain.report import Failure, ReleaseLine, Report
from agent.reports.rerun.merge import merge
from agent.reports.rerun.merged_ledger import KEPT
from tests.analysed_report import AT, CACHE, HANG, LIMIT, ROUTER, analysed_report

EVENT = f"{CACHE}@{'6f' * 20}"
FAILED = Fallback(part="explaining", reason="the model is away")


def without_model(report: Report, **update: Any) -> Report:
    """Return the report as the rules write it when the model fails."""
    account = Account(fallbacks=(FAILED,))
    sections = [section.model_copy(update={"account": account}) for section in report.sections]
    rows = [
        row.model_copy(
            update={"depth": "skim", "reason": "counts; not analysed: the model is away"}
        )
        for row in report.ledger
    ]
    by_code = {
        "sections": tuple(sections),
        "ledger": tuple(rows),
        "claims": tuple(claim for claim in report.claims if not claim.free),
        "account": Account(),
    }
    return report.model_copy(update=by_code | update)


def ids(claims: Sequence[Claim]) -> set[str]:
    return {claim.id for claim in claims if claim.free}


def test_what_only_a_clone_tells_stays_where_the_new_run_had_none() -> None:
    plain = analysed_report()
    notes = ReleaseNotes(previous="v0.9.0", commits=3)
    release = ReleaseLine(
        tag="v1.0.0", name="v1.0.0", published_at=AT, prerelease=False, notes=notes
    )
    fault = EvidenceId.commit(ROUTER, "5e" * 20)
    affected = Affected(introduced=fault, title="Break it", proof="reverted")
    first, *others = plain.sections
    listed = [release.model_copy(update={"notes": None})]
    rows = [row.model_copy(update={"affected": affected}) for row in plain.ledger]
    earlier = plain.model_copy(
        update={
            "sections": (first.model_copy(update={"releases": (release,)}), *others),
            "ledger": tuple(rows),
        }
    )
    new = plain.model_copy(
        update={"sections": (first.model_copy(update={"releases": tuple(listed)}), *others)}
    )
    merged = merge(earlier, new)
    assert merged.sections[0].releases == (release,)
    assert {row.affected for row in merged.ledger} == {affected}


def test_all_analysis_stays_where_the_model_was_away_and_rows_and_account_say_so() -> None:
    earlier = analysed_report()
    merged = merge(earlier, without_model(earlier))
    assert [claim for claim in merged.claims if claim.free and claim.repo == ROUTER] == [
        claim for claim in earlier.claims if claim.free and claim.repo == ROUTER
    ]
    assert ids(merged.claims) == ids(earlier.claims)
    before = {row.sha: row for row in earlier.ledger}
    row = next(row for row in merged.ledger if row.sha == LIMIT)
    assert row == before[LIMIT].model_copy(update={"reason": before[LIMIT].reason + KEPT})
    account = merged.sections[0].account
    assert set(account.kept) == {f"{ROUTER}@{sha}" for sha in (LIMIT, HANG, "4d" * 20)}
    assert (account.kept_summaries, merged.account.kept_summaries) == (2, 2)
    assert account.judging == Judging(controls=6, caught=6)
    assert account.fallbacks == (FAILED,)
    # Once more changes nothing, and neither does a run by rules alone.
    assert merge(merged, without_model(earlier)) == merged
    rules = merge(merged, without_model(earlier, analyst="rules"))
    assert (ids(rules.claims), rules.analyst) == (ids(earlier.claims), earlier.analyst)


def test_a_commit_that_is_analysed_anew_takes_the_new_words_alone_and_others_keep_theirs() -> None:
    earlier = analysed_report()
    old = next(claim for claim in earlier.claims if claim.id == "l1")
    fresh = old.model_copy(update={"id": "new", "text": {"en": "Said anew."}})
    new = without_model(earlier)
    new = new.model_copy(update={"claims": (fresh, *new.claims), "analyst": "model second"})
    merged = merge(earlier, new)
    about_limit = [claim for claim in merged.claims if claim.about[:1] == old.about[:1]]
    assert ids(about_limit) == {"new"}
    assert {"h1", "mh", "e1"} <= ids(merged.claims)
    reasons = {row.sha: row.reason for row in merged.ledger}
    assert not reasons[LIMIT].endswith(KEPT)
    assert reasons[HANG].endswith(KEPT)
    first = earlier.analyst.removeprefix("model ")
    assert merged.analyst == f"model second, {first}"


def test_analysis_of_a_commit_that_is_gone_goes_with_it_and_so_do_sentences_over_it() -> None:
    earlier = analysed_report()
    rows = tuple(row for row in without_model(earlier).ledger if row.sha != LIMIT)
    merged = merge(earlier, without_model(earlier, ledger=rows))
    lost_ids = {"l1", "l2", "l3", "l4", "lh", "s1", "s2", "b1", "b2"}
    assert ids(merged.claims) == ids(earlier.claims) - lost_ids


def test_the_brief_stays_until_a_new_one_is_written() -> None:
    earlier = analysed_report()
    brief = next(claim for claim in earlier.claims if claim.role == "brief")
    fresh = brief.model_copy(update={"id": "b9"})
    new = without_model(earlier)
    merged = merge(earlier, new.model_copy(update={"claims": (*new.claims, fresh)}))
    assert {claim.id for claim in merged.claims if claim.role == "brief"} == {"b9"}
    assert {"s1", "s2"} <= ids(merged.claims)


def test_relations_that_a_judge_admitted_stay_and_replace_bare_references() -> None:
    limit = EvidenceId(f"{ROUTER}@{LIMIT}")
    hang = EvidenceId(f"{ROUTER}@{HANG}")
    plain: dict[str, Any] = {"issue": EvidenceId(f"{ROUTER}#40"), "change": limit, "grade": Grade.B}
    judged = Link(**plain, relation=Relation.FIXES, judged_by="judge")
    mention = Link(**plain, relation=Relation.MENTIONS)
    steps = (limit, hang)
    timeline = tuple(StoryStep(cite=cite, at=AT, act="landed") for cite in steps)
    fields: dict[str, Any] = {"repo": ROUTER, "steps": steps, "timeline": timeline, "news": (hang,)}
    follow_up = Story(kind="follow-up", judged_by="judge", **fields)
    reference = Story(kind="reference", **fields)
    claim_fields: dict[str, Any] = {
        "repo": ROUTER,
        "role": "change",
        "about": (hang,),
        "cites": steps,
    }
    mends = Claim(id="s1", predicate="mends", judged_by="judge", **claim_fields)
    refers = Claim(id="s1", predicate="refers to", **claim_fields)
    earlier = analysed_report()
    claims = (*earlier.claims, mends)
    earlier = earlier.model_copy(
        update={"links": (judged,), "stories": (follow_up,), "claims": claims}
    )
    new = without_model(earlier, links=(mention,), stories=(reference,))
    facts = tuple(claim for claim in new.claims if claim != mends)
    merged = merge(earlier, new.model_copy(update={"claims": (*facts, refers)}))
    assert merged.links == (judged,)
    assert merged.stories == (follow_up,)
    by_code = [claim for claim in merged.claims if claim.cites == steps and not claim.free]
    assert [claim.predicate for claim in by_code] == ["mends"]
    # A relation that GitHub records since then is worth more than what a judge admitted.
    recorded = Link(**plain | {"grade": Grade.A}, relation=Relation.FIXES)
    assert merge(earlier, without_model(earlier, links=(recorded,))).links == (recorded,)


def test_what_could_not_be_read_again_stays_as_it_was_read(
    make_row: Callable[..., LedgerRow], make_report: Callable[..., Report]
) -> None:
    read = make_row("1" * 40)
    unread = make_row("1" * 40, read=False)
    name = EvidenceId(f"{read.repo}@{read.sha}")
    fact = Claim(id="f1", repo=RepoId(read.repo), role="change", about=(name,), cites=(name,))
    link = Link(issue=EvidenceId(f"{read.repo}#7"), change=name, relation=Relation.FIXES, grade="A")
    thread = {
        "number": 7,
        "title": "Crash",
        "author": None,
        "event": "closed",
        "labels": [],
        "at": AT,
    }
    earlier = make_report([read], about={read.repo: {"issues": [thread]}})
    earlier = earlier.model_copy(update={"claims": (fact,), "links": (link,)})
    failures = [
        {"repo": read.repo, "stage": stage, "message": "HTTP 502"} for stage in ("diffs", "threads")
    ]
    new = make_report([unread], about={read.repo: {"coverage": "not read"}}, failures=failures)
    merged = merge(earlier, new)
    assert (merged.ledger, merged.claims, merged.links) == (earlier.ledger, (fact,), (link,))
    assert merged.sections == earlier.sections
    assert [failure.stage for failure in merged.failures] == ["diffs", "threads"]


def test_a_commit_that_is_read_less_closely_keeps_the_facts_of_the_closer_reading() -> None:
    earlier = analysed_report()
    facts = [claim for claim in earlier.claims if not claim.free]
    skimmed = tuple(claim for claim in facts if claim.id not in ("f2", "f3"))
    merged = merge(earlier, without_model(earlier, claims=skimmed))
    assert [claim for claim in merged.claims if not claim.free] == facts


def test_what_ties_repositories_stays_unless_all_of_them_were_read_again() -> None:
    earlier = analysed_report()
    claim_fields: dict[str, Any] = {"role": "change", "about": (EVENT,), "predicate": "takes in"}
    tie = Claim(id="u1", repo=None, cites=(EVENT, f"{ROUTER}@{LIMIT}"), **claim_fields)
    earlier = earlier.model_copy(update={"claims": (*earlier.claims, tie)})
    both = without_model(earlier)
    both = both.model_copy(update={"claims": tuple(claim for claim in both.claims if claim != tie)})
    assert tie not in merge(earlier, both).claims
    only_cache = both.model_copy(
        update={
            "repos": (CACHE,),
            "sections": tuple(section for section in both.sections if section.repo == CACHE),
            "ledger": both.rows(CACHE),
        }
    )
    assert tie in merge(earlier, only_cache).claims


@pytest.mark.parametrize("covered", [True, False])
def test_a_brief_that_failed_is_told_until_a_run_covers_something(covered: bool) -> None:
    failure = Failure(repo=None, stage="brief", message="unexpected KeyError")
    earlier = analysed_report().model_copy(update={"failures": (failure,)})
    new = analysed_report()
    if not covered:
        new = new.model_copy(update={"sections": (), "ledger": (), "claims": ()})
    assert (failure in merge(earlier, new).failures) is not covered
