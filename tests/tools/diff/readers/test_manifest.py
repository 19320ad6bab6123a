from hypothesis import given, settings
from hypothesis import strategies as st

from tools.diff.readers import manifest
from tools.diff.reading import Site, Source


def whole(path: str, text: str) -> tuple[Site, ...]:
    return manifest.read(Source(path, text.encode())).sites


def fragment(path: str, text: str, first: int = 40, heading: str = "") -> tuple[Site, ...]:
    return manifest.read(Source(path, text.encode(), first, whole=False, heading=heading)).sites


def told(sites: tuple[Site, ...]) -> set[tuple[str, str, str | None, str]]:
    return {(site.kind, site.name, site.value, site.scope) for site in sites}


PYPROJECT = """\
[build-system]
requires = ["setuptools>=77", "wheel"]

[project]
name = "x"
version = "0.6.3"  # by hand
requires-python = ">=3.10,<3.14"
dependencies = [
  "Torch_Vision==0.28.0",  # with torch
  "numpy",
  "nvidia-cutlass-dsl[cu13]>=4.4,<5; platform_machine != 'aarch64'",
  "fork @ git+https://example.org/o/fork.git@abc123",
]

[project.optional-dependencies]
test = ["pytest>=9"]

[dependency-groups]
dev = [
    "ruff>=0.14",
    {include-group = "test"},
]

[tool.ruff.lint]
select = ["E501", "F401"]
"""


def test_a_pyproject_names_every_requirement_with_its_section() -> None:
    assert told(whole("python/pyproject.toml", PYPROJECT)) >= {
        ("dependency", "setuptools", ">=77", "build-system.requires"),
        ("dependency", "wheel", None, "build-system.requires"),
        ("version", "version", "0.6.3", "project"),
        ("dependency", "python", ">=3.10,<3.14", "project"),
        ("dependency", "torch-vision", "==0.28.0", "dependencies"),
        ("dependency", "numpy", None, "dependencies"),
        ("dependency", "nvidia-cutlass-dsl", ">=4.4,<5", "dependencies; platform_machine != 'aarch64'"),
        ("dependency", "fork", "git+https://example.org/o/fork.git@abc123", "dependencies"),
        ("dependency", "pytest", ">=9", "optional-dependencies.test"),
    }


def test_the_rules_of_a_linter_are_no_requirements() -> None:
    assert {"e501", "f401"}.isdisjoint(site.name for site in whole("pyproject.toml", PYPROJECT))


def test_lines_are_counted_in_the_file() -> None:
    lines = {site.name: site.start for site in whole("pyproject.toml", PYPROJECT)}
    assert (lines["version"], lines["torch-vision"], lines["numpy"]) == (6, 9, 10)


def test_a_fragment_of_a_list_is_read_by_the_heading_that_git_prints() -> None:
    sites = fragment("pyproject.toml", '  "a==1",\n  "b",\n', 70, "dependencies = [")
    assert [(s.name, s.value, s.scope, s.start) for s in sites] == [
        ("a", "==1", "dependencies", 70),
        ("b", None, "dependencies", 71),
    ]


def test_one_version_in_a_fragment_tells_that_its_neighbours_are_packages() -> None:
    assert [site.name for site in fragment("pyproject.toml", '    "mlx",\n    "torch==2.11.0",\n]\n')] == [
        "mlx",
        "torch",
    ]


def test_strings_without_any_version_in_a_fragment_stay_unread() -> None:
    assert fragment("pyproject.toml", '  "E501",\n  "F401",\n]\n') == ()


def test_poetry_tables_have_the_package_as_the_key() -> None:
    text = '[tool.poetry]\nversion = "1.0"\n[tool.poetry.dependencies]\nA_b = "^1.2"\n'
    text += 'c = {version = "~3", extras = ["x"]}\n'
    assert told(whole("pyproject.toml", text)) == {
        ("version", "version", "1.0", "project"),
        ("dependency", "a-b", "^1.2", "dependencies"),
        ("dependency", "c", "~3", "dependencies"),
    }


def test_requirements_keep_the_specifier_as_written() -> None:
    text = "-r common.txt\n--extra-index-url https://x\n# torch==1\ntransformers >= 5.10.4\n"
    text += "torch==2.9.1; sys_platform == 'linux'\n"
    text += "uvicorn[standard]\ngit+https://example.org/o/repo.git@v1#egg=Thing\n"
    assert told(whole("requirements/cuda.txt", text)) == {
        ("dependency", "transformers", ">= 5.10.4", ""),
        ("dependency", "torch", "==2.9.1", "sys_platform == 'linux'"),
        ("dependency", "uvicorn", None, ""),
        ("dependency", "thing", "git+https://example.org/o/repo.git@v1#egg=Thing", ""),
    }


