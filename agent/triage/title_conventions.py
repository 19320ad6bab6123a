"""Conventions of titles: `[Bugfix]`, `fix(scope)!:`, `Revert "…"`, a version."""

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple, TypeVar

from agent.domain.ledger import Purpose
from agent.domain.references import without_pull_number
from agent.domain.revert_messages import reverts_in

K = TypeVar("K")
CHORES = frozenset({"docs", "tests", "ci", "chore"})  # What nobody downstream needs to act on
_TYPES: dict[Purpose, str] = {
    "revert": "revert",
    "security": "security",
    "fix": "fix bugfix hotfix bug",
    "feature": "feat feature",
    "performance": "perf performance",
    "deprecation": "deprecation",
    "release": "release",
    "dependency": "deps dependencies",
    "refactor": "refactor nfc",
    "docs": "doc docs",
    "tests": "test tests",
    "ci": "ci",
    "chore": "chore build style misc",
}


def _keys_by_word(table: Mapping[K, str]) -> dict[str, K]:
    """Return the key of each word in a table."""
    keys: dict[str, K] = {}
    for key, words in table.items():
        keys.update(dict.fromkeys(words.split(), key))
    return keys


_BY_TYPE = _keys_by_word(_TYPES)
"""The types of Conventional Commits and the tags that projects document beside them; NFC is LLVM's
tag for "no functional change"."""
_BREAKING_TAGS = ("breaking", "breaking change", "bc breaking")
"""The last one is the label of PyTorch and projects around it; hyphens may stand for spaces."""
_BY_FIRST_WORD: dict[str, Purpose] = {
    "feat": "feature",
    "fix": "fix",
    "perf": "performance",
    "refactor": "refactor",
    "revert": "revert",
}
"""Types of Conventional Commits that count without a colon, too: `Fix a crash`. The others are plain
English words, and would fold changes of the product (`Test`, `Build`)."""
_FIRST_WORD = re.compile(r"\s*([A-Za-z]{3,12})\b(?![-/_:.(])")
_TAG = re.compile(r"\s*\[([^\]\[]{1,40})\]\s*:?")
_SCHEME = re.compile(r"\s*([A-Za-z][A-Za-z /-]{0,24}?)(?:\(([^()]{1,40})\))?(!)?:\s")
_PARTS = re.compile(r"[\s/&+,|_-]+")
_ADVISORY = re.compile(
    r"\bcve[- ](?P<cve>\d{4}-\d{4,})\b|\bghsa(?P<ghsa>(?:-\w{4}){3})\b", re.IGNORECASE | re.ASCII
)
"""How published vulnerabilities are numbered."""
_SIGNATURE = re.compile(r"^[A-Za-z-]{1,40}-by:.*$", re.MULTILINE)
"""A trailer with somebody's name, such as `Co-authored-by`, which says nothing of the change."""
_VERSION = re.compile(r"\s*v?\d+\.\d+(?:\.\d+)*\w*\s*", re.IGNORECASE | re.ASCII)


class Heading(NamedTuple):
    """A first line, taken apart."""

    purposes: tuple[Purpose, ...]
    """In the order of the tags; a line may have several, as in `[CI][Bugfix]`."""
    breaking: bool  # The author marks it: `feat!:`, `[Breaking]`, `BREAKING CHANGE`


@lru_cache(maxsize=1_000)
def read_heading(subject: str) -> Heading:
    """Return a first line taken apart; the same one is asked about at every step of a run."""
    rest = subject
    tags: list[str] = []
    is_marked = "BREAKING CHANGE" in subject
    while tag := _TAG.match(rest):
        tags.append(tag[1])
        rest = rest[tag.end() :]
    if scheme := _SCHEME.match(rest):
        tags += [scheme[1], scheme[2] or ""]
        is_marked = is_marked or bool(scheme[3])
        rest = rest[scheme.end() :]
    if reverts_in(rest):
        # What follows is the title of something that is no longer there.
        return Heading(("revert",), is_marked)
    purposes = purposes_of(tags)
    if purpose := _first_word_purpose(rest):
        purposes.append(purpose)
    if names_advisory(rest):
        purposes.append("security")
    if _VERSION.fullmatch(without_pull_number(rest)):
        purposes.append("release")
    return Heading(tuple(dict.fromkeys(purposes)), is_marked or is_breaking(tags))


