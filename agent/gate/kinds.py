"""What a file is, in the words that people have for it: a .cuh is a header with kernels for the GPU."""

from functools import lru_cache

_BY_ENDING = {
    "py": "python script module",
    "pyi": "python stub",
    "cu": "cuda gpu kernel source",
    "cuh": "cuda gpu kernel header",
    "h": "header",
    "hpp": "header",
    "cpp": "source",
    "cc": "source",
    "rs": "rust crate",
    "go": "golang",
    "sh": "shell bash script",
    "ps1": "powershell script",
    "md": "markdown document documentation page text",
    "mdx": "markdown document documentation page text",
    "rst": "document documentation page text",
    "ipynb": "notebook",
    "yml": "yaml configuration",
    "yaml": "yaml configuration",
    "toml": "toml configuration",
    "ini": "configuration",
    "cfg": "configuration",
    "json": "json data",
    "jinja": "template",
    "lock": "lockfile dependency",
}
_BY_PART = {
    "dockerfile": "docker image container",
    "requirements": "dependency requirement pin",
    "pyproject": "dependency package build",
    "cargo": "dependency package rust",
    "package": "dependency",
    "workflows": "workflow ci pipeline job action",
    ".buildkite": "ci pipeline job",
    "test": "test",
    "tests": "test",
    "docs": "document documentation page",
    "readme": "document documentation page",
    "license": "license licence",
    "benchmark": "benchmark bench",
    "benchmarks": "benchmark bench",
    "examples": "example",
    "codeowners": "owner reviewer",
}


@lru_cache(maxsize=4096)
def kind_words(path: str) -> frozenset[str]:
    """Give the words for the file at a path, by its ending and the folders above it."""
    parts = path.lower().split("/")
    ending = parts[-1].rpartition(".")[2]
    words = _BY_ENDING.get(ending, "").split()
    for part in parts:
        words += _BY_PART.get(part, "").split() + _BY_PART.get(part.split(".")[0].split("-")[0], "").split()
    if parts[-1].startswith("test_") or parts[-1].endswith(("_test.py", "_test.go", ".test.ts")):
        words.append("test")
    return frozenset(words)