def test_what_a_tool_compiled_or_locked_says_nothing() -> None:
    assert whole("requirements/test.txt", "torch==2.9.1\n    # via -r test.in\n") == ()
    for path in ("uv.lock", "rust/Cargo.lock", "web/package-lock.json", "go.sum", "pnpm-lock.yaml"):
        assert whole(path, 'name = "x"\nversion = "1"\n') == ()
        assert not manifest.is_manifest(path)


def test_setup_py_gives_literal_requirements_extras_and_version() -> None:
    text = """setup(
    version="1.2.3",
    install_requires=["torch>=2.4", "einops", "triton" if sys.platform != "win32" else "triton-windows>=3.6"],
    extras_require={
        "b12x": ["b12x==1.2.6"],
    },
)
"""
    assert told(whole("setup.py", text)) == {
        ("version", "version", "1.2.3", "project"),
        ("dependency", "torch", ">=2.4", "install_requires"),
        ("dependency", "einops", None, "install_requires"),
        ("dependency", "triton", None, "install_requires"),
        ("dependency", "triton-windows", ">=3.6", "install_requires"),
        ("dependency", "b12x", "==1.2.6", "extras_require.b12x"),
    }


def test_setup_py_gives_the_versions_it_compares_and_the_errors_with_which_it_gives_up() -> None:
    text = (
        'if cuda < Version("11.6"):\n    raise RuntimeError(f"only CUDA 11.6 "\n        "and above")\n'
        'if cuda >= Version("11.8"):\n    flags.append("x")\n'
    )
    sites = whole("setup.py", text)
    assert told(sites) == {
        ("limit", "cuda", "< 11.6", "setup"),
        ("limit", "cuda", ">= 11.8", "setup"),
        ("error", "RuntimeError", "only CUDA 11.6 and above", "setup"),
    }
    assert [site.rejects for site in sites if site.kind == "limit"] == [True, False]


def test_setup_cfg_gives_the_lines_below_its_keys() -> None:
    text = (
        "[metadata]\nversion = 1.2\n[options]\npython_requires = >=3.9\ninstall_requires =\n    torch>=2\n    numpy\n"
    )
    assert told(whole("setup.cfg", text)) == {
        ("version", "version", "1.2", "project"),
        ("dependency", "python", ">=3.9", "project"),
        ("dependency", "torch", ">=2", "install_requires"),
        ("dependency", "numpy", None, "install_requires"),
    }


def test_a_version_file_has_one_version() -> None:
    assert told(whole("version.txt", "0.6.3\n")) == {("version", "version", "0.6.3", "")}
    assert told(whole("sgl/version.py", '__version__ = "0.5.2"\n')) == {("version", "version", "0.5.2", "")}


def test_conda_pins_with_one_sign() -> None:
    text = "dependencies:\n  - python=3.10\n  - pip:\n    - torch==2.1\n"
    assert {("python", "3.10"), ("torch", "2.1")} == {(s.name, s.value) for s in whole("environment.yml", text)}


def test_package_json_gives_ranges_engines_and_version() -> None:
    text = '{"version": "1.0.0",\n "engines": {"node": ">=20"},\n "dependencies": {\n  "@a/b": "^1.2.3"\n },\n'
    text += ' "scripts": {"x": "1"}}'
    assert told(whole("web/package.json", text)) == {
        ("version", "version", "1.0.0", ""),
        ("dependency", "node", ">=20", "engines"),
        ("dependency", "@a/b", "^1.2.3", "dependencies"),
    }
    assert told(fragment("package.json", '    "react": "^19.0.0",\n    "x": "node build"\n')) == {
        ("dependency", "react", "^19.0.0", "")
    }


def test_cargo_takes_strings_inline_tables_and_tables() -> None:
    text = """[package]
version = "0.3.1"
rust-version = "1.85"
[dependencies]
tonic = "0.14.6"
serde = { version = "1.0", features = ["derive"] }
local = { path = "../local" }
forked = { git = "https://example.org/f", rev = "abc" }
[dev-dependencies.tokio]
version = "1.4"
features = ["full"]
"""
    assert told(whole("rust/Cargo.toml", text)) == {
        ("version", "version", "0.3.1", "package"),
        ("dependency", "rust", "1.85", ""),
        ("dependency", "tonic", "0.14.6", "dependencies"),
        ("dependency", "serde", '1.0 ["derive"]', "dependencies"),
        ("dependency", "local", None, "dependencies"),
        ("dependency", "forked", "abc", "dependencies"),
        ("dependency", "tokio", "1.4", "dev-dependencies"),
    }


