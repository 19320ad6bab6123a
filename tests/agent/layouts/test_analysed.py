"""A day with a model: analysis leads, facts prove it below, and the footer says which text is which."""

import re

import pytest
from agent.layouts.told_facts import is_told, untold
from agent.pages import report_page, report_spans
from agent.spans import uncited
from markdown_it import MarkdownIt

from agent.claims import Kind, Role
from agent.facts import Fact, FactKind, Severity
from agent.report import Report
from agent.settings import Language, Layout
from agent.web import Web
from tests.analysed_report import (
    FLAG,
    HANG,
    LANGUAGES,
    LIMIT,
    PLAIN,
    ROUTER,
    TOP_K,
    analysed_report,
    anchor,
    fact,
    said,
)

WEB = Web("https://git.example")
LAYOUTS: tuple[Layout, ...] = ("digest", "ledger")


def page(report: Report | None = None, lang: Language = "en", layout: Layout = "digest") -> str:
    """Render a page without addresses outside of it."""
    text = report_page(report or analysed_report(), lang, WEB, layout)
    return re.sub(r"\]\(https:[^)]*\)", "]()", text)


def without(*names: str) -> Report:
    report = analysed_report()
    return report.model_copy(update={"claims": tuple(one for one in report.claims if one.id not in names)})


def entry(text: str, heading: str) -> list[str]:
    part = text.split(f"\n#### {heading}\n")[1]
    return [line for line in re.split(r"\n#{2,4} ", part)[0].splitlines() if line]


def test_an_entry_has_its_headline_title_analysis_and_folded_evidence() -> None:
    assert entry(page(), "Routing refuses more than 8 experts") == [
        "fix(moe): cap topK ([#12]()) [`1a1a1a1`]() · **breaking** · fix · Mira König · 09:30 · +14 −31 · 3 files",
        "The router accepts a `topK` of at most 8; until now it was 22. The shared buffer holds 8 entries, so larger "
        "values wrote past its end. ([`#12`]()) Inferred: Models that route a token to more than 8 experts no longer "
        "start.",
        "**Advice**: Lower `topK` to 8 before upgrading.",
        "- The flag `--router-legacy` is removed.",
        "- **Risk**: Commands that pass `--router-legacy` fail.",
        "<details>",
        "<summary>Evidence (2 facts)</summary>",
        "- The default of the flag `topK` changes from `22` to `8`.",
        "- `MaxExperts` changes from `22` to `8`.",
        "- **Where**: `csrc/routing.cu`, `router/cli.py` and 1 more",
        "`csrc/routing.cu`",
        "```diff",
        "-  check(topK <= 22)",
        "+  check(topK <= 8)",
        "```",
        "> [`#12`](): “The shared buffer holds 8 entries, and larger values wrote past its end.”",
        "</details>",
    ]


def test_a_chinese_entry_reads_as_chinese() -> None:
    assert entry(page(lang="zh"), "两个工作进程不再互相等待") == [
        "Mend the deadlock ([#13]()) [`2b2b2b2`]() · 修复 · Mira König · 09:30 · +14 −31 · 3 个文件",
        "`Pool.stop` 在等待工作进程结束之前先释放锁。[`#9`]() 中报告：使用两块 GPU 时，服务每次重启都会卡住。",
        "- 修复 [`#9`]()。",
        "<details>",
        "<summary>证据</summary>",
        "- **位置**：`csrc/routing.cu`、`router/cli.py` 及另外 1 个",
        "> 作者写道：“Release the lock first, see `@mira`.”",
        "`router/pool.py`",
        "```diff",
        "+    self._lock.release()",
        "```",
        "> [`#9`]()：“With two GPUs it hangs on every restart.”",
        "</details>",
    ]
    told = page(lang="zh")
    assert "（[`#12`]()）推断：每个 token 选用超过 8 个专家的模型将无法启动。\n\n**建议**：升级前" in told


