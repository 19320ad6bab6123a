"""What is asked by GraphQL: pull requests of commits or by number, closers of issues, files; many in one query."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files as files_of


def pulls_of_commits(shas: Iterable[str]) -> str:
    """Ask which pull requests brought these commits; each commit answers under the alias `c<hash>`."""
    fields = [f'  c{_hash(sha)}: object(oid: "{sha}") {{ ...landed }}' for sha in shas]
    return _query(fields, "landed", "pull")


def pulls(numbers: Iterable[int]) -> str:
    """Ask for pull requests by number; each answers under the alias `p<number>`."""
    return _query(
        [f"  p{number:d}: pullRequest(number: {number:d}) {{ ...pull }}" for number in numbers],
        "pull",
    )


def threads(numbers: Iterable[int]) -> str:
    """Ask for issues or pull requests by number, with their last comments; each answers under the alias `t<number>`."""
    said = "comments(last: 10) { totalCount nodes { ...said } }"
    kinds = f"__typename ... on Issue {{ ...issue {said} }} ... on PullRequest {{ ...pull {said} }}"
    fields = [
        f"  t{number:d}: issueOrPullRequest(number: {number:d}) {{ {kinds} }}" for number in numbers
    ]
    return _query(fields, "thread", "pull")


def closers(numbers: Iterable[int]) -> str:
    """Ask what closed these issues last; each answers under the alias `i<number>`."""
    return _query(
        [f"  i{number:d}: issue(number: {number:d}) {{ ...closed }}" for number in numbers],
        "closed",
    )


def files(names: Sequence[str]) -> str:
    """Ask for files by `<commit>:<path>`; each answers under its `file_alias`.

    A path may hold anything, so that none is written into the query: they go with it, as `file_variables`.
    """
    aliases = [file_alias(name) for name in names]
    fields = [f"  {alias}: object(expression: ${alias}) {{ ...file }}" for alias in aliases]
    return _query(fields, "file", variables="".join(f", ${alias}: String!" for alias in aliases))


def file_alias(name: str) -> str:
    """Give a file a name that GraphQL allows."""
    return f"b{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"


def file_variables(names: Iterable[str]) -> dict[str, str]:
    """Give the values that belong to a query for files."""
    return {file_alias(name): name for name in names}


def _query(fields: list[str], *fragments: str, variables: str = "") -> str:
    body = "\n".join(["  nameWithOwner", *fields])
    head = f"query($owner: String!, $name: String!{variables}) {{\n repository(owner: $owner, name: $name) {{"
    return f"{head}\n{body}\n }}\n}}\n" + "".join(map(_fragment, fragments))


@cache
def _fragment(name: str) -> str:
    return files_of("tools.github").joinpath("fragments", f"{name}.graphql").read_text("utf-8")


def _hash(sha: str) -> str:
    """Let nothing but a hash into a query."""
    if not re.fullmatch(r"[0-9a-f]{40}", sha):
        raise ValueError(f"not a full commit hash: {sha!r}")
    return sha
