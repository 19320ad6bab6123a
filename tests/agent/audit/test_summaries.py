"""Which sentences of a report sum it up."""

from agent.audit.page import read_page
from agent.audit.summaries import summaries
from agent.ids import RepoId

_LINK = "https://github.com/acme/engine/commit/"
_REPORT = f"""# acme/engine 日报（2026-03-10）

## 摘要

- 服务端支持 hybrid model 的状态传输。
- 见 [`{"a" * 7}`]({_LINK}{"a" * 40})：新增参数。

## 服务端

- [`{"b" * 7}`]({_LINK}{"b" * 40})：重命名入口。
- 入口的参数也重命名了。
"""


def test_a_sentence_of_the_summary_that_cites_nothing_is_about_all_that_the_report_links() -> None:
    page = read_page(_REPORT, "report.md", [RepoId("acme/engine")])
    (found,) = summaries(page)
    cited = [one.sha[:7] for one in (found.about, *found.also) if one is not None]
    assert (found.line, cited) == (5, ["a" * 7, "b" * 7])


def test_a_report_that_links_nothing_has_no_summary_to_be_held_to() -> None:
    text = "# acme/engine 日报（2026-03-10）\n\n## 摘要\n\n- 服务端支持 hybrid model 的状态传输。\n"
    assert list(summaries(read_page(text, "report.md", [RepoId("acme/engine")]))) == []
