"""Fragments of Python that begin in the body of a function."""

from tools.diff.readers.python import read
from tools.diff.reading import EMPTY, Source

REST = b"        value,\n    )\n    other[\n        1:]\n\n\n"
HEADING = "def work(value):"


def fragment(text: bytes, heading: str = HEADING) -> Source:
    return Source("pkg/a.py", text, 40, False, heading, frozenset({47}))


def test_what_stands_behind_the_body_is_read_with_its_lines() -> None:
    found = read(fragment(REST + b"class Shelf:\n    def put(self, size):\n        return size\n"))
    assert [(symbol.name, symbol.start) for symbol in found.symbols] == [("Shelf", 46), ("Shelf.put", 47)]


def test_a_body_that_tells_of_nothing_is_not_even_parsed() -> None:
    assert read(fragment(REST)) is EMPTY


def test_a_body_that_raises_is_read() -> None:
    found = read(fragment(b"    if value > 8:\n        raise ValueError('too large')\n"))
    assert [(site.kind, site.name, site.scope) for site in found.sites] == [
        ("limit", "value", "work"),
        ("error", "ValueError", "work"),
    ]


def test_the_rest_of_a_signature_is_no_body() -> None:
    found = read(fragment(b"    value: int,\n    size: int = 3,\n) -> int:\n    return 1\n", "def work("))
    assert [[param.name for param in symbol.params or ()] for symbol in found.symbols] == [["value", "size"]]
