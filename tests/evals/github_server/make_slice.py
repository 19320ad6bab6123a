"""Cut GitHub's published schemas down to what the loopback server speaks, for the tests to judge its answers by.

    python make_slice.py rest api.github.com.json data/rest.json.gz
    python make_slice.py graphql schema.graphql data/github.graphql

The inputs come from the npm packages named in `data/ORIGIN.md`. Only facts are kept: no descriptions, no examples.
"""

import copy
import dataclasses
import gzip
import json
import sys
from pathlib import Path
from typing import Any

import graphql as gql

_REPO = "/repos/{owner}/{repo}"
PATHS = [
    _REPO + tail
    for tail in (
        "",
        "/branches",
        "/branches/{branch}",
        "/commits",
        "/commits/{commit_sha}/pulls",
        "/commits/{ref}",
        "/compare/{basehead}",
        "/contents/{path}",
        "/git/blobs/{file_sha}",
        "/git/trees/{tree_sha}",
        "/issues",
        "/issues/{issue_number}",
        "/issues/{issue_number}/comments",
        "/issues/{issue_number}/events",
        "/issues/{issue_number}/timeline",
        "/labels",
        "/pulls",
        "/pulls/{pull_number}",
        "/pulls/{pull_number}/commits",
        "/pulls/{pull_number}/files",
        "/releases",
        "/releases/latest",
        "/releases/tags/{tag}",
        "/tags",
    )
] + ["/rate_limit"]
"""The operations (all GET) whose answers the tests validate."""

DROPPED = {"description", "summary", "example", "examples", "externalDocs", "tags", "x-github", "title", "headers"}
VERSION = "2026-03-10"
BUILT_IN = {"String", "Int", "Float", "Boolean", "ID"}

TYPES = {
    "Query": {"id", "repository", "rateLimit"},
    "Repository": {
        "defaultBranchRef", "object", "ref", "issue", "issues", "issueOrPullRequest", "pullRequest", "pullRequests",
        "releases", "owner", "id", "databaseId", "name", "nameWithOwner", "url", "createdAt", "isFork", "isPrivate",
    },
}  # fmt: skip
"""Types of which only some fields matter; of every other type that is kept, see `KEPT_TYPES`."""

KEPT_TYPES = {
    "Actor", "Bot", "ClosedEvent", "Closer", "Commit", "CommitConnection", "CommitEdge",
    "CommitHistoryConnection", "GitActor", "GitObject", "Issue", "IssueComment", "IssueCommentConnection",
    "IssueConnection", "IssueEdge", "IssueOrPullRequest", "IssueTimelineItems", "IssueTimelineItemsConnection", "Label",
    "LabelConnection", "Node", "PageInfo", "PullRequest", "PullRequestCommit", "PullRequestCommitConnection",
    "PullRequestConnection", "PullRequestEdge", "Query", "RateLimit", "ReactionConnection", "Ref", "Release",
    "ReleaseConnection", "ReopenedEvent", "Repository", "RepositoryOwner", "User", "CrossReferencedEvent",
    "ReferencedEvent", "LabeledEvent", "ReferencedSubject", "ConnectedEvent", "Mannequin", "EnterpriseUserAccount",
    "Organization", "Tree", "Blob", "Tag",
}  # fmt: skip
"""Composite types that our documents reach; enums, inputs and scalars follow from their fields."""


