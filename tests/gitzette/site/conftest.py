"""What the tests of the site share: made-up reports, the demo's site, a parser that knows what a page consists of."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

from agent.domain.report import Report
from agent.reports.report_json import dump
from agent.settings.values import Settings
from gitzette.cli import main
from gitzette.site.build import Built, build_site
from tests.built_once import built_once
from tests.gitzette.conftest import Demonstration
from tests.made_reports import FIRST, REPOS, made_day

VOID = {"meta", "link", "input", "img"}
# Elements whose text is looked at; to keep that of all would take long.
SPOKEN = {"title", "script", "h1", "h2", "h3", "h4", "a", "button", "summary"}


@dataclass
class Element:
    """An element with its attributes and, where it is looked at, the text inside it."""

    name: str
    attributes: dict[str, str]
    parents: tuple[str, ...]
    text: str = ""


@dataclass
class Page:
    """A page as a browser would take it apart."""

    elements: list[Element] = field(default_factory=list)
    unbalanced: list[str] = field(default_factory=list)

    def all(self, *names: str) -> list[Element]:
        return [element for element in self.elements if element.name in names]


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Page()
        self.open: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        parents = tuple(parent.name for parent in self.open)
        element = Element(tag, {name: value or "" for name, value in attrs}, parents)
        self.page.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open[-1].name != tag:
            self.page.unbalanced.append(tag)
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        for element in self.open:
            if element.name in SPOKEN:
                element.text += data


@pytest.fixture
def parsed() -> Callable[[str], Page]:
    """Take a page apart."""

    def read(text: str) -> Page:
        reader = _Reader()
        reader.feed(text)
        reader.close()
        reader.page.unbalanced += [parent.name for parent in reader.open]
        return reader.page

    return read


@pytest.fixture
def shelf(tmp_path: Path) -> Callable[..., Path]:
    """Publish reports, or so many made-up days, and give the output folder."""

    def publish(*reports: Report, days: int = 0) -> Path:
        folder = tmp_path / "out" / "reports"
        folder.mkdir(parents=True, exist_ok=True)
        for report in (
            *reports,
            *(made_day(FIRST + timedelta(days=at), most=3, repos=REPOS[:3]) for at in range(days)),
        ):
            (folder / f"{report.window.label}.json").write_text(dump(report), encoding="utf-8")
        return folder.parent

    return publish


@pytest.fixture
def built(tmp_path: Path) -> Callable[..., Built]:
    """Build the site of an output folder in `tmp_path/site`."""

    def build(out: Path, to: Path | None = None, site_url: str = "") -> Built:
        settings = Settings(site_url=site_url or None)
        return build_site(out, to or tmp_path / "site", settings)

    return build


@pytest.fixture(scope="session")
def demo_site(demonstration: Demonstration, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the demonstration's site as a user would, once for all tests."""

    def build(folder: Path) -> None:
        out = shutil.copytree(demonstration.out, folder / "out")
        assert main(["site", "--out", str(out)]) == 0

    return built_once(tmp_path_factory, "demo_site", build) / "out" / "site"