def test_the_brief_stands_first_then_what_to_act_on() -> None:
    head = page().split("\n## octo/router\n")[0].splitlines()
    assert head[4:] == [
        "- The router refuses more than 8 experts, and the cache evicts whole sequences. "
        "([`1a1a1a1`](), [`6f6f6f6`]())",
        "- Inferred: Whoever sets `topK` above 8 must act before upgrading. ([`1a1a1a1`]())",
        "",
        "## Highlights",
        "",
        "- **breaking** octo/router: [Routing refuses more than 8 experts](#routing-refuses-more-than-8-experts) — "
        "Advice: Lower `topK` to 8 before upgrading.",
        "- octo/router: [Two workers no longer wait for one another](#two-workers-no-longer-wait-for-one-another) — "
        "`Pool.stop` gives the lock back before it joins the workers.",
        "- octo/cache: [The cache evicts whole sequences](#the-cache-evicts-whole-sequences) — "
        "`evict` drops all blocks of a sequence at once.",
        "",
        "**Contents**",
        "",
        "- [octo/router](#octorouter) (5)",
        "- [octo/cache](#octocache) (1)",
    ]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_repository_begins_with_its_day(layout: Layout) -> None:
    part = page(layout=layout).split("\n## octo/router\n")[1].strip().splitlines()
    assert part[0] == (
        "The day of the router is about limits and a deadlock. ([`1a1a1a1`](), [`2b2b2b2`]()) "
        "Inferred: Only the limit can break a configuration. ([`1a1a1a1`]())"
    )
    assert part[2].startswith("[5 commits]() on `main`")


def test_the_ledger_has_the_headline_beside_the_title() -> None:
    text = page(layout="ledger")
    assert "#### fix(moe): cap topK ([#12]()) [`1a1a1a1`]() — Routing refuses more than 8 experts\n" in text
    assert (
        "    - [fix(moe): cap topK](#fixmoe-cap-topk-12-1a1a1a1--routing-refuses-more-than-8-experts) — Routing" in text
    )
    assert "| [`1a1a1a1`]() | 09:30 | fix(moe): cap topK ([#12]()) | Mira König |" in text
    assert text.index("| 09:30 | fix(moe)") < text.index("The router accepts a `topK`") < text.index("<summary>Evid")


def test_a_small_commit_has_its_analysis_in_its_line() -> None:
    line = "- **Start-up messages name the port** · log: add port [`4d4d4d4`]() — The first line of the log says on"
    assert line in page()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_somebody_answers_for_everything_and_every_link_leads_somewhere(lang: Language, layout: Layout) -> None:
    report = analysed_report()
    spans = report_spans(report, lang, WEB, layout)
    titles = {row.title.partition(" (#")[0] for row in report.ledger} | {"It hangs on restart"}
    assert uncited(spans, report.claims, titles) == []
    text = page(report, lang, layout)
    plain = [
        re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line.lstrip("# ")) for line in text.splitlines() if line[:1] == "#"
    ]
    headings = {"".join("-" if c == " " else c for c in one.lower() if c.isalnum() or c in "_- ") for one in plain}
    inside = set(re.findall(r"\]\(#([^)]*)\)", text))
    assert inside
    assert {one for one in inside if not re.search(r"-\d$", one)} <= headings


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_github_reads_markdown_inside_the_fold(lang: Language, layout: Layout) -> None:
    tokens = MarkdownIt("commonmark").parse(report_page(analysed_report(), lang, WEB, layout))
    blocks = [token.content.strip() for token in tokens if token.type == "html_block"]
    opened = [one for one in blocks if one != "</details>"]
    assert all(re.fullmatch(r"<details>\n<summary>[^<>]+</summary>", one) for one in opened)
    assert blocks.count("</details>") == len(opened) == 4
    assert sum(token.type == "fence" for token in tokens) == 3


def test_no_fact_is_printed_twice_and_none_is_lost() -> None:
    report = analysed_report()
    text = page(report)
    for claim in report.claims:
        if claim.kind is Kind.FACT and claim.role is Role.CHANGE:
            assert text.count(claim.text["en"]) == 1
    # The risk and the advice of what the analysis tells would say the same again.
    assert "Whoever does not set `topK`" not in text
    assert "Set `topK` to `22`" not in text


def test_breaking_facts_that_no_sentence_tells_stay_in_sight() -> None:
    me = f"{ROUTER}@{LIMIT}"
    limit, flag = fact("f1", LIMIT, TOP_K), fact("f2", LIMIT, FLAG)
    told = said(
        "x", LIMIT, "At most 8.", "至多 8。", anchors=(anchor(me, "-  a(topK <= 22)\n+  a(topK <= 8)", "a.cu"),)
    )
    assert is_told(limit, [told])
    assert untold([limit, flag], [told]) == [flag]
    assert not is_told(limit, [said("x", LIMIT, "`topK` is checked.", "检查 `topK`。")])
    assert not is_told(limit, [said("x", LIMIT, "`topKs` goes from <= 22 to <= 80.", "")])
    both = fact("f", LIMIT, TOP_K, predicate="facts", params={"facts": "not a list"})
    assert untold([both], [told]) == []


