"""A report with claims, in both layouts: what stands where, who answers for it, and the same in both languages."""

import re
from datetime import UTC, date, datetime

import pytest
from agent.pages import report_page, report_spans
from agent.spans import CHROME, COMPUTED, TITLE, uncited

from agent.claims import Claim, Judgement, Quote, Role, Verdict
from agent.conventions import Purpose
from agent.domain import Coverage
from agent.facts import Fact, FactKind, Severity
from agent.ids import CommitId, RepoId, ThreadId
from agent.links import Grade, Link, Relation
from agent.markdown import inline
from agent.report import Depth, Drop, LedgerRow, Report, RepoSection, ThreadLine
from agent.settings import Language, Layout
from agent.stories import Act, Step, Story, StoryKind
from agent.templates import params_of, sentence
from agent.triage import Noise, Tier
from agent.web import Web
from agent.window import Window

REPO = RepoId("octo/router")
WEB = Web("https://git.example")
AT = datetime(2026, 2, 4, 9, 30, tzinfo=UTC)
LANGUAGES: tuple[Language, ...] = ("en", "zh")
LAYOUTS: tuple[Layout, ...] = ("digest", "ledger")
HIGH, OLD, NEW, LOW, BOT, FIX = ("1" * 40, "2" * 40, "3" * 40, "4" * 40, "5" * 40, "6" * 40)
LIMIT = Fact(kind=FactKind.FLAG_DEFAULT, severity=Severity.BREAKING, name="topK", old="22", new="8")


def row(sha: str, title: str, tier: Tier, **more: object) -> LedgerRow:
    return LedgerRow.model_validate(
        {
            "repo": REPO,
            "sha": sha,
            "depth": Depth.SKIM,
            "reason": "weight",
            "late": False,
            "subject": title,
            "title": title,
            "author": "Mira",
            "landed_at": AT,
            "members": 0,
            "files": 5,
            "additions": 3,
            "deletions": 1,
            "places": ("src/a.py",),
            "tier": tier,
            **more,
        }
    )


def claim(number: int, sha: str, role: Role, predicate: str, **more: object) -> Claim:
    me = f"{REPO}@{sha}"
    values = {"id": f"c{number}", "repo": REPO, "role": role, "about": (me,), "predicate": predicate, "cites": (me,)}
    found = Claim.model_validate(values | {"judgement": Judgement(verdict=Verdict.SUPPORTED)} | more)
    if found.speech or predicate == "shows":
        return found
    text = {lang: sentence(predicate, found.params, lang) for lang in LANGUAGES}
    return Claim.model_validate(found.model_dump() | {"text": text})


