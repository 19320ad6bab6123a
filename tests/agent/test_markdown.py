"""Foreign text in a report: it shows itself and does nothing, judged by a Markdown reader that is not ours."""

import re
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from agent.markdown import cell, code, inline, link, slug, visible
from tests.patience import within

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
SMALL = settings(max_examples=250, derandomize=True, deadline=None)
# Pieces that mean something to GitHub, and the letters between which they are dangerous.
LIVELY = r"""
@octocat @org/team a@b.co x@y@z #12 #1 GH-7 octo/repo#12 o/r@deadbeef deadbeefcafe 0123456 https://x.example/a|b
http:// www.x.example ftp://x mailto:a@b.co fixes closes: Resolves ` `` ``` `a` `a|b` `#12` \ \| | || * ** _ __
_x_ max_num_tokens ~~ ~~a~~ [ ] ( ) [a](b) [a]: ![i](u) < > <b> </b> <!-- --> <script> <img/src=x> &amp; &#64; &lt;
$ $$ $x$ ! # ## - + 1. > --- === :rocket: [^1] [x] ^ 修复 的 。 （ ）
"""
PIECES = LIVELY.split()
ODD = list("\n\r\t\0\u202e\u200b\u200d\ufeff\u2028\ufe0f\u00a0\U000e0041\u3164")
HOSTILE = st.lists(
    st.one_of(st.sampled_from([*PIECES, *ODD, " ", "a", "1", "é", "🚀"]), st.text(max_size=3)),
    max_size=9,
).map("".join)


def cells(text: str) -> list[list[Token]]:
    """Read the text as the middle cell of a table row between two others and give each cell's tokens."""
    table = READER.parse(f"| a | b | c |\n|---|---|---|\n| left | {text} | right |\n")
    assert table[0].type == "table_open"
    assert [token.type for token in table].count("tr_open") == 2
    inner = [after.children or [] for before, after in pairwise(table) if before.type == "td_open"]
    assert [token.content for token in (*inner[0], *inner[-1])] == ["left", "right"]
    return inner


def shown(tokens: list[Token]) -> str:
    return "".join(token.content for token in tokens)


def without_marks(text: str) -> str:
    """Take out what may differ between a text and its rendering: the ticks of code spans, spaces at their edges."""
    return re.sub(r"[`\s]", "", text)


@SMALL
@given(HOSTILE)
def test_hostile_text_in_a_list_shows_itself_and_nothing_else(text: str) -> None:
    tokens = READER.parse(f"- [#1](https://x.example/1) {inline(text)}\n")
    item = ["bullet_list_open", "list_item_open", "paragraph_open", "inline"]
    ends = ["paragraph_close", "list_item_close", "bullet_list_close"]
    assert [token.type for token in tokens] == [*item, *ends]
    children = tokens[3].children or []
    assert {token.type for token in children[3:]} <= {"text", "code_inline", "text_special"}
    assert without_marks(shown(children[3:])) == without_marks(visible(text))


def test_an_address_cannot_end_its_link_early() -> None:
    children = READER.parseInline(link("text", "https://x.example/a (b) c"))[0].children or []
    assert [token.type for token in children] == ["link_open", "text", "link_close"]
    assert children[0].attrGet("href") == "https://x.example/a%20%28b%29%20c"


def test_a_direction_override_cannot_turn_a_title_around() -> None:
    assert inline("safe \u202egnitide\u202c name") == "safe gnitide name"
    assert inline("pass\u200bword \U000e0041\U000e0042x\ufe0f\u200dy") == "password xy"


@SMALL
@given(HOSTILE)
@example("a\\|b `c\\|d` | `e|f`")
@example("`a`#12`b`@x`` `")
@example("\\")
@example("` `")
@example("`a\\` | `b")
def test_hostile_text_in_a_table_shows_itself_and_nothing_else(text: str) -> None:
    row = cells(cell(inline(text)))
    assert len(row) == 3
    assert {token.type for token in row[1]} <= {"text", "code_inline", "text_special"}
    assert without_marks(shown(row[1])) == without_marks(visible(text))


