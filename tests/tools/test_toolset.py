"""What an agent is shown of a repository: bounded text from real repositories, and what it is told of its mistakes."""

import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.prebuilt import ToolNode
from langgraph.runtime import Runtime

from agent.domain.base import RepoId
from agent.domain.errors import NotFound, UpstreamError, UsageError
from agent.domain.evidence_id import EvidenceId
from agent.domain.threads import Comment, Issue, PullRequest
from agent.ports import NoThreads
from agent.token_estimates import tokens_of
from tests.made_repos import NOON, Work
from tools.git.source import GitSource
from tools.toolset import TOOL_NAMES, ToolError, Toolset, open_tools, tools_of

REPO = RepoId("ada/engine")
OTHER = RepoId("ada/other")
ROOT = Path(__file__).parents[2]
TOOLS = [
    *("list_commits", "get_diff", "get_file", "find_usages"),
    *("get_issue", "get_pull", "search_history", "previous_reports", "between"),
]
ROUTER = "import clock\n\n\ndef choose(routes):\n    return routes[0]\n"


def test_every_tool_is_in_the_table_of_the_documentation() -> None:
    page = (ROOT / "docs" / "asking.md").read_text("utf-8")
    table = page.partition("## Tools")[2].partition("###")[0]
    assert list(TOOL_NAMES) == TOOLS
    assert [name for name in TOOL_NAMES if f"`{name}(" not in table] == []


class Threads(NoThreads):
    """Has one issue with many comments, one pull request, and an outage."""

    def __init__(self) -> None:
        super().__init__(REPO, "local-only")
        self.asked: list[int] = []

    async def issue(self, number: int) -> Issue | PullRequest:
        self.asked.append(number)
        common: dict[str, Any] = {
            "repo": REPO,
            "number": number,
            "author": "bob",
            "labels": ("bug",),
        }
        common |= {"created_at": NOON, "updated_at": NOON, "title": "Routes get lost"}
        if number == 500:
            raise UpstreamError("GET /issues/500: HTTP 502", retryable=True)
        if number == 7:
            body = "See `choose()`:\n```python\nchoose([])\n```"
            return Issue(
                **common,
                body=body,
                state="open",
                state_reason=None,
                closed_at=None,
                comments=40,
                reactions=0,
            )
        if number == 8:
            merged = {
                "merged_at": NOON,
                "merge_commit": "ab" * 20,
                "base": "main",
                "closes": (EvidenceId.thread(REPO, 7),),
            }
            return PullRequest(**common, **merged, body="", state="closed")
        raise NotFound(f"{REPO}#{number} is not there")

    async def comments(self, number: int) -> tuple[Comment, ...]:
        count = 40 if number == 7 else 0
        return tuple(
            Comment(author="eve", body=f"remark {n}: " + "x" * 300, created_at=NOON)
            for n in range(count)
        )


class Reports:
    """Remembers one report."""

    def search(self, words: str, *, repo: RepoId | None = None, limit: int = 10) -> list[str]:
        return [f"2026-02-01 {repo}: routes were added"] if words == "routes" else []

    def report(self, day: str, *, repo: RepoId | None = None) -> list[str]:
        return [f"{repo}: routes were added"] if day == "2026-02-01" else []


async def toolset(work: Work, shas: Sequence[str], **options: Any) -> Toolset:
    code = options.pop("code", None) or GitSource(REPO, work.path)
    commits = [await code.resolve(sha) for sha in shas]
    return Toolset(
        code, options.pop("threads", None) or Threads(), commits, {}, Reports(), **options
    )


async def test_commits_go_by_handle_hash_or_citation(work: Work) -> None:
    shas = [
        work.commit(f"step {number}", {"router.py": f"STEP = {number}\n"}) for number in range(3)
    ]
    ids = [EvidenceId.commit(REPO, sha) for sha in shas]
    handles = {"c1": ids[2], "c2": ids[1], "c3": ids[0]}
    tools = await toolset(work, list(reversed(shas)), handles=handles)
    listed = (await tools.list_commits()).split("\n")
    assert listed[:2] == ["page 1 of 1", f"c1 {shas[2][:12]}  2026-02-04 Ada: step 2"]
    tool_names = (
        shas[1],
        shas[1][:9],
        f"{REPO}@{shas[1]}",
        f"https://github.com/{REPO}/commit/{shas[1]}",
    )
    for name in ("c2", "C2", "[c2]", *tool_names):
        assert "step 1" in await tools.get_diff(name), name
    for name in ("c9", "zzz", f"eve/other@{shas[1]}", "0" * 40):
        with pytest.raises(ToolError, match="not a commit of this window; list_commits shows"):
            await tools.get_diff(name)


