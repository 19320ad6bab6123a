"""Which reader reads a file, by its path."""

from functools import lru_cache

from tools.diff.readers import (
    cfamily,
    data,
    docker,
    document,
    go,
    manifest,
    proto,
    python,
    rust,
    script,
    shader,
    shell,
    tablegen,
)
from tools.diff.reading import Reader
from tools.diff.roles import Role, role

_BY_EXTENSION: dict[str, Reader] = {
    **dict.fromkeys(("py", "pyi"), python.read),
    **dict.fromkeys(("c", "h", "hh", "hpp", "hxx", "cc", "cpp", "cxx", "cu", "cuh", "inl", "inc"), cfamily.read),
    "rs": rust.read,
    "go": go.read,
    "proto": proto.read,
    "td": tablegen.read,
    **dict.fromkeys(("metal", "cl"), shader.read),
    **dict.fromkeys(("ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts"), script.read),
    **dict.fromkeys(("sh", "bash", "zsh", "mk"), shell.read),
    **dict.fromkeys(("md", "rst", "txt", "mdx"), document.read),
    **dict.fromkeys(("yaml", "yml", "toml", "json"), data.read),
}


@lru_cache(maxsize=20_000)
def reader_for(path: str) -> Reader | None:
    """Find the reader; None for what nobody reads: pictures, lock files, generated and vendored code."""
    if role(path) in (Role.LOCK, Role.VENDORED, Role.GENERATED, Role.ASSET, Role.DEVICE_CONFIG):
        return None
    if manifest.is_manifest(path):
        return manifest.read
    if docker.is_dockerfile(path.rpartition("/")[2]):
        return docker.read
    if shell.is_makefile(path):
        return shell.read
    return _BY_EXTENSION.get(path.rpartition("/")[2].rpartition(".")[2].lower())
