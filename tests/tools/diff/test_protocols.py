"""What a `.proto` file offers to others: messages and fields with their numbers, enumerations, calls of a service."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
FILE = "rust/proto/control.proto"
OLD = """syntax = "proto3";

package lib.control;

import "google/api/annotations.proto";

service Control {
  rpc Info (InfoRequest) returns (ServerInfo) {}
  rpc Abort (AbortRequest) returns (AbortResponse) {}
  rpc Watch (WatchRequest) returns (stream Event);
}

message ServerInfo {
  option (lib.note) = { name: "info"; };
  string version = 1;  // as of the build; not of the model
  repeated string models = 2;
  map<string, int64> sizes = 3;
  uint64 blocks = 4;
  uint64 most_running = 5;
  oneof state {
    bool ready = 6;
    bool failed = 7;
  }
}

enum Mode {
  MODE_UNSPECIFIED = 0;
  MODE_ABORT = 1;
  MODE_WAIT = 2;
}
"""


@ROUTES
@pytest.mark.parametrize(
    ("old", "new", "kind", "severity", "name", "values"),
    [
        (
            "  rpc Watch",
            "  rpc Pause (PauseRequest) returns (PauseResponse) {\n"
            '    option (google.api.http) = { post: "/pause" body: "*" };\n  }\n  rpc Watch',
            FactKind.SYMBOL_ADDED,
            Severity.ADDITIVE,
            "Control.Pause",
            (None, "Pause(request: PauseRequest)"),
        ),
        (
            "  rpc Abort (AbortRequest) returns (AbortResponse) {}\n",
            "",
            FactKind.SYMBOL_REMOVED,
            Severity.BREAKING,
            "Control.Abort",
            ("Abort(request: AbortRequest)", None),
        ),
        (
            "(stream Event)",
            "(Event)",
            FactKind.SIGNATURE_CHANGED,
            Severity.BEHAVIOUR,
            "Control.Watch",
            ("stream Event", "Event"),
        ),
        (
            "  oneof state",
            "  optional Capabilities can = 11;\n  oneof state",
            FactKind.FIELD_ADDED,
            Severity.ADDITIVE,
            "ServerInfo.can",
            (None, "can = 11"),
        ),
        (
            "  map<string, int64> sizes = 3;\n",
            "",
            FactKind.FIELD_REMOVED,
            Severity.BREAKING,
            "ServerInfo.sizes",
            ("sizes = 3", None),
        ),
        ("blocks = 4", "blocks = 9", FactKind.FIELD_CHANGED, Severity.BREAKING, "ServerInfo.blocks", ("4", "9")),
        (
            "uint64 blocks",
            "repeated uint64 blocks",
            FactKind.FIELD_CHANGED,
            Severity.BEHAVIOUR,
            "ServerInfo.blocks",
            ("uint64", "repeated uint64"),
        ),
        (
            "  MODE_WAIT = 2;\n",
            "  MODE_WAIT = 2;\n  MODE_KEEP = 3;\n",
            FactKind.MEMBER_ADDED,
            Severity.ADDITIVE,
            "Mode.MODE_KEEP",
            (None, "MODE_KEEP = 3"),
        ),
        (
            "enum Mode {",
            "message Capabilities {\n  bool sleep = 1;\n}\n\nenum Mode {",
            FactKind.SYMBOL_ADDED,
            Severity.ADDITIVE,
            "Capabilities",
            (None, "Capabilities"),
        ),
        (
            "uint64 blocks = 4",
            "uint64 blocks = 4 [deprecated = true]",
            FactKind.DEPRECATED,
            Severity.BEHAVIOUR,
            "ServerInfo.blocks",
            (None, None),
        ),
    ],
)
async def test_what_a_protocol_declares_is_told_with_its_number(
    facts_of: "FactsOf",
    route: str,
    old: str,
    new: str,
    kind: FactKind,
    severity: Severity,
    name: str,
    values: tuple[str | None, str | None],
) -> None:
    (fact,) = await facts_of({FILE: OLD}, {FILE: OLD.replace(old, new)}, route)
    assert (fact.kind, fact.severity, fact.name, (fact.old, fact.new)) == (kind, severity, name, values)


@ROUTES
async def test_other_comments_in_a_protocol_change_nothing_for_anybody(facts_of: "FactsOf", route: str) -> None:
    (fact,) = await facts_of({FILE: OLD}, {FILE: OLD.replace("as of the build;", "of the build {")}, route)
    assert fact.kind is FactKind.ONLY_COMMENTS


async def test_a_protocol_that_is_none_is_read_without_harm(facts_of: "FactsOf") -> None:
    facts = await facts_of({FILE: "}}} ; { message {{" * 300}, {FILE: "message A { oneof { enum {" * 300})
    assert all(fact.places for fact in facts)
