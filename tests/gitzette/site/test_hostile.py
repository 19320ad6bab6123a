"""Hostile text in every field: it is shown as text, in pages, feed and search alike."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from gitzette.site.build import Built
from tests.made_reports import FIRST

_TOGETHER = 10
_INDEX = re.compile(r'gitzetteIndex\("[\w/.-]+",([^\n\u2028\u2029]*)\);\n')


def _check_page(page: Any, where: str) -> None:
    assert page.unbalanced == [], where
    _check_attributes(page, where)
    scripts = [element for element in page.elements if element.name == "script"]
    assert all(
        re.search(r"assets/(?:theme|page|search)\.js\?v=\w+$", script.attributes["src"])
        for script in scripts
    ), where
    assert all(script.text == "" for script in scripts), where
    assert (
        len([element for element in page.elements if element.attributes.get("id") == "content"])
        == 1
    ), where
    assert len(page.all("main")) == len(page.all("h1")) == 1, where


def _check_attributes(page: Any, where: str) -> None:
    for element in page.elements:
        assert not [
            name
            for name in element.attributes
            if name.startswith("on") or name in ("style", "srcdoc")
        ], where
        assert element.name not in ("iframe", "object", "style", "base", "embed", "template"), where
        if element.name == "img":
            assert re.fullmatch(r"[./]*charts/[\w.-]+\.svg\?v=\w+", element.attributes["src"]), (
                where
            )
        for key in ("href", "src", "action"):
            address = element.attributes.get(key, "")
            assert re.match(r"(?:https://github\.com/|[\w.#/-]|$)", address), (where, address)
            assert not address.lower().startswith(("javascript:", "data:", "vbscript:", "//")), (
                where
            )


@pytest.mark.parametrize(
    ("names", "step"),
    [
        (True, 5),
        pytest.param(True, 1, marks=pytest.mark.heavy),
        pytest.param(False, 1, marks=pytest.mark.heavy),
    ],
)
def test_hostile_strings_in_every_field_stay_text(
    names: bool,
    step: int,
    hostile_strings: list[str],
    hostile_report: Callable[..., str],
    tmp_path: Path,
    built: Callable[..., Built],
    parsed: Callable[[str], Any],
) -> None:
    shown_count = 0
    order = (hostile_strings[::-1] if names else hostile_strings)[::step]
    for group in range(0, len(order), _TOGETHER):
        out = tmp_path / f"out{group}"
        (out / "reports").mkdir(parents=True)
        for number, bad in enumerate(order[group : group + _TOGETHER]):
            day = FIRST + timedelta(days=number)
            (out / "reports" / f"{day}.json").write_text(
                hostile_report(day, bad, names=names), encoding="utf-8"
            )
        made = built(out, out / "site")
        assert (made.days, made.notices) == (_TOGETHER, ())
        for file in sorted((out / "site").rglob("*.html")):
            text = file.read_text("utf-8")
            _check_page(parsed(text), f"{file.name}: {order[group][:60]!r} and others")
            shown_count += text.count("alert(1)")
        for lang in ("en", "zh"):
            _check_feed(out / "site" / lang / "feed.xml", parsed)
        for file in (out / "site" / "search").rglob("*.js"):
            index_match = _INDEX.fullmatch(file.read_text("utf-8"))
            assert index_match, file.name
            json.loads(index_match[1])
    assert shown_count > 1_000 / step


def _check_feed(file: Path, parsed: Callable[[str], Any]) -> None:
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ElementTree.fromstring(file.read_bytes())
    for content in feed.iter(f"{atom}content"):
        page = parsed(content.text or "")
        _check_attributes(page, "feed")
        allowed = {"h3", "ul", "li", "a", "b", "code", "span", "p"}
        assert {element.name for element in page.elements} <= allowed
        assert page.unbalanced == []
