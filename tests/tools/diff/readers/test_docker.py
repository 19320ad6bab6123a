from hypothesis import given, settings
from hypothesis import strategies as st

from tools.diff.readers import docker
from tools.diff.reading import Site, Source

DOCKERFILE = """# syntax=docker/dockerfile:1
ARG CUDA_VERSION=13.0.3
ARG BUILD_BASE_IMAGE=pytorch/manylinux:cuda13.0-78e7
FROM --platform=linux/amd64 nvidia/cuda:${CUDA_VERSION}-devel-ubuntu24.04 AS base
ARG CUDA_VERSION
ARG max_jobs=2
ENV UV_HTTP_TIMEOUT=500 \\
    # between the lines
    UV_LINK_MODE="copy"
ENV LEGACY old style
ENV PATH=/opt/bin:$PATH
RUN pip install -U 'cmake<4' ninja \\
    "transformers[torch]==5.1.0" \\
    && echo done
FROM base AS final
FROM ubuntu
ENV AITER_COMMIT_DEFAULT="c16d44b9" # why
RUN git checkout abc
"""


def told(text: str, *, whole: bool = True) -> set[tuple[str, str, str | None, str]]:
    reading = docker.read(Source("docker/Dockerfile", text.encode(), whole=whole))
    return {(site.kind, site.name, site.value, site.scope) for site in reading.sites}


def test_a_dockerfile_gives_images_pins_settings_and_packages_by_stage() -> None:
    assert told(DOCKERFILE) == {
        ("dependency", "CUDA_VERSION", "13.0.3", ""),
        ("image", "pytorch/manylinux", "cuda13.0-78e7", "BUILD_BASE_IMAGE"),
        ("image", "nvidia/cuda", "${CUDA_VERSION}-devel-ubuntu24.04", "base"),
        ("config", "max_jobs", "2", "base"),
        ("config", "UV_HTTP_TIMEOUT", "500", "base"),
        ("config", "UV_LINK_MODE", "copy", "base"),
        ("config", "LEGACY", "old style", "base"),
        ("dependency", "cmake", "<4", "base"),
        ("dependency", "ninja", None, "base"),
        ("dependency", "transformers", "==5.1.0", "base"),
        ("image", "ubuntu", None, ""),
        ("dependency", "AITER_COMMIT_DEFAULT", "c16d44b9", ""),
    }


def test_an_argument_without_any_default_is_for_whoever_builds_the_image() -> None:
    text = "ARG MODE=fast\nFROM a/b:1 AS x\nARG MODE\nARG WHEEL_URL\nARG TARGETPLATFORM\nFROM x AS y\nARG WHEEL_URL\n"
    assert told(text) == {("config", "MODE", "fast", ""), ("image", "a/b", "1", "x"), ("config", "WHEEL_URL", None, "")}
    assert ("config", "WHEEL_URL", None, "") not in told(text, whole=False)


def test_each_line_of_a_long_command_has_its_own_number() -> None:
    sites = docker.read(Source("Dockerfile", DOCKERFILE.encode(), first_line=10)).sites
    assert {site.name: site.start for site in sites}["transformers"] == 22


def test_a_fragment_may_begin_inside_a_command() -> None:
    assert told('    "torch==2.9.1" \\\n    && true\nARG NCCL_VERSION=2.30.7\nFROM base AS x\n', whole=False) == {
        ("dependency", "torch", "==2.9.1", ""),
        ("dependency", "NCCL_VERSION", "2.30.7", ""),
    }


def test_names_of_dockerfiles_are_known() -> None:
    yes = ("Dockerfile", "docker/Dockerfile.rocm_base", "docker/npu.Dockerfile", "a/Containerfile")
    assert all(docker.is_dockerfile(path) for path in yes)
    assert not docker.is_dockerfile("docs/dockerfile.md")


def test_a_registry_with_a_port_and_a_digest_are_read() -> None:
    digest = "sha256:" + "0" * 64
    assert told(f"FROM localhost:5000/a/b:1.2 AS x\nFROM c/d@{digest}\n") == {
        ("image", "localhost:5000/a/b", "1.2", "x"),
        ("image", "c/d", digest, ""),
    }


PIECES = st.sampled_from(
    ["FROM ", "ARG ", "ENV ", "RUN ", " AS ", "\\", "#", "a:b", "A=1", '"', "'", "==1", "\n", "${X}", " "]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=40), st.booleans())
def test_any_text_gives_a_reading_with_lines_inside_it(pieces: list[str], whole: bool) -> None:
    text = "".join(pieces).encode("utf-8", "surrogatepass")
    sites: tuple[Site, ...] = docker.read(Source("Dockerfile", text, 5, whole=whole)).sites
    assert all(5 <= site.start <= 5 + text.count(b"\n") for site in sites)