def test_cargo_gives_what_users_switch_on_and_how_a_crate_is_built() -> None:
    text = '[lib]\nname = "a"\ncrate-type = ["cdylib"]\n[features]\ndefault = []\npython = ["dep:pyo3"]\n'
    text += "[dependencies]\npyo3 = { workspace = true, optional = true }\n"
    assert told(whole("rust/Cargo.toml", text)) == {
        ("config", "lib.crate-type", '["cdylib"]', ""),
        ("config", "features.python", '["dep:pyo3"]', ""),
        ("dependency", "pyo3", "workspace optional", "dependencies"),
    }


def test_go_mod_gives_modules_replacements_and_the_language() -> None:
    text = "module x\n\ngo 1.22\n\nrequire (\n\ta.org/b v1.2.3 // indirect\n)\n"
    text += "require c.org/d v0.1.0\nreplace a.org/b => ../b\n"
    assert told(whole("go.mod", text)) == {
        ("dependency", "go", "1.22", "go"),
        ("dependency", "a.org/b", "v1.2.3", "require"),
        ("dependency", "c.org/d", "v0.1.0", "require"),
        ("dependency", "a.org/b", "../b", "replace"),
    }


CMAKE = """project(demo VERSION 1.4 LANGUAGES CXX)
set(TORCH_VERSION "2.9.1") # the one we build with
set(TORCH_SUPPORTED_VERSION_GPU "2.11.0")
set(CXX_STANDARD 17)
set(DEMO_ARCHS 90 100 CACHE STRING "What to build for.")
option(DEMO_TOOLS "Build the tools." ON)
option(DEMO_DOCS "Build the documents.")
find_package(Python 3.10 REQUIRED)
FetchContent_Declare(
    cutlass
    GIT_REPOSITORY https://example.org/n/cutlass.git
    # a comment (with a bracket
    GIT_TAG "v4.2.1"
    GIT_SHALLOW TRUE
)
"""


def test_cmake_gives_what_it_fetches_finds_and_is() -> None:
    assert told(whole("CMakeLists.txt", CMAKE)) == {
        ("version", "version", "1.4", ""),
        ("dependency", "TORCH_VERSION", "2.9.1", ""),
        ("dependency", "TORCH_SUPPORTED_VERSION_GPU", "2.11.0", ""),
        ("config", "DEMO_ARCHS", "90 100", ""),
        ("config", "DEMO_TOOLS", "ON", ""),
        ("config", "DEMO_DOCS", "OFF", ""),
        ("dependency", "Python", "3.10", "find_package"),
        ("dependency", "cutlass", "v4.2.1", ""),
    }


def test_a_variable_of_a_build_has_what_is_taken_instead_of_it() -> None:
    text = 'import os\nthreads = os.getenv("DEMO_THREADS") or "4"\njobs = os.environ.get("DEMO_JOBS") or count()\n'
    assert told(whole("setup.py", text)) == {
        ("env", "DEMO_THREADS", '"4"', "setup"),
        ("env", "DEMO_JOBS", None, "setup"),
    }


def test_a_lone_tag_in_a_fragment_is_named_by_its_repository_or_file() -> None:
    text = "          GIT_REPOSITORY https://example.org/v/flash-attention.git\n          GIT_TAG abc\n"
    assert told(fragment("cmake/x.cmake", text)) == {("dependency", "flash-attention", "abc", "")}
    assert told(fragment("cmake/flashkda.cmake", "    GIT_TAG 053de1b\n")) == {
        ("dependency", "flashkda", "053de1b", "")
    }


def test_a_submodule_is_named_by_its_path() -> None:
    sha = "b46b16d003484063bca4ed365e44095c4c6ed633"
    assert told(fragment("3rdparty/cutlass", f"Subproject commit {sha}\n", 1)) == {
        ("dependency", "3rdparty/cutlass", sha, "submodule")
    }
    text = '[submodule "cutlass"]\n\tpath = 3rdparty/cutlass\n\turl = https://example.org/c\n'
    assert told(whole(".gitmodules", text)) == {("dependency", "3rdparty/cutlass", "https://example.org/c", "url")}


