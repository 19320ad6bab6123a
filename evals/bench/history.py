"""A repository with as many commits as one likes, made in a moment and the same every time."""

import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

DAY = "2026-02-04"
_BEGAN = int(datetime(2026, 2, 4, tzinfo=UTC).timestamp())
_SECONDS = 86_000
_FILES, _FUNCTIONS = 40, 12
_AREAS = ("scheduler", "cache", "router", "decode", "prefill", "lora", "metrics", "sampling")


def make_history(folder: Path, count: int) -> Path:
    """Make a bare repository in which so many commits landed on one day, each with a change that can be told."""
    git = ["git", f"--git-dir={folder}"]
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(folder)], check=True, capture_output=True)
    stream = b"".join(_stream(count))
    subprocess.run([*git, "fast-import", "--quiet"], input=stream, check=True, capture_output=True)
    return folder


def _stream(count: int) -> Iterator[bytes]:
    values = {file: [file + place for place in range(_FUNCTIONS)] for file in range(_FILES)}
    yield _commit("Found the project", _BEGAN - 86_400, {file: values[file] for file in values})
    for number in range(count):
        file, place = number % _FILES, number // _FILES % _FUNCTIONS
        values[file][place] += 1
        area = _AREAS[number % len(_AREAS)]
        title = f"[{area}] Raise the limit of step_{file}_{place} (#{number + 1})"
        body = f"The {area} kept too little for step_{file}_{place}, and requests waited for a slot."
        yield _commit(f"{title}\n\n{body}", _BEGAN + number * _SECONDS // count, {file: values[file]})


def _commit(message: str, when: int, files: dict[int, list[int]]) -> bytes:
    text = message.encode()
    parts = [
        b"commit refs/heads/main\n",
        b"committer Ada <ada@example.org> %d +0000\n" % when,
        b"data %d\n%s\n" % (len(text), text),
    ]
    for file, values in files.items():
        source = _source(file, values).encode()
        parts.append(b"M 100644 inline src/part_%d.py\ndata %d\n%s\n" % (file, len(source), source))
    return b"".join(parts)


def _source(file: int, values: list[int]) -> str:
    lines = [f'"""Part {file}."""\n']
    for place, value in enumerate(values):
        name = f"step_{file}_{place}"
        lines.append(f'\ndef {name}(width: int, limit: int = {value}) -> int:\n    """Do step {place}."""')
        lines.append(f"    if width > {value + 7}:\n        raise ValueError(width)\n    return width + limit\n")
    return "\n".join(lines)
