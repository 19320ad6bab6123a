import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.diff.versions import read_manifest


def told(path: str, text: str) -> list[tuple[str, str, str, str, int]]:
    """Give kind, owner, name, value and first line of what a manifest declares."""
    found = read_manifest(path, text.encode())
    assert found is not None
    return [(one.kind, one.owner, one.name, "".join(one.parts.values()), one.first) for one in found]


PYPROJECT = """\
[build-system]
requires = ["setuptools>=77"]
[project]
name = "Engine"
version = "0.4.1"
requires-python = ">=3.10"
dependencies = [
    "PyYAML",
    # "numpy<2" came too early
    "numpy <3, >=2",
    "torch==2.9.0; platform_machine != \\"aarch64\\"",
    "cute_dsl[cu13] == 4.6.2",
]
[project.optional-dependencies]
audio = ["numpy>=2", "scipy"]
[project.scripts]
engine = "engine.cli:main"
[project.entry-points."engine.plugins"]
fast = "engine.fast"
[dependency-groups]
dev = ["pytest>=9"]
"""


def test_pyproject_tells_what_is_required_by_whom() -> None:
    assert told("python/pyproject.toml", PYPROJECT) == [
        ("dependency", "build", "setuptools", ">=77", 2),
        ("version", "", "version", "0.4.1", 5),
        ("dependency", "", "python", ">=3.10", 6),
        ("dependency", "", "pyyaml", "", 8),
        ("dependency", "", "numpy", "<3,>=2", 10),
        ("dependency", "", "torch", '==2.9.0; platform_machine != "aarch64"', 11),
        ("dependency", "", "cute-dsl", "[cu13]==4.6.2", 12),
        ("dependency", "optional:audio", "numpy", ">=2", 15),
        ("dependency", "optional:audio", "scipy", "", 15),
        ("registration", "scripts", "engine", "engine.cli:main", 17),
        ("registration", "engine.plugins", "fast", "engine.fast", 19),
        ("dependency", "dev", "pytest", ">=9", 21),
    ]


def test_a_fragment_of_pyproject_is_read_without_what_stands_around_it() -> None:
    inside = '    "torch==2.9.1",\n    "einops",\n]\n\n[project.scripts]\nengine = "engine.cli:main"\n'
    assert told("pyproject.toml", inside) == [
        ("dependency", "", "torch", "==2.9.1", 1),
        ("registration", "scripts", "engine", "engine.cli:main", 6),
    ]
    cut = 'requires-python = ">=3.11"\ndependencies = [\n    "torch==2.9.1",\n'
    assert told("pyproject.toml", cut) == [
        ("dependency", "", "python", ">=3.11", 1),
        ("dependency", "", "torch", "==2.9.1", 3),
    ]


def test_poetry_has_tables_of_its_own() -> None:
    text = '[tool.poetry.dependencies]\nhttpx = { version = "^0.28", extras = ["http2"] }\n'
    assert told("pyproject.toml", f'{text}[tool.poetry.group.test.dependencies]\npytest = "^9"\n') == [
        ("dependency", "", "httpx", "^0.28", 2),
        ("dependency", "dev:test", "pytest", "^9", 4),
    ]


SETUP = """\
from setuptools import setup
needed = [
    "torch>=2.6",
    f"numpy=={PIN}",
]
setup(
    name="engine",
    version="1.2.0",
    python_requires=">=3.9",
    install_requires=needed,
    extras_require={"audio": ["librosa>=0.10"]},
    entry_points={"console_scripts": ["engine = engine.cli:main"]},
"""


def test_setup_py_is_read_without_being_run_and_without_its_end() -> None:
    assert told("setup.py", SETUP) == [
        ("dependency", "", "torch", ">=2.6", 3),
        ("version", "", "version", "1.2.0", 8),
        ("dependency", "", "python", ">=3.9", 9),
        ("dependency", "optional:audio", "librosa", ">=0.10", 11),
        ("registration", "console_scripts", "engine", "engine.cli:main", 12),
    ]
    assert told("setup.py", '        "torch>=2.6",\n        "kernels",\n') == [("dependency", "", "torch", ">=2.6", 1)]


