"""Words that would have an effect in a chat or a mail, and reports that are full of them."""

import json

from agent.domain.report import Report

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


def hostile(report: Report, strings: list[str]) -> Report:
    """Put a hostile string wherever words of others stand."""
    words = [json.loads(json.dumps(string).replace("\\ud8", "\\u00")) for string in strings]
    rows = [
        row.model_copy(update={"title": text, "subject": text, "author": text, "places": (text,)})
        for row, text in zip(report.ledger, words * 9, strict=False)
    ]
    claims = [
        claim.model_copy(update={"text": {"en": text, "zh": text}})
        for claim, text in zip(report.claims, words * 99, strict=False)
    ]
    return report.model_copy(update={"ledger": tuple(rows), "claims": tuple(claims)})
