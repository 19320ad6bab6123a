"""What stands on a card, in which order and section, and what is folded."""

import re
from datetime import UTC, date, datetime
from html.parser import HTMLParser
from typing import get_args

import pytest

from agent.browser_urls import Web
from agent.domain.account import Account, Fallback, fallback
from agent.domain.affected_versions import Affected
from agent.domain.base import LANGUAGES, Language, RepoId
from agent.domain.claims import MARK, Anchor, Claim, Kind, Quote
from agent.domain.evidence_id import EvidenceId
from agent.domain.ledger import LedgerRow, OwnUse, Tier
from agent.domain.links import Story, StoryStep
from agent.domain.placement import CommitGroup, Importance, Placement
from agent.domain.release_notes import ReleaseEntry, ReleaseNotes
from agent.domain.report import ReleaseLine, Report, RepoSection
from agent.domain.versions import VersionSpan
from agent.domain.window import Window
from agent.model_errors import ModelError
from agent.reports.commit_order import in_report_order, leading_rows
from agent.reports.page_model import PageModel
from agent.reports.report_json import load, to_json
from agent.settings.values import Layout, Settings
from gitzette.delivery.message_content import Content
from gitzette.render.page_composition import page_model, report_page
from gitzette.site.pages import Pages
from tests.analysed_report import analysed_report
from tests.gitzette.conftest import Demonstration

WEB = Web("https://git.example")
ROUTER = RepoId("octo/router")
CACHE = RepoId("octo/cache")
DAY = date(2026, 2, 4)
AT = datetime(2026, 2, 4, 9, tzinfo=UTC)
FOLD = re.compile(r"<details>(?:(?!<details>).)*?</details>", re.DOTALL)
MUST_KNOW = Importance.MUST_KNOW
WORTH_KNOWING = Importance.WORTH_KNOWING
MINOR = Importance.MINOR
NOISE = Importance.NOISE


# ---------------------------------------------------------------- making reports


def row_of(
    repo: RepoId,
    number: int,
    importance: Importance | None = None,
    order: int = 1,
    **given: object,
) -> LedgerRow:
    placement = None
    if importance is not None:
        placement = Placement(
            importance=importance, order=order, reason=f"reason {number}", decided_by="model"
        )
    title = f"Commit {number} of {repo}"
    values = {
        "repo": repo,
        "sha": f"{number:040x}",
        "depth": "deep",
        "reason": "made up",
        "late": False,
        "subject": title,
        "title": title,
        "author": "ada",
        "landed_at": AT,
        "members": 0,
        "files": 1,
        "additions": 1,
        "deletions": 1,
        "tier": Tier.MID,
        "placement": placement,
    }
    return LedgerRow.model_validate(values | given)


def claim_of(row: LedgerRow, words: str, **given: object) -> Claim:
    """Claim something of a commit, in the same words in both languages."""
    values = {
        "id": f"{row.sha} {words}",
        "repo": row.repo,
        "role": "change",
        "about": (row.id,),
        "cites": (row.id,),
        "kind": Kind.STATED,
        "text": dict.fromkeys(LANGUAGES, words),
    }
    return Claim.model_validate(values | given)


def fact_of(row: LedgerRow, words: str, **given: object) -> Claim:
    return claim_of(row, words, kind=Kind.FACT, predicate="fact", **given)


def advice_of(row: LedgerRow, words: str) -> Claim:
    return claim_of(row, words, kind=Kind.ADVICE, role="advice")


def breaking_fact(row: LedgerRow, words: str) -> Claim:
    return fact_of(row, words, params={"severity": "breaking", "name": "x"})


def report_of(*rows: LedgerRow, claims: tuple[Claim, ...] = (), **given: object) -> Report:
    repos = tuple(dict.fromkeys(row.repo for row in rows))
    sections = []
    for repo in repos:
        sections.append(RepoSection(repo=repo, branch="main", tip=f"{9:040x}", coverage="read"))
    values = {
        "window": Window.days(DAY, DAY, "UTC"),
        "repos": repos,
        "sections": tuple(sections),
        "ledger": rows,
        "claims": claims,
        "analyst": "model played",
    }
    return Report.model_validate(values | given)


def model(report: Report, lang: Language = "en") -> PageModel:
    return page_model(report, lang, WEB)


def numbers(page: PageModel, section: int) -> list[int]:
    """Return the commits of a section, in its order, by the numbers they were made with."""
    return [int(item.row.sha, 16) for item in page.sections[section].items]


# ---------------------------------------------------------------- what a reader sees


def unfolded(page: str) -> str:
    while FOLD.search(page):
        page = FOLD.sub("", page)
    return page


def words_of(text: str) -> str:
    return " ".join(re.findall(r"\w+", text))


