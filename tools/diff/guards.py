"""Conditions of a build that ask otherwise for a version, an architecture or a platform: `#if`, and `if` of CMake."""

import re
from collections.abc import Iterator, Sequence

from tools.diff.exchanged import Exchange, Line, Stretch, stretches
from tools.diff.hunks import Hunk

_DIRECTIVE = re.compile(r"#\s*(if|ifdef|ifndef|elif)\b\s*(.+)")
_OPENS = re.compile(r"\s*#\s*if")
_SPACES = re.compile(r"\s+")
GUARD = "#if"
_CMAKE = re.compile(r"(?:else)?if\s*\((.+)\)\s*$", re.IGNORECASE)
_ARCHS = re.compile(r"\w+\(\s*(\w*ARCH(?!IV)\w*)\s+\"([^\"]*)\"")
_REMARK = re.compile(r"//.*|/\*.*?(?:\*/|$)")
_ASKS = re.compile(
    r"CUDA|HIP|ROCM|ARCH|VER(?:SION)?(?:_|\b)|__APPLE__|_WIN32|_MSC_VER|__linux__|__GNUC__|__clang|aarch64|x86_64|__ARM"
    r"|AVX|\bSM_?\d|MUSA|__ANDROID__"
)
_VERSIONED = re.compile(
    r"CUDA_VERSION|CUDART_V|CUDACC_VER|HIP_V|ROCM_V|ARCH_*\s*[<>=]|__APPLE__|_WIN32|_MSC_VER|__linux__|__GNUC__"
    r"|aarch64|x86_64|__ANDROID__"
)
_MACRO = re.compile(r"[A-Za-z_]\w+")
_FACTOR = re.compile(r"\*\s*(\d+)")
_ABOVE = re.compile(r">\s*(\d+)\b(?!\.)")
_WORD = re.compile(r"\w+|[<>=!]=?|VERSION_\w+")
_LONGEST = 110


def guards(hunk: Hunk) -> Iterator[Exchange]:
    """Find the conditions of C that stand in place of others."""
    if not any(line[:1] in "+-" and line[1:].lstrip().startswith("#") for line in hunk.lines):
        return
    for stretch in stretches(hunk):
        gone, come = (list(_directives(lines, stretch.below)) for lines in stretch[:2])
        yield from _pair(gone, come)
    yield from _alone(hunk)


def _alone(hunk: Hunk) -> Iterator[Exchange]:
    """Find a condition that only came, or only went, around lines that stay."""
    signs = {line[0] for line in hunk.lines if line[:1] in ("+", "-") and _OPENS.match(line[1:])}
    if len(signs) != 1:
        return
    (keep,) = signs
    old, new = hunk.old_start, hunk.new_start
    for at, line in enumerate(hunk.lines):
        sign = line[:1]
        match = _DIRECTIVE.match(line[1:].strip()) if sign == keep and _OPENS.match(line[1:]) else None
        below = next((one for one in hunk.lines[at + 1 :] if not _is_remark(one)), "")
        if match is not None and below[:1] == " " and _DIRECTIVE.match(below[1:].lstrip()) is None:
            text = _condition(match[1], _REMARK.sub("", match[2]).strip())
            if _VERSIONED.search(text) and len(text) <= _LONGEST and not text.endswith("\\"):
                sides = (text, "") if sign == "-" else ("", text)
                yield Exchange("compared", GUARD, *sides, (old, old), (new, new))
        old += sign not in ("+", "\\")
        new += sign not in ("-", "\\")


def _is_remark(line: str) -> bool:
    text = line[1:].strip()
    return not text or text.startswith(("//", "/*", "*"))


def _pair(gone: Sequence[tuple[Line, str]], come: Sequence[tuple[Line, str]], guard: str = GUARD) -> Iterator[Exchange]:
    """Tell the only condition that went from the only one that came, where both ask for some of the same."""
    if len(gone) != 1 or len(come) != 1:
        return
    (one, old), (other, new) = gone[0], come[0]
    # `> 12` asks for what `>= 13` does.
    before, after = (_WORD.findall(_ABOVE.sub(lambda match: f">= {int(match[1]) + 1}", text)) for text in (old, new))
    if before == after or max(len(old), len(new)) > _LONGEST:
        return
    if not {*_MACRO.findall(old)} & {*_MACRO.findall(new)} - {"defined"}:
        return
    differing = {*before} ^ {*after}
    other_macro = "CUDA_VERSION" in differing and any("CUDACC_VER" in word for word in differing)
    if other_macro or _FACTOR.findall(old) != _FACTOR.findall(new):
        # The same version may be asked for in another way.
        return
    if (differing and not _ASKS.search(" ".join(differing)) and not any(map(str.isdigit, differing))) or (
        _is_renamed(before, after) or not (_ASKS.search(old) and _ASKS.search(new))
    ):
        return
    yield Exchange("compared", guard, old, new, one.span, other.span)


def _is_renamed(before: Sequence[str], after: Sequence[str]) -> bool:
    """Tell whether a macro only has another name, or one is asked for in another way."""
    pairs = [(one, other) for one, other in zip(before, after, strict=False) if one != other]
    return len(before) == len(after) and len({*pairs}) == 1 and not any(text.isdigit() for text in pairs[0])


def _directives(lines: Sequence[Line], below: str) -> Iterator[tuple[Line, str]]:
    """Give the conditions among lines, put together where they go on behind a backslash."""
    held: Line | None = None
    for line in (*lines, Line(0, 0, below.strip(), 0)):
        if line.number == 0 and (held is None or line.text):
            return
        if held is None and line.text.startswith("#"):
            held = line
        elif held is not None:
            held = held._replace(text=f"{held.text[:-1].rstrip()} {line.text}", last=line.number or held.last)
        if held is not None and not held.text.endswith("\\"):
            if (match := _DIRECTIVE.match(held.text)) is not None:
                yield held, _condition(match[1], _SPACES.sub(" ", _REMARK.sub("", match[2])).strip())
            held = None


def _condition(word: str, asked: str) -> str:
    return {"ifdef": f"defined({asked})", "ifndef": f"!defined({asked})"}.get(word, asked)


def build_guards(hunk: Hunk) -> Iterator[Exchange]:
    """Find the versions that a CMake file asks for otherwise, and the architectures it builds parts for."""
    if not any(line[:1] == "+" and ("VERSION_" in line or "ARCH" in line) for line in hunk.lines):
        return
    for stretch in stretches(hunk):
        yield from _versions(stretch)
        yield from _archs(stretch)


def _versions(stretch: Stretch) -> Iterator[Exchange]:
    sides = [
        [(line, match[1].strip()) for line in lines if (match := _CMAKE.match(line.text)) is not None]
        for lines in stretch[:2]
    ]
    if all("VERSION_" in "".join(text for _, text in side) for side in sides):
        yield from _pair(sides[0], sides[1], "if")


def _archs(stretch: Stretch) -> Iterator[Exchange]:
    gone, come = (
        {match[1]: (line, match[2]) for line in lines if (match := _ARCHS.match(line.text)) is not None}
        for lines in stretch[:2]
    )
    for name, (line, old) in gone.items():
        other, new = come.get(name, (line, old))
        if {*old.split(";")} != {*new.split(";")} and "$" not in old + new:
            yield Exchange("set", name, f'"{old}"', f'"{new}"', line.span, other.span)
