"""What a report's page shows: its order, its length, its evidence, one vocabulary, both layouts and languages."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from agent.browser_urls import Web
from agent.domain.base import Language
from agent.domain.claims import Anchor, Quote
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import Tier
from agent.domain.links import Grade, Link, Relation, Standing
from agent.domain.report import Report, ThreadLine
from agent.report_languages import catalogue
from agent.reports.page_model import PageModel, PageSentence
from agent.settings.values import Layout
from agent.triage.weights import POINTS
from evals.sets.page_quality import unfolded_words
from gitzette.render.page_composition import page_model, report_page
from tests.analysed_report import AT, HANG, LIMIT, ROUTER, SMALL, analysed_report
from tests.made_reports import FIRST, REPOS, made_day

WEB = Web("https://git.example")
LAYOUTS: tuple[Layout, ...] = ("digest", "ledger")
LANGUAGES: tuple[Language, ...] = ("en", "zh")
BOTH = pytest.mark.parametrize(
    ("lang", "layout"), [(lang, layout) for lang in LANGUAGES for layout in LAYOUTS]
)


def model(report: Report, lang: Language = "en") -> PageModel:
    return page_model(report, lang, WEB)


def without_model(report: Report) -> Report:
    facts = tuple(claim for claim in report.claims if not claim.free)
    return report.model_copy(update={"claims": facts, "analyst": "rules"})


def sentences(page: PageModel) -> Iterator[PageSentence]:
    yield from page.brief
    yield from (entry for item in page.items.values() for entry in item.fresh)
    yield from (entry for part in page.repos for entry in part.summary)


@BOTH
def test_a_page_goes_from_the_brief_over_what_to_act_on_to_what_is_folded(
    lang: Language, layout: Layout
) -> None:
    words = catalogue(lang)["page"]["tiers"]
    page = report_page(analysed_report(), lang, WEB, layout)
    count = {"en": " ({})", "zh": "（{}）"}[lang]
    order = [
        "- ",
        f"# {words['act on']}{count.format(1)}",
        f"# {words['worth knowing']}{count[:-3]}",
        f"# {words['also landed']}{count[:-3]}",
        "---",
    ]
    places = [page.index(entry) for entry in order]
    assert places == sorted(places)
    assert "8 experts" in page[: places[1]] or "8 个专家" in page[: places[1]]


@BOTH
def test_commits_that_ask_for_no_attention_are_folded_by_the_folder_they_are_in(
    lang: Language, layout: Layout
) -> None:
    report = made_day(FIRST, most=6)
    rows = []
    for number, row in enumerate(report.ledger):
        noise = {"tier": Tier.LOW, "noise": "docs"}
        areas = ({"docs/guide": 9, "src/router": 2}, {"docs/api": 1}, {".": 3}, {})[number % 4]
        rows.append(row.model_copy(update={"areas": areas, **noise}))
    first = REPOS[0]
    rows = [row for row in rows if row.repo == first][:4]
    assert len(rows) == 4
    update: dict[str, Any] = {"ledger": tuple(rows), "sections": report.sections[:1]}
    update |= {"claims": (), "stories": (), "links": (), "repos": (first,)}
    page = report_page(report.model_copy(update=update), lang, WEB, layout)
    folds = re.findall("<summary>(.*?)</summary>", page)
    expected = {
        "en": ["docs (2): Documents", "files in no folder (1): Documents", "Others (1): Documents"],
        "zh": ["docs（2）：文档", "根目录（1）：文档", "其余（1）：文档"],
    }
    assert [fold for fold in folds if fold in expected[lang]] == expected[lang]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_headline_in_the_readers_language_stands_above_the_original_title(lang: Language) -> None:
    item = model(analysed_report(), lang).items[EvidenceId.commit(ROUTER, LIMIT)]
    assert (
        item.headline
        == {"en": "Routing refuses more than 8 experts", "zh": "路由不再接受超过 8 个专家"}[lang]
    )
    assert item.title == "fix(moe): cap topK"
    bare = model(without_model(analysed_report()), lang).items[EvidenceId.commit(ROUTER, LIMIT)]
    assert (bare.headline, bare.title) == ("fix(moe): cap topK", "")


def test_without_a_model_the_weightiest_facts_are_the_brief_and_are_not_told_again() -> None:
    page = model(without_model(analysed_report()))
    assert not page.analysed
    assert page.brief[0].text.startswith("The default of the flag `topK`")
    item = page.sections[0].cards[0].first
    assert [entry.text for entry in item.in_brief] == [page.brief[0].text]
    assert page.brief[0].text not in [entry.text for entry in item.fresh]


@BOTH
def test_a_long_day_has_all_its_commits_and_short_excerpts(lang: Language, layout: Layout) -> None:
    report = made_day(FIRST, most=14)
    page = report_page(report, lang, WEB, layout)
    assert len(report.ledger) > 60
    assert all(row.sha in page for row in report.ledger)
    assert all(
        len(entry.lines) <= 8
        for item in model(report, lang).items.values()
        for entry in item.proofs
    )


@BOTH
def test_a_day_of_thirty_commits_without_a_model_is_read_in_a_few_minutes(
    lang: Language, layout: Layout
) -> None:
    report = made_day(FIRST, most=5)
    assert 25 <= len(report.ledger) <= 35
    assert unfolded_words(report_page(report, lang, WEB, layout)) <= 1_400


def test_a_citation_opens_on_its_anchor_or_on_nothing() -> None:
    report = analysed_report()
    anchors: dict[str, list[Anchor | Quote]] = {
        claim.id: [*claim.anchors, *claim.quotes] for claim in report.claims
    }
    for sentence in sentences(model(report)):
        for cite in sentence.citations:
            own_anchors = [
                anchor for anchor in anchors[sentence.claim.id] if anchor.cite == cite.id
            ]
            shown_lines = [line.text for excerpt in cite.excerpts for line in excerpt.lines]
            assert all(any(line in place.text for place in own_anchors) for line in shown_lines), (
                sentence.text
            )
            assert bool(shown_lines) == bool(own_anchors), sentence.text


def test_what_only_an_issue_says_is_told_as_reported_there() -> None:
    page = report_page(analysed_report(), "en", WEB)
    assert "Reported in [`#9`](https://git.example/octo/router/issues/9): With two GPUs" in page


@BOTH
def test_what_only_an_author_says_is_told_as_the_authors_account_wherever_it_stands(
    lang: Language, layout: Layout
) -> None:
    report = analysed_report()
    legend = {"en": "† by the author's own account", "zh": "† 至少部分内容仅据作者自述"}[lang]
    assert "†" not in report_page(report, lang, WEB, layout=layout)
    claims = [
        claim.model_copy(update={"attributed": True})
        if claim.role in ("effect", "brief", "summary") and claim.free
        else claim
        for claim in report.claims
    ]
    marked = report.model_copy(update={"claims": tuple(claims)})
    for sentence in sentences(model(marked, lang)):
        # What was reported in an issue says so already.
        is_reported = catalogue(lang)["page"]["reported"].replace("{}", "").strip() in sentence.text
        is_marked = sentence.text.endswith("†")
        assert is_marked == (sentence.claim.attributed and not is_reported), sentence.text
    page = report_page(marked, lang, WEB, layout=layout)
    # Explained once: below the brief, where readers meet it first.
    assert page.count(legend) == 1
    assert page.index("†") < page.index(legend) < page.index("# ", 2)


@BOTH
def test_every_count_is_of_a_tier_and_leads_to_its_list(lang: Language, layout: Layout) -> None:
    page = report_page(analysed_report(), lang, WEB, layout)
    slugs = {
        re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-")
        for line in page.split("\n")
        if line[:1] == "#"
    }
    links = re.findall(r"\]\(#([^)]+)\)", page)
    assert len(links) >= 3
    assert all(link in slugs or re.sub(r"-\d+$", "", link) in slugs for link in links), links


def test_breaking_is_said_only_where_a_fact_of_reach_says_so() -> None:
    page = model(analysed_report())
    assert [item.row.sha for item in page.breaking] == [LIMIT]
    text = report_page(analysed_report(), "en", WEB)
    assert text.count("**breaking**") == 1
    assert "**Breaks** (1): [`topK`](#routing-refuses-more-than-8-experts" in text


def test_both_languages_have_the_same_words_with_the_same_gaps() -> None:
    def gaps(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
        if isinstance(value, dict):
            for key, entry in value.items():
                yield from gaps(entry, f"{path}.{key}")
        else:
            listed = value if isinstance(value, list) else [value]
            yield path, sorted(set(re.findall(r"\{\w*\}|\[@\d\]", " ".join(listed))) - {"{thing}"})

    english = dict(gaps(catalogue("en")))
    chinese = dict(gaps(catalogue("zh")))
    assert english.keys() == chinese.keys()
    assert POINTS.keys() <= catalogue("en")["reasons"].keys()
    loose = {".page.unreadable"}
    assert {
        key for key in english if english[key] != chinese[key] and not key.startswith(".facts")
    } <= loose


def with_link(
    relation: Relation,
    grade: Grade,
    standing: Standing | None = None,
    change: EvidenceId | None = None,
) -> Report:
    report = analysed_report()
    thread = ThreadLine(
        number=9,
        title="It hangs",
        author="o",
        event="closed",
        at=AT,
        labels=("bug",),
        standing=standing,
    )
    link = Link(
        issue=f"{ROUTER}#9", change=change or f"{ROUTER}@{HANG}", relation=relation, grade=grade
    )
    first, *rest = report.sections
    sections = (first.model_copy(update={"issues": (thread,)}), *rest)
    return report.model_copy(update={"sections": sections, "links": (link,)})


@pytest.mark.parametrize(
    ("relation", "grade", "words"),
    [
        (Relation.FIXES, Grade.A, "fixed by {} (recorded)"),
        (Relation.FIXES, Grade.C, "likely fixed by {} (inferred)"),
        (Relation.PARTLY, Grade.B, "partly fixed by {} (said)"),
        (Relation.MENTIONS, Grade.B, "{} refers to it"),
        (Relation.BECAUSE, Grade.B, "led to the revert {} (said)"),
        (Relation.STEP, Grade.B, "{} is a step of it (said)"),
        (Relation.STEP, Grade.C, "{} is likely a step of it (inferred)"),
        (Relation.CONTINUES, Grade.B, "continued by {} (said)"),
    ],
)
def test_an_issue_names_the_commit_that_addresses_it_and_how_sure_that_is(
    relation: Relation, grade: Grade, words: str
) -> None:
    page = report_page(with_link(relation, grade), "en", WEB)
    commit = f"[`{HANG[:7]}`](#two-workers-no-longer-wait-for-one-another) `#13`"
    assert f"issues/9) It hangs — o → {words.format(commit)}" in page
    assert page.count("Two workers no longer wait for one another") == 1


def test_the_account_names_the_kinds_of_text_the_writer_and_the_judge() -> None:
    kinds, *fold = model(analysed_report()).account
    assert "written by `analyst-1`" in kinds
    assert "judged by `strict-judge`. To test the judge, 8 false sentences were planted" in kinds
    assert kinds.endswith("none of them is published, and it refused 8.")
    assert sum("tokens sent" in line or "look-ups" in line for line in fold) == 1
    assert model(without_model(analysed_report())).account[0].startswith("Not analysed")


@pytest.mark.parametrize(("lang", "brackets"), [("en", " ("), ("zh", "（")])
def test_what_was_planted_to_test_the_judge_stands_in_one_bracket(
    lang: Language, brackets: str
) -> None:
    report = analysed_report()
    figures = {"controls": 68, "caught": 68, "twins": 4, "caught_twins": 4}
    judging = report.account.judging.model_copy(update=figures | {"moved": 4, "caught_moved": 4})
    account = report.account.model_copy(update={"judging": judging})
    line = model(report.model_copy(update={"account": account}), lang).account[0]
    planted = line[line.index("76") :]  # With the eight of the repositories
    assert planted.count(brackets) == 1
    assert planted.count("4") == 4


def test_quotations_cannot_leave_their_fence_and_titles_do_nothing() -> None:
    report = analysed_report()
    evil = "+```\n+# heading\n+````"
    rows = [
        row.model_copy(update={"title": "close #1 @mira <b>x</b> [a](https://evil.example)"})
        if row.sha == SMALL
        else row
        for row in report.ledger
    ]
    quoted = [
        claim.model_copy(update={"quotes": (Quote(cite=claim.cites[0], text=evil, file="a.md"),)})
        if claim.id == "p1"
        else claim
        for claim in report.claims
    ]
    page = report_page(
        report.model_copy(update={"ledger": tuple(rows), "claims": tuple(quoted)}), "en", WEB
    )
    assert "`````diff\n+```\n+# heading\n+````\n`````" in page
    assert "](https://evil" not in page
    assert "<b>" not in page.replace("\\<b\\>", "")