def test_a_parameter_is_told_only_where_it_is_named() -> None:
    gone = Fact(kind=FactKind.PARAMETER_REMOVED, severity=Severity.BREAKING, name="engine.Router.route", detail="top_k")
    claim = fact("f", LIMIT, gone)
    assert not is_told(claim, [said("x", LIMIT, "`route` has fewer parameters.", "`route` 的参数变少。")])
    assert is_told(claim, [said("x", LIMIT, "`route` has no `top_k` any more.", "`route` 不再有 `top_k`。")])


def test_a_link_is_told_where_a_sentence_names_it() -> None:
    fixes = next(claim for claim in analysed_report().claims if claim.id == "h3")
    assert not is_told(fixes, [said("x", HANG, "The hang is gone.", "不再卡住。", cites=fixes.cites)])
    assert is_told(fixes, [said("x", HANG, "This fixes #9.", "修复了 #9。")])


def test_a_commit_that_was_not_analysed_is_told_by_its_facts() -> None:
    text = page()
    part = text.split("#### Tune the block size [`3c3c3c3`]()")[1].split("###")[0]
    assert "- `kBlockSize` changes from `64` to `128`.\n" in part
    assert "<details>" not in part
    kept = page(without("l1", "l2", "l3", "l4"))
    # The headline may have passed where the sentences did not.
    assert "- **Advice**: Set `topK` to `22` to keep what you have." in "\n".join(
        entry(kept, "Routing refuses more than 8 experts")
    )


def test_a_page_in_a_language_without_analysis_has_the_facts() -> None:
    report = analysed_report()
    english = [one.model_copy(update={"text": {"en": one.text["en"]}}) if one.free else one for one in report.claims]
    text = page(report.model_copy(update={"claims": tuple(english)}), "zh")
    assert "命令行参数 `topK` 的默认值由 `22` 改为 `8`。" in text
    assert "The router" not in text
    assert "模型所写的内容均未发布。" in text


def test_the_footer_says_which_text_is_which_who_judged_and_what_is_missing() -> None:
    foot = page().split("\n---\n")[1]
    assert [line for line in foot.splitlines() if line][3:] == [
        "Facts: 6, written by code. Quotations: 1, verbatim. Sentences of analysis: 12 (8 stated, 3 inferred, "
        "1 advice) and 4 headlines, written by `analyst-1`.",
        "Analysis is anchored in the evidence it cites; code checked its literals; judged by `strict-judge`; "
        "controls refused 8 of 8.",
        "Sentences of analysis refused: 1 (unsupported 1).",
        "Done without the model, because it failed: judging 1 (`the judge did not answer`).",
        f"Left as facts, because the model or the judge did not answer: `{PLAIN[:7]}`.",
        "9 calls to models, 41200 tokens sent, 3100 received.",
    ]
    assert "由 `strict-judge` 复核；8 条对照句中拒绝了 8 条。" in page(lang="zh")


def test_analysis_without_a_recorded_judge_is_not_called_judged() -> None:
    report = analysed_report()
    claims = tuple(claim.model_copy(update={"judged_by": ""}) for claim in report.claims)
    text = page(report.model_copy(update={"claims": claims}))
    assert "Code checked the citations of the analysis; no judge is recorded." in text
    assert "judged by" not in text


def test_without_a_model_the_footer_says_so_and_how_to_configure_one() -> None:
    report = analysed_report()
    facts = tuple(claim for claim in report.claims if not claim.free)
    bare = report.model_copy(update={"claims": facts, "analyst": "rules", "drops": ()})
    english, chinese = page(bare), page(bare, "zh")
    assert english.endswith(
        "Not analysed: no model configured.\n\n"
        "To have it analysed, set `GITZETTE_MODEL=…` and `GITZETTE_MODEL_URL=…`.\n\n"
        "Then run `gitzette run --analyst model`.\n"
    )
    assert "未分析：未配置模型。" in chinese
    assert "gitzette run --analyst model" in chinese
    assert "<summary>Evidence" not in english