@pytest.fixture
def told() -> Report:
    """A day with a breaking change, a change that was undone, a fix without facts, small things and noise."""
    high, old, new = (f"{REPO}@{sha}" for sha in (HIGH, OLD, NEW))
    excerpt = Quote(cite=high, text="-  check(topK <= 22)\n+  check(topK <= 8)", file="src/a.py")
    speech = Quote(cite=f"{REPO}@{FIX}", text="Workers waited for one another,\nsee @mira and fixes #9.")
    return Report(
        window=Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC"),
        repos=(REPO,),
        sections=(
            RepoSection(
                repo=REPO,
                branch="main",
                tip=HIGH,
                coverage=Coverage.READ,
                issues=(
                    ThreadLine(number=9, title="It hangs", author="o", event="closed", at=AT, labels=()),
                    ThreadLine(number=10, title="Slow start", author="o", event="active", at=AT, labels=()),
                ),
            ),
        ),
        ledger=(
            row(HIGH, "Lower `topK` | [2/5] (#12)", Tier.HIGH, weight=9.0, depth=Depth.DEEP, purpose=Purpose.REVERT),
            row(OLD, "Fuse the norms (#13)", Tier.LOW, weight=1.0),
            row(NEW, 'Revert "Fuse the norms (#13)" (#14)', Tier.MID, weight=4.0),
            row(FIX, "Mend the deadlock", Tier.MID, weight=3.0, depth=Depth.DEEP, purpose=Purpose.FIX),
            row(LOW, "<b>Small</b>", Tier.LOW, weight=0.5),
            row(BOT, "Bump", Tier.NOISE, noise=Noise.BOT, depth=Depth.GROUP),
        ),
        claims=(
            claim(1, HIGH, Role.CHANGE, "fact", params=params_of(LIMIT), quotes=(excerpt,)),
            claim(2, HIGH, Role.RISK, "risk", params=params_of(LIMIT)),
            claim(3, HIGH, Role.ADVICE, "advice", params=params_of(LIMIT)),
            claim(4, OLD, Role.CHANGE, "undone", cites=(old, new)),
            claim(5, NEW, Role.CHANGE, "undoes", cites=(new, old)),
            claim(6, FIX, Role.CHANGE, "says", quotes=(speech,), speech=True),
        ),
        links=(
            Link(
                issue=ThreadId(f"{REPO}#9"),
                change=CommitId(f"{REPO}@{FIX}"),
                relation=Relation.FIXES,
                grade=Grade.A,
                evidence=("closed by it",),
            ),
        ),
        stories=(Story(kind=StoryKind.REVERT, repo=REPO, steps=(old, new)),),
        drops=(Drop(repo=REPO, verdict=Verdict.QUOTE, check="verbatim"),),
    )


