"""Reads Metal and OpenCL by the text: the kernels that a program finds by their names."""

import re
from collections.abc import Iterator

from tools.diff.readers import syntax
from tools.diff.readers.fragment import uncomment
from tools.diff.readers.masked import Masked
from tools.diff.reading import Reading, Site, Source

_LEXIS = re.compile(rb"//[^\n]*|/\*.*?(?:\*/|\Z)|\"[^\"\\\n]*(?:\\.[^\"\\\n]*)*\"?", re.S)
_KERNEL = re.compile(rb"\b(?:__)?kernel\s+void\s+(\w+)\s*(?=[<(])")
_NAMED = re.compile(rb"\[\[\s*host_name\s*\(\s*(\"\x01*\")\s*\)\s*\]\]")
"""What the program calls a kernel, or one that a template is made into."""
_KERNELS = "kernels"


def read(source: Source) -> Reading:
    """Say which kernels a source has."""
    if (problem := syntax.refusal(source)) is not None:
        return Reading(problems=(problem,))
    masked = Masked(source.text if source.whole else uncomment(source.text), _LEXIS, source.first_line)
    return Reading(sites=tuple(_kernels(masked)), code=masked.code if source.digest else "")


def _kernels(masked: Masked) -> Iterator[Site]:
    """Give each kernel by its name; one in capitals is a macro, which stands for some other name."""
    if b"kernel" not in masked.mask:
        return
    found = [(match.start(), match.group(1).decode()) for match in _KERNEL.finditer(masked.mask)]
    found += [(match.start(), masked.literal(*match.span(1)) or "") for match in _NAMED.finditer(masked.mask)]
    for start, name in sorted(found):
        if name and not name.isupper():
            line = masked.line(start)
            yield Site("registration", name, line, line, public=False, scope=_KERNELS)
