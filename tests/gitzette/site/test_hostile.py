"""Hostile text in every field: it is shown as text, in pages, feed and search alike."""

import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from agent.record import to_json
from agent.report import Failure, ReleaseLine, Report
from evals.sets.site_reports import FIRST, made_day
from gitzette.site.build import Built

_PAYLOADS = (
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<iframe src=javascript:alert(1)>",
    "<body onload=alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "<details open ontoggle=alert(1)>",
    "<style>*{display:none}</style>",
    "<link rel=stylesheet href=//evil.example/x.css>",
    "<meta http-equiv=refresh content=0;url=//evil.example>",
    "<base href=//evil.example/>",
    "<form action=//evil.example><button>x</button></form>",
    "<object data=//evil.example></object>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<!-- <img src=x onerror=alert(1)> -->",
    "--><script>alert(1)</script>",
    "]]><script>alert(1)</script>",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml version='1.0'?><x/>",
    "<!DOCTYPE html><!ENTITY x 'y'>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    '" onmouseover="alert(1)',
    "' onmouseover='alert(1)",
    'x" autofocus onfocus=alert(1) y="',
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "//evil.example/x",
    'https://evil.example/" onclick="alert(1)',
    "`<script>alert(1)</script>`",
    "``<img src=x onerror=alert(1)>``",
    "`</code><script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "![x](//evil.example/x.png)",
    "[@1][@2][@99]",
    "{0}{1}{repo}{message}",
    "{0.__class__}",
    "%s%n%x",
    "${alert(1)}",
    "{{constructor.constructor('alert(1)')()}}",
    "\u202eevil\u202c",
    "\u2066\u2067hidden\u2069",
    "zero\u200bwidth\ufeff",
    "\x00nul\x07bell\x1b[31mred",
    "line\nbreak\r\nand\ttab",
    "\u2028separator\u2029",
    "\ud800lone",
    "a" * 3_000,
    "<" * 500,
    "\"'" * 300,
    "&" * 500,
    "`" * 200,
    "[" * 300 + "]" * 300,
    "../../../etc/passwd",
    "..\\..\\windows",
    "/etc/passwd",
    "con.html",
    ".",
    "..",
    "-",
    " ",
    "",
    "#",
    "?q=<script>",
    "a/b@" + "0" * 40,
    "a/b#1",
    "a/b@<script>",
    "a/b#999999999999",
    "\\u003cscript\\u003e",
    '\\"});alert(1)//',
    "</title><script>alert(1)</script>",
    "</textarea><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</noscript><script>alert(1)</script>",
    "</svg><script>alert(1)</script>",
    "</pre></code></figure><script>alert(1)</script>",
    "</details></summary><script>alert(1)</script>",
    "</table></td></tr><script>alert(1)</script>",
    "<p><div></span>",
    "<input type=image src onerror=alert(1)>",
    "<video><source onerror=alert(1)>",
    "<template><script>alert(1)</script></template>",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "<a id=content>x</a><a id=theme>y</a>",
    "<a name=results>x</a>",
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "toString",
    "修复<script>alert(1)</script>崩溃",
    "显存\u202e溢出",
    "😀👩‍👩‍👧‍👦🏳️‍🌈",
    "Z̷̡͓a̶͝l̵g̴o̸",
    "مرحبا<script>",
    '-->\'"/></sCript><deTailS open x=">" ontoggle=(co\u006efirm)``>',
)
_TOGETHER = 10
_STRUCTURE = {"start", "end", "tz", "cutoff", "landed_at", "at", "published_at"}


def test_there_are_a_hundred() -> None:
    assert len(set(_PAYLOADS)) == len(_PAYLOADS) == 100


def _report(day: date) -> Report:
    """Make a small report that has something in every field that is shown."""
    report = made_day(day, most=2)
    kept = report.sections[:2]
    repos = tuple(section.repo for section in kept)
    released = ReleaseLine(tag="v1", name="one", published_at=datetime(2025, 2, 5, tzinfo=UTC), prerelease=True)
    return report.model_copy(
        update={
            "repos": repos,
            "sections": tuple(one.model_copy(update={"releases": (released,)}) for one in kept),
            "ledger": tuple(row for row in report.ledger if row.repo in repos),
            "claims": tuple(claim for claim in report.claims if claim.repo in repos),
            "stories": tuple(story for story in report.stories if story.repo in repos),
            "links": tuple(link for link in report.links if link.change.split("@")[0] in repos),
            "failures": (Failure(repo=repos[0], stage="threads", message="gone"),),
        }
    )


def _spoilt(value: Any, bad: str, key: str = "", *, names: bool) -> Any:
    """Put hostile text where any text stands; names only where asked, because much is found by them."""
    if isinstance(value, dict):
        return {name: _spoilt(one, bad, name, names=names) for name, one in value.items()}
    if isinstance(value, list):
        return [_spoilt(one, bad, key, names=names) for one in value]
    is_name = key in ("repo", "repos", "sha", "cite", "cites", "about", "steps", "news", "issue", "change", "tip", "id")
    if not isinstance(value, str) or key in _STRUCTURE or (is_name and not names):
        return value
    return bad


def _hostile(report: Report, bad: str, *, names: bool) -> str:
    """Write the report's file with hostile text in each field that takes any text."""
    data = to_json(report)
    spoilt = _spoilt(data, bad, names=names)
    for one, other in zip(_nodes(spoilt), _nodes(data), strict=True):
        # Kinds and marks come from closed lists; a report with another one is no report.
        for key in (
            "depth",
            "tier",
            "noise",
            "purpose",
            "event",
            "standing",
            "relation",
            "grade",
            "kind",
            "act",
            "role",
        ):
            if isinstance(one, dict) and key in one and not (key == "kind" and "severity" in one):
                one[key] = other[key]
        for key in ("coverage", "verdict", "stage"):
            if isinstance(one, dict) and key in one:
                one[key] = other[key]
    return json.dumps(spoilt | {"date": data["date"]})


def _nodes(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [value, *(node for one in value.values() for node in _nodes(one))]
    return [node for one in value for node in _nodes(one)] if isinstance(value, list) else []


def _check_page(page: Any, where: str) -> None:
    assert page.unbalanced == [], where
    for one in page.elements:
        assert not [name for name in one.attributes if name.startswith("on") or name in ("style", "srcdoc")], where
        assert one.name not in ("iframe", "object", "style", "img", "base", "embed", "template"), where
        for key in ("href", "src", "action"):
            address = one.attributes.get(key, "")
            assert re.match(r"(?:https://github\.com/|[\w.#/-]|$)", address), (where, address)
            assert not address.lower().startswith(("javascript:", "data:", "vbscript:", "//")), where
    scripts = [one for one in page.elements if one.name == "script"]
    assert all(re.search(r"assets/(?:theme|page|search)\.js\?v=\w+$", one.attributes["src"]) for one in scripts), where
    assert all(one.text == "" for one in scripts), where
    assert len([one for one in page.elements if one.attributes.get("id") == "content"]) == 1, where
    assert len(page.all("main")) == len(page.all("h1")) == 1, where


@pytest.mark.parametrize("names", [False, True])
def test_a_hundred_hostile_strings_in_every_field_stay_text(
    names: bool, tmp_path: Path, built: Callable[..., Built], parsed: Callable[[str], Any]
) -> None:
    shown = 0
    order = _PAYLOADS[::-1] if names else _PAYLOADS
    for group in range(0, len(order), _TOGETHER):
        out = tmp_path / f"out{group}"
        (out / "reports").mkdir(parents=True)
        for number, bad in enumerate(order[group : group + _TOGETHER]):
            day = FIRST + timedelta(days=number)
            (out / "reports" / f"{day}.json").write_text(_hostile(_report(day), bad, names=names), encoding="utf-8")
        made = built(out, out / "site")
        assert (made.days, made.notices) == (_TOGETHER, ())
        for file in sorted((out / "site").rglob("*.html")):
            text = file.read_text("utf-8")
            _check_page(parsed(text), f"{file.name}: {order[group][:60]!r} and others")
            shown += text.count("alert(1)")
        _check_feed(out / "site" / "en" / "feed.xml", parsed)
        for file in (out / "site" / "search").rglob("*.json"):
            json.loads(file.read_bytes())
    assert shown > 1_000


def _check_feed(file: Path, parsed: Callable[[str], Any]) -> None:
    atom = "{http://www.w3.org/2005/Atom}"
    feed = ElementTree.fromstring(file.read_bytes())
    for content in feed.iter(f"{atom}content"):
        page = parsed(content.text or "")
        assert {one.name for one in page.elements} <= {"h3", "ul", "li", "a", "b", "code", "span"}
        assert page.unbalanced == []
