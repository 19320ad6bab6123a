"""The builder: text can never become markup."""

import ast
from pathlib import Path

import pytest

import gitzette.site
from gitzette.site.html import Markup, fill, join, link, prose, tag, verbatim

FOLDER = Path(gitzette.site.__file__).parent


def test_text_is_written_as_text() -> None:
    assert tag("p", "<b>&", ["x", None, 3]) == "<p>&lt;b&gt;&amp;x3</p>"


def test_markup_that_was_joined_by_hand_shows_its_tags_instead_of_living() -> None:
    assert tag("p", f"{tag('b', 'x')} and") == "<p>&lt;b&gt;x&lt;/b&gt; and</p>"
    assert tag("p", "".join([tag("b", "x")])) == "<p>&lt;b&gt;x&lt;/b&gt;</p>"


def test_an_attribute_cannot_be_left_through_its_quotes() -> None:
    assert tag("p", title='"><script>') == '<p title="&quot;&gt;&lt;script&gt;"></p>'


@pytest.mark.parametrize("name", ["onclick", "style", "srcdoc", "formaction", "xlink:href"])
def test_attributes_that_could_act_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no attribute"):
        tag("p", **{name: "x"})


@pytest.mark.parametrize("name", ["iframe", "object", "style", "img", "template", "base"])
def test_elements_that_pages_do_not_need_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no element"):
        tag(name)


def test_zero_and_false_are_told_apart() -> None:
    assert tag("p", tabindex=0) == '<p tabindex="0"></p>'
    assert tag("p", tabindex=False) == "<p></p>"
    assert tag("p", hidden=True) == "<p hidden></p>"


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "JaVaScript:alert(1)", "data:text/html,x", "//evil.example", "http://a b", 'x"y', "\tx:"],
)
def test_a_link_that_leads_elsewhere_is_only_words(address: str) -> None:
    assert link(address, "words") == "<span>words</span>"
    with pytest.raises(ValueError, match="leads nowhere allowed"):
        tag("a", href=address)


def test_sentences_are_filled_with_pieces_and_stay_escaped() -> None:
    assert fill("{} <on> {branch}", tag("b", "1"), branch="<m>") == "<b>1</b> &lt;on&gt; &lt;m&gt;"
    assert fill("{1} of {0}", 2, 3) == "3 of 2"


def test_backticks_mean_code_and_nothing_else_does() -> None:
    assert prose("a `<b>` *c* ``d`e``") == "a <code>&lt;b&gt;</code> *c* <code>d`e</code>"
    assert prose("no `end") == "no `end"


def test_what_cannot_be_seen_is_not_written() -> None:
    assert join("a\u202eb\u200bc\x00d") == "abc d"
    assert verbatim("    x\u202e  = 1\r") == "    x  = 1"


def test_only_the_builder_makes_markup() -> None:
    for file in FOLDER.glob("*.py"):
        calls = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Call)]
        made = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Markup"]
        assert not made or file.name == "html.py", file.name


def test_scripts_write_text_and_never_markup() -> None:
    for file in (FOLDER / "assets").glob("*.js"):
        text = file.read_text("utf-8")
        for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "srcdoc"):
            assert way not in text, f"{file.name}: {way}"


def test_markup_is_a_string() -> None:
    assert isinstance(Markup("x"), str)
