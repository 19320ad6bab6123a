"""What a file is for, told from its path and its first bytes, and whether users of the project meet it."""

import re
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from agent.domain import FileChange
from tools.diff.readers.docker import is_dockerfile
from tools.diff.readers.manifest import is_lock


class Role(StrEnum):
    """What a file is for."""

    SOURCE = "source"
    HEADER = "header"
    KERNEL = "kernel"
    MODEL = "model"
    OPERATOR = "operator"
    TEST = "test"
    BENCHMARK = "benchmark"
    EXAMPLE = "example"
    DOCUMENT = "document"
    CI = "ci"
    BUILD = "build"
    CONFIG = "config"
    DEVICE_CONFIG = "device-config"
    DATA = "data"
    GENERATED = "generated"
    VENDORED = "vendored"
    LOCK = "lock"
    SCRIPT = "script"
    ASSET = "asset"


UPKEEP = {
    Role.TEST: "tests",
    Role.DOCUMENT: "docs",
    Role.CI: "CI",
    Role.SCRIPT: "scripts",
    Role.BENCHMARK: "benchmarks",
}
"""What keeps a project going and reaches no user, in a word each."""


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


_CODE = _words(
    "py pyi pyx c cc cpp cxx cu cuh h hh hpp hxx inl inc hip mu muh metal cl comp rs go ts tsx js jsx mjs cjs java"
)
_CODE |= _words("kt swift scala rb php proto mlir td jinja jinja2 m mm lua zig asm s ptx sql vue")
_SETTINGS = _words("yaml yml toml json jsonc json5 ini cfg conf env properties xml pbtxt tmpl tpl")
_PICTURES = _words(
    "png jpg jpeg gif svg ico webp bmp pdf mp3 mp4 wav ogg flac webm woff woff2 ttf otf eot css scss html md5"
)
_PROSE = _words("md rst mdx adoc ipynb nblink")
_SCRIPTS = _words("sh bash zsh fish bat ps1 slurm service")

_VENDORED_IN = _words("third_party thirdparty third-party 3rdparty 3rdparty_patches vendor vendored node_modules")
# Further down these words name something else: a router's `external` workers.
_VENDORED_AT_TOP = ("external/", "extern/", "deps/")
_BACKENDS = re.compile(r"third_party/(?:amd|nvidia|intel|cpu|proton|ascend|metax)/")
"""Parts of a compiler for one maker's machines, which live there for the day that their maker keeps them elsewhere."""
_OWN_WHEEL = re.compile(r"/wheels?/[\w.-]+/(?:pyproject[\w-]*\.toml|setup\.(?:py|cfg))$")
"""By what a project packs its own wheel for others' machines, wherever it keeps that."""
_GENERATED_IN = _words("generated _generated __generated__ instantiations")
_CI_IN = _words(
    ".github .buildkite .circleci .gitlab .azure-pipelines .ci ci .jenkins jenkins .devcontainer"
    " pre_commit pre-commit .githooks githooks .husky"
)
_TESTS_IN = _words(
    "test tests testing unittest unittests unit_tests e2e e2e_test e2e_tests __tests__ testdata fixtures"
)
_TESTS_END = ("_test", "_tests", "-test", "-tests")
_SHIPPED = "testing"
_BENCHMARKS_IN = _words("benchmark benchmarks bench benches perf microbenchmark microbenchmarks")
_EXAMPLES_IN = _words("example examples demo demos samples tutorial tutorials playground cookbook notebooks")
_EXAMPLES_END = ("_example", "_examples", "-example", "-examples")
# What coding assistants are told to do is written for contributors, as prose.
_DOCUMENTS_IN = _words("doc docs documentation docs_src docs_new docs-new website .claude .cursor .agents .codex")
_SCRIPTS_IN = _words("scripts script tools tool hack bin")
_BUILD_IN = _words("docker cmake requirements")
_KERNELS_IN = _words("kernel kernels kernel_src triton triton_kernels cute_dsl jit_kernel tilelang")
_OPERATORS_IN = _words("op ops custom_ops")
_NOT_A_MODEL = _words("__init__.py registry.py utils.py interfaces.py interfaces_base.py adapters.py base.py config.py")
_HIDDEN = _words("internal private detail details impl csrc") | _BENCHMARKS_IN
_HEADERS = _words("h hh hpp hxx cuh inl inc td")
_IMPORTED = _words("py pyi rs go ts tsx js jsx mjs proto")
# A benchmark outside a folder of benchmarks is a command of the package: `python -m sglang.bench_serving`; one of
# something (`benchmark_attention.py`) is for those who tune it.
_BENCHMARK_OF = "benchmark_"
_PUBLIC = (Role.SOURCE, Role.HEADER, Role.KERNEL, Role.MODEL, Role.OPERATOR, Role.BENCHMARK)

