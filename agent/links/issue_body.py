"""The report in the body of an issue, without environments, checklists and long logs of its form."""

import re
from collections.abc import Iterator, Sequence

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^[ \t]{0,12}(`{3,}|~{3,})")
_TASK = re.compile(r"^\s*[-*+] \[[ xX]\] ")
# Every question of a form becomes a heading of the third level in the issue.
_FORM_HEADING = re.compile(r"^### ")
_FORM_BLANK = "_No response_"
# `CUDA runtime version : 12.8`, `numpy==2.1`, `PYTHONPATH=/srv`: what tools print about a machine.
_SETTING = re.compile(
    r"^\s*(?:\[[^\]]{1,20}\] )?[\w .,/()@+-]{2,60}\s{0,30}(?::|={1,2})(?:\s|\S|$)"
)
_RULER = re.compile(r"^\s*[-=*_#+|]{3,}")
_MIN_DUMP = 8  # Lines of a block that may be a dump of an environment
_DUMP_SHARE = 0.7  # Of its lines, which are settings or rulers
_MAX_LOG_LINES = 20  # Last lines that are kept of a block: that is where a program fails
_MAX_FRAMES = 3  # Last frames that are kept of a traceback
_FRAME = re.compile(r'File "([^"\n]{1,300})", line \d{1,7}, in (\w{1,100})', re.ASCII)


def reported_text(body: str) -> str:
    """Return the body of an issue without dumps, checklists, forms and the middle of logs."""
    kept: list[str] = []
    for block in _blocks(_COMMENT.sub(" ", body).splitlines()):
        if _is_dump(block):
            continue
        if _FENCE.match(block[0]):
            kept += _log_lines(block[1:])
        else:
            kept += [line for line in block if not _is_form(line)]
    return "\n".join(kept)


def frames_in(body: str) -> tuple[str, ...]:
    """Return the last frames of the tracebacks in a text, as `file.py:function`, newest first."""
    frames: dict[str, None] = {}
    for path, function in reversed(_FRAME.findall(body)):
        frames[f"{_end_of(path)}:{function}"] = None
        if len(frames) == _MAX_FRAMES:
            break
    return tuple(frames)


def _end_of(path: str) -> str:
    """Return the last two parts of a path: what comes before them is the reporter's machine."""
    return "/".join(path.replace("\\", "/").split("/")[-2:])


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Yield the blocks of a text: fenced ones with their fence, and the paragraphs between them."""
    block: list[str] = []
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if fence:
            block.append(line)
            if mark and mark[1].startswith(fence):
                yield block
                block = []
                fence = ""
            continue
        if mark or not line.strip():
            if block:
                yield block
            block = [line] if mark else []
            fence = mark[1] if mark else ""
            continue
        block.append(line)
    if block:
        yield block


def _is_dump(block: Sequence[str]) -> bool:
    """Return True for a block of which nearly every line says what a setting is."""
    lines = [line for line in block if line.strip() and not _FENCE.match(line)]
    if len(lines) < _MIN_DUMP or any(_FRAME.search(line) for line in lines):
        return False
    setting_count = 0
    for line in lines:
        if _SETTING.match(line) or _RULER.match(line):
            setting_count += 1
    return setting_count >= _DUMP_SHARE * len(lines)


def _is_form(line: str) -> bool:
    if line.strip() == _FORM_BLANK:
        return True
    return bool(_TASK.match(line) or _FORM_HEADING.match(line))


def _log_lines(lines: Sequence[str]) -> list[str]:
    """Return the last lines of a log, without the outer frames of a traceback."""
    frame_lines = [number for number, line in enumerate(lines) if _FRAME.search(line)]
    first_frame = frame_lines[-_MAX_FRAMES] if len(frame_lines) >= _MAX_FRAMES else 0
    first_line = max(first_frame, len(lines) - _MAX_LOG_LINES)
    return list(lines[first_line:])