@asynccontextmanager
async def two_repositories(
    folder: Path, **options: Any
) -> AsyncIterator[tuple[dict[RepoId, Toolset], dict[RepoId, str]]]:
    """Yield the tools of two repositories, each with one commit, and the hashes of the commits."""
    works = {REPO: Work(folder / "engine"), OTHER: Work(folder / "other")}
    shas = {repo: work.commit(f"of {repo}", {"a.py": "A = 1\n"}) for repo, work in works.items()}
    handles = {
        shas[OTHER][:2]: EvidenceId.commit(REPO, shas[REPO]),
        shas[OTHER][:7]: EvidenceId.commit(REPO, shas[REPO]),
        "t1": EvidenceId.thread(REPO, 7),
    }
    toolsets = {}
    for repo, work in works.items():
        code = GitSource(repo, work.path)
        commits = [await code.resolve(shas[repo])]
        threads = NoThreads(repo, "local-only")
        toolsets[repo] = Toolset(code, threads, commits, {}, None, handles=handles, **options)
    yield toolsets, shas


async def test_a_handle_wins_over_the_beginning_of_a_hash_in_another_repository(
    tmp_path: Path,
) -> None:
    async with two_repositories(tmp_path) as (toolsets, shas):
        by_name = {tool.name: tool for tool in tools_of(toolsets)}
        for handle in (shas[OTHER][:2], shas[OTHER][:7]):
            for repo in ("", str(OTHER)):
                diff = await by_name["get_diff"].ainvoke({"sha": handle, "repo": repo})
                assert f"of {REPO}" in diff
                assert f"of {OTHER}" not in diff
            lines = await by_name["get_file"].ainvoke({"path": "a.py", "sha": handle})
            assert lines.startswith(f"a.py at {shas[REPO][:12]}")
            usages = await by_name["find_usages"].ainvoke({"name": "A", "sha": handle})
            assert usages == "page 1 of 1\na.py:1: A = 1\n"
        # What was not shown gets no handle to be cited by.
        assert toolsets[OTHER].seen == set()
        assert toolsets[OTHER].lines_shown == {}


async def test_what_is_too_short_for_a_hash_or_fits_several_commits_is_answered_with_the_candidates(
    tmp_path: Path, work: Work
) -> None:
    async with two_repositories(tmp_path) as (toolsets, shas):
        get_diff = {tool.name: tool for tool in tools_of(toolsets)}["get_diff"]
        assert f"of {OTHER}" in await get_diff.ainvoke({"sha": shas[OTHER][:9]})
        short = shas[REPO][:3]
        answer = await get_diff.ainvoke({"sha": short})
        assert answer == f"Error: '{short}' is not a commit of this window in any repository"
        answer = await get_diff.ainvoke({"sha": "t1"})
        assert answer == f"Error: 't1' is {REPO}#7, which is no commit; get_issue shows it"
    sha = work.commit("one", {"a.py": "A = 1\n"})
    code = GitSource(REPO, work.path)
    commit = await code.resolve(sha)
    twin = commit.model_copy(update={"sha": sha[:20] + "0" * 20})
    tools = Toolset(code, Threads(), [commit, twin], {}, None)
    with pytest.raises(ToolError) as error:
        await tools.get_diff(sha[:10])
    assert str(error.value) == (
        f"'{sha[:10]}' fits several commits: {REPO}@{sha}, {REPO}@{twin.sha}; give more digits"
    )


async def test_no_description_of_a_tool_speaks_of_our_code(work: Work) -> None:
    tools = await toolset(work, [work.commit("new", {"router.py": ROUTER})])
    texts = [tool.description for tool in tools.as_tools()]
    assert len(texts) == len(TOOLS)
    assert [text for text in texts if "show." in text or "self." in text] == []