_CI_NAME = re.compile(
    r"^(?:\.gitlab-ci\.ya?ml|Jenkinsfile|\.travis\.yml|azure-pipelines\.yml|\.pre-commit-config\.ya?ml|\.?codecov\.ya?ml"
    r"|\.readthedocs\.ya?ml|dependabot\.yml|\.yapfignore|CODEOWNERS|\w*[cC]ode_?[oO]wner\w*\.\w+|ci[-_][\w-]+\.hcl|\.codespellrc|\.?release-please[\w-]*\.json|\.shellcheckrc|\.coveragerc)$"
)
_GENERATED_NAME = re.compile(
    r"(?:_pb2(?:_grpc)?\.pyi?|\.pb\.(?:go|cc|h|gw\.go)|\.min\.(?:js|css)|-bundle\.js|\.map|\.snap)$"
)
_TEST_NAME = re.compile(
    r"^(?:test_.*\.\w+|.*_(?:test|tests|unittest)\.(?!sh$)\w+|tests?\.rs|.*\.(?:test|spec)\.[jt]sx?|conftest\.py|pytest\.ini)$"
)
_BENCHMARK_NAME = re.compile(r"^(?:bench(?:mark)?_.*|.*_bench(?:mark)?|bench(?:mark)?)\.\w+$")
_PROGRAM = re.compile(r"^(?:(?:convert|build|run|generate|download|export|train|launch|serve)_\w+|\w+-[\w-]+)\.py$")
"""What lies at the top of a repository to be run; nobody imports it."""
_PACKAGED = re.compile(r"^(?:python|src)/\w+/(?:\w+/)*tools/.*\.pyi?$")
"""Tools that are installed with a package and imported from it: `python/pkg/tools/descriptor.py`."""
_CRATE = re.compile(r"(?:^|/)src/[\w-]+/src/.*\.rs$")
"""A crate beside the others of a workspace, which is shipped as they are: `rust/src/bench/src/cli.rs`."""
_DOCUMENT_NAME = re.compile(
    r"^(?:README|LICENSE|LICENCE|NOTICE|AUTHORS|CONTRIBUTORS|CONTRIBUTING|CHANGELOG|HISTORY|DCO|EULA|Doxyfile|CITATION|PUBLICATIONS"
    r"|COPYING|SECURITY|CODE_OF_CONDUCT|\.mintignore)\b[^/]*$",
)
_DEVICE = re.compile(
    r"device_name=|(?:^|[_,=-])(?:nvidia|amd|intel|ascend)_[a-z]*\d|^E=\d+,N=\d+|^N=\d+,K=\d+", re.IGNORECASE
)
_BUILD_NAME = re.compile(
    r"^(?:CMakeLists\.txt|.*\.cmake|.*\.cmake\.in|(?:GNU)?[Mm]akefile.*|.*\.mk|setup\.(?:py|cfg)|pyproject.*\.toml|MANIFEST\.in"
    r"|.*(?:requirements|constraints).*\.(?:txt|in)|environment.*\.ya?ml|package\.json|Cargo\.toml|rust-toolchain.*|build\.rs"
    r"|go\.mod|BUILD(?:\.bazel)?|WORKSPACE|.*\.bzl|meson\.build|\.gitmodules|\.dockerignore|.*\.hcl"
    r"|(?:version|VERSION)(?:\.txt)?|_?_?version(?:_?_)?\.py|\.python-version|[A-Z]+_(?:COMMIT|VERSION|SHA)|.*\.gradle|pom\.xml"
    r"|(?:docker-)?compose.*\.ya?ml|(?:build|custom)_backend\.py|tsconfig.*\.json)$"
)
_KERNEL_NAME = re.compile(r"(?:^|_)(?:kernels?|triton|cutedsl)(?:_\w+)?\.py$|^triton_\w+\.py$")
_SCRIPT_NAME = re.compile(
    r"^(?:prep|prepare|setup|build|make|run)_\w*(?:install|wheels?|release|env)\.py$"
    r"|^gen(?:erate)?_\w*(?:inst|instances?|instantiations?|kernels?|headers?|sources?|bindings?)\.py$"
)
"""Scripts by which a project is built; some of them write its code."""
"""What a developer runs beside the package."""
_OPERATOR_NAME = re.compile(
    r"(?:^|_)(?:ops|operators?|torch_bindings|bindings?|registration|extension)\.(?:py|cpp|cc|cu|h)$"
)
_MARKS = re.compile(
    rb"@generated\b|DO NOT EDIT|Do not edit\b|Code generated by\b|auto-?generated (?:by|file|from|code|with)\b"
    rb"|\b(?:is|was) (?:automatically |auto-?)generated\b",
    re.IGNORECASE,
)
_COMMENT = re.compile(rb"^\s*(?://|#|/\*|\*|--|;|<!--|\.\.)")
_MARKED_LINES = 15
_OWN_HEADER = re.compile(r"(?:^|[_.-])(?:impl|internal|private|details?|common|utils?)(?:[_.-]|$)|^_")
_OF_THE_PROJECT = re.compile(
    r"(?:^|[/_.-])(?:tests?|unittests?|ci|lint\w*|checks?|format\w*|releas\w*|whl|wheels?|nightly|labels?|docs?|bump)(?:[/_.-]|$)",
    re.IGNORECASE,
)


