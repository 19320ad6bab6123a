"""A build: everything is there, every link leads somewhere, and only what changed is written again."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit
from xml.etree import ElementTree

import pytest

from agent.browser_urls import Web
from agent.domain.base import LANGUAGES, RepoId
from agent.domain.errors import StorageError
from agent.domain.evidence_id import EvidenceId
from agent.domain.report import Failure
from agent.editions.week import week_of
from agent.reports.page_model import words_in
from gitzette.cli import main
from gitzette.render.page_addresses import element_id_of, repo_path
from gitzette.render.page_composition import page_model
from gitzette.site.build import Built, maker_sources
from tests.gitzette.conftest import Command, Engine
from tests.made_reports import FIRST, REPOS, made_day

ROOT = Path(__file__).parents[3]
Shelf = Callable[..., Path]
Build = Callable[..., Built]


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def stamps(folder: Path) -> dict[str, int]:
    return {
        str(file.relative_to(folder)): file.stat().st_mtime_ns
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_every_link_inside_the_site_leads_to_a_page_and_a_place_that_exist(
    demo_site: Path, parsed: Callable[[str], Any]
) -> None:
    pages = {
        str(file.relative_to(demo_site)): parsed(file.read_text("utf-8"))
        for file in demo_site.rglob("*.html")
    }
    ids: dict[str, set[str]] = {}
    for name, page in pages.items():
        ids[name] = {element.attributes.get("id") for element in page.elements}
    followed = 0
    for name, page in pages.items():
        for element in page.elements:
            for key in ("href", "src", "action"):
                address = element.attributes.get(key)
                if address is None or urlsplit(address).scheme:
                    continue
                target, fragment = urldefrag(urljoin(f"/{name}", address))
                file = urlsplit(target).path.removeprefix("/")
                assert (demo_site / file).is_file(), f"{name}: {address}"
                assert not fragment or fragment in ids[file], f"{name}: {address}"
                followed += 1
    assert followed > 500


def test_a_days_page_has_every_commit_and_told_ones_have_pages_of_their_own(
    demo_site: Path,
) -> None:
    report = json.loads((demo_site.parent / "reports" / "2026-02-04.json").read_text("utf-8"))
    listed = set()
    for file in (demo_site.parent / "reports").glob("*.json"):
        for row in json.loads(file.read_text("utf-8"))["ledger"]:
            if row["placement"]["importance"] > 0:
                listed.add(row["sha"][:12])
    for lang in ("en", "zh"):
        page = (demo_site / lang / "days" / "2026-02-04.html").read_text("utf-8")
        for row in report["ledger"]:
            assert f"/commit/{row['sha']}" in page
        commit_pages = {
            file.stem.rpartition("--")[2] for file in (demo_site / lang / "commits").iterdir()
        }
        assert commit_pages
        assert commit_pages <= listed
        for section in report["sections"]:
            for issue in section["issues"]:
                assert f"#{issue['number']}</a>" in page


def test_pages_can_be_shared_and_the_feed_has_absolute_links(
    shelf: Shelf, built: Build, tmp_path: Path
) -> None:
    built(shelf(days=2), site_url="https://octo.example/news")
    page = (tmp_path / "site" / "en" / "days" / f"{FIRST}.html").read_text("utf-8")
    assert f'property="og:url" content="https://octo.example/news/en/days/{FIRST}.html"' in page
    assert re.search(r'name="description" content="[^"]{40,}"', page)
    assert re.search(
        r"<title>\w+: The default of max_\w+ changes .* · \d+ commits · Gitzette</title>", page
    )
    assert f'property="og:description" content="{FIRST}: ' in page
    feed = (tmp_path / "site" / "zh" / "feed.xml").read_text("utf-8")
    assert set(re.findall(r'href="(\w+:|)', feed)) == {"https:"}
    assert f"https://octo.example/news/zh/days/{FIRST}.html" in feed


def test_a_build_with_nothing_new_writes_nothing(
    shelf: Shelf, built: Build, tmp_path: Path
) -> None:
    out = shelf(days=2)
    built(out)
    before = stamps(tmp_path / "site")
    again = built(out)
    assert (again.renewed, again.written) == (0, 0)
    assert stamps(tmp_path / "site") == before


def test_a_changed_report_renews_its_own_day_and_no_other(
    shelf: Shelf, built: Build, tmp_path: Path
) -> None:
    out = shelf(days=4)
    built(out)
    before = stamps(tmp_path / "site")
    shelf(made_day(FIRST + timedelta(days=1), seed=7, most=3, repos=REPOS[:3]))
    assert built(out).renewed == 1
    changed = {
        name for name, stamp in stamps(tmp_path / "site").items() if before.get(name) != stamp
    }
    days = {name for name in changed if "/days/2" in name}
    assert days == {f"{lang}/days/{FIRST + timedelta(days=1)}.html" for lang in LANGUAGES}
    assert contents(tmp_path / "site") == _fresh(out, built, tmp_path)


def test_a_report_that_is_gone_takes_its_pages_with_it_and_nothing_else(
    shelf: Shelf, built: Build, tmp_path: Path
) -> None:
    out = shelf(days=3)
    built(out)
    (tmp_path / "site" / "CNAME").write_text("example.org")
    (out / "reports" / f"{FIRST}.json").unlink()
    built(out)
    names = contents(tmp_path / "site")
    assert not [name for name in names if str(FIRST) in name]
    assert names.pop("CNAME") == b"example.org"
    assert names == _fresh(out, built, tmp_path)


def _fresh(out: Path, built: Build, tmp_path: Path) -> dict[str, bytes]:
    built(out, tmp_path / "fresh")
    return contents(tmp_path / "fresh")


def test_a_folder_of_somebody_else_is_left_alone(
    shelf: Shelf, built: Build, tmp_path: Path
) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "thesis.tex").write_text("years of work")
    with pytest.raises(StorageError, match="left alone"):
        built(shelf(days=1))
    assert list(contents(tmp_path / "site")) == ["thesis.tex"]


def test_a_manifest_cannot_make_us_delete_what_lies_outside(
    shelf: Shelf, built: Build, tmp_path: Path
) -> None:
    precious = tmp_path / "precious"
    precious.write_text("keep")
    (tmp_path / "site").mkdir()
    manifest = {"generator": "gitzette", "reports": {}, "files": ["../precious", str(precious)]}
    (tmp_path / "site" / "manifest.json").write_text(json.dumps(manifest))
    built(shelf(days=1))
    assert precious.read_text() == "keep"


def test_a_report_that_cannot_be_read_is_told_and_the_others_are_shown(
    shelf: Shelf, capsys: pytest.CaptureFixture[str]
) -> None:
    out = shelf(days=2)
    (out / "reports" / "2025-03-01.json").write_text("{}")
    assert main(["site", "--out", str(out)]) == 3
    listed = capsys.readouterr()
    assert "2025-03-01.json is not a report of ours" in listed.err
    assert listed.out == f"{out / 'site' / 'index.html'}\n"
    assert (out / "site" / "en" / "days" / f"{FIRST}.html").is_file()
    assert not (out / "site" / "en" / "days" / "2025-03-01.html").exists()


def test_the_front_page_shows_the_last_day_that_is_sound_and_names_the_others(
    shelf: Shelf, built: Build, tmp_path: Path
) -> None:
    failure = Failure(repo=RepoId("acme/engine"), stage="code", message="gone")
    none = {
        "repos": (failure.repo,),
        "sections": (),
        "ledger": (),
        "claims": (),
        "links": (),
        "stories": (),
    }
    failed = made_day(FIRST + timedelta(days=1)).model_copy(update=none | {"failures": (failure,)})
    built(shelf(failed, days=1))
    front = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "Wednesday, 5 February 2025" in front
    assert f"Too much is missing from the report of {FIRST + timedelta(days=1)}" in front


def test_every_page_has_its_landmarks_its_language_a_title_and_a_policy(
    demo_site: Path, parsed: Callable[[str], Any]
) -> None:
    for file in demo_site.rglob("*.html"):
        name = str(file.relative_to(demo_site))
        page = parsed(file.read_text("utf-8"))
        assert len(page.all("main")) == len(page.all("h1")) == 1, name
        assert next(
            node.text for node in page.all("title") if node.parents == ("html", "head")
        ).endswith("Gitzette"), name
        assert page.all("html")[0].attributes["lang"] == (
            "zh-Hans" if name.startswith("zh/") else "en"
        ), name
        top = [element for element in page.elements if element.parents == ("html", "body")]
        assert [node.name for node in top] == ["a", "header", "main", "footer"], name
        levels = [int(node.name[1]) for node in page.all("h1", "h2", "h3", "h4")]
        assert all(after <= before + 1 for before, after in pairwise(levels)), (name, levels)
        [policy] = [
            node.attributes["content"]
            for node in page.all("meta")
            if "http-equiv" in node.attributes
        ]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';"), name
        assert "unsafe" not in policy, name
        assert page.all("style") == [], name
        assert all("src" in node.attributes and not node.text for node in page.all("script")), name


def test_a_week_has_a_page_and_its_commits_keep_those_of_their_days(
    shelf: Shelf, built: Build, tmp_path: Path
) -> None:
    days = [made_day(FIRST + timedelta(days=5 + at), most=2, repos=REPOS[:3]) for at in range(7)]
    out = shelf(*days)
    week = week_of("2025-W07", "UTC", days)
    before = built(out)
    pages = set(contents(tmp_path / "site"))
    (out / "reports" / "2025-W07.json").write_text(json.dumps(week.data()), encoding="utf-8")
    after = built(out)
    assert (before.notices, after.notices, after.renewed) == ((), (), 1)
    assert {
        name for name in set(contents(tmp_path / "site")) - pages if name.endswith(".html")
    } == {f"{lang}/days/2025-W07.html" for lang in LANGUAGES}
    assert "2025-W07" in (tmp_path / "site" / "en" / "days" / "index.html").read_text("utf-8")
    assert "2025-W07" in (tmp_path / "site" / "zh" / "feed.xml").read_text("utf-8")


def test_a_week_on_the_site_is_read_in_a_thousand_words_with_a_picture_of_its_days(
    shelf: Shelf, built: Build, tmp_path: Path
) -> None:
    days = [made_day(FIRST + timedelta(days=5 + at), most=4, repos=REPOS[:3]) for at in range(7)]
    out = shelf(*days)
    data = week_of("2025-W07", "UTC", days).data()
    (out / "reports" / "2025-W07.json").write_text(json.dumps(data), encoding="utf-8")
    assert built(out).notices == ()
    for lang in ("en", "zh"):
        page = (tmp_path / "site" / lang / "days" / "2025-W07.html").read_text("utf-8")
        main = page.partition("<main")[2].partition("</main>")[0]
        # Evidence is folded below citations.
        text = re.sub(r'<div class="evidence">.*?</div></details>', "", main, flags=re.DOTALL)
        assert 300 < words_in(re.sub("<[^<>]*>", " ", text)) <= 1_000
        (picture,) = re.findall(r'<img class="chart" src="../../(charts/[\w.-]+)\?v=\w+"', main)
        assert (tmp_path / "site" / picture).is_file()
        assert re.search(r'alt="[^"]*2025-02-10[^"]*[\w-]+/[\w-]+[:：] ?\d', main)


def test_pictures_are_files_that_hold_no_script_and_say_in_words_what_they_show(
    demo_site: Path, parsed: Callable[[str], Any]
) -> None:
    pictures = {file.name: file.read_text("utf-8") for file in demo_site.glob("charts/*.svg")}
    kinds = {name.partition("-")[0] for name in pictures}
    assert kinds >= {"activity", "areas", "story"}
    for text in pictures.values():
        root = ElementTree.fromstring(text)
        allowed = {"svg", "style", "rect", "line", "circle", "polygon", "text"}
        assert {element.tag.partition("}")[2] for element in root.iter()} <= allowed
        assert "prefers-color-scheme:dark" in text
        assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    for name in ("en/index.html", "zh/stories.html", "en/repos/quillon--larkserve.html"):
        page = parsed((demo_site / name).read_text("utf-8"))
        images = page.all("img")
        assert images, name
        for picture in images:
            file = picture.attributes["src"].partition("?")[0].rpartition("/")[2]
            assert file in pictures, name
            assert len(picture.attributes["alt"]) > 20, name


def test_everything_that_breaks_has_a_page_and_a_feed(
    shelf: Shelf, built: Build, tmp_path: Path
) -> None:
    days = [made_day(FIRST + timedelta(days=at), most=6, repos=REPOS[:3]) for at in range(2)]
    built(shelf(*days))
    site = tmp_path / "site"
    for lang in ("en", "zh"):
        broken = {}
        for day in days:
            for item in page_model(day, lang, Web("https://github.com")).breaking:
                broken[item.row.sha[:7]] = item
        assert len(broken) > 3
        page = (site / lang / "breaking.html").read_text("utf-8")
        assert set(re.findall(r'class="sha">(\w{7})</a>', page)) == set(broken)
        for item in broken.values():
            assert f"<code>{item.breaks[0]}</code>" in page
            assert f'#{item.element_id}"' in page
        feed = ElementTree.fromstring((site / lang / "breaking.xml").read_text("utf-8"))
        entries = feed.findall("{http://www.w3.org/2005/Atom}entry")
        assert len(entries) == min(30, len(broken))
        day_page = (site / lang / "days" / f"{FIRST}.html").read_text("utf-8")
        assert 'href="../../' + f'{lang}/days/{FIRST}.html?show=breaking"' in day_page


def test_what_breaks_is_cut_by_month_and_a_changed_day_renews_the_page_of_its_month(
    shelf: Shelf, built: Build, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    earlier = FIRST
    later = FIRST + timedelta(days=31)
    out = shelf(made_day(earlier, most=4), made_day(later, most=4))
    built(out)
    newest = (site / "en" / "breaking.html").read_text("utf-8")
    for day in (earlier, later):
        address = f"../en/breaking/{day:%Y-%m}.html"
        assert f'href="{address}"' in newest
        page = (site / "en" / f"breaking/{day:%Y-%m}.html").read_text("utf-8")
        assert f"days/{day}.html?show=breaking" in page
        other = earlier if day == later else later
        assert f"days/{other}.html?show=breaking" not in page
    before = stamps(site)
    shelf(made_day(earlier, seed=7, most=4))
    assert built(out).renewed == 1
    changed = {name for name, stamp in stamps(site).items() if before.get(name) != stamp}
    assert {name for name in changed if name.startswith("en/breaking/")} == {
        f"en/breaking/{earlier:%Y-%m}.html"
    }
    assert {name for name in changed if name.startswith("search/20")} == {
        f"search/{earlier:%Y-%m}.js",
        f"search/{earlier:%Y-%m}-words.js",
    }
    assert contents(site) == _fresh(out, built, tmp_path)


def test_reports_are_not_read_again_for_a_site_that_has_them(
    shelf: Shelf, built: Build, tmp_path: Path
) -> None:
    out = shelf(days=3)
    built(out)
    report = out / "reports" / f"{FIRST}.json"
    status = report.stat()
    text = report.read_text("utf-8")
    # A report of the same size and time is taken for the same; any other is read.
    report.write_text(text[:-1] + " ", "utf-8")
    os.utime(report, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert built(out).renewed == 0
    os.utime(report, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000_000))
    assert built(out).renewed == 1
    (tmp_path / "site" / "data" / "digests.json").write_text("[1]", "utf-8")
    (tmp_path / "site" / "data" / "shared.json").write_text("nothing", "utf-8")
    assert built(out).renewed == 0
    assert contents(tmp_path / "site") == _fresh(out, built, tmp_path)


def test_names_from_anywhere_become_files_inside_the_site() -> None:
    assert repo_path("vllm-project/vllm") == "repos/vllm-project--vllm.html"
    for name in ("../../x", "a/../b", "a--b/c", "a/b/c", "", "a/b\0", "<x>/y"):
        assert repo_path(name).startswith("repos/x"), name
        assert len({repo_path(name), repo_path(f"{name} ")}) == 2
    assert element_id_of(EvidenceId("a/b@" + "0" * 40)) != element_id_of(
        EvidenceId("c/b@" + "0" * 40)
    )


def test_whatever_decides_how_a_page_looks_renews_pages_when_it_changes() -> None:
    paths = {str(source) for source in maker_sources()}

    for part in (
        "agent/words/zh.toml",
        "agent/domain/report.py",
        "gitzette/render/templates/day.html",
        "gitzette/site/assets/style.css",
        "gitzette/site/summaries.py",
    ):
        assert any(path.endswith(part) for path in paths), part
    assert not any("__pycache__" in path for path in paths)


def test_two_processes_write_the_same_bytes(
    shelf: Shelf, tmp_path: Path, built: Callable[..., Built]
) -> None:
    out = shelf(days=1)
    built(out, tmp_path / "here")
    # Hashes of strings differ from process to process, and orders of sets with them.
    subprocess.run(
        [sys.executable, "-m", "gitzette", "site", "--out", str(out), "--to", str(tmp_path / "1")],
        env=os.environ | {"PYTHONHASHSEED": "1", "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
    )
    assert contents(tmp_path / "here") == contents(tmp_path / "1")


def test_a_first_build_that_was_cut_short_can_be_finished(
    shelf: Shelf, built: Build, tmp_path: Path
) -> None:
    out = shelf(days=1)
    site = tmp_path / "site"
    site.mkdir()
    (site / "manifest.json").write_text('{"generator": "gitzette", "reports": {}, "files": []}')
    (site / "index.html").write_text("<half")
    assert built(out).days == 1
    assert "<half" not in (site / "index.html").read_text("utf-8")


def test_entries_of_the_feed_keep_their_ids_when_days_come_and_the_site_is_made_again(
    shelf: Shelf, built: Build, tmp_path: Path
) -> None:
    def ids(folder: str, lang: str) -> list[str]:
        feed = (tmp_path / folder / lang / "feed.xml").read_text("utf-8")
        return re.findall("<id>(.*?)</id>", feed)

    built(shelf(days=2))
    built(shelf(days=3), tmp_path / "anew")
    assert set(ids("site", "en")) < set(ids("anew", "en"))
    assert len(ids("anew", "en")) == len(set(ids("anew", "en"))) == 4
    assert not set(ids("anew", "en")) & set(ids("anew", "zh"))


def test_a_run_writes_the_site_where_it_is_configured_and_without_reports_there_is_none(
    engine: Engine, command: Command
) -> None:
    listed = command("site")
    assert (listed.status, "has no reports yet" in listed.err) == (2, True)
    Path("gitzette.toml").write_text(f'out = "news"\nsite = true\nrepos = ["{engine.repo[1]}"]\n')
    assert command("run", "--date", "2026-02-04").status == 0
    page = Path("news/site/en/days/2026-02-04.html").read_text("utf-8")
    assert "Lower the limit of routes" in page