WORKFLOW = """env:
  CUDA_VERSION: 12.9.1
jobs:
  test:
    runs-on: [self-hosted, x64]
    container: lmsysorg/sglang:v0.5.2
    steps:
      - uses: actions/checkout@v4
      - uses: actions/checkout@v4
      - name: Install
        run: |
          pip install 'setuptools<80' torch==2.9.1
      - image: ${{ matrix.image }}
"""


def test_a_workflow_gives_images_actions_and_pins_once() -> None:
    sites = whole(".github/workflows/test.yml", WORKFLOW)
    assert told(sites) == {
        ("dependency", "CUDA_VERSION", "12.9.1", ""),
        ("image", "lmsysorg/sglang", "v0.5.2", ""),
        ("dependency", "actions/checkout", "v4", "uses"),
        ("dependency", "setuptools", "<80", ""),
        ("dependency", "torch", "==2.9.1", ""),
    }
    assert len(sites) == 5


def test_a_variant_of_a_job_is_no_dependency_unless_it_has_a_version() -> None:
    text = "jobs:\n  a:\n    strategy:\n      matrix:\n        include:\n          - gpu: x\n            {}\n"
    for line, names in (("rocm_tag: rocm700-mi35x", set()), ("image_tag: v0.5.14-rocm700", {"image_tag"})):
        sites = whole(".github/workflows/test.yml", text.format(line))
        assert {site.name for site in sites if site.kind == "dependency"} == names


def test_images_are_found_as_keys_in_charts_and_in_hooks() -> None:
    assert told(whole("ci/docker-tags.yml", "o/ci-cu126: 20260131-a52eff1\n")) == {
        ("image", "o/ci-cu126", "20260131-a52eff1", "")
    }
    values = "image:\n  repository: vllm/vllm-openai\n  tag: v0.11.0\n"
    assert told(whole("chart/values.yaml", values)) == {("image", "vllm/vllm-openai", "v0.11.0", "tag")}
    hooks = "repos:\n- repo: https://example.org/ruff\n  rev: v0.14.0\n  hooks:\n  - id: ruff\n"
    assert told(whole(".pre-commit-config.yaml", hooks)) == {
        ("dependency", "https://example.org/ruff", "v0.14.0", "rev")
    }


def test_comments_and_blank_lines_do_not_change_the_digest_but_versions_do() -> None:
    def code(text: str) -> str:
        return manifest.read(Source("requirements.txt", text.encode())).code

    assert code("a==1\n") == code("# why\n\na == 1\n") != code("a==2\n")


def test_what_is_too_large_minified_or_binary_is_said() -> None:
    for text, why in ((b"a" * 2_000_001, "bytes"), (b"a" * 20_001, "a line"), (b"a\0b", "not text")):
        reading = manifest.read(Source("requirements.txt", text))
        assert reading.sites == ()
        assert why in reading.problems[0]


PATHS = st.sampled_from(
    [
        "pyproject.toml",
        "setup.py",
        "setup.cfg",
        "requirements.txt",
        "environment.yml",
        "package.json",
        "Cargo.toml",
        "go.mod",
        "CMakeLists.txt",
        ".gitmodules",
        "VERSION",
        "x/version.py",
        ".github/workflows/a.yml",
        "values.yaml",
        "sub/module",
    ]
)
PIECES = st.sampled_from(
    [
        "[project]",
        "dependencies = [",
        '"a>=1",',
        "]",
        "{",
        "}",
        '"',
        "'''",
        '"""',
        "- ",
        "key: ",
        "image: a/b:1",
        "|",
        "#",
        "\t",
        "(",
        ")",
        "GIT_TAG x",
        "set(",
        "require (",
        "=> ",
        "a==1",
        "\r",
        "\ufeff",
        "\u2028",
        "\x00",
        "=",
        ",",
        ":",
        "  ",
        "[submodule",
        "@",
    ]
)


@settings(max_examples=300, deadline=None)
@given(PATHS, st.lists(st.one_of(PIECES, st.just("\n"), st.text(max_size=8)), max_size=40), st.booleans())
def test_any_text_gives_a_reading_with_lines_inside_it(path: str, pieces: list[str], is_whole: bool) -> None:
    text = "".join(pieces).encode("utf-8", "surrogatepass")
    reading = manifest.read(Source(path, text, 100, whole=is_whole))
    for site in reading.sites:
        assert 100 <= site.start <= site.end <= 100 + text.count(b"\n")
        assert site.name


@settings(max_examples=200, deadline=None)
@given(PATHS, st.binary(max_size=300))
def test_any_bytes_give_a_reading(path: str, text: bytes) -> None:
    manifest.read(Source(path, text))
