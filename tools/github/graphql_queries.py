"""GraphQL queries about many things at once: pull requests, threads, closers of issues, files."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files as package_files


def pulls_of_commits(shas: Iterable[str]) -> str:
    """Ask which pull requests brought these commits; each answers under the alias `c<hash>`."""
    fields = [f'c{_checked(sha)}: object(oid: "{sha}") {{ ...landed }}' for sha in shas]
    return _query(fields, "landed", "pull")


def pulls(numbers: Iterable[int]) -> str:
    """Ask for pull requests by number; each answers under the alias `p<number>`."""
    fields = [f"p{number:d}: pullRequest(number: {number:d}) {{ ...pull }}" for number in numbers]
    return _query(fields, "pull")


def threads(numbers: Iterable[int]) -> str:
    """Ask for threads by number with their last comments; each answers under `t<number>`."""
    comments = "comments(last: 10) { totalCount nodes { ...said } }"
    issue = f"... on Issue {{ ...issue {comments} }}"
    pull = f"... on PullRequest {{ ...pull {comments} }}"
    selection = f"{{ __typename {issue} {pull} }}"
    fields: list[str] = []
    for number in numbers:
        fields.append(f"t{number:d}: issueOrPullRequest(number: {number:d}) {selection}")
    return _query(fields, "thread", "pull")


def closers(numbers: Iterable[int]) -> str:
    """Ask what closed these issues last; each answers under the alias `i<number>`."""
    fields = [f"i{number:d}: issue(number: {number:d}) {{ ...closed }}" for number in numbers]
    return _query(fields, "closed")


def files(names: Sequence[str]) -> str:
    """Ask for files by `<commit>:<path>`; each answers under its `file_alias`.

    A path may hold anything, so none is written into the query: they go as `file_variables`.
    """
    aliases = [file_alias(name) for name in names]
    fields = [f"{alias}: object(expression: ${alias}) {{ ...file }}" for alias in aliases]
    variables = [f", ${alias}: String!" for alias in aliases]
    return _query(fields, "file", variables="".join(variables))


def file_alias(name: str) -> str:
    """Return a name for a file that GraphQL allows."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"b{digest[:32]}"


def file_variables(names: Iterable[str]) -> dict[str, str]:
    """Return the values that belong to a query for files."""
    return {file_alias(name): name for name in names}


def _query(fields: list[str], *fragments: str, variables: str = "") -> str:
    lines = [
        f"query($owner: String!, $name: String!{variables}) {{",
        " repository(owner: $owner, name: $name) {",
        "  nameWithOwner",
        *(f"  {line}" for line in fields),
        " }",
        "}",
        "",
    ]
    return "\n".join(lines) + "".join(_fragment(name) for name in fragments)


@cache
def _fragment(name: str) -> str:
    folder = package_files("tools.github").joinpath("fragments")
    return folder.joinpath(f"{name}.graphql").read_text("utf-8")


def _checked(sha: str) -> str:
    """Return the hash; raise ValueError for anything else, so that nothing else enters a query."""
    if not re.fullmatch(r"[0-9a-f]{40}", sha):
        raise ValueError(f"not a full commit hash: {sha!r}")
    return sha
