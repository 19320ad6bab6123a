"""What is left out of a Python text before it is parsed, and the way back to the whole text."""

from tools.diff.readers.python import read
from tools.diff.readers.python_cut import Gap, began, cut, ended
from tools.diff.readers.python_digest import Tokens
from tools.diff.readers.python_fragment import mend
from tools.diff.readers.python_syntax import Code
from tools.diff.readers.python_uncut import Uncut
from tools.diff.readers.syntax import parser
from tools.diff.reading import Source

BODY = "".join(f"    total = total + weigh({number})\n" for number in range(200))
MODULE = (
    f'LIMIT = 8\n\n\ndef first(a, b=1):\n    """Says something."""\n{BODY}    return total\n\n\n'
    f"class Cache:\n    size = 3\n\n    def grow(self, n):\n        return n\n\n\n"
    f"def second(c):\n{BODY}    if c > LIMIT:\n        raise ValueError('too many')\n    return total\n"
)
TEXT = MODULE.encode()
SECOND = MODULE[: MODULE.index("def second")].count("\n") + 1


def test_a_small_text_is_left_as_it_is() -> None:
    assert cut(b"def f(a):\n    return a\n", ()) == (b"def f(a):\n    return a\n", ())


def test_bodies_far_from_a_change_are_left_out_and_lines_keep_their_numbers() -> None:
    short, gaps = cut(TEXT, [(SECOND, SECOND + 3)])
    assert len(short) < len(TEXT) / 4
    assert b"def first(a, b=1):" in short
    assert short.count(b"\n") == TEXT.count(b"\n")
    assert short[: short.index(b"def second")].count(b"\n") + 1 == SECOND
    assert len(gaps) >= 2


def test_of_a_body_near_a_change_what_fails_is_kept() -> None:
    short, _ = cut(TEXT, [(SECOND, SECOND + 3)])
    assert b"raise ValueError('too many')" in short
    assert short.count(b"weigh") == 0


def test_where_nothing_is_near_functions_keep_only_their_names() -> None:
    short, _ = cut(TEXT, ())
    assert b"def first(): ..." in short
    assert b"def second(): ..." in short
    assert b"    def grow(): ..." in short
    assert b"LIMIT = 8" in short
    assert b"    size = 3" in short
    assert b"raise" not in short


def test_what_users_set_is_kept_wherever_it_stands() -> None:
    text = TEXT.replace(b"    return total\n", b"    os.getenv('CACHE_SIZE')\n    return total\n", 1)
    short, _ = cut(text, ())
    assert b"def first(a, b=1):" in short
    assert b"os.getenv('CACHE_SIZE')" in short


def test_a_text_whose_long_strings_do_not_pair_is_left_as_it_is() -> None:
    text = TEXT + b'"""begins and never ends\n'
    assert cut(text, ()) == (text, ())


def test_a_definition_in_a_docstring_is_none() -> None:
    text = TEXT.replace(b'"""Says something."""', b'"""Says\n\ndef quoted(x):\n    pass\n"""')
    short, _ = cut(text, [(1, 5)])
    assert b"def quoted(x):" not in cut(text, ())[0]
    assert short.count(b"\n") == text.count(b"\n")


def test_offsets_lead_back_to_the_whole_text() -> None:
    gaps = (Gap((10, 14), (10, 50)), Gap((20, 22), (56, 90)))
    assert began(gaps, 5) == ended(gaps, 5) == 5
    assert began(gaps, 10) == 10
    assert began(gaps, 16) == 52
    assert ended(gaps, 10) == 10
    assert ended(gaps, 14) == 50
    assert ended(gaps, 17) == 53
    assert began(gaps, 20) == 56
    assert ended(gaps, 22) == 90


def test_every_kept_piece_is_found_again_where_it_was() -> None:
    short, gaps = cut(TEXT, [(SECOND, SECOND + 3)])
    for piece in (b"class Cache:", b"def second(c):", b"raise ValueError"):
        at = short.index(piece)
        start, end = began(gaps, at), ended(gaps, at + len(piece))
        assert TEXT[start:end] == piece


def test_the_shape_of_a_body_does_not_depend_on_what_was_left_out() -> None:
    source = Source("pkg/m.py", TEXT, near=((SECOND, SECOND + 3),))
    mended = mend(source)
    assert mended.gaps
    parse = parser("tree_sitter_python").parse
    short = Code(mended.text, parse(mended.text).root_node, 1, 1, 0)
    whole = Code(TEXT, parse(TEXT).root_node, 1, 1, 0)
    bodies = [code.root.named_children[-1].child_by_field_name("body") for code in (short, whole)]
    assert bodies[0] is not None
    assert bodies[1] is not None
    uncut = Uncut(short, TEXT, mended).shape(bodies[0].start_byte, bodies[0].end_byte, "second")
    assert uncut == Tokens(whole).shape(bodies[1].start_byte, bodies[1].end_byte, "second")
    assert uncut


def test_a_text_that_does_not_parse_once_cut_is_read_whole() -> None:
    broken = TEXT.replace(b"class Cache:", b"class Cache(:")
    reading = read(Source("pkg/m.py", broken, near=((SECOND, SECOND + 3),)))
    assert "second" in {symbol.name for symbol in reading.symbols}