def test_setup_cfg() -> None:
    text = "[metadata]\nversion = 3.5\n[options]\ninstall_requires =\n    filelock\n    jax>=0.4\n"
    text += "[options.extras_require]\ntests =\n    pytest>=8\n[options.entry_points]\ncli =\n    run = pkg:main\n"
    assert told("setup.cfg", text) == [
        ("version", "", "version", "3.5", 2),
        ("dependency", "", "filelock", "", 5),
        ("dependency", "", "jax", ">=0.4", 6),
        ("dependency", "optional:tests", "pytest", ">=8", 9),
        ("registration", "cli", "run", "pkg:main", 12),
    ]


def test_requirements_are_read_line_by_line() -> None:
    text = """\
-r common.txt
--extra-index-url https://download.pytorch.org/whl/cu130  # wheels
torch == 2.9.0
not a requirement
xformers==0.0.33; platform_system == 'Linux'
https://example.org/whl/flash_attn-2.8.3%2Bcu13-cp312-cp312-linux_x86_64.whl
git+https://github.com/huggingface/transformers.git@v5.1.0
"""
    assert told("requirements/cuda.txt", text) == [
        ("config", "", "-r common.txt", "", 1),
        ("config", "", "--extra-index-url", "https://download.pytorch.org/whl/cu130", 2),
        ("dependency", "", "torch", "==2.9.0", 3),
        ("dependency", "", "xformers", "==0.0.33; platform_system == 'Linux'", 5),
        ("dependency", "", "flash-attn", "2.8.3+cu13", 6),
        ("dependency", "", "transformers", "v5.1.0", 7),
    ]
    compiled = f"# This file was autogenerated by uv via the following command:\n{text}"
    assert read_manifest("requirements/test.txt", compiled.encode()) == []


def test_cargo() -> None:
    text = '[package]\nversion = "0.2.0"\nrust-version = "1.85"\n[features]\ncuda = ["dep:cudarc"]\n'
    text += '[dependencies]\nserde = { version = "1", features = ["derive"] }\nours = { path = "../ours" }\n'
    text += "[dev-dependencies.tokio]\nversion = \"1.40\"\n\n[target.'cfg(unix)'.dependencies]\nnix.workspace = true\n"
    assert told("rust/Cargo.toml", text) == [
        ("version", "", "version", "0.2.0", 2),
        ("dependency", "", "rust", "1.85", 3),
        ("registration", "features", "cuda", "dep:cudarc", 5),
        ("dependency", "", "serde", "1", 7),
        ("dependency", "dev", "tokio", "1.40", 10),
        ("dependency", "", "nix", "", 13),
    ]
    assert told("Cargo.toml", 'edition = "2024"\nserde = "1.0.228"\n') == [("dependency", "", "serde", "1.0.228", 2)]


def test_package_json_and_files_of_versions() -> None:
    text = '{\n"version": "5.1.0",\n"files": [\n{"x": "1.0"}\n],\n"dependencies": {\n  "accepts": "^2.0.0"\n},\n'
    text += '"devDependencies": {\n  "mocha": "10.8"\n},\n"engines": {\n  "node": ">= 18"\n},\n'
    text += '"bin": {\n  "run": "cli.js"\n}\n}\n'
    assert told("package.json", text) == [
        ("version", "", "version", "5.1.0", 2),
        ("dependency", "", "accepts", "^2.0.0", 7),
        ("dependency", "dev", "mocha", "10.8", 10),
        ("dependency", "engines", "node", ">= 18", 13),
        ("registration", "bin", "run", "cli.js", 16),
    ]
    assert told("package.json", '    "accepts": "^2.0.1",\n') == [("dependency", "", "accepts", "^2.0.1", 1)]
    baked = '{\n  "variable": {\n    "CUDA": {\n      "default": "13.0"\n    }\n  },\n  "ptxas": "12.9"\n}\n'
    assert told("docker/versions.json", baked) == [
        ("config", "", "CUDA", "13.0", 3),
        ("config", "", "ptxas", "12.9", 7),
    ]


def test_go_modules_and_submodules() -> None:
    text = (
        "module a.org/o\n\ngo 1.24.1\n\nrequire (\n\tgolang.org/x/sys v0.37.0 // indirect\n\tgithub.com/a/b v1.2.3\n)\n"
    )
    assert told("go.mod", text) == [
        ("dependency", "", "go", "1.24.1", 3),
        ("dependency", "indirect", "golang.org/x/sys", "v0.37.0", 6),
        ("dependency", "", "github.com/a/b", "v1.2.3", 7),
    ]
    pin = f"Subproject commit {'ab' * 20}\n"
    assert told("3rdparty/cutlass", pin) == [("dependency", "", "3rdparty/cutlass", "ab" * 20, 1)]
    modules = '[submodule "c"]\n\tpath = 3rdparty/cutlass\n\turl = https://a.org/cutlass\n'
    assert told(".gitmodules", modules) == [("dependency", "", "3rdparty/cutlass", "https://a.org/cutlass", 2)]