def _first_word_purpose(text: str) -> Purpose | None:
    word = _FIRST_WORD.match(text)
    return _BY_FIRST_WORD.get(word[1].lower()) if word else None


def names_advisory(text: str) -> bool:
    """Return True if a text has the number of a published vulnerability."""
    return bool(advisories_in(text))


def advisories_in(text: str) -> list[str]:
    """Return the numbers of published vulnerabilities in a text, each once and as their lists write them."""
    numbers: dict[str, None] = {}
    for match in _ADVISORY.finditer(_SIGNATURE.sub("", text)):
        number = f"CVE-{match['cve']}" if match["cve"] else f"GHSA{match['ghsa'].lower()}"
        numbers[number] = None
    return list(numbers)


def purposes_of(tags: Iterable[str]) -> list[Purpose]:
    """Return what tags, types or labels declare, each by its parts, as in `CI/Build`."""
    purposes = []
    for tag in tags:
        for part in _PARTS.split(tag.lower()):
            if part in _BY_TYPE:
                purposes.append(_BY_TYPE[part])
    return purposes


def is_breaking(tags: Iterable[str]) -> bool:
    """Return True if a tag or label marks a breaking change; `non-breaking` is none."""
    return any(tag.strip().lower().replace("-", " ") in _BREAKING_TAGS for tag in tags)


class Area(StrEnum):
    """The audience of a file, by its path alone."""

    PRODUCT = "product"  # What users run, import, include or install
    TESTS = "tests"
    DOCS = "docs"
    CI = "ci"
    BENCH = "bench"  # Benchmarks, scripts and examples: useful to some, needed by nobody


_FOLDERS = {
    Area.CI: ".github .buildkite .circleci .gitlab .azure-pipelines .ci ci .jenkins jenkins .devcontainer",
    Area.TESTS: "test tests testing unittest unittests unit_tests e2e e2e_test e2e_tests __tests__ testdata fixtures",
    Area.DOCS: "doc docs documentation docs_src website",
    Area.BENCH: "benchmark benchmarks bench benches microbenchmarks scripts hack example examples tutorials",
}
_BY_FOLDER = _keys_by_word(_FOLDERS)
_NAMES = {
    Area.CI: r"\.gitlab-ci\.ya?ml|Jenkinsfile|\.pre-commit-config\.ya?ml|CODEOWNERS|\.codespellrc|dependabot\.yml",
    Area.TESTS: r"test_.*\.\w+|.*_(?:test|tests|unittest)\.\w+|.*\.(?:test|spec)\.[jt]sx?|conftest\.py|pytest\.ini",
    Area.DOCS: r".*\.(?:md|mdx|rst|adoc|ipynb)|(?:LICEN[CS]E|NOTICE|AUTHORS|CITATION)\b.*",
    Area.BENCH: r"bench(?:mark)?_.*|.*_bench(?:mark)?\.\w+",
}
_BY_NAME = {area: re.compile(names) for area, names in _NAMES.items()}


_ROOTS = ("src", "python", "lib")  # Folders around packages


def _is_helper_for_tests(folders: Sequence[str], name: str) -> bool:
    """Return True for a module that a package gives to the tests of its users: `numpy.testing`."""
    if "testing" not in folders or not name.endswith(".py"):
        return False
    is_test = _BY_NAME[Area.TESTS].fullmatch(name) is not None
    package = folders[: folders.index("testing")]
    return not is_test and bool(package) and package[-1] not in _ROOTS


@lru_cache(maxsize=1 << 15)
def area(path: str) -> Area:
    """Return whom a file is for, by the outermost folder of a table, else by its name."""
    *folders, name = path.split("/")
    if _is_helper_for_tests(folders, name):
        folders.remove("testing")
    areas = [_BY_FOLDER[folder.lower()] for folder in folders if folder.lower() in _BY_FOLDER]
    if areas:
        # A script of the build machines is theirs, wherever its folder lies: `scripts/ci/test.sh`.
        return Area.CI if areas[0] is Area.BENCH and Area.CI in areas else areas[0]
    for kind, names in _BY_NAME.items():
        if names.fullmatch(name):
            return kind
    return Area.PRODUCT
