"""Where words come from, in real repositories."""

from datetime import timedelta
from typing import TYPE_CHECKING

from agent.ids import RepoId
from agent.weaving.references import naming
from agent.window import Window
from tests.tools.git.conftest import NOON
from tools.git.source import GitSource

if TYPE_CHECKING:
    from tests.tools.git.conftest import Work

REPO = RepoId("acme/kernels")
THEN = NOON - timedelta(days=100)


async def test_a_new_word_leads_to_the_commit_that_brought_it_and_an_old_one_nowhere(work: "Work") -> None:
    work.write("kernels/a.py", "def always_there(): ...\n")
    work.commit("begin", at=THEN - timedelta(days=3))
    work.write("kernels/a.py", "def always_there(): ...\n\n\ndef older_name(): ...\n")
    work.commit("older", at=THEN - timedelta(days=2))
    work.write("kernels/b.py", "def fused_route(): ...\n")
    brought = work.commit("bring it (#4)")
    work.write("kernels/b.py", "def fused_route(): ...\n\n\nfused_route()\n")
    tip = work.commit("use it")
    words = ["always_there", "older_name", "fused_route", "nowhere"]
    found = await GitSource(REPO, work.path).first_with(words, folder="kernels", upto=tip, since=THEN)
    assert found == {"fused_route": brought}


async def test_what_was_moved_into_a_folder_or_stood_in_the_first_commit_is_nobodys_news(work: "Work") -> None:
    work.write("src/kernels/a.py", "def fused_route(): ...\n")
    work.write("src/other/a.py", "def other_route(): ...\n")
    work.commit("begin")
    work.git("mv", "src/kernels/a.py", "src/kernels/b.py")
    tip = work.commit("move")
    source = GitSource(REPO, work.path)
    assert await source.first_with(["fused_route", "other_route"], folder="kernels", upto=tip, since=THEN) == {}


async def test_a_word_is_followed_through_a_move_to_where_it_first_stood(work: "Work") -> None:
    work.commit("begin")
    work.write("kernels/norm.py", "def fused_norm(): ...\n\n\nLIMIT = 3\n")
    brought = work.commit("bring it")
    work.git("mv", "kernels/norm.py", "kernels/core.py")
    work.commit("move")
    work.write("csrc/env.cpp", 'getenv("KERNELS_FAST_NORM");\n')
    read = work.commit("read it")
    work.write("kernels/env.py", 'FAST = environ["KERNELS_FAST_NORM"]\n')
    tip = work.commit("read it in Python too")
    found = await GitSource(REPO, work.path).first_with(
        ["fused_norm", "KERNELS_FAST_NORM"], folder="kernels", upto=tip, since=THEN
    )
    assert found == {"fused_norm": brought, "KERNELS_FAST_NORM": read}


async def test_a_word_stands_where_product_code_has_it_beside_its_package(work: "Work") -> None:
    work.write("server/a.py", "from kernels.moe import fused_route\nlocal_route = 1\n")
    work.write("tests/test_a.py", "from kernels.moe import tested_route\n")
    tip = work.commit("begin")
    words = ["fused_route", "local_route", "tested_route"]
    assert await GitSource(REPO, work.path).standing(tip, words, beside="kernels") == {"fused_route"}


async def test_messages_are_searched_as_a_whole_by_git_and_on_the_line_that_was_walked(work: "Work") -> None:
    work.commit("begin\n\nacme/server#1", at=THEN - timedelta(days=1))
    said = work.commit("feat: it (#3)\n\nServer integration: Acme/Server#12")
    linked = work.commit("feat: more (#4)\n\n[why](https://github.com/acme/server/pull/12), not acme/kernels#4.")
    work.commit("feat: else (#5)\n\nother/server#12, acme/server, #12, acme/servers/pull/7")
    tip = work.commit("too late\n\nacme/server#12", at=NOON + timedelta(days=2))
    pattern, until = naming(["acme/server"]), NOON + timedelta(days=1)
    asked, walked = GitSource(REPO, work.path), GitSource(REPO, work.path)
    await walked.landed(Window(start=THEN, end=until, tz="UTC"))
    for source in (asked, walked):
        found = await source.referring(pattern, upto=tip, since=THEN, until=until)
        assert [one.sha for one in found] == [linked, said]
        assert found[0].message.endswith("acme/kernels#4.")


async def test_a_shallow_clone_tells_nothing_of_origins(work: "Work") -> None:
    work.commit("begin")
    work.write("kernels/b.py", "def fused_route(): ...\n")
    tip = work.commit("bring it")
    clone = work.path.parent / "shallow"
    work.git("clone", "--quiet", "--depth=1", f"file://{work.path}", str(clone))
    assert await GitSource(REPO, clone).first_with(["fused_route"], folder="kernels", upto=tip, since=THEN) == {}