def test_cmake() -> None:
    text = """\
cmake_minimum_required(VERSION 3.26)
project(engine VERSION 1.4 LANGUAGES CXX)
option(ENGINE_CUDA "Build (all) kernels # yes" ON)
set(ENGINE_ABI
    2 CACHE STRING "abi")  # set(NOT_THIS 1 CACHE)
set(sources a.cpp)
set(CMAKE_CUDA_ARCHITECTURES 80 90a)
find_package(Torch 2.9 REQUIRED)
FetchContent_Declare(
    cutlass
    GIT_REPOSITORY https://github.com/nvidia/cutlass.git
    GIT_TAG v4.2.1
"""
    assert told("CMakeLists.txt", text) == [
        ("dependency", "", "cmake", "3.26", 1),
        ("version", "", "engine", "1.4", 2),
        ("config", "", "ENGINE_CUDA", "ON", 3),
        ("config", "", "ENGINE_ABI", "2", 4),
        ("config", "", "CMAKE_CUDA_ARCHITECTURES", "80 90a", 7),
        ("dependency", "", "Torch", "2.9", 8),
        ("dependency", "", "cutlass", "v4.2.1", 9),
    ]


def test_dockerfile_and_yaml() -> None:
    text = """\
ARG CUDA=13.0
FROM nvidia/cuda:${CUDA}-devel AS base
ENV A=1 \\
    B="two words"
RUN pip install 'torch==2.9.0' \\
    # FROM nothing:1
    nixl[cu13]==${NIXL}
FROM base AS final
"""
    assert told("docker/Dockerfile.rocm", text) == [
        ("config", "", "CUDA", "13.0", 1),
        ("image", "base", "nvidia/cuda", "${CUDA}-devel", 2),
        ("config", "base", "A", "1", 3),
        ("config", "base", "B", "two words", 4),
        ("dependency", "base", "torch", "==2.9.0", 5),
        ("dependency", "base", "nixl", "==${NIXL}", 7),
    ]
    assert told("Containerfile", "    flashinfer==0.6.7 \\\n") == [("dependency", "", "flashinfer", "==0.6.7", 1)]
    assert told("compose.yaml", "  db:\n    image: postgres:17 # db\n") == [("image", "", "postgres", "17", 2)]
    values = "replicas: 2\nimage:\n  tag: v1\nargs:\n  - a: 1\nnote: |\n  a: b\n"
    assert told("values.yaml", values) == [("config", "", "replicas", "2", 1), ("config", "", "image.tag", "v1", 3)]


def test_files_of_one_version() -> None:
    assert told("version.txt", "0.6.8\n") == [("version", "", "version.txt", "0.6.8", 1)]
    assert told("pkg/_version.py", '"""V."""\n__version__ = "0.6.8"\n') == [("version", "", "__version__", "0.6.8", 2)]


@pytest.mark.parametrize("path", ["pkg/engine.py", "uv.lock", "package-lock.json", "go.sum", "docs/a.toml"])
def test_other_files_are_no_manifests(path: str) -> None:
    assert read_manifest(path, b'version = "1"\n') is None


PATHS = "pyproject.toml setup.py setup.cfg requirements.txt Cargo.toml package.json go.mod CMakeLists.txt Dockerfile"
SIGNS = st.text(alphabet="ab1.=[]{}()<>\"'#:;,@-\\ \n\t\r", max_size=120)


@given(st.sampled_from([*PATHS.split(), ".gitmodules", "VERSION", "versions.json", "values.yaml"]), SIGNS)
def test_no_text_is_too_broken_to_be_read(path: str, text: str) -> None:
    for cut in (text, f"dependencies = [{text}", f'{{"dependencies": {{\n{text}', f"set({text}", f"[project]\n{text}"):
        for one in read_manifest(path, cut.encode()) or []:
            assert 1 <= one.first <= one.last <= cut.count("\n") + 1