async def test_a_file_is_shown_with_numbers_from_a_line_on_as_much_as_fits(work: Work) -> None:
    text = "".join(f"value_{number} = {number}\n" for number in range(1, 501))
    old = work.commit("old", {"router.py": "OLD = 1\n"})
    new = work.commit("new", {"router.py": text})
    tools = await toolset(work, [old, new], page_tokens=500)
    first = await tools.get_file("router.py")
    following = int(first.split("\n")[0].rpartition("start=")[2])
    assert first.startswith(
        f"router.py at {new[:12]}, lines 1 to {following - 1} of 500; go on with"
    )
    assert "     1  value_1 = 1\n" in first
    assert tokens_of(first) < 600
    assert f"{following:>6}  value_{following} = {following}\n" in await tools.get_file(
        "./router.py", start=following
    )
    last = await tools.get_file("router.py", start=500)
    assert last == f"router.py at {new[:12]}, lines 500 to 500 of 500\n   500  value_500 = 500\n"
    assert "OLD = 1" in await tools.get_file("router.py", sha=old)
    around = await tools.get_file("router.py", symbol="value_250")
    assert "value_250 = 250" in around
    assert "value_240" not in around
    assert around.startswith(f"router.py at {new[:12]}, lines 244 to 274 of 500 around value_250\n")
    assert tools.seen == set(), "a file is no evidence of a commit's change"


async def test_usages_are_found_as_whole_words_at_a_commit(work: Work) -> None:
    old = work.commit("start", {"router.py": ROUTER})
    many = "".join(f"choose({number})\n" for number in range(250))
    new = work.commit("use", {"clock.py": "choose_all = 1\nchoose([1])\n", "many.py": many})
    tools = await toolset(work, [old, new])
    assert (
        await tools.find_usages("choose", sha=old)
        == "page 1 of 1\nrouter.py:4: def choose(routes):\n"
    )
    answer = await tools.find_usages("choose")
    assert "clock.py:2: choose([1])" in answer
    assert "choose_all" not in answer
    assert answer.endswith("(more than 200; narrow it with path)\n")
    assert (
        await tools.find_usages("choose", path="router.py")
        == "page 1 of 1\nrouter.py:4: def choose(routes):\n"
    )
    assert (
        await tools.find_usages("--no-index")
        == f"page 1 of 1\nnothing names --no-index at {new[:12]}\n"
    )
    with pytest.raises(ToolError, match="give one identifier"):
        await tools.find_usages(" ")


async def test_threads_are_shown_whole_with_the_newest_comments_first(work: Work) -> None:
    threads = Threads()
    tools = await toolset(
        work, [work.commit("start", {"router.py": ROUTER})], threads=threads, page_tokens=1_000
    )
    first = await tools.get_issue(7)
    count = int(first.split("\n")[0].removeprefix("page 1 of "))
    assert first.split("\n")[1:3] == ["#7 Routes get lost", "issue, open, by bob; labels: bug"]
    assert "See `choose()`:\n```python\nchoose([])\n```" in first
    assert first.index("remark 39") < first.index("remark 38")
    pages = [first, *[await tools.get_issue(7, page=page) for page in range(2, count + 1)]]
    assert all(sum(f"remark {number}:" in page for page in pages) == 1 for number in range(40))
    assert all(tokens_of(page) <= 1_010 for page in pages)
    assert threads.asked == [7], "pages of one thread cost one reading"
    pull = await tools.get_pull(8)
    assert (
        "pull request, closed, by bob, merged 2026-02-04, as abababababab, closes ada/engine#7; labels: bug"
        in pull
    )
    assert tools.seen == {"ada/engine#7", "ada/engine#8"}
    assert len(tools.threads_read[7].comments) == 40
    for number, response in ((9, "#9 cannot be shown"), (0, "count from 1"), (-3, "count from 1")):
        with pytest.raises(ToolError, match=response):
            await tools.get_issue(number)


async def test_the_model_is_told_its_mistakes_and_never_our_outages(work: Work) -> None:
    sha = work.commit("start", {"router.py": ROUTER})
    tools = (await toolset(work, [sha])).as_tools()
    assert [tool.name for tool in tools] == TOOLS
    assert all(tool.description for tool in tools)

    async def call(name: str, **arguments: Any) -> ToolMessage:
        tool_message = AIMessage(
            "", tool_calls=[{"name": name, "args": arguments, "id": "1", "type": "tool_call"}]
        )
        node = ToolNode(tools)
        response = await node.ainvoke(
            [tool_message], {"configurable": {"__pregel_runtime": Runtime()}}
        )
        message = response[0]
        assert isinstance(message, ToolMessage)
        return message

    wrong = await call("get_diff", sha="zzz")
    assert wrong.status == "error"
    assert (
        wrong.content
        == "Error: 'zzz' is not a commit of this window; list_commits shows what there is"
    )
    ill_typed = await call("get_diff", sha=sha, page="two")
    assert ill_typed.status == "error"
    assert "def choose" in (await call("get_diff", sha=sha)).text
    with pytest.raises(UpstreamError, match="HTTP 502"):
        await call("get_issue", number=500)