@SMALL
@given(HOSTILE)
@example("`a\\|b`")
@example("`a\\\\|b`")
def test_a_row_has_its_cells_also_where_every_backslash_escapes(text: str) -> None:
    # GitHub's reader takes a backslash and what follows as a pair, the other one looks only at the character before.
    unpaired = re.sub(r"\\.", "", f"| left | {cell(inline(text))} | right |")
    assert unpaired.count("|") == 4


@SMALL
@given(HOSTILE)
@example("#12https://x.example/a|b")
@example("deadbeefcafewww.x.example")
@example("GH-7" + "a" * 64 + "@x")
def test_nothing_outside_code_comes_alive_on_github(text: str) -> None:
    plain = [
        token.content if token.type != "code_inline" else "\n"
        for token in cells(cell(inline(text)))[1]
    ]
    for part in "".join(plain).split("\n"):
        assert not re.search(r"@[A-Za-z0-9]", part), "a mention"
        assert not re.search(r"#\d+\b", part, re.ASCII), "a reference"
        assert not re.search(r"\bGH-\d+\b", part, re.ASCII | re.IGNORECASE), "a reference"
        assert not re.search(r"\b[0-9a-f]{7,40}\b", part, re.ASCII), "a commit"
        assert not re.search(r"(https?|ftp)://|www\.\w", part, re.IGNORECASE), "a link"


@SMALL
@given(HOSTILE)
def test_what_is_shown_is_one_line_of_visible_characters(text: str) -> None:
    for written in (visible(text), inline(text), cell(inline(text)), code(text)):
        assert len(written.splitlines()) <= 1
        hidden = {
            char for char in written if unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp", "Cs")
        }
        # A joiner or selector is part of an emoji, and of nothing else.
        assert hidden <= {"\u200d"}
        assert not re.search(r"(^|[\w\s\\`])[\u200d\ufe0f]", written)
    assert visible(visible(text)) == visible(text)


@SMALL
@given(HOSTILE)
def test_code_shows_every_character(text: str) -> None:
    written = code(text)
    children = READER.parseInline(written)[0].children or [] if written else []
    assert [token.type for token in children] == ["code_inline"] * bool(visible(text))
    assert shown(children) == visible(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Raise max_num_tokens to 8192", "Raise max_num_tokens to 8192"),
        ("修复#12的问题", "修复`#12`的问题"),
        ("vendor: update BoringSSL to 0.20260728.0", "vendor: update BoringSSL to `0.20260728.0`"),
        ("请@octocat看这里", "请`@octocat`看这里"),
        ("见https://x.example/a，然后", "见`https://x.example/a`，然后"),
        ("drop `a|b` and `__init__`", "drop `a|b` and `__init__`"),
        ("fails with ``give `a.b` instead``.", "fails with ``give `a.b` instead``."),
        ("<b>bold</b> & co", "\\<b\\>bold\\</b\\> \\& co"),
        ("⚡️ 👩‍💻 1️⃣ 🇨🇳 ❤️", "⚡️ 👩‍💻 1️⃣ 🇨🇳 ❤️"),
        ("  spaced\tout  ", "spaced out"),
    ],
)
def test_ordinary_titles_stay_readable(text: str, written: str) -> None:
    assert inline(text) == written


REPEATED = r"a a/ a. @ ` `a #1 0 http:// _ a@ \| @. [ https://) ab12- GH- 1. 1234567."


@pytest.mark.parametrize("text", REPEATED.split())
def test_a_very_long_title_takes_no_more_than_its_length(text: str) -> None:
    long = text * (30_000 // len(text)) + " x"
    with within(0.5):
        inline(long)
        code(long)


def test_anchors_are_those_that_github_makes() -> None:
    taken: set[str] = set()
    headings = [
        "Gitzette 2026-02-04",
        "octo/repo.js",
        "Issues",
        "octo/repojs",
        "Issues",
        "迟到的提交",
        "A_b c!",
    ]
    made = [
        "gitzette-2026-02-04",
        "octorepojs",
        "issues",
        "octorepojs-1",
        "issues-1",
        "迟到的提交",
        "a_b-c",
    ]
    assert [slug(heading, taken) for heading in headings] == made