class _OutsideFolds(HTMLParser):
    """Collects the text of a page that no fold holds."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.folds = 0
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.folds += tag == "details"

    def handle_endtag(self, tag: str) -> None:
        self.folds -= tag == "details"

    def handle_data(self, data: str) -> None:
        if not self.folds:
            self.text.append(data)


def visible_words(report: Report, lang: Language) -> dict[str, str]:
    """Return what a reader sees of each page without unfolding anything."""
    pages = {}
    for layout in get_args(Layout):
        markdown = unfolded(report_page(report, lang, WEB, layout))
        pages[layout] = words_of(re.sub(r"\]\([^()\s]*\)", "] ", markdown))
    site = Pages(Settings(), "").day(model(report, lang), report.window.label, "", "")
    reader = _OutsideFolds()
    reader.feed(next(iter(site)).text)
    pages["site"] = words_of(" ".join(reader.text))
    return pages


def folded_sentences(report: Report) -> list[tuple[str, str, str]]:
    """List the admitted sentences of commits to know that some page shows only in a fold."""
    folded = []
    upper = {row.id for row in report.ledger if row.importance >= WORTH_KNOWING}
    for lang in LANGUAGES:
        for name, words in visible_words(report, lang).items():
            for claim in report.claims:
                is_of_card = bool(claim.about) and claim.about[0] in upper
                if not claim.free or not is_of_card or claim.role in ("summary", "brief"):
                    continue
                for piece in MARK.split(claim.text.get(lang, ""))[::2]:
                    if words_of(piece) not in words:
                        folded.append((f"{name} {lang}", claim.id, piece))
    return folded


# ---------------------------------------------------------------- sentences


def test_no_fold_hides_an_admitted_sentence_of_the_demonstration(
    demonstration: Demonstration,
) -> None:
    file = demonstration.out / "reports" / "2026-02-04.json"
    report = load(file.read_bytes(), "the demonstration")
    assert sum(claim.free for claim in report.claims) > 50
    assert folded_sentences(report) == []


def test_no_fold_hides_an_admitted_sentence_however_long_the_day_is() -> None:
    rows = []
    claims = []
    for number in range(1, 41):
        importance = MUST_KNOW if number % 3 else WORTH_KNOWING
        row = row_of(ROUTER, number, importance, number)
        rows.append(row)
        for sentence in range(1, 6):
            words = f"Sentence {sentence} about commit number {number} says what it does and why."
            claims.append(claim_of(row, words, kind=Kind.INFERRED))
        claims.append(advice_of(row, f"Advice about commit number {number} is to act."))
    assert folded_sentences(report_of(*rows, claims=tuple(claims))) == []
    assert folded_sentences(analysed_report()) == []


def test_sentences_keep_the_order_of_their_writer_with_the_advice_among_them() -> None:
    row = row_of(ROUTER, 1, MUST_KNOW)
    claims = (
        claim_of(row, "First."),
        advice_of(row, "Then act."),
        claim_of(row, "Last.", kind=Kind.INFERRED),
    )
    page = report_page(report_of(row, claims=claims), "en", WEB)
    assert "- First.\n- → Then act.\n- Last.°\n" in page


def test_what_is_inferred_has_a_quiet_mark_that_the_head_explains_and_none_in_the_brief() -> None:
    row = row_of(ROUTER, 1, MUST_KNOW)
    claims = (
        claim_of(row, "It may stop.", kind=Kind.INFERRED),
        claim_of(row, "In router, it may stop.", kind=Kind.INFERRED, role="brief"),
    )
    report = report_of(row, claims=claims)
    page = report_page(report, "en", WEB)
    assert "\n- It may stop.°\n" in page
    assert "\n- In router, it may stop. (" in page
    assert page.count("\n° concluded from the cited evidence") == 1
    assert page.index("\n° concluded") < page.index("\n- It may stop.°\n")
    assert "**Inferred**" not in page
    stated = report_of(row, claims=(claim_of(row, "It stops."),))
    assert "°" not in report_page(stated, "en", WEB)


def test_a_breaking_fact_that_a_sentence_tells_is_proof_and_one_that_none_tells_is_in_sight() -> (
    None
):
    row = row_of(ROUTER, 1, MUST_KNOW)
    claims = (
        claim_of(row, "Calls of `top_k` fail now."),
        breaking_fact(row, "The function `top_k` is removed."),
        breaking_fact(row, "The flag `--slow` is removed."),
    )
    page = report_page(report_of(row, claims=claims), "en", WEB)
    assert "The function `top_k` is removed." in page
    assert "The function `top_k` is removed." not in unfolded(page)
    assert "The flag `--slow` is removed." in unfolded(page)
    assert unfolded(page).count("**breaking**") == 1


def test_a_summary_of_what_the_brief_tells_is_folded_and_makes_no_section_of_its_own() -> None:
    row = row_of(ROUTER, 1, MUST_KNOW)
    other = row_of(ROUTER, 2, MUST_KNOW, 2)
    claims = (
        claim_of(row, "In router, calls of `top_k` fail.", role="brief", repo=None),
        claim_of(row, "Calls of `top_k` fail today.", role="summary", about=()),
    )
    for layout in get_args(Layout):
        page = report_page(report_of(row, other, claims=claims), "en", WEB, layout)
        assert "Calls of `top_k` fail today." in page
        assert "Calls of `top_k` fail today." not in unfolded(page)
        assert page.index("fail today") < page.index("Commit 2 of octo/router\n")
    assert not model(report_of(row, other, claims=claims)).repos[0].has_news
    fresh = claim_of(other, "The second commit is told here alone.", role="summary", about=())
    page = report_page(report_of(row, other, claims=(*claims, fresh)), "en", WEB)
    assert "The second commit is told here alone." in unfolded(page)
    # Below the brief: it is no proof of its commit, and no news at the end of the page.
    proof = "".join(fold for fold in FOLD.findall(page) if "<summary>Proof" in fold)
    assert "fail today" not in proof
    assert page.index("told here alone") < page.index("## Must know")


def test_a_summary_in_the_words_of_a_headline_or_of_the_brief_is_not_told_again() -> None:
    row = row_of(ROUTER, 1, MUST_KNOW)
    other = row_of(ROUTER, 2, MUST_KNOW, 2)
    claims = (
        claim_of(row, "Calls of `top_k` fail", role="headline"),
        claim_of(row, "They raise an error."),
        claim_of(other, "Routes are cached", role="headline"),
        claim_of(row, "In router, the call `pick` fails too.", role="brief", repo=None),
        claim_of(row, "Calls of `top_k` fail.", role="summary", about=()),
        claim_of(row, "The call `pick` fails too.", role="summary", about=()),
        claim_of(other, "Routes are cached.", role="summary", about=()),
    )
    for layout in get_args(Layout):
        page = report_page(report_of(row, other, claims=claims), "en", WEB, layout)
        body = page.partition("\n\n")[2]  # Without the title, which is the first headline
        assert body.count("Calls of `top_k` fail") == 1
        assert body.count("call `pick` fails too.") == 1
        assert body.count("Routes are cached") == 1


def test_the_paragraph_about_a_repository_stands_below_the_brief_or_on_top_of_its_part() -> None:
    rows = (row_of(ROUTER, 1, MUST_KNOW), row_of(CACHE, 2, MUST_KNOW))
    claims = (
        claim_of(rows[0], "In router, it stops.", role="brief", repo=None),
        claim_of(rows[1], "Keys are hashed twice today.", role="summary", about=()),
    )
    report = report_of(*rows, claims=claims)
    digest = report_page(report, "en", WEB)
    paragraph = "**octo/cache**: Keys are hashed twice today."
    assert digest.index("it stops") < digest.index(paragraph) < digest.index("\n## ")
    ledger = report_page(report, "en", WEB, "ledger")
    places = [ledger.index(text) for text in ("## octo/cache\n", "hashed twice", "Commit 2 of")]
    assert places == sorted(places)
    site = next(iter(Pages(Settings(), "").day(model(report), "2026-02-04", "", ""))).text
    assert site.index("it stops") < site.index("hashed twice") < site.index('class="tier"')


def followed_up(cites_first: bool) -> Report:
    """Return a day whose second step follows a commit of another day."""
    row = row_of(ROUTER, 2, WORTH_KNOWING)
    first = EvidenceId.commit(ROUTER, f"{1:040x}")
    release = EvidenceId.listed(ROUTER, revision="v1.0")
    steps = (
        StoryStep(cite=first, at=AT, act="landed", title="Add rooms"),
        StoryStep(cite=release, at=AT, act="released", title="v1.0"),
        StoryStep(cite=row.id, at=AT, act="follow-up", title=row.title),
    )
    story = Story(
        kind="follow-up",
        repo=ROUTER,
        steps=tuple(step.cite for step in steps),
        timeline=steps,
        news=(row.id,),
    )
    cites = (row.id, first) if cites_first else (row.id,)
    claims = (claim_of(row, "Rooms have doors.", cites=cites),)
    return report_of(row, claims=claims, stories=(story,))


@pytest.mark.parametrize("is_on_card", [True, False])
def test_a_follow_up_is_listed_only_if_a_card_lacks_one_of_its_steps(is_on_card: bool) -> None:
    report = followed_up(cites_first=is_on_card)
    page = model(report)
    assert len(page.repos[0].stories) == 1
    for layout in get_args(Layout):
        assert ("Follow-ups (1)" in report_page(report, "en", WEB, layout)) != is_on_card
    site = next(iter(Pages(Settings(), "").day(page, "2026-02-04", "", ""))).text
    assert ("Follow-ups" in site) != is_on_card


def test_the_signs_of_a_page_are_explained_once_where_the_first_one_is_met() -> None:
    row = row_of(ROUTER, 1, MUST_KNOW)
    claims = (
        claim_of(row, "In router, it may stop.", role="brief", repo=None),
        claim_of(row, "It may stop.", kind=Kind.INFERRED),
    )
    report = report_of(row, claims=claims)
    site = next(iter(Pages(Settings(), "").day(model(report), "2026-02-04", "", ""))).text
    assert site.count('class="legend"') == 1
    legend = site[site.index('class="legend"') :].partition("</p>")[0]
    assert "°" in legend
    assert "†" not in legend
    assert site.index("router, it may stop") < site.index('class="legend"') < site.index("<h2>")


def test_lines_of_a_file_are_cited_by_its_name_and_their_numbers() -> None:
    row = row_of(ROUTER, 1, MUST_KNOW)
    lines = EvidenceId.lines(ROUTER, row.sha, "src/kernels/launcher.cu", 9, 12)
    claims = (claim_of(row, "Tiles are listed there.", cites=(row.id, lines)),)
    page = report_page(report_of(row, claims=claims), "en", WEB)
    assert f"[`launcher.cu#L9-L12`]({WEB.lines(ROUTER, row.sha, lines.path, 9, 12)})" in page


def test_a_sentence_leads_to_the_lines_that_it_rests_on_of_all_that_were_looked_up() -> None:
    row = row_of(ROUTER, 1, MUST_KNOW)
    lines = EvidenceId.lines(ROUTER, row.sha, "src/kernels/launcher.cu", 24, 516)
    anchors = [
        Anchor(cite=lines, text="tiles", lines=(173, 173)),
        Anchor(cite=lines, text="more tiles", lines=(180, 181)),
        Anchor(cite=row.id, text="+tiles", file="launcher.cu"),
    ]
    for count, name, first, last in ((1, "#L173", 173, 173), (3, "#L173-L181", 173, 181)):
        claim = claim_of(row, "Tiles are listed there.", cites=(row.id, lines))
        claim = claim.model_copy(update={"anchors": tuple(anchors[:count])})
        page = report_page(report_of(row, claims=(claim,)), "en", WEB)
        url = WEB.lines(ROUTER, row.sha, lines.path, first, last)
        assert url.endswith(name)
        assert f"[`launcher.cu{name}`]({url})" in page


def test_a_reason_in_another_language_gives_way_to_the_marks_of_the_commit() -> None:
    row = row_of(ROUTER, 1, MUST_KNOW, marks=("fix",))
    assert model(report_of(row)).items[row.id].why == "reason 1 (decided by the model)"
    assert model(report_of(row), "zh").items[row.id].why == "由模型决定；按规则：修复"


def test_a_place_without_a_reason_has_no_line_that_says_who_decided() -> None:
    row = row_of(ROUTER, 1, MUST_KNOW)
    assert model(report_of(row), "zh").items[row.id].why == ""
    page = report_page(report_of(row, claims=(claim_of(row, "It stops."),)), "zh", WEB)
    assert "由模型决定" not in page
    assert "为何放在这里" not in page


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_card_says_since_which_commit_versions_are_affected(lang: Language) -> None:
    introduced = EvidenceId.commit(ROUTER, "2ec0c9b0a" + "0" * 31)
    affected = Affected(
        introduced=introduced,
        title="Compile routes",
        proof="lines",
        contains_fault=("v0.6.14",),
        contains_fix=(),
        fault_spans=(VersionSpan(first="v0.6.14", last="v0.6.14"),),
    )
    row = row_of(ROUTER, 1, MUST_KNOW, affected=affected)
    page = report_page(report_of(row, claims=(claim_of(row, "It raises now."),)), lang, WEB)
    lines = [line for line in page.split("\n") if "2ec0c9b0a" in line]
    assert len(lines) == 1
    assert lines[0] in unfolded(page)
    assert "`v0.6.14`" in lines[0]
    assert "“Compile routes”" in lines[0]
    # Lines alone make no fix of it.
    assert not any(word in lines[0] for word in ("fix", "修复"))


@pytest.mark.parametrize(
    ("title", "is_shown"),
    [
        ("fix(moe): cap top_k at 8", False),
        ("[Bugfix][MoE] Cap `top_k` at 8 (#12)", False),
        ("fix(moe): cap top_k at 8 on Hopper", True),
    ],
)
def test_a_title_stands_below_a_headline_only_if_it_says_something_else(
    title: str, is_shown: bool
) -> None:
    row = row_of(ROUTER, 1, MUST_KNOW, title=title)
    claims = (claim_of(row, "Cap of `top_k` is 8 now", role="headline"), claim_of(row, "At last."))
    page = report_page(report_of(row, claims=claims), "en", WEB)
    assert ("moe" in page.casefold()) == is_shown


# ---------------------------------------------------------------- order and sections


def test_repositories_take_turns_in_the_order_of_the_editor() -> None:
    rows = [
        row_of(ROUTER, 1, WORTH_KNOWING, 4, weight=9.0),
        row_of(ROUTER, 2, MUST_KNOW, 2),
        row_of(ROUTER, 3, MUST_KNOW, 1),
        row_of(ROUTER, 4, MINOR, 5),
        row_of(CACHE, 5, WORTH_KNOWING, 2),
        row_of(CACHE, 6, MUST_KNOW, 1),
        row_of(CACHE, 7, WORTH_KNOWING, 3),
    ]
    ordered = [int(row.sha, 16) for row in in_report_order(rows)]
    assert ordered == [3, 6, 2, 1, 5, 7, 4]
    claims = tuple(advice_of(row, f"Act on {row.sha}.") for row in rows)
    page = model(report_of(*rows, claims=claims))
    assert [numbers(page, section) for section in range(3)] == [[3, 6, 2], [1, 5, 7], [4]]


def test_without_an_editor_commits_stand_by_their_weight() -> None:
    rows = [row_of(ROUTER, number, weight=float(number)) for number in (1, 3, 2)]
    rows.append(row_of(CACHE, 4, tier=Tier.HIGH, weight=0.5))
    assert [int(row.sha, 16) for row in in_report_order(rows)] == [4, 3, 2, 1]


def test_the_brief_is_written_from_what_matters_most_with_every_repository_in_it() -> None:
    rows = [row_of(ROUTER, number, MUST_KNOW, number) for number in range(1, 8)]
    rows += [row_of(CACHE, 8, WORTH_KNOWING, 1), row_of(RepoId("octo/quiet"), 9, MINOR, 1)]
    leading = [int(row.sha, 16) for row in leading_rows(rows, 4)]
    assert leading == [1, 2, 3, 8]


def test_the_title_is_the_headline_of_what_the_brief_begins_with() -> None:
    router = row_of(ROUTER, 1, MUST_KNOW)
    cache = row_of(CACHE, 2, MUST_KNOW)
    claims = (
        claim_of(router, "The router is tidied up", role="headline"),
        advice_of(router, "Rename your calls."),
        claim_of(cache, "The cache returns wrong values", role="headline"),
        claim_of(cache, "In cache, values were mixed up.", role="brief", repo=None),
    )
    page = model(report_of(router, cache, claims=claims))
    assert page.lead == "The cache returns wrong values"
    assert page.leading_repo == CACHE
    by_rules = model(report_of(router, cache, claims=claims[:3]))
    assert by_rules.lead == "The router is tidied up"


def test_what_must_be_known_and_what_own_code_uses_leads_the_page() -> None:
    rows = [row_of(ROUTER, number, MUST_KNOW, number) for number in (1, 2, 3)]
    rows += [row_of(ROUTER, number, WORTH_KNOWING, number) for number in (4, 5, 6)]
    claims = (
        advice_of(rows[0], "Pin the old version."),
        breaking_fact(rows[1], "The flag `--slow` is removed."),
        claim_of(rows[2], "It is four times as fast."),
        advice_of(rows[3], "Try it."),
        breaking_fact(rows[4], "The flag `--fast` is removed."),
    )
    use = OwnUse(repo=ROUTER, sha=rows[5].sha, name="top_k", file="main.py", line=3)
    page = model(report_of(*rows, claims=claims, uses=(use,)))
    assert numbers(page, 0) == [1, 2, 3, 6]
    assert numbers(page, 1) == [4, 5]


def test_what_authors_call_breaking_is_named_at_the_head_beside_what_is_certain_to_break() -> None:
    rows = [row_of(ROUTER, number, MUST_KNOW, number) for number in (1, 2, 3)]
    rows[1] = rows[1].model_copy(update={"title": "[BC Breaking] Promote division"})
    rows[2] = rows[2].model_copy(update={"title": "[Breaking] Rename the flag"})
    claims = (
        breaking_fact(rows[0], "The flag `--slow` is removed."),
        breaking_fact(rows[2], "The flag `--fast` is removed."),
    )
    page = model(report_of(*rows, claims=claims))
    assert [item.row for item in page.marked_breaking] == [rows[1]]
    for layout in get_args(Layout):
        markdown = report_page(page.report, "en", WEB, layout)
        named = "**Breaking by their authors' word** (1): [\\[BC Breaking\\] Promote division]("
        assert named in markdown
    site = next(iter(Pages(Settings(), "").day(page, "2026-02-04", "", ""))).text
    assert "Breaking by their authors&#39; word" in site


def test_advice_about_what_is_worth_knowing_is_a_short_row_that_leads_to_its_card() -> None:
    rows = [row_of(ROUTER, 1, MUST_KNOW, 1), row_of(CACHE, 2, WORTH_KNOWING, 1)]
    rows += [row_of(CACHE, 3, WORTH_KNOWING, 2), row_of(CACHE, 4, WORTH_KNOWING, 3)]
    claims = (
        advice_of(rows[0], "Pin the old version."),
        claim_of(rows[1], "The cache has another layout", role="headline"),
        claim_of(rows[1], "Keys are hashed twice."),
        advice_of(rows[1], "Empty the cache before you upgrade."),
        breaking_fact(rows[2], "The flag `--fast` is removed."),
        claim_of(rows[3], "It is four times as fast."),
    )
    report = report_of(*rows, claims=claims)
    page = model(report)
    act_on = page.sections[0]
    assert numbers(page, 0) == [1]
    assert [int(item.row.sha, 16) for item in act_on.short_rows] == [2, 3]
    assert [section.size for section in page.sections[:2]] == [1, 3]
    for layout in get_args(Layout):
        markdown = report_page(report, "en", WEB, layout)
        # By its number alone: the headline stands on the card, and the list is no second page.
        row = "[`0000000`](#the-cache-has-another-layout)"
        assert markdown.count(row) == 1
        assert markdown.count("The cache has another layout") == 1
        assert markdown.index(row) < markdown.index("## The cache has another layout\n")
        assert markdown.count("Keys are hashed twice.") == 1
        assert markdown.count("Empty the cache before you upgrade.") == 1
    site = next(iter(Pages(Settings(), "").day(page, "2026-02-04", "", ""))).text
    act_on_part = site[site.index('id="act-on"') : site.index('id="worth-knowing"')]
    card = page.items[rows[1].id].element_id
    assert f'<a href="#{card}" title="The cache has another layout">0000000</a>' in act_on_part
    assert "Empty the cache before you upgrade." not in act_on_part
    assert site.count("Empty the cache before you upgrade.") == 1
    assert "Keys are hashed twice." not in act_on_part


def test_a_release_that_breaks_something_leads_before_one_that_does_not() -> None:
    report = released_report(prerelease=False)
    quiet = ReleaseLine(
        tag="v2.0.1",
        name="",
        published_at=AT,
        prerelease=False,
        notes=ReleaseNotes(previous="v2.0.0", commits=1),
    )
    sections = []
    for section in report.sections:
        if section.repo == ROUTER:
            section = section.model_copy(update={"releases": (quiet,)})
        sections.append(section)
    page = model(report.model_copy(update={"sections": tuple(sections)}))
    assert [card.repo for card in page.releases] == [CACHE, ROUTER]
    assert page.leading_repo == CACHE


def test_facts_that_break_something_lead_the_brief_without_a_model() -> None:
    rows = [row_of(ROUTER, number, WORTH_KNOWING, number) for number in (1, 2)]
    claims = (
        fact_of(rows[0], "In `f`, `1` becomes `2`."),
        breaking_fact(rows[1], "The flag `--fast` is removed."),
    )
    page = model(report_of(*rows, claims=claims))
    assert [sentence.text for sentence in page.brief] == [
        "The flag `--fast` is removed.",
        "In `f`, `1` becomes `2`.",
    ]


def test_news_of_a_relation_name_the_earlier_commit_by_its_title() -> None:
    row = row_of(ROUTER, 2, MUST_KNOW, 1)
    earlier = EvidenceId(f"{ROUTER}@{1:040x}")
    story = Story(
        kind="revert",
        repo=ROUTER,
        steps=(earlier, row.id),
        timeline=(
            StoryStep(cite=earlier, act="landed", at=AT, title="Add rooms"),
            StoryStep(cite=row.id, act="undone", at=AT, title=row.title),
        ),
        news=(row.id,),
        text={},
    )
    words = {"en": "Reverts [@2].", "zh": "撤销 [@2]。"}
    cites = (row.id, earlier)
    given = {"kind": Kind.FACT, "predicate": "undoes", "cites": cites, "text": words}
    undoes = claim_of(row, "", **given)
    page = model(report_of(row, claims=(undoes,), stories=(story,)))
    assert page.headline == "router: Reverts “Add rooms”"
    assert page.brief[0].text == "Reverts 0000000 “Add rooms”."


def test_what_is_out_again_has_no_short_row() -> None:
    rows = [row_of(ROUTER, number, WORTH_KNOWING, number) for number in (1, 2)]
    story = Story(
        kind="revert",
        repo=ROUTER,
        steps=(rows[0].id, rows[1].id),
        timeline=(
            StoryStep(cite=rows[0].id, act="landed", at=AT, title="Add"),
            StoryStep(cite=rows[1].id, act="undone", at=AT, title="Revert"),
        ),
        news=(rows[0].id, rows[1].id),
        text={},
    )
    claims = (advice_of(rows[1], "Do not use it."),)
    page = model(report_of(*rows, claims=claims, stories=(story,)))
    assert page.items[rows[1].id].undid is not None
    assert page.sections[0].short_rows == ()


@pytest.mark.parametrize(("written", "lang"), [("en", "zh"), ("zh", "en")])
def test_a_page_in_another_language_shows_the_sentences_as_written_and_says_so(
    written: Language, lang: Language
) -> None:
    row = row_of(ROUTER, 1, MUST_KNOW)
    words = {"en": "Routes are cached.", "zh": "路由现在有缓存。"}[written]
    text = {written: words}
    claims = (
        claim_of(row, words, text=text),
        claim_of(row, words, text=text, role="brief", repo=None),
        fact_of(row, "The flag `--fast` is new."),
    )
    report = report_of(row, claims=claims)
    page = model(report, lang)
    assert page.analysed
    assert page.foreign_languages == (written,)
    notice = {
        "zh": "本报告的分析句只有 English 版本",
        "en": "The sentences of this report were written in 中文 only",
    }[lang]
    for visible in visible_words(report, lang).values():
        assert visible.count(words_of(words)) == 2
        assert visible.index(words_of(notice)) < visible.index(words_of(words))
    site = next(iter(Pages(Settings(), "").day(page, "2026-02-04", "", ""))).text
    assert f'<li class="stated" lang="{written}">' in site
    assert model(report, written).foreign_languages == ()


def test_a_card_can_say_why_it_stands_where_it_stands_and_who_decided() -> None:
    row = row_of(ROUTER, 1, MUST_KNOW)
    report = report_of(row, claims=(claim_of(row, "It stops."),))
    page = report_page(report, "en", WEB)
    assert "Why it stands here: reason 1 (decided by the model)" in page
    assert "reason 1" not in unfolded(page)
    files = list(Pages(Settings(), "").day(model(report), "2026-02-04", "", ""))
    assert len(files) == 2
    assert all("reason 1 (decided by the model)" in file.text for file in files)


# ---------------------------------------------------------------- lines and folds


def test_minor_commits_have_a_line_each_in_sight_and_noise_is_folded_by_title() -> None:
    rows = [
        row_of(ROUTER, 1, MINOR, 1),
        row_of(ROUTER, 2, MINOR, 2),
        row_of(ROUTER, 3, MINOR, 3),
        row_of(ROUTER, 4, MINOR, 4),
        row_of(ROUTER, 5, NOISE, 5, noise="docs"),
    ]
    speech = Quote(cite=rows[2].id, text="Saves a copy of the mask.")
    lines = Quote(cite=rows[3].id, text="-old = 1\n+new = 2", file="a.py")
    claims = (
        claim_of(rows[0], "The cache is warmed earlier."),
        fact_of(rows[0], "The function `warm` is added."),
        fact_of(rows[1], "The default of `size` changes from `1` to `2`."),
        fact_of(rows[1], "The function `grow` is added."),
        claim_of(rows[2], "", kind=Kind.QUOTATION, speech=True, quotes=(speech,), text={}),
        claim_of(rows[3], "", kind=Kind.FACT, predicate="shows", quotes=(lines,), text={}),
    )
    page = report_page(report_of(*rows, claims=claims), "en", WEB)
    seen = unfolded(page)
    assert "- The cache is warmed earlier. — Commit 1 of octo/router" in seen
    assert "- The default of `size` changes from `1` to `2`. — Commit 2" in seen
    assert "- The author writes: “Saves a copy of the mask.” — Commit 3" in seen
    assert "- Commit 4 of octo/router" in seen
    assert "+new = 2" in seen
    assert "`grow`" not in seen
    assert "`grow`" in page
    assert "Commit 5" not in seen
    assert "Commit 5" in page


def test_a_card_without_a_model_shows_facts_else_the_authors_words_else_the_lines() -> None:
    rows = [row_of(ROUTER, number, weight=9.0 - number) for number in (1, 2, 3, 4)]
    speech = Quote(cite=rows[1].id, text="Saves a copy of the mask.")
    lines = Quote(cite=rows[2].id, text="-old = 1\n+new = 2", file="a.py")
    claims = (
        fact_of(rows[0], "The function `warm` is added."),
        fact_of(rows[0], "The function `cool` is added."),
        claim_of(rows[1], "", kind=Kind.QUOTATION, speech=True, quotes=(speech,), text={}),
        claim_of(rows[2], "", kind=Kind.FACT, predicate="shows", quotes=(lines,), text={}),
    )
    rows[3] = rows[3].model_copy(update={"places": ("src/last.py",)})
    report = report_of(*rows, claims=claims, analyst="rules")
    for layout in get_args(Layout):
        seen = unfolded(report_page(report, "en", WEB, layout))
        assert "- The function `cool` is added." in seen
        assert "- The author writes: “Saves a copy of the mask.”" in seen
        assert "+new = 2" in seen
        assert "`src/last.py`" in seen


def test_what_the_budget_left_out_is_said_in_sight() -> None:
    rows = [row_of(ROUTER, number, WORTH_KNOWING, number) for number in (1, 2, 3)]
    reason = "the budget of 100 calls is spent"
    fallbacks = [Fallback(part="explaining", reason=reason, about=row.id) for row in rows[1:]]
    report = report_of(*rows, claims=(claim_of(rows[0], "It stops."),))
    sections = [
        section.model_copy(update={"account": Account(fallbacks=tuple(fallbacks))})
        for section in report.sections
    ]
    report = report.model_copy(update={"sections": tuple(sections)})
    for words in visible_words(report, "en").values():
        assert "Told without analysis 2 commits" in words
        assert words_of(reason) in words


def test_a_limit_that_left_commits_out_is_named_in_the_language_of_the_page() -> None:
    row = row_of(ROUTER, 1, WORTH_KNOWING)
    error = ModelError("m is asked no more: the run has used its 9 calls", limit="calls")
    report = report_of(row)
    section = report.sections[0]
    section = section.model_copy(update={"account": fallback("explaining", error, row.id)})
    report = report.model_copy(update={"sections": (section,)})
    assert model(report, "zh").left_out == ("1 个提交未经分析，原因：模型调用次数已达上限。",)
    assert model(report).left_out == (
        "Told without analysis: 1 commit, because of the limit of calls, which is reached.",
    )


# ---------------------------------------------------------------- releases


def released_report(*, prerelease: bool) -> Report:
    """Return an analysed day on which a version came out with three breaks of two commits."""
    row = row_of(ROUTER, 1, MUST_KNOW)
    commits = [EvidenceId.commit(CACHE, f"{number:040x}") for number in (7, 8)]
    entries = []
    for number, commit in enumerate((commits[0], commits[0], commits[1])):
        text = dict.fromkeys(LANGUAGES, f"`name{number}` is gone.")
        entries.append(ReleaseEntry(part="breaks", text=text, commits=(commit,)))
    notes = ReleaseNotes(previous="v1.0.0", commits=9, entries=tuple(entries))
    release = ReleaseLine(
        tag="v1.1.0", name="", published_at=AT, prerelease=prerelease, notes=notes
    )
    claims = (
        claim_of(row, "The router is tidied up", role="headline"),
        claim_of(row, "In router, routes are sorted.", role="brief", repo=None),
    )
    report = report_of(row, row_of(CACHE, 2, MINOR), claims=claims)
    sections = []
    for section in report.sections:
        releases = (release,) if section.repo == CACHE else ()
        sections.append(section.model_copy(update={"releases": releases}))
    return report.model_copy(update={"sections": tuple(sections)})


@pytest.mark.parametrize(
    ("lang", "headline", "count"),
    [
        ("en", "cache v1.1.0 is out: 3 breaking changes in 2 commits", "1 release"),
        ("zh", "cache v1.1.0 发布：3 处不兼容改动，来自 2 个提交", "发布 1"),
    ],
)
def test_a_release_is_the_title_of_an_analysed_day_and_the_first_count(
    lang: Language, headline: str, count: str
) -> None:
    report = released_report(prerelease=False)
    page = model(report, lang)
    assert page.headline == headline
    assert page.leading_repo == CACHE
    markdown = report_page(report, lang, WEB)
    assert markdown.startswith(f"# {headline}\n")
    assert f"[{count}](#" in markdown[: markdown.index("## ")]
    site = next(iter(Pages(Settings(), "").day(page, "2026-02-04", "", ""))).text
    assert f'#releases">{count}</a>' in site


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_message_says_what_the_release_of_its_title_breaks(lang: Language) -> None:
    page = model(released_report(prerelease=False), lang)
    words = [line.words for line in Content(page, WEB).lines()]
    (headline,) = [text for text in words if page.headline in text]
    assert page.releases[0].url in headline
    breaks = [text for text in words if "name0" in text or "name2" in text]
    assert len(breaks) == 2


def test_the_account_counts_the_sentences_of_the_brief_that_are_too_long() -> None:
    row = row_of(ROUTER, 1, MUST_KNOW)
    texts = ("Routes are sorted.", " ".join(["word"] * 26))
    claims = tuple(claim_of(row, text, role="brief", repo=None) for text in texts)
    report = report_of(row, claims=claims)
    line = "Sentences of the brief: 2; with more than 25 words: 1."
    assert line in model(report).account
    assert to_json(report)["footer"]["brief"] == {"sentences": 2, "long": 1}
    assert report_page(report, "en", WEB).count(texts[1]) == 1


def test_a_candidate_leaves_the_title_to_what_the_model_leads_with() -> None:
    page = model(released_report(prerelease=True))
    assert page.headline == "The router is tidied up"
    assert len(page.release_news) == 1


def test_the_filter_counts_the_commits_of_a_group_that_break_something_and_no_others() -> None:
    report = grouped_report()
    fact = breaking_fact(report.ledger[0], "The flag `--fast` is removed.")
    report = report.model_copy(update={"claims": (*report.claims, fact)})
    page = model(report)
    assert len(page.breaking) == 1
    site = next(iter(Pages(Settings(), "").day(page, "2026-02-04", "", ""))).text
    assert 'data-commits="3" data-breaking="1"' in site


# ---------------------------------------------------------------- groups


def grouped_report() -> Report:
    rows = [
        row_of(ROUTER, 1, WORTH_KNOWING, 1),
        row_of(ROUTER, 2, MUST_KNOW, 1),
        row_of(ROUTER, 3, MINOR, 3),
        row_of(ROUTER, 4, WORTH_KNOWING, 2),
    ]
    group = CommitGroup(
        repo=ROUTER,
        commits=(rows[1].id, rows[0].id, rows[2].id),
        label={"en": "Kernels for Blackwell", "zh": "Blackwell 核函数"},
    )
    claims = tuple(claim_of(row, f"Sentence about number{int(row.sha, 16)}.") for row in rows)
    return report_of(*rows, claims=claims, groups=(group,))


@pytest.mark.parametrize(
    ("lang", "label"), [("en", "Kernels for Blackwell"), ("zh", "Blackwell 核函数")]
)
def test_a_group_is_one_card_with_one_headline_and_the_sentences_of_its_commits(
    lang: Language, label: str
) -> None:
    report = grouped_report()
    page = model(report, lang)
    cards = [*page.sections[0].cards, *page.sections[1].cards]
    assert [card.headline for card in cards] == [label, "Commit 4 of octo/router"]
    assert numbers(page, 0) + numbers(page, 1) == [2, 1, 3, 4]
    assert [section.size for section in page.sections[:2]] == [3, 1]
    for words in visible_words(report, lang).values():
        positions = [words.index(f"Sentence about number{number}") for number in (2, 1, 3, 4)]
        assert positions == sorted(positions)
        assert words.index(words_of(label)) < positions[0]
    assert report_page(report, lang, WEB).count(f"### {label}\n") == 1


def test_the_title_of_a_page_is_a_sentence_about_its_first_commit_and_no_label_of_a_group() -> None:
    report = grouped_report()
    sentence = claim_of(report.ledger[1], "Kernels run on Blackwell GPUs", role="headline")
    report = report.model_copy(update={"claims": (*report.claims, sentence)})
    page = model(report)
    assert page.sections[0].cards[0].headline == "Kernels for Blackwell"
    assert page.headline == "router: Kernels run on Blackwell GPUs"
    assert page.news == "router: Kernels run on Blackwell GPUs · 4 commits"
    for layout in get_args(Layout):
        assert report_page(report, "en", WEB, layout).startswith(f"# {page.headline}\n")


def test_the_title_names_the_repository_once() -> None:
    row = row_of(ROUTER, 1, MUST_KNOW)
    headline = claim_of(row, "Router drops the queue", role="headline")
    assert model(report_of(row, claims=(headline,))).headline == "Router drops the queue"


def test_a_group_keeps_the_rows_and_pages_of_its_commits() -> None:
    report = grouped_report()
    ledger = report_page(report, "en", WEB, "ledger")
    table = ledger[ledger.index("All commits") :]
    assert all(f"Commit {number} of" in table for number in (1, 2, 3, 4))
    files = [file.path for file in Pages(Settings(), "").day(model(report), "2026-02-04", "", "")]
    assert len(files) == 5
    day = next(iter(Pages(Settings(), "").day(model(report), "2026-02-04", "", ""))).text
    for path in files[1:]:
        assert f'href="../{path}"' in day or f'href="../../{path}"' in day


def test_a_group_of_minor_commits_is_listed_with_its_commits() -> None:
    rows = [row_of(ROUTER, number, MINOR, number) for number in (1, 2)]
    group = CommitGroup(
        repo=ROUTER, commits=tuple(row.id for row in rows), label={"en": "Small repairs"}
    )
    claims = tuple(claim_of(row, f"Sentence about number{int(row.sha, 16)}.") for row in rows)
    report = report_of(*rows, claims=claims, groups=(group,))
    for lang in LANGUAGES:
        page = unfolded(report_page(report, lang, WEB))
        assert "- Small repairs\n\n  - Sentence about number1." in page
        assert "\n  - Sentence about number2." in page


def test_a_relation_is_in_sight_beside_the_authors_words_where_no_fact_stands() -> None:
    row = row_of(ROUTER, 1, WORTH_KNOWING)
    earlier = EvidenceId.commit(ROUTER, "e" * 40)
    quote = Quote(cite=row.id, text="Routes were lost.")
    speech = claim_of(row, "", kind=Kind.QUOTATION, speech=True, quotes=(quote,), text={})
    continues = claim_of(
        row, "Continues [@2].", kind=Kind.FACT, predicate="continues", cites=(row.id, earlier)
    )
    report = report_of(row, claims=(speech, continues))
    (section,) = [part for part in page_model(report, "en", WEB).sections if part.items]
    (item,) = section.items
    assert [sentence.claim for sentence in item.sentences] == [speech, continues]
    assert item.more == ()


def test_lines_of_an_earlier_commit_are_shown_as_its_and_never_as_those_of_the_card() -> None:
    row = row_of(ROUTER, 1, MUST_KNOW)
    earlier = EvidenceId.commit(ROUTER, "9" * 40)
    claim = claim_of(
        row,
        "`spill` kept `12` routes from the start.",
        cites=(row.id,),
        background=(earlier,),
        anchors=(Anchor(cite=earlier, text="+    kept = routes[:12]", file="spill.py"),),
    )
    page = model(report_of(row, claims=(claim,)))
    (item,) = page.items.values()
    assert item.excerpt is None
    assert [excerpt.file for excerpt in item.proofs] == ["spill.py (9999999)"]
    markdown = report_page(page.report, "en", WEB)
    assert "`spill.py (9999999)`" in markdown
