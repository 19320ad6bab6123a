"""The live page in a real browser: ask, watch, follow a citation; nothing leaves this machine."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

Serving = Callable[..., str]


@pytest.mark.parametrize("width", [390, 1280])
def test_a_question_is_answered_with_its_evidence_beside_it(
    serving: Serving, opened: Any, grave: Callable[[Page], list[str]], width: int
) -> None:
    page = opened(serving(), "/", width, color_scheme="dark" if width > 1_000 else "light")
    page.get_by_role("link", name="Ask", exact=True).click()
    page.get_by_label("Your question").fill("what changed in MAX_ROUTES on 2026-02-04?")
    page.keyboard.press("Enter")
    cite = page.locator("button.cite").first
    expect(cite).to_be_visible(timeout=60_000)
    expect(page.locator("#turns")).to_contain_text("from 22 to 12")
    cite.click()
    expect(page.locator("#evidence")).to_contain_text("+MAX_ROUTES = 12", timeout=30_000)
    expect(page.locator("#evidence .line.marked")).to_have_text(["-MAX_ROUTES = 22", "+MAX_ROUTES = 12"])
    page.get_by_label("Your question").fill("who wrote it?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".turn").nth(1)).to_contain_text("Grace", timeout=60_000)
    assert grave(page) == []
    page.get_by_role("link", name="中文").first.click()
    expect(page.get_by_role("button", name="提问", exact=True)).to_be_visible()
