"""Which changes of other repositories a text says its own rests on, and for which it says it was made."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_MOST = 20_000
_REF = (
    r"(?:\[[^\]\n]{0,120}\]\()?"
    r"(?:https?://[\w.:-]{1,99}/(?P<where>[\w.-]{1,99}/[\w.-]{1,99})/pull/(?P<linked>[1-9]\d{0,8})\b"
    r"|(?P<repo>[\w.-]{1,99}/[\w.-]{1,99})#(?P<number>[1-9]\d{0,8})\b)"
)
_DENIED = r"(?:not|no|until|once|unless|instead|without|workaround|bug|issue|regression|crash|broken)"
_BETWEEN = rf"(?:(?!\b{_DENIED}\b)[^.;\n]){{0,60}}?"
_ON = re.compile(
    r"\b(?:requires?|needs|depends?\son:?|relies\son|integrates?|adopts?|enabled\sby|picks?\sup|pulls?\sin|takes?\sin"
    r"|available\s(?:in|since|from|with)|provided\sby|builds?\son|built\son|upstream(?:\s(?:pr|change|pull\srequest))?:)"
    rf"\s{{0,3}}{_BETWEEN}{_REF}",
    re.IGNORECASE,
)
_FOR = re.compile(
    r"(?:\b(?:integration|integrator\schange|consumer|consumer\schange|downstream(?:\s(?:pr|change|user))?)\b[^.;\n]{0,30}?"
    r"(?::|\b(?:is|in|of)\b)"
    r"|\b(?:enables?|unblocks?|supports?)\s(?:the\s)?(?:\w+\s){0,4}?(?:merging|integration(?:\sof|\sin)?|landing)\b"
    r"[^.;\n]{0,60}?|\b(?:validated|verified|tested)\s(?:[\w-]+\s){0,3}?(?:in|from|with|on)\s[^;\n]{0,60}?"
    r"|\benables\b|\brequired\sby\b|\bneeded\s(?:by|for)\b|\b(?:used|consumed|adopted)\s(?:by|in)\b)"
    rf"\s{{0,6}}[-*|\s]{{0,6}}{_REF}",
    re.IGNORECASE,
)
_AGAINST = re.compile(
    r"\b(?:not|until|once|unless|instead\sof|without|work(?:s|ing|ed)?\s?-?around|bugs?|issues?|regress\w*|crash\w*"
    r"|broken|break\w*|fails?|errors?|remove\w*|revert\w*|drop\w*|unlike|similar|compar\w*|inspired|ported|todo)\b",
    re.IGNORECASE,
)
_NO_LONGER = re.compile(r"[^.;\n]{0,20}\b(?:no\slonger|any\s?more|not\syet|is\s(?:released|fixed|merged))\b", re.I)
_NOISE = re.compile(r"<!--.*?-->|```.*?```|^\s*>.*$|^\s*[-*]\s\[[ xX]\].*$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Ref:
    """A pull request of a repository, by its number."""

    repo: str
    """In lower case."""
    number: int


def rests_on(text: str) -> list[Ref]:
    """List the pull requests of other repositories that a text says its change needs or takes up."""
    return _named(_ON, text)


def made_for(text: str) -> list[Ref]:
    """List the pull requests of other repositories that a text says its change is made for."""
    return _named(_FOR, text)


def naming(repos: Iterable[str]) -> str:
    """Write what a message must fit that names a pull request of one of these repositories."""
    return f"({'|'.join(sorted(re.sub(r'[^A-Za-z0-9/]', '.', repo) for repo in repos))})(#|/pull/)[0-9]"


def _named(form: re.Pattern[str], text: str) -> list[Ref]:
    plain = _NOISE.sub(" ", text[:_MOST])
    found: dict[Ref, None] = {}
    for match in form.finditer(plain):
        start = max(plain.rfind(mark, 0, match.start()) for mark in ("\n\n", ". ", "; ", "\n- ", "\n* "))
        before, behind = plain[max(0, start, match.start() - 80) : match.start()], plain[match.end() :][:40]
        if _AGAINST.search(before) or _NO_LONGER.match(behind):
            continue
        where, number = match["where"] or match["repo"], match["linked"] or match["number"]
        found[Ref(where.lower(), int(number))] = None
    return list(found)