def anchor(heading: str) -> str:
    """Make the anchor of a heading as GitHub does, written anew for this test."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.lstrip("# "))
    return "".join("-" if char == " " else char for char in plain.lower() if char.isalnum() or char in "_- ")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_somebody_answers_for_every_sentence(told: Report, lang: Language, layout: Layout) -> None:
    titles = {inline(one) for one in ("Lower `topK` | [2/5]", "Fuse the norms", 'Revert "Fuse the norms (#13)"')}
    titles |= {row.title for row in told.ledger} | {"It hangs", "Slow start"}
    spans = report_spans(told, lang, WEB, layout)
    assert uncited(spans, told.claims, titles | {one.replace("|", "\\|") for one in titles}) == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_both_languages_state_the_same_claims(told: Report, layout: Layout) -> None:
    owners = [
        [span.owner for span in report_spans(told, lang, WEB, layout) if span.owner not in (CHROME, COMPUTED, TITLE)]
        for lang in LANGUAGES
    ]
    assert sorted(owners[0]) == sorted(owners[1])
    assert {"c1", "c2", "c3", "c4", "c6"} <= set(owners[0])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_link_inside_the_page_leads_to_a_heading(told: Report, lang: Language, layout: Layout) -> None:
    page = report_page(told, lang, WEB, layout)
    inside = re.findall(r"\]\(#([^)]*)\)", page)
    headings = [anchor(line.replace("\\", "")) for line in page.splitlines() if line.startswith("#")]
    assert inside
    assert set(inside) <= set(headings)


def test_a_repository_is_headed_by_what_landed_on_its_branch(told: Report) -> None:
    tip = f"[`{HIGH[:7]}`](https://git.example/octo/router/commit/{HIGH})"
    days = "since=2026-02-04T00:00:00Z&until=2026-02-04T23:59:59Z"
    english, chinese = (report_page(told, lang, WEB, "digest").replace(tip, "TIP") for lang in LANGUAGES)
    assert (
        f"[6 commits](https://git.example/octo/router/commits/main?{days}) on `main`, which stood at TIP when"
        in english
    )
    assert "; files changed: 30, lines: +18 −6." in english
    assert re.search(
        r"^`main`（读取时为 TIP）有 \[6 个提交\]\(\S+\)，改动 30 个文件，\+18 −6 行。$", chinese, re.MULTILINE
    )


def test_an_important_commit_shows_what_changed_where_its_proof_the_risk_and_what_to_do(told: Report) -> None:
    page = report_page(told, "en", WEB, "digest")
    entry = page.split("### Act on this (1)")[1].split("### Worth knowing")[0]
    told_lines = [line for line in entry.splitlines() if line]
    assert told_lines[1:] == [
        "**breaking** · revert · Mira · 09:30 · +3 −1 · 5 files",
        "- The default of the flag `topK` changes from `22` to `8`.",
        "- **Where**: `src/a.py` and 4 more",
        "- **Risk**: Whoever does not set `topK` gets `8` instead of `22`.",
        "- **Advice**: Set `topK` to `22` to keep what you have.",
        "`src/a.py`",
        "```diff",
        "-  check(topK <= 22)",
        "+  check(topK <= 8)",
        "```",
    ]
    assert "[#12](https://git.example/octo/router/pull/12)" in told_lines[0]
    assert page.index("**breaking** [Lower") < page.index("## octo/router")


def test_a_change_and_what_undid_it_the_same_day_are_one_item(told: Report) -> None:
    for layout in LAYOUTS:
        page = report_page(told, "en", WEB, layout)
        assert len(re.findall(r"^#### .*Fuse the norms", page, re.MULTILINE)) == 1
        assert re.search(r"^#### Landed and reverted: Fuse the norms .*`2222222`.* → .*`3333333`", page, re.MULTILINE)
        assert "Reverted by [`3333333`]" in page


def test_a_fix_without_facts_is_explained_by_its_author_and_notifies_nobody(told: Report) -> None:
    page = report_page(told, "en", WEB, "digest")
    assert "> The author writes: “Workers waited for one another, see `@mira` and fixes `#9`.”" in page
    assert "> 作者写道：“Workers waited" in report_page(told, "zh", WEB, "digest")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_functions_of_which_only_lines_change_say_where_beside_what_else_is_told(
    told: Report, lang: Language, layout: Layout
) -> None:
    lines = Fact(kind=FactKind.CODE_CHANGED, severity=Severity.BEHAVIOUR, name="Pool.wait, Pool.stop")
    inside = claim(7, FIX, Role.CHANGE, "fact", params=params_of(lines))
    beside = told.model_copy(update={"claims": (*told.claims, inside)})
    page = report_page(beside, lang, WEB, layout)
    where = {"en": "`src/a.py` and 4 more; inside `Pool.wait`, `Pool.stop`", "zh": "；其中 `Pool.wait`、`Pool.stop`"}
    assert where[lang] in page
    assert inside.text[lang] not in page
    assert uncited(report_spans(beside, lang, WEB, layout), beside.claims) == []
    alone = told.model_copy(update={"claims": (*told.claims[:-1], inside)})
    assert f"- {inside.text[lang]}\n" in report_page(alone, lang, WEB, layout)


def test_names_alone_are_no_news_among_the_highlights(told: Report) -> None:
    lines = Fact(kind=FactKind.CODE_CHANGED, severity=Severity.BEHAVIOUR, name="Pool.wait")
    claims = (*told.claims[:-1], claim(7, FIX, Role.CHANGE, "fact", params=params_of(lines)))
    page = report_page(told.model_copy(update={"claims": claims}), "en", WEB, "digest")
    assert "Pool.wait" not in page.split("## octo/router")[0]


def test_noise_is_folded_small_things_have_a_line_and_titles_do_nothing(told: Report) -> None:
    page = report_page(told, "en", WEB, "digest")
    assert "<details>\n<summary>Bots (1)</summary>\n\n- Bump [`5555555`]" in page
    assert "### Also landed (1)\n\n- \\<b\\>Small\\</b\\> [`4444444`]" in page


def test_issues_say_what_fixed_them_and_how_sure_that_is_and_the_outlook_is_only_what_is_open(told: Report) -> None:
    page = report_page(told, "en", WEB, "digest")
    fixed = "It hangs — o → fixed by [`6666666`](https://git.example/octo/router/commit/" + FIX + ") (A)"
    assert f"- [#9](https://git.example/octo/router/issues/9) {fixed}" in page
    outlook = page.split("### Outlook")[1]
    assert "[#10](https://git.example/octo/router/issues/10) Slow start" in outlook
    assert "— part 2 of 5" in outlook


def test_the_footer_accounts_for_what_was_read_checked_dropped_and_linked(told: Report) -> None:
    foot = report_page(told, "en", WEB, "ledger").split("\n---\n")[1]
    assert "Commits landed: 6. How closely each was read, whatever its section: 2 deep, 3 skimmed," in foot
    assert "0 listed, 1 folded, 0 failed." in foot
    # The fix is told among the issues, by its link: five claims stand on the page.
    assert "Claims published: 5; citations that hold: 6 of 6 (the commit, line and value exist and were read)" in foot
    assert "Claims dropped: quotation 1." in foot
    assert "Issues linked: A 1." in foot
    assert "Not analysed: no model configured." in foot
    chinese = report_page(told, "zh", WEB, "ledger").split("\n---\n")[1]
    assert "6 个提交合入。阅读深度（与所在栏目无关）：深读 2，略读 3，列出 0，折叠 1，失败 0。" in chinese
    assert "引用成立 6 处，共 6 处（所引的提交、代码行与取值均存在且已读过）" in chinese


def test_the_ledger_names_type_scope_and_change_of_each_important_commit(told: Report) -> None:
    page = report_page(told, "zh", WEB, "ledger")
    entry = page.split("### 需要处理 (1)")[1].split("### 值得了解")[0]
    assert (
        "- **类型**：回滚\n- **范围**：`src/a.py` 及另外 4 个\n- **对你的变化**\n  - 命令行参数 `topK` 的默认值由"
        in entry
    )
    assert "- **重要度**：高 1，中 2，低 2，折叠 1" in page


@pytest.fixture
def undone(told: Report) -> Report:
    """The same day, where what was undone the same day broke something and its revert weighs most."""
    gone = params_of(Fact(kind=FactKind.FLAG_REMOVED, severity=Severity.BREAKING, name="--fuse"))
    rows = [
        one.model_copy(update={"tier": Tier.HIGH, "weight": 20.0}) if one.sha == NEW else one for one in told.ledger
    ]
    facts = (
        claim(7, OLD, Role.CHANGE, "fact", params=gone),
        claim(8, NEW, Role.CHANGE, "fact", params=gone),
        claim(9, NEW, Role.RISK, "risk", params=gone),
    )
    return told.model_copy(update={"ledger": tuple(rows), "claims": (*told.claims, *facts)})


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_landed_and_was_undone_breaks_nothing_and_asks_nobody_to_act(undone: Report, layout: Layout) -> None:
    page = report_page(undone, "en", WEB, layout)
    act, worth = page.split("### Act on this (1)")[1].split("### Worth knowing (3)")
    assert "Fuse the norms" not in act
    assert "out again at the end of this window" in worth
    assert "--fuse" not in page
    assert worth.index("Mend the deadlock") < worth.index("Landed and reverted: Fuse the norms")
    assert "**breaking**" not in worth
    assert "**breaking** [Fuse" not in page


def test_the_highlight_of_what_was_undone_says_so_of_the_change_that_it_names(undone: Report) -> None:
    rows = [one for one in undone.ledger if one.sha in (OLD, NEW)]
    page = report_page(undone.model_copy(update={"ledger": tuple(rows)}), "en", WEB, "digest")
    highlight = page.split("## Highlights")[1].split("## octo/router")[0].strip()
    assert highlight.startswith("- [Fuse the norms](#")
    assert " — Reverted by [`3333333`]" in highlight
    assert "Reverts" not in highlight


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_numbers_of_the_tiers_make_up_all_that_landed(undone: Report, lang: Language) -> None:
    for tier in Tier:
        rows = [
            one.model_copy(update={"tier": tier, "noise": Noise.CI if tier is Tier.NOISE else None})
            if one.sha == NEW
            else one
            for one in undone.ledger
        ]
        page = report_page(undone.model_copy(update={"ledger": tuple(rows)}), lang, WEB, "digest")
        counts = next(line for line in page.splitlines() if line.startswith(("Act on this: ", "需要处理：")))
        assert sum(map(int, re.findall(r"\d+", counts))) == len(undone.ledger)


def test_a_small_pair_is_one_line_with_both_commits(told: Report) -> None:
    rows = [one.model_copy(update={"tier": Tier.LOW}) if one.sha == NEW else one for one in told.ledger]
    page = report_page(told.model_copy(update={"ledger": tuple(rows)}), "en", WEB, "digest")
    assert re.search(r"^- Landed and reverted: Fuse the norms .*`2222222`.* → .*`3333333`", page, re.MULTILINE)


@pytest.mark.parametrize("first_today", [True, False])
def test_a_revert_that_was_taken_back_the_same_day_is_small_and_undoes_nothing(
    undone: Report, *, first_today: bool
) -> None:
    acts = ((OLD, Act.LANDED), (NEW, Act.UNDONE), (FIX, Act.LANDED_AGAIN))
    steps = tuple(Step(cite=f"{REPO}@{sha}", at=AT, act=act) for sha, act in acts)
    story = Story(
        kind=StoryKind.RELAND, repo=REPO, steps=tuple(one.cite for one in steps), timeline=steps, news=(steps[-1].cite,)
    )
    rows = [
        one.model_copy(update={"tier": Tier.MID}) if one.sha == OLD else one
        for one in undone.ledger
        if first_today or one.sha != OLD
    ]
    report = undone.model_copy(update={"ledger": tuple(rows), "stories": (story,)})
    page = report_page(report, "en", WEB, "digest")
    act, rest = page.split("### Act on this (1)")[1].split("### Worth knowing (1)")
    told_in_full, small = rest.split("### Also landed")
    assert "Revert" not in act + told_in_full.split("### Follow-ups")[0]
    assert ("Fuse the norms" if first_today else "Mend the deadlock") in told_in_full
    assert '- Revert "Fuse the norms' in small
    assert "Reverted by" not in page
    assert "Landed and reverted" not in page


def test_a_series_of_one_day_is_told_in_one_line_and_stands_once_in_the_outlook(told: Report) -> None:
    rows = (row(OLD, "[1/N] Split the norms", Tier.MID), row(NEW, "[2/N] Split the norms", Tier.MID))
    first, second = (f"{REPO}@{sha}" for sha in (OLD, NEW))
    steps = tuple(
        Step(cite=cite, at=AT, act=Act.PART, title=one.title, part=number)
        for number, (cite, one) in enumerate(zip((first, second), rows, strict=True), start=1)
    )
    story = Story(kind=StoryKind.SERIES, repo=REPO, steps=(first, second), timeline=steps, news=(first, second))
    told_part = claim(1, NEW, Role.CHANGE, "series", params={"part": "2", "landed": "1"}, cites=(second, first))
    report = told.model_copy(update={"ledger": rows, "claims": (told_part,), "stories": (story,), "links": ()})
    page = report_page(report, "en", WEB, "digest")
    tale = page.split("### Follow-ups")[1]
    assert re.search(r"^- \[`3333333`\]\(\S+\): Part 2 of a series; landed: part 1 \[`2222222`\]", tale, re.MULTILINE)
    assert "**Unfinished series** (1)" in page
    assert re.search(
        r"^- \[`3333333`\]\(\S+\)：系列的第 2 部分", report_page(report, "zh", WEB, "digest"), re.MULTILINE
    )
