"""Where a function of CUDA runs and when it is computed, as keywords or macros before it say."""

import re
from collections.abc import Iterator

_QUALIFIER = re.compile(rb"\b(?:__(?:global|device|host|shared|constant)__|constexpr|consteval)\b")
_MARK = re.compile(rb"\b[A-Z]\w*?_(HOST_)?DEVICE\b(?!.*[;{}])", re.DOTALL)
_FAR = 80
"""How far before a declaration the macro may stand."""


class Marks:
    """The marks of one masked text; most texts have none that are macros."""

    def __init__(self, mask: bytes) -> None:
        self._mask = mask
        self._any = b"_DEVICE" in mask

    def of(self, start: int, head: bytes) -> Iterator[str]:
        """Give the qualifiers of a function that begins at `start` with `head`; `ACME_HOST_DEVICE` stands for two."""
        yield from map(bytes.decode, _QUALIFIER.findall(head))
        if self._any and (mark := _MARK.search(self._mask, max(0, start - _FAR), start + len(head))):
            yield from ("__host__", "__device__") if mark.group(1) else ("__device__",)
