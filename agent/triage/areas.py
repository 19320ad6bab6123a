"""Which part of a change users of a project get, and which only those meet who work on it."""

import re
from collections.abc import Iterable
from enum import StrEnum
from functools import lru_cache

from agent.domain.commits import FileChange


class Area(StrEnum):
    """Whom a file is for; told from its path alone."""

    PRODUCT = "product"
    """What users run, import, include or install."""
    TESTS = "tests"
    DOCS = "docs"
    CI = "ci"
    BENCH = "bench"
    """Benchmarks, scripts and examples: useful to some, needed by nobody."""


_FOLDERS = {
    Area.CI: ".github .buildkite .circleci .gitlab .azure-pipelines .ci ci .jenkins jenkins .devcontainer",
    Area.TESTS: "test tests testing unittest unittests unit_tests e2e e2e_test e2e_tests __tests__ testdata fixtures",
    Area.DOCS: "doc docs documentation docs_src website",
    Area.BENCH: "benchmark benchmarks bench benches microbenchmarks scripts hack example examples tutorials",
}
_BY_FOLDER = {name: area for area, names in _FOLDERS.items() for name in names.split()}
_BY_NAME = (
    (
        Area.CI,
        re.compile(
            r"\.gitlab-ci\.ya?ml|Jenkinsfile|\.pre-commit-config\.ya?ml|CODEOWNERS|\.codespellrc|dependabot\.yml"
        ),
    ),
    (
        Area.TESTS,
        re.compile(r"test_.*\.\w+|.*_(?:test|tests|unittest)\.\w+|.*\.(?:test|spec)\.[jt]sx?|conftest\.py|pytest\.ini"),
    ),
    (Area.DOCS, re.compile(r".*\.(?:md|mdx|rst|adoc|ipynb)|(?:LICEN[CS]E|NOTICE|AUTHORS|CITATION)\b.*")),
    (Area.BENCH, re.compile(r"bench(?:mark)?_.*|.*_bench(?:mark)?\.\w+")),
)


@lru_cache(maxsize=1 << 15)
def area(path: str) -> Area:
    """Say whom a file is for; the outermost folder that tells decides, then the name."""
    *folders, name = path.split("/")
    found = next((_BY_FOLDER[folder.lower()] for folder in folders if folder.lower() in _BY_FOLDER), None)
    # A test of the build machines is theirs, wherever its folder lies: `scripts/ci/test.sh`.
    if found is Area.BENCH and any(folder.lower() in ("ci", ".ci") for folder in folders):
        return Area.CI
    return found or next((kind for kind, names in _BY_NAME if names.fullmatch(name)), Area.PRODUCT)


def lines_by_area(files: Iterable[FileChange]) -> dict[Area, int]:
    """Count the changed lines of each area that is touched; a file without lines counts as one."""
    counts: dict[Area, int] = {}
    for file in files:
        kind = area(file.path)
        counts[kind] = counts.get(kind, 0) + max(1, file.additions + file.deletions)
    return counts
