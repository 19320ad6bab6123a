"""Compiled templates are kept like compiled modules, and never in the way."""

import sys
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader

from gitzette.render.template_cache import template_cache


def rendered(folder: Path, name: str = "site", *, autoescape: bool = False) -> str:
    environment = Environment(
        loader=FileSystemLoader(folder),
        bytecode_cache=template_cache(folder, name),
        autoescape=autoescape,
    )
    return environment.get_template("page.txt").render(who="<you>")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    (tmp_path / "page.txt").write_text("Hello {{ who }}")
    return tmp_path


def test_a_changed_template_is_compiled_anew_and_environments_do_not_share(folder: Path) -> None:
    assert rendered(folder) == "Hello <you>"
    assert len(list((folder / "__pycache__").iterdir())) == 1
    assert rendered(folder, "mail", autoescape=True) == "Hello &lt;you&gt;"
    assert rendered(folder) == "Hello <you>"
    (folder / "page.txt").write_text("Bye {{ who }}")
    assert rendered(folder) == "Bye <you>"


def test_a_spoilt_file_and_a_folder_that_cannot_be_written_do_no_harm(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered(folder)
    for file in (folder / "__pycache__").iterdir():
        file.write_bytes(b"spoilt")
    assert rendered(folder) == "Hello <you>"
    for file in (folder / "__pycache__").iterdir():
        file.unlink()
    (folder / "__pycache__").rmdir()
    (folder / "__pycache__").write_text("in the way")
    assert rendered(folder) == "Hello <you>"
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert template_cache(folder, "site") is None
