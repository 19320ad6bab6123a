"""The feed and the figures: ids that stay, links that lead somewhere, numbers that add up."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree

from agent.ids import RepoId
from agent.web import Web
from evals.sets.site_reports import FIRST, made_day
from gitzette.site.build import Built
from gitzette.site.figures import days_to_fix, kinds_plot
from gitzette.site.names import Place, anchor, repo_path
from gitzette.site.shell import Scene
from gitzette.site.summary import summarise

ATOM = "{http://www.w3.org/2005/Atom}"
WEB = Web("https://github.com")


def ids(file: Path) -> list[str]:
    return [one.text or "" for one in ElementTree.fromstring(file.read_bytes()).iter(f"{ATOM}id")]


def test_entries_keep_their_ids_when_days_come_and_the_site_is_made_again(
    shelf: Callable[..., Path], built: Callable[..., Built], tmp_path: Path
) -> None:
    built(shelf(days=2))
    before = ids(tmp_path / "site" / "en" / "feed.xml")
    built(shelf(days=3), tmp_path / "anew")
    after = ids(tmp_path / "anew" / "en" / "feed.xml")
    assert set(before) < set(after)
    assert len(set(after)) == 4
    assert not set(ids(tmp_path / "anew" / "zh" / "feed.xml")) & set(after)


def test_every_link_of_the_feed_leads_to_a_page_beside_it(demo_site: Path) -> None:
    for lang in ("en", "zh"):
        feed = ElementTree.fromstring((demo_site / lang / "feed.xml").read_bytes())
        links = [one.attrib["href"] for one in feed.iter(f"{ATOM}link")]
        assert len(links) == 3
        assert all((demo_site / lang / one).is_file() for one in links)
        assert all(feed.find(f"{ATOM}{name}") is not None for name in ("id", "title", "updated", "author"))


def test_the_manifest_names_every_day_with_its_pages(demo_site: Path) -> None:
    manifest = json.loads((demo_site / "manifest.json").read_bytes())
    [day] = manifest["days"]
    assert (day["label"], day["landed"]) == ("2026-02-04", 36)
    assert all((demo_site / page).is_file() for page in (*day["pages"].values(), day["data"], *manifest["files"]))


def test_the_days_from_an_issue_to_its_fix_are_counted_over_reports() -> None:
    first = summarise(made_day(FIRST, most=2), "a", WEB, documents=0)
    issue = next(iter(first.opened))
    later = first.model_copy(update={"opened": {}, "fixed": {issue: first.opened[issue] + timedelta(days=3)}})
    assert days_to_fix([first.model_copy(update={"fixed": {}}), later]) == [3.0]


def test_weeks_without_a_report_stand_as_empty_ones() -> None:
    days = [summarise(made_day(FIRST + timedelta(days=at), most=2), "a", WEB, documents=0) for at in (*range(50), 70)]
    plot = kinds_plot(days, Scene(Place("en", "figures.html"), WEB, ""))
    assert len(plot.bars) == 11
    assert [bar for bar in plot.bars if not bar.parts]
    assert sum(sum(bar.parts.values()) for bar in plot.bars) == sum(one.landed for one in days)


def test_names_from_anywhere_become_files_inside_the_site() -> None:
    assert repo_path("vllm-project/vllm") == "repos/vllm-project--vllm.html"
    for name in ("../../x", "a/../b", "a--b/c", "a/b/c", "", "a/b\0", "<x>/y"):
        assert repo_path(name).startswith("repos/x"), name
        assert len({repo_path(name), repo_path(f"{name} ")}) == 2
    assert anchor("a/b@" + "0" * 40) != anchor("c/b@" + "0" * 40)


def test_a_repository_of_a_report_is_counted_once_a_day() -> None:
    one = summarise(made_day(FIRST, most=2), "a", WEB, documents=0)
    assert len({part.repo for part in one.repos}) == len(one.repos) == 8
    assert one.landed == sum(sum(part.kinds.values()) for part in one.repos)
    assert RepoId("acme/engine") in {part.repo for part in one.repos}