def merge(target: Any, patch: Any) -> Any:
    """Apply a JSON merge patch (RFC 7396)."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge(merged.get(key), value)
    return merged


def json_patch(target: Any, operations: list[dict[str, Any]]) -> Any:
    """Apply the add, replace and remove operations of a JSON patch (RFC 6902)."""
    result = copy.deepcopy(target)
    for operation in operations:
        *way, last = [part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:]]
        place = result
        for part in way:
            place = place[int(part)] if isinstance(place, list) else place[part]
        key: Any = int(last) if isinstance(place, list) else last
        if operation["op"] == "remove":
            place.pop(key)
        elif isinstance(place, list) and operation["op"] == "add":
            place.insert(key, operation["value"])
        else:
            place[key] = operation["value"]
    return result


class Slicer:
    """Copies operations out of an OpenAPI description with everything they refer to."""

    def __init__(self, description: dict[str, Any], version: str | None) -> None:
        self._whole = description
        self._version = version
        self._components: dict[str, dict[str, Any]] = {}

    def cut(self, paths: list[str]) -> dict[str, Any]:
        """Give a description that holds only the GET operations of these paths."""
        kept = {path: {"get": self._copy(self._whole["paths"][path]["get"])} for path in paths}
        return {"openapi": self._whole["openapi"], "paths": kept, "components": self._components}

    def _copy(self, value: Any, *, names: bool = False) -> Any:
        if isinstance(value, list):
            return [self._copy(item) for item in value]
        if not isinstance(value, dict):
            return value
        current = self._at_version(value)
        reference = current.get("$ref")
        if isinstance(reference, str):
            self._follow(reference)
        return {
            key: self._copy(item, names=key in ("properties", "patternProperties"))
            for key, item in current.items()
            # Below `properties` the keys are names of fields, and a field may well be called "description".
            if names or key not in DROPPED
        }

    def _at_version(self, value: dict[str, Any]) -> dict[str, Any]:
        current = {key: item for key, item in value.items() if key != "x-github-breaking-changes"}
        for change in value.get("x-github-breaking-changes", []) if self._version else []:
            if change["version"] <= self._version:
                current = (json_patch if isinstance(change["patch"], list) else merge)(current, change["patch"])
        return current

    def _follow(self, reference: str) -> None:
        _, _, kind, name = reference.split("/", 3)
        if kind == "examples" or name in self._components.setdefault(kind, {}):
            return
        self._components[kind][name] = None
        self._components[kind][name] = self._copy(self._whole["components"][kind][name])


def slice_rest(source: Path, target: Path) -> None:
    """Write both API versions, cut, as one compressed file."""
    whole = json.loads(source.read_text())
    cut = {"2022-11-28": Slicer(whole, None).cut(PATHS), VERSION: Slicer(whole, VERSION).cut(PATHS)}
    text = json.dumps(cut, separators=(",", ":"), sort_keys=True)
    # No time stamp, so that the same input gives the same file.
    target.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


class Pruner:
    """Copies types out of a GraphQL schema with the enums, inputs and scalars that their fields use."""

    def __init__(self, document: gql.DocumentNode) -> None:
        definitions = [node for node in document.definitions if isinstance(node, gql.TypeDefinitionNode)]
        self._nodes: dict[str, Any] = {node.name.value: node for node in definitions}
        leaves = {n for n, node in self._nodes.items() if not hasattr(node, "fields") and not hasattr(node, "types")}
        inputs = {n for n, node in self._nodes.items() if isinstance(node, gql.InputObjectTypeDefinitionNode)}
        self._kept = (KEPT_TYPES & self._nodes.keys()) | leaves | BUILT_IN
        self._small = leaves | inputs
        self._used: set[str] = set()

    def prune(self) -> str:
        """Give the schema that is left."""
        result = {name: self._composite(self._nodes[name]) for name in sorted(KEPT_TYPES & self._nodes.keys())}
        while missing := (self._used & self._small) - result.keys():
            result |= {name: self._leaf(self._nodes[name]) for name in sorted(missing)}
        return "\n\n".join(gql.print_ast(result[name]) for name in sorted(result)) + "\n"

    def _composite(self, node: Any) -> Any:
        if hasattr(node, "types"):
            return _plain(node, types=tuple(t for t in node.types or () if t.name.value in KEPT_TYPES))
        wanted = TYPES.get(node.name.value)
        fields = [field for field in node.fields if wanted is None or field.name.value in wanted]
        fields = [field for field in fields if _named(field.type) in self._kept]
        self._used |= {_named(field.type) for field in fields}
        self._used |= {_named(argument.type) for field in fields for argument in field.arguments or ()}
        interfaces = tuple(i for i in node.interfaces or () if i.name.value in KEPT_TYPES)
        return _plain(node, fields=tuple(map(_plain, fields)), interfaces=interfaces)

    def _leaf(self, node: Any) -> Any:
        if hasattr(node, "fields"):
            self._used |= {_named(field.type) for field in node.fields}
            return _plain(node, fields=tuple(map(_plain, node.fields)))
        if hasattr(node, "values"):
            return _plain(node, values=tuple(map(_plain, node.values)))
        return _plain(node)


def slice_graphql(source: Path, target: Path) -> None:
    """Write the part of the schema that our documents reach, without descriptions."""
    target.write_text(Pruner(gql.parse(source.read_text(), no_location=True)).prune())


def _named(node: Any) -> str:
    while not isinstance(node, gql.NamedTypeNode):
        node = node.type
    return node.name.value


def _plain(node: Any, **changes: Any) -> Any:
    if getattr(node, "arguments", None):
        changes["arguments"] = tuple(map(_plain, node.arguments))
    return dataclasses.replace(node, description=None, directives=(), **changes)


if __name__ == "__main__":
    kind, given, wanted = sys.argv[1:]
    {"rest": slice_rest, "graphql": slice_graphql}[kind](Path(given), Path(wanted))