async def test_tools_open_over_a_clone_without_network_or_memory(work: Work) -> None:
    work.commit("Add the router", {"router.py": ROUTER})
    tools = {
        tool.name: tool
        for tool in await open_tools(
            "ada/engine", path=work.path, since="2026-02-01", until="2026-02-08"
        )
    }
    assert "Ada: Add the router" in await tools["list_commits"].ainvoke({})
    assert "was not read" in await tools["get_issue"].ainvoke({"number": 3})
    assert await tools["search_history"].ainvoke({"words": "router"}) == "nothing earlier says that"
    earlier = {
        tool.name: tool
        for tool in await open_tools("ada/engine", path=work.path, until="2026-02-01")
    }
    assert "no commits landed in this window" in await earlier["list_commits"].ainvoke({})
    with pytest.raises(UsageError, match="there is no time"):
        await open_tools("ada/engine", path=work.path, since="2026-02-08", until="2026-02-01")


def test_langchain_is_imported_only_where_tools_are_asked_for() -> None:
    look = (
        "import sys, tools.toolset; sys.exit(any(name.startswith('lang') for name in sys.modules))"
    )
    subprocess.run([sys.executable, "-c", look], check=True, cwd=ROOT)


async def test_a_version_is_shown_as_it_was_tagged_however_old_it_is(work: Work) -> None:
    old = work.commit("Begin", {"router.py": "MAX_ROUTES = 22\n"})
    work.git("tag", "v1.0.0")
    new = work.commit("Lower the limit", {"router.py": "MAX_ROUTES = 12\n"})
    tools = await toolset(work, [new])
    for name in ("v1.0.0", "1.0.0", "[v1.0.0]", f"{REPO}@v1.0.0"):
        assert await tools.get_file("router.py", sha=name) == (
            f"router.py at {old} (v1.0.0 of 2026-02-04), lines 1 to 1 of 1\n"
            "     1  MAX_ROUTES = 22\n"
        )
    tag_line = f"v1.0.0 is {old[:12]} of 2026-02-04\n"
    usages = await tools.find_usages("MAX_ROUTES", sha="v1.0.0")
    assert usages == f"{tag_line}page 1 of 1\nrouter.py:1: MAX_ROUTES = 22\n"
    assert (await tools.get_diff("v1.0.0")).startswith(f"{tag_line}page 1 of 1\n{old[:12]} Ada\n")
    assert EvidenceId.lines(REPO, old, "router.py", 1, 1) in tools.lines_shown
    for name in ("v9.9.9", "main", "HEAD", "2026-02-04", "eve/other@v1.0.0"):
        with pytest.raises(ToolError, match="is not a commit of this window"):
            await tools.get_file("router.py", sha=name)
    earlier = await toolset(work, [new], tags_until=NOON)
    with pytest.raises(ToolError, match="is not a commit of this window"):
        await earlier.get_file("router.py", sha="v1.0.0")


async def test_a_handle_of_a_release_shows_its_state(work: Work) -> None:
    old = work.commit("Begin", {"router.py": "MAX_ROUTES = 22\n"})
    work.git("tag", "v1.0.0")
    new = work.commit("Lower the limit", {"router.py": "MAX_ROUTES = 12\n"})
    tools = await toolset(work, [new], handles={"v1": EvidenceId.tag(REPO, "v1.0.0")})
    assert f"router.py at {old} (v1.0.0" in await tools.get_file("router.py", sha="v1")


async def test_a_version_says_which_of_several_repositories_is_meant(tmp_path: Path) -> None:
    async with two_repositories(tmp_path) as (toolsets, shas):
        engine, other = Work(tmp_path / "engine"), Work(tmp_path / "other")
        engine.git("tag", "v1.0.0")
        engine.git("tag", "v2.0.0")
        other.git("tag", "v2.0.0")
        get_file = {tool.name: tool for tool in tools_of(toolsets)}["get_file"]
        text = await get_file.ainvoke({"path": "a.py", "sha": "v1.0.0"})
        assert text.startswith(f"a.py at {shas[REPO]} (v1.0.0 of ")
        text = await get_file.ainvoke({"path": "a.py", "sha": "v2.0.0"})
        assert text == f"Error: 'v2.0.0' is a tag of {REPO} and {OTHER}; name one in `repo`"
        text = await get_file.ainvoke({"path": "a.py", "sha": "v2.0.0", "repo": str(OTHER)})
        assert text.startswith(f"a.py at {shas[OTHER]} (v2.0.0 of ")
