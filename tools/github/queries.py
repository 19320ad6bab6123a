"""What is asked by GraphQL: pull requests of commits or by number, closers of issues, files; many in one query."""

import hashlib
import re
from collections.abc import Iterable, Sequence

_PULL = """
fragment pull on PullRequest {
  number title body state mergedAt baseRefName createdAt updatedAt
  author { login }
  mergeCommit { oid }
  repository { nameWithOwner }
  labels(first: 50) { nodes { name } }
  closingIssuesReferences(first: 100) { nodes { number repository { nameWithOwner } } }
  timelineItems(first: 20, itemTypes: [CROSS_REFERENCED_EVENT]) {
    nodes { ... on CrossReferencedEvent { source { ... on Issue { number repository { nameWithOwner } } } } }
  }
}
"""

_COMMIT = """
fragment landed on Commit {
  associatedPullRequests(first: 5) { nodes { ...pull } }
}
"""

_CLOSED = """
fragment closed on Issue {
  number closedAt stateReason(enableDuplicate: true)
  timelineItems(last: 1, itemTypes: [CLOSED_EVENT]) {
    nodes {
      ... on ClosedEvent {
        createdAt
        closer {
          __typename
          ... on Commit { oid repository { nameWithOwner } }
          ... on PullRequest { number repository { nameWithOwner } }
        }
      }
    }
  }
}
"""

_THREAD = """
fragment issue on Issue {
  number title body issueState: state stateReason(enableDuplicate: true) createdAt updatedAt closedAt
  author { login }
  repository { nameWithOwner }
  labels(first: 50) { nodes { name } }
  reactions { totalCount }
}
fragment said on IssueComment { author { login } body createdAt }
"""

_BLOB = """
fragment file on Blob { oid text }
"""


def pulls_of_commits(shas: Iterable[str]) -> str:
    """Ask which pull requests brought these commits; each commit answers under the alias `c<hash>`."""
    fields = [f'  c{_hash(sha)}: object(oid: "{sha}") {{ ...landed }}' for sha in shas]
    return _query(fields, _COMMIT + _PULL)


def pulls(numbers: Iterable[int]) -> str:
    """Ask for pull requests by number; each answers under the alias `p<number>`."""
    return _query([f"  p{number:d}: pullRequest(number: {number:d}) {{ ...pull }}" for number in numbers], _PULL)


def threads(numbers: Iterable[int]) -> str:
    """Ask for issues or pull requests by number, with their last comments; each answers under the alias `t<number>`."""
    said = "comments(last: 10) { totalCount nodes { ...said } }"
    kinds = f"__typename ... on Issue {{ ...issue {said} }} ... on PullRequest {{ ...pull {said} }}"
    fields = [f"  t{number:d}: issueOrPullRequest(number: {number:d}) {{ {kinds} }}" for number in numbers]
    return _query(fields, _THREAD + _PULL)


def closers(numbers: Iterable[int]) -> str:
    """Ask what closed these issues last; each answers under the alias `i<number>`."""
    return _query([f"  i{number:d}: issue(number: {number:d}) {{ ...closed }}" for number in numbers], _CLOSED)


def files(names: Sequence[str]) -> str:
    """Ask for files by `<commit>:<path>`; each answers under its `file_alias`.

    A path may hold anything, so that none is written into the query: they go with it, as `file_variables`.
    """
    aliases = [file_alias(name) for name in names]
    fields = [f"  {alias}: object(expression: ${alias}) {{ ...file }}" for alias in aliases]
    return _query(fields, _BLOB, "".join(f", ${alias}: String!" for alias in aliases))


def file_alias(name: str) -> str:
    """Give a file a name that GraphQL allows."""
    return f"b{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def file_variables(names: Iterable[str]) -> dict[str, str]:
    """Give the values that belong to a query for files."""
    return {file_alias(name): name for name in names}


def _query(fields: list[str], fragments: str, variables: str = "") -> str:
    body = "\n".join(["  nameWithOwner", *fields])
    head = f"query($owner: String!, $name: String!{variables}) {{\n repository(owner: $owner, name: $name) {{"
    return f"{head}\n{body}\n }}\n}}{fragments}"


def _hash(sha: str) -> str:
    """Let nothing but a hash into a query."""
    if not re.fullmatch(r"[0-9a-f]{40}", sha):
        raise ValueError(f"not a full commit hash: {sha!r}")
    return sha
