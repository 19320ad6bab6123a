"""What the channels are sent, within the limits that the receivers hold them to; words of others stay words."""

import json
import re
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from agent.domain.base import Language
from agent.domain.ledger import Tier
from agent.domain.report import Report
from agent.settings.values import Settings
from agent.web import Web
from gitzette.delivery.deliver import Deliverer
from gitzette.render.compose import report_page
from tests.analysed_report import analysed_report

WEB, SITE = "https://git.example", "https://site.example"
ELEMENTS = {"html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "a", "b", "code"}
LANGUAGES: tuple[Language, ...] = ("en", "zh")


def links(text: str) -> set[str]:
    return set(re.findall(rf"{WEB}/[\w./-]+/(?:commit/[0-9a-f]{{40}}|(?:pull|issues)/\d+)", text))


def body(mail: EmailMessage, kind: str) -> str:
    found = mail.get_body((kind,))
    assert found is not None
    return str(found.get_content())


def deliver(report: Report, out: Path, sinks: Any, lang: Language) -> None:
    specs = [spec.model_copy(update={"lang": lang}) for spec in sinks.specs]
    settings = Settings(out=out, web_url=WEB, site_url=SITE, deliver=tuple(specs))
    one = Deliverer(settings=settings, environ=sinks.environ, sleep=lambda _: None)
    one.deliver(report)
    assert one.failed == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_busy_day_fits_every_channel_and_the_whole_report_has_every_link(
    lang: Language, sinks: Any, busy: Report, out: Path
) -> None:
    rows = [row.model_copy(update={"tier": Tier.HIGH, "noise": None}) for row in busy.ledger]
    busy = busy.model_copy(update={"ledger": tuple(rows)})
    deliver(busy, out, sinks, lang)
    assert sinks.web.refused == sinks.mail.refused == []
    slack = [one["text"] for one in sinks.web.accepted if "blocks" in one]
    assert len(slack) > 2
    assert slack[1].endswith(f" · Gitzette 2025-02-05 (2/{len(slack)})")
    assert sum("msg_type" in one for one in sinks.web.accepted) > 2
    page = links(report_page(busy, lang, Web(WEB)))
    assert len(page) > 200
    hooks = [one for one in sinks.web.accepted if "markdown" in one]
    assert links("".join(one["markdown"] for one in hooks)) == page
    (mail,) = sinks.mail.accepted
    for kind in ("plain", "html"):
        assert links(body(mail, kind)) >= {Web(WEB).commit(row.repo, row.sha) for row in busy.ledger}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_lead_comes_first_then_the_brief_and_the_headlines_with_their_links(
    lang: Language, sinks: Any, out: Path
) -> None:
    lead, brief = {
        "en": ("Routing refuses more than 8 experts", "The router refuses more than 8 experts, and the cache"),
        "zh": ("路由不再接受超过 8 个专家", "路由器不再接受超过 8 个专家，缓存改为整段淘汰序列。"),
    }[lang]
    deliver(analysed_report(), out, sinks, lang)
    (mail,) = sinks.mail.accepted
    title = f"{lead} · Gitzette 2026-02-04"
    day, commit = f"{SITE}/{lang}/days/2026-02-04.html", f"{WEB}/octo/router/commit/{'1a' * 20}"
    assert mail["Subject"] == title
    text = body(mail, "plain")
    assert text.index(title) < text.index(day) < text.index(brief) < text.index(f"{lead} <{day}#c{'1a' * 6}")
    slack = next(one for one in sinks.web.accepted if "blocks" in one)
    assert slack["text"] == title
    assert f"|{lead}> · octo/router <{commit}|`1a1a1a1`>" in slack["blocks"][1]["text"]["text"]
    post = next(one for one in sinks.web.accepted if "msg_type" in one)["content"]["post"]
    (feishu,) = post.values()
    assert feishu["title"] == title
    assert {"tag": "a", "text": "1a1a1a1", "href": commit} in [piece for line in feishu["content"] for piece in line]
    assert next(one for one in sinks.web.accepted if "markdown" in one)["title"] == title


def test_mail_fits_a_phone(sinks: Any, busy: Report, out: Path, browser: Any) -> None:
    deliver(busy, out, sinks, "en")
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.set_content(body(sinks.mail.accepted[0], "html"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.querySelector('h2').getBoundingClientRect().top") <= 844
    page.close()


def check_mail(mail: EmailMessage) -> None:
    """A mail has plain elements only, no attribute that does anything, and links to two places."""
    assert [name for name in mail if name in ("Bcc", "Cc", "Reply-To")] == []
    # Words of others are escaped, so that every bracket is of an element of ours.
    tags = re.findall(r"<[/!]?(\w+)([^>]*)>", body(mail, "html"))
    assert {name for name, _ in tags} <= {*ELEMENTS, "doctype"}
    attributes = [one for _, rest in tags for one in re.findall(r'([\w-]+)="([^"]*)"', rest)]
    assert {name for name, _ in attributes} <= {"lang", "charset", "name", "content", "class", "href"}
    assert all(value.startswith((f"{WEB}/", f"{SITE}/")) for name, value in attributes if name == "href")


def check_chat(message: dict[str, Any]) -> None:
    for block in message.get("blocks", ()):
        # Outside code nothing is left that Slack would read as emphasis, a mention or an emoji.
        words = re.sub(r"`[^`\n]*`|<[^>]*\|", "", block["text"]["text"])
        assert not re.search(r":[a-z]+:|<|~|(?<!\w)_|_(?!\w)", words), words
    for post in message.get("content", {}).get("post", {}).values():
        for piece in (one for line in post["content"] for one in line):
            assert piece.get("href", f"{WEB}/").startswith((f"{WEB}/", f"{SITE}/"))


def hostile(report: Report, strings: list[str]) -> Report:
    """Put a hostile string wherever words of others stand."""
    words = [json.loads(json.dumps(one).replace("\\ud8", "\\u00")) for one in strings]
    rows = [
        row.model_copy(update={"title": text, "subject": text, "author": text, "places": (text,)})
        for row, text in zip(report.ledger, words * 9, strict=False)
    ]
    claims = [
        claim.model_copy(
            update={
                "text": {"en": text, "zh": text},
                "quotes": tuple(quote.model_copy(update={"text": text}) for quote in claim.quotes),
            }
        )
        for claim, text in zip(report.claims, words * 99, strict=False)
    ]
    return report.model_copy(update={"ledger": tuple(rows), "claims": tuple(claims)})


def test_hostile_strings_stay_words_in_every_channel(
    sinks: Any, busy: Report, out: Path, hostile_strings: list[str]
) -> None:
    deliver(hostile(busy, [*ATTACKS, *hostile_strings]), out, sinks, "en")
    assert sinks.web.refused == sinks.mail.refused == []
    for message in sinks.web.accepted:
        check_chat(message)
    for mail in sinks.mail.accepted:
        check_mail(mail)
    assert "alert" in body(sinks.mail.accepted[0], "html")


ATTACKS = (
    "<!channel> <@U012AB3CD> <!here|x>",
    '@everyone @here <at user_id="all">all</at>',
    "*bold* _it_ ~gone~ `code` ```fence",
    ":tada: :fire:",
    "</pre></code></td><iframe src=//evil.example>",
    "a|b <http://evil.example|bank>",
    "{{7*7}} ${7*7} {% for x in y %} <%= 7 %>",
    "fixes #1, closes acme/engine#2\r\nBcc: x@evil.example",
    "<script>alert(1)</script> \\`<b>\\`*_~",
)