@lru_cache(maxsize=50_000)
def role(path: str) -> Role:
    """Say what a file is for by its path; the first rule that fits wins."""
    *folders, name = path.split("/")
    inside = {"tests" if folder.endswith(_TESTS_END) else folder.lower() for folder in folders}
    extension = name.rpartition(".")[2].lower() if "." in name.lstrip(".") else ""
    if extension in ("py", "pyi") and folders[:1] != [_SHIPPED]:
        # `pkg.testing` is installed with the package, for those who test what they build on it.
        inside.discard(_SHIPPED)
    if _CRATE.search(path):
        inside -= _BENCHMARKS_IN
    if _PACKAGED.match(path):
        inside -= _SCRIPTS_IN
    return _foreign(path, name, inside) or _place(name, inside, extension) or _content(name, inside, extension)


def _foreign(path: str, name: str, inside: set[str]) -> Role | None:
    """Find files that nobody writes by hand here."""
    if is_lock(path):
        return Role.LOCK
    copied = inside & _VENDORED_IN or path.startswith(_VENDORED_AT_TOP)
    if copied and not _OWN_WHEEL.search(path) and not _BACKENDS.match(path):
        return Role.VENDORED
    if inside & _GENERATED_IN or _GENERATED_NAME.search(name):
        return Role.GENERATED
    return None


def _place(name: str, inside: set[str], extension: str) -> Role | None:
    """Judge by the folder or by a name that says enough."""
    if _DEVICE.search(name) and not inside & _TESTS_IN and _is_setting(inside, extension):
        return Role.DEVICE_CONFIG
    if inside & _CI_IN or _CI_NAME.match(name):
        return Role.CI
    # A script that does something with tests is none: `scripts/find_marked_tests.py`.
    about = inside & _SCRIPTS_IN and name.endswith("_tests.py")
    if inside & _TESTS_IN or (_TEST_NAME.match(name) and extension not in _PICTURES and not about):
        return Role.TEST
    if inside & _DOCUMENTS_IN:
        return Role.ASSET if extension in _PICTURES - {"html"} else Role.DOCUMENT
    if inside & _BENCHMARKS_IN or (_BENCHMARK_NAME.match(name) and extension not in _PICTURES):
        return Role.BENCHMARK
    if inside & _EXAMPLES_IN or any(folder.endswith(_EXAMPLES_END) for folder in inside):
        return Role.EXAMPLE
    if extension in _PROSE or _DOCUMENT_NAME.match(name):
        return Role.DOCUMENT
    if _BUILD_NAME.match(name) or is_dockerfile(name) or inside & _BUILD_IN:
        return Role.BUILD
    return None


def _is_setting(inside: set[str], extension: str) -> bool:
    """Tell settings by their format; what is written in Python is code, unless the folder says otherwise."""
    tuned = any("config" in folder or "tun" in folder for folder in inside)
    return extension in ("json", "yaml", "yml") or (extension == "py" and tuned)


