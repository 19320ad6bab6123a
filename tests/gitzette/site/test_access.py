"""What a page must have for those who do not see it, or not well: its structure, which needs no browser."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import gitzette.site

STYLE = (Path(gitzette.site.__file__).parent / "assets" / "style.css").read_text("utf-8")
_NAMED = ("aria-label", "aria-labelledby", "title")


@pytest.fixture
def pages(demo_site: Path, parsed: Callable[[str], Any]) -> dict[str, Any]:
    return {str(file.relative_to(demo_site)): parsed(file.read_text("utf-8")) for file in demo_site.rglob("*.html")}


def test_every_page_has_its_landmarks_its_language_and_a_title(pages: dict[str, Any]) -> None:
    for name, page in pages.items():
        assert len(page.all("main")) == len(page.all("h1")) == 1, name
        assert next(one.text for one in page.all("title") if one.parents == ("html", "head")).endswith("Gitzette"), name
        assert page.all("html")[0].attributes["lang"] == ("zh-Hans" if name.startswith("zh/") else "en"), name
        top = [one for one in page.elements if one.parents == ("html", "body")]
        assert [one.name for one in top] == ["a", "header", "main", "footer"], name
        assert (top[0].attributes["href"], top[0].attributes["class"]) == ("#content", "skip"), name
        assert all(one.attributes.get("aria-label") for one in page.all("nav", "aside")), name


def test_headings_stand_in_order_and_say_something(pages: dict[str, Any]) -> None:
    for name, page in pages.items():
        levels = [int(one.name[1]) for one in page.all("h1", "h2", "h3", "h4")]
        assert levels[0] == 1, name
        assert all(after <= before + 1 for before, after in pairwise(levels)), (name, levels)
        assert all(one.text.strip() for one in page.all("h1", "h2", "h3", "h4")), name


def test_what_can_be_operated_has_a_name(pages: dict[str, Any]) -> None:
    for name, page in pages.items():
        labelled = {one.attributes["for"] for one in page.all("label")}
        assert all(one.attributes["id"] in labelled for one in page.all("input")), name
        for one in page.all("a", "button", "summary"):
            assert one.text.strip() or any(one.attributes.get(key) for key in _NAMED), (name, one)


def test_tables_have_captions_and_headers(pages: dict[str, Any]) -> None:
    for name, page in pages.items():
        assert len(page.all("table")) == len(page.all("caption")), name
        assert all(one.attributes.get("scope") in ("col", "row") for one in page.all("th")), name


def test_lists_hold_only_items(pages: dict[str, Any]) -> None:
    for name, page in pages.items():
        inside = {(one.parents[-1], one.name) for one in page.elements if one.parents}
        assert {child for parent, child in inside if parent in ("ul", "ol")} <= {"li"}, name
        assert {child for parent, child in inside if parent == "dl"} <= {"dt", "dd", "div"}, name
        assert not {
            (parent, child) for parent, child in inside if parent == "p" and child in ("details", "div", "p", "ul")
        }


def test_the_policy_allows_our_own_files_and_nothing_inline(pages: dict[str, Any]) -> None:
    for name, page in pages.items():
        [policy] = [one.attributes["content"] for one in page.all("meta") if "http-equiv" in one.attributes]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';"), name
        assert "unsafe" not in policy, name
        assert page.all("style") == [], name
        assert all("src" in one.attributes and not one.text for one in page.all("script")), name


def _themes() -> list[dict[str, str]]:
    found = [
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
        for block in re.findall(r"\{([^{}]*--paper[^{}]*)\}", STYLE)
    ]
    assert len(found) >= 3
    return found[:3]


def _light(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.03928 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(one: str, other: str) -> float:
    high, low = sorted((_light(one), _light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", range(3))
def test_text_stands_out_from_its_ground_in_every_theme(theme: int) -> None:
    colours = _themes()[theme]
    grounds = ("paper", "faint")
    pairs = [(ink, ground) for ink in ("ink", "soft", "link", "breaking", "high", "mid", "low") for ground in grounds]
    pairs += [("added-ink", "added"), ("gone-ink", "gone"), ("ink", "mark")]
    weak = {pair: round(_contrast(colours[pair[0]], colours[pair[1]]), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < 4.5} == {}


def test_both_ways_to_the_dark_theme_give_the_same_colours() -> None:
    _, chosen, system = _themes()
    assert chosen == system
