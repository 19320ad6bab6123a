from hypothesis import given
from hypothesis import strategies as st

from tools.diff.changed_file_declarations import read_manifest


def entry_rows(path: str, text: str) -> list[tuple[str, str, str, str, int]]:
    """Give kind, owner, name, value and first line of what a manifest declares."""
    declarations = read_manifest(path, text.encode())
    assert declarations is not None
    return [
        (
            declaration.kind,
            declaration.owner,
            declaration.name,
            "".join(declaration.parts.values()),
            declaration.first,
        )
        for declaration in declarations
    ]


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
    assert entry_rows("python/pyproject.toml", PYPROJECT) == [
        ("dependency", "build", "setuptools", ">=77", 2),
        ("package", "", "name", "Engine", 4),
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
    assert entry_rows("setup.py", SETUP) == [
        ("dependency", "", "torch", ">=2.6", 3),
        ("package", "", "name", "engine", 7),
        ("version", "", "version", "1.2.0", 8),
        ("dependency", "", "python", ">=3.9", 9),
        ("dependency", "optional:audio", "librosa", ">=0.10", 11),
        ("registration", "console_scripts", "engine", "engine.cli:main", 12),
    ]
    assert entry_rows("setup.py", '        "torch>=2.6",\n        "kernels",\n') == [
        ("dependency", "", "torch", ">=2.6", 1)
    ]


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
    assert entry_rows("CMakeLists.txt", text) == [
        ("dependency", "", "cmake", "3.26", 1),
        ("version", "", "engine", "1.4", 2),
        ("config", "", "ENGINE_CUDA", "ON", 3),
        ("config", "", "ENGINE_ABI", "2", 4),
        ("build", "", "CMAKE_CUDA_ARCHITECTURES", "80 90a", 7),
        ("dependency", "", "Torch", "2.9", 8),
        ("dependency", "", "cutlass", "v4.2.1", 9),
    ]


def test_dockerfile() -> None:
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
    assert entry_rows("docker/Dockerfile.rocm", text) == [
        ("config", "", "CUDA", "13.0", 1),
        ("image", "base", "nvidia/cuda", "${CUDA}-devel", 2),
        ("config", "base", "A", "1", 3),
        ("config", "base", "B", "two words", 4),
        ("dependency", "base", "torch", "==2.9.0", 5),
        ("dependency", "base", "nixl", "==${NIXL}", 7),
    ]
    continued = "RUN pip install numpy \\\n    torch==2.9.0\n"
    assert entry_rows("Dockerfile", continued) == [
        ("dependency", "", "numpy", "", 1),
        ("dependency", "", "torch", "==2.9.0", 2),
    ]
    assert entry_rows("Containerfile", "    flashinfer==0.6.7 \\\n") == [
        ("dependency", "", "flashinfer", "==0.6.7", 1)
    ]


PATHS = "pyproject.toml setup.py setup.cfg requirements.txt Cargo.toml package.json go.mod CMakeLists.txt Dockerfile"
SIGNS = st.text(alphabet="ab1.=[]{}()<>\"'#:;,@-\\ \n\t\r", max_size=120)


@given(st.sampled_from([*PATHS.split(), "VERSION"]), SIGNS)
def test_no_text_is_too_broken_to_be_read(path: str, text: str) -> None:
    for cut in (
        text,
        f"dependencies = [{text}",
        f'{{"dependencies": {{\n{text}',
        f"set({text}",
        f"[project]\n{text}",
    ):
        for declaration in read_manifest(path, cut.encode()) or []:
            assert 1 <= declaration.first <= declaration.last <= cut.count("\n") + 1