def _content(name: str, inside: set[str], extension: str) -> Role:
    """Judge by the extension what none of the folders told."""
    if extension in _SCRIPTS or (inside & _SCRIPTS_IN and extension in ("py", "")) or _SCRIPT_NAME.match(name):
        return Role.SCRIPT
    if extension in _CODE:
        return _code(name, inside, extension)
    if extension in _PICTURES:
        return Role.ASSET
    if extension in _SETTINGS or name.startswith("."):
        return Role.CONFIG
    return Role.DATA


def _code(name: str, inside: set[str], extension: str) -> Role:
    """Tell the sorts of source code apart."""
    if extension in ("h", "hh", "hpp", "hxx", "inl", "inc") or (extension == "cuh" and "include" in inside):
        return Role.HEADER
    if extension in ("cu", "cuh", "hip", "mu", "muh", "metal", "cl", "comp", "ptx"):
        return Role.OPERATOR if _OPERATOR_NAME.search(name) else Role.KERNEL
    if extension in ("jinja", "jinja2"):
        return Role.KERNEL if "csrc" in inside else Role.DATA
    if _OPERATOR_NAME.search(name):
        return Role.OPERATOR
    if extension == "py" and name != "__init__.py" and (inside & _KERNELS_IN or _KERNEL_NAME.search(name)):
        return Role.KERNEL
    if inside & _OPERATORS_IN and name != "__init__.py":
        return Role.OPERATOR
    if extension == "py" and "models" in inside and "configs" not in inside and name not in _NOT_A_MODEL:
        return Role.MODEL
    return Role.SOURCE


def is_vendored(path: str) -> bool:
    """Say whether the code is somebody else's, kept here as a copy."""
    return role(path) is Role.VENDORED


def is_generated(path: str, head: bytes = b"") -> bool:
    """Say whether a tool wrote the file: by its path, or by a mark in a comment among its first lines."""
    if role(path) in (Role.GENERATED, Role.LOCK):
        return True
    for line in head[:4096].split(b"\n")[:_MARKED_LINES]:
        if _COMMENT.match(line) and _MARKS.search(line) and b"not auto" not in line:
            return True
    return False


@lru_cache(maxsize=20_000)
def is_public_path(path: str) -> bool:
    """Say whether users of the project import or include the file."""
    *folders, name = path.split("/")
    inside = {folder.lower() for folder in folders}
    if _CRATE.search(path):
        inside -= _BENCHMARKS_IN
    if _PACKAGED.match(path):
        inside -= _SCRIPTS_IN
    if role(path) not in _PUBLIC or inside & _HIDDEN or any(folder.startswith((".", "_")) for folder in folders):
        return False
    extension = name.rpartition(".")[2].lower()
    if extension in _HEADERS:
        return "include" in inside
    if name.startswith(_BENCHMARK_OF) and role(path) is Role.BENCHMARK:
        return False
    if extension == "py" and folders and "-" in folders[-1]:
        # No import can name it.
        return False
    if inside & _SCRIPTS_IN or (name.startswith("_") and not name.startswith("__")) or name == "__main__.py":
        return False
    return extension in _IMPORTED


def is_program(path: str) -> bool:
    """Say whether a file is run where it lies, so that nobody sees what it declares."""
    return _PROGRAM.match(path) is not None


def may_be_offered(path: str) -> bool:
    """Say whether users may include a header that exports something: not one of the project's own sources."""
    *folders, name = path.split("/")
    own = {folder.lower() for folder in folders} & (_HIDDEN | {"src"}) or any(
        folder.startswith((".", "_")) for folder in folders
    )
    extension = name.rpartition(".")[2].lower()
    return not own and extension in _HEADERS and role(path) is Role.HEADER and not _OWN_HEADER.search(name)


def is_upkeep(path: str) -> bool:
    """Say whether a file only keeps the project going; a script may as well make what users get."""
    what = role(path)
    if what is Role.BENCHMARK and is_public_path(path):
        # It is a command of the package.
        return False
    return (what in UPKEEP or what is Role.ASSET) and (what is not Role.SCRIPT or bool(_OF_THE_PROJECT.search(path)))


def roles_of(files: Sequence[FileChange]) -> set[Role]:
    """List the roles of all files of a commit, old names included; pictures beside documents are documents."""
    roles = {role(path) for file in files for path in (file.path, file.previous_path) if path is not None}
    return roles - {Role.ASSET} if Role.DOCUMENT in roles else roles
