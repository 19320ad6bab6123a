"""By which names a new file is told, and what of a crate nobody outside can name."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from agent.facts import Fact, FactKind, Severity
from agent.ids import RepoId
from tools.diff.study import study
from tools.git.source import GitSource

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf, History

CRATE = {
    "client/src/lib.rs": "mod client;\npub mod wire;\n\npub use client::{Client, Stream};\n",
    "client/src/client.rs": "pub(crate) mod imp;\nmod state;\nmod stream;\npub use stream::Stream;\n",
    "client/src/client/state.rs": "pub struct Registry;\n\nimpl Registry {\n    pub fn one(&self) {}\n}\n",
    "client/src/client/stream.rs": "pub struct Stream;\n\nimpl Stream {\n    pub fn one(&self) {}\n}\n",
    "client/src/client/imp.rs": "pub(crate) struct Inner;\n\nimpl Inner {\n    pub fn one(&self) {}\n}\n",
    "client/src/wire.rs": "pub struct Wire;\n\nimpl Wire {\n    pub fn one(&self) {}\n}\n",
}


async def studied(past: "History", sha: str) -> list[Fact]:
    source = GitSource(RepoId("o/r"), past.path)
    (change,) = [change async for change in source.changes([sha])]
    return list((await study(source, change)).facts)


@pytest.mark.parametrize(
    ("file", "severity"),
    [
        ("client/src/client/state.rs", Severity.INTERNAL),
        ("client/src/client/imp.rs", Severity.INTERNAL),
        ("client/src/client/stream.rs", Severity.ADDITIVE),
        ("client/src/wire.rs", Severity.ADDITIVE),
    ],
)
async def test_a_method_is_public_where_its_type_can_be_named_from_outside(
    file: str, severity: Severity, history: Callable[[], "History"]
) -> None:
    past = history()
    past.commit(dict(CRATE))
    new = CRATE[file].replace("    pub fn one(&self) {}\n", "    pub fn one(&self) {}\n\n    pub fn many(&self) {}\n")
    (fact,) = await studied(past, past.commit({file: new}))
    assert (fact.kind, fact.severity) == (FactKind.SYMBOL_ADDED, severity)


async def test_what_a_commit_closes_to_others_was_open_before(history: Callable[[], "History"]) -> None:
    past = history()
    past.commit(dict(CRATE))
    root = CRATE["client/src/lib.rs"].replace("pub mod wire;", "pub(crate) mod wire;")
    new = CRATE["client/src/wire.rs"].replace("    pub fn one(&self) {}\n", "")
    facts = await studied(past, past.commit({"client/src/lib.rs": root, "client/src/wire.rs": new}))
    assert [fact.severity for fact in facts if fact.name == "Wire.one"] == [Severity.BREAKING]


async def test_a_method_of_a_type_that_its_file_keeps_for_the_crate_is_internal(facts_of: "FactsOf") -> None:
    old = CRATE["client/src/client/imp.rs"]
    new = old.replace("    pub fn one(&self) {}\n", "    pub fn one(&self) {}\n\n    pub fn many(&self) {}\n")
    (fact,) = await facts_of({"src/imp.rs": old}, {"src/imp.rs": new})
    assert fact.severity is Severity.INTERNAL


@pytest.mark.parametrize(("taken_in", "severity"), [("mod", Severity.INTERNAL), ("pub mod", Severity.ADDITIVE)])
async def test_a_new_file_is_told_by_what_it_gives_and_is_public_with_its_module(
    taken_in: str, severity: Severity, history: Callable[[], "History"]
) -> None:
    past = history()
    past.commit({"llm/src/lib.rs": "pub struct Llm;\n"})
    text = "type Map = HashMap<String, u8>;\n\npub(crate) struct Inflight {\n    m: Map,\n}\npub(crate) struct Guard;\n"
    facts = await studied(
        past, past.commit({"llm/src/lib.rs": f"{taken_in} inflight;\n\npub struct Llm;\n", "llm/src/inflight.rs": text})
    )
    (fact,) = [fact for fact in facts if fact.kind is FactKind.FILE_ADDED]
    assert (fact.new, fact.severity) == ("Inflight, Guard", severity)


async def test_a_new_header_is_told_by_its_classes_and_by_the_functions_that_its_users_call(
    facts_of: "FactsOf",
) -> None:
    text = (
        "#pragma once\nnamespace lib {\nstruct Pack {\n  int n;\n};\ntemplate <>\nstruct Pack<int> {\n  int n;\n};\n\n"
        "__device__ inline int helper(int n) {\n  return n;\n}\n\n__global__ void kernel(Pack pack) {\n}\n\n"
        "template <typename T>\nStatus device_gemm(\n    int m,\n    int n) {\n  return launch(m, n);\n}\n}\n"
    )
    (fact,) = await facts_of({"README.md": "lib\n"}, {"include/lib/dispatch.h": text})
    assert (fact.kind, fact.new) == (FactKind.FILE_ADDED, "Pack, kernel, device_gemm")


@pytest.mark.parametrize("route", ["blobs", "hunks"])
async def test_a_new_header_is_told_by_the_limits_it_holds_its_users_to(route: str, facts_of: "FactsOf") -> None:
    text = (
        "#pragma once\nnamespace lib {\nstatic constexpr int kMaxTopK = 8;  // experts per token\n"
        "constexpr int kUnroll = 4;\nconstexpr int kMaxRows = kUnroll;\n\nstruct Pack {\n  int n;\n};\n}\n"
    )
    (fact,) = await facts_of({"README.md": "lib\n"}, {"include/lib/dispatch.h": text}, route)
    assert (fact.kind, fact.new) == (FactKind.FILE_ADDED, "Pack, kMaxTopK")


async def test_a_new_source_is_not_told_by_what_it_keeps_for_itself(facts_of: "FactsOf") -> None:
    text = (
        "#include <lib.h>\nnamespace {\nvoid CheckCuda(Tensor t) {\n}\n}  // namespace\n\n"
        "static int rounded(int n) {\n  return n;\n}\n\nvoid silu_and_mul(Tensor out, Tensor in) {\n}\n"
    )
    (fact,) = await facts_of({"README.md": "lib\n"}, {"csrc/activation_kernels.cu": text})
    assert (fact.kind, fact.new) == (FactKind.FILE_ADDED, "silu_and_mul")


@pytest.mark.parametrize("entry", ["EntryClass = Talker\n", "EntryClass = [\n    Other,\n    Talker,\n]\n", ""])
async def test_of_many_names_those_by_which_a_model_is_asked_for_are_told(facts_of: "FactsOf", entry: str) -> None:
    parts = "".join(f"class Part{number}(nn.Module):\n    size = 1\n\n\n" for number in range(14))
    name = "Talker" if entry else "TalkerForCausalLM"
    source = f"from torch import nn\n\n\n{parts}class {name}(nn.Module):\n    size = 1\n\n\n{entry}"
    (fact,) = await facts_of({"pkg/__init__.py": ""}, {"pkg/models/talker.py": source})
    names = (fact.new or "").split(", ")
    assert (len(names), names[0], names[-1]) == (12, "Part0", name)
