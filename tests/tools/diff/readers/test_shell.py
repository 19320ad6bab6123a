from hypothesis import given, settings
from hypothesis import strategies as st

from tools.diff.readers import shell
from tools.diff.reading import Reading, Source

SCRIPT = """#!/bin/bash
# export COMMENTED=1
: "${MODE:=fast}"
export SGLANG_CACHE="${SGLANG_CACHE:-/tmp/cache}"
export VLLM_USE_V1=1
FLASHINFER_VERSION=0.6.17
TAG=$(git describe)
PORT=${PORT:-${DEFAULT_PORT}}
while getopts "hp:" opt; do
  case $1 in
    -h | --help) usage ;;
    --tp-size=*) tp="${1#*=}" ;;
    start) go ;;
  esac
done
pip install torch==2.9.1
function build_wheel() {
  echo "$PATH"
}
_private () {
  true
}
"""


def read(text: str, path: str = "scripts/run.sh") -> Reading:
    return shell.read(Source(path, text.encode()))


def test_a_script_gives_variables_flags_pins_and_functions() -> None:
    reading = read(SCRIPT)
    assert {(site.kind, site.name, site.value) for site in reading.sites} == {
        ("env", "MODE", "fast"),
        ("env", "SGLANG_CACHE", "/tmp/cache"),
        ("env", "VLLM_USE_V1", "1"),
        ("dependency", "FLASHINFER_VERSION", "0.6.17"),
        ("env", "PORT", "${DEFAULT_PORT}"),
        ("flag", "-h", None),
        ("flag", "-p", None),
        ("flag", "--help", None),
        ("flag", "--tp-size", None),
        ("dependency", "torch", "==2.9.1"),
    }
    functions = {symbol.name: (symbol.start, symbol.end, symbol.public) for symbol in reading.symbols}
    assert functions == {"build_wheel": (17, 19, True), "_private": (20, 22, False)}


def test_packages_that_are_installed_at_any_version_are_dependencies() -> None:
    script = (
        "pip3 install requests 'Some_Kit[gpu]' -r list.txt --index-url https://example.org/${CUDA} ./local x.whl\n"
        'uv pip install --system "engine==${ENGINE_VERSION}" wheel-cu$MAJOR && echo done\n'
        "python -m pip install \\\n    ninja \\\n    'numpy>=2' pytest > log\npip uninstall gone\napt install pip\n"
    )
    assert {(site.name, site.value) for site in read(script).sites} == {
        ("requests", None),
        ("some-kit", None),
        ("engine", "==${ENGINE_VERSION}"),
        ("ninja", None),
        ("numpy", ">=2"),
        ("pytest", None),
    }


def test_a_renamed_function_keeps_its_shape() -> None:
    one, other = read("a() {\n  echo 1\n}\n").symbols[0], read("b() {\n    echo 1\n}\n").symbols[0]
    assert one.shape == other.shape != read("a() {\n  echo 2\n}\n").symbols[0].shape


def test_a_comment_is_not_code_but_the_interpreter_is() -> None:
    assert read("# x\ncd /\n").code == read("cd /\n").code != read("#!/bin/sh\ncd /\n").code


def test_a_makefile_gives_variables_and_targets() -> None:
    reading = read(
        "CC ?= gcc\nNAME := demo\nTORCH_VERSION = 2.9\n.PHONY: all\nall: build\n\tpip install ruff==0.14.0\n",
        "Makefile",
    )
    assert {(site.kind, site.name, site.value) for site in reading.sites} == {
        ("env", "CC", "gcc"),
        ("config", "NAME", "demo"),
        ("dependency", "TORCH_VERSION", "2.9"),
        ("dependency", "ruff", "==0.14.0"),
    }
    assert [symbol.name for symbol in reading.symbols] == ["all"]


PIECES = st.sampled_from(
    ["${A:-", "}", "export ", "A=", "--x)", "case ", "()", "{", "\n", "getopts ", '"', "'", "\\", "$", "#", "\t"]
)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(["a.sh", "Makefile"]), st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=40))
def test_any_text_gives_a_reading_with_lines_inside_it(path: str, pieces: list[str]) -> None:
    text = "".join(pieces).encode("utf-8", "surrogatepass")
    reading = shell.read(Source(path, text, 5, whole=False))
    spans = [(one.start, one.end) for one in reading.sites] + [(one.start, one.end) for one in reading.symbols]
    assert all(5 <= start <= end <= 5 + text.count(b"\n") for start, end in spans)


def test_a_hostile_line_is_read_in_no_time() -> None:
    for line in ("${A" * 6_000, "${A:-" * 3_900, "-a|" * 6_000, "a " * 9_900, 'A="' + "\\" * 19_000):
        read("\n".join([line] * 20))


def test_what_a_script_sets_itself_is_nothing_that_it_asks_for() -> None:
    own = 'if done; then\n    ACC_LINE=$(grep x log)\n    if t; then\n        echo "${ACC_LINE:-none}"\n    fi\nfi\n'
    asked = 'if slow; then\n    MODEL=big\nfi\nMODEL="${MODEL:-small}"\n'
    branches = 'if a; then\n    LAST_TAG="x"\nelse\n    LAST_TAG=""\nfi\necho "${LAST_TAG:-}"\n'
    assert [site.name for site in read(own + asked + branches).sites if site.kind == "env"] == ["MODEL"]


def test_variables_that_a_loop_reads_by_name_are_asked_for() -> None:
    loop = 'for var in ATLAS_TAG \\\n        ATLAS_BRANCH; do\n    value="${!var:-}"\ndone\n'
    assert {site.name for site in read(loop).sites if site.kind == "env"} == {"ATLAS_TAG", "ATLAS_BRANCH"}
    assert not [site for site in read(loop.replace("!var", "var")).sites if site.kind == "env"]


def test_the_version_of_a_format_is_no_dependency() -> None:
    assert not read('DEFAULT_METADATA_VERSION="1"\n').sites


def test_what_is_put_together_of_variables_pins_nothing() -> None:
    assert not read('ACME_LOCAL_VERSION="cu${MAJOR}torch${TORCH}"\n').sites
