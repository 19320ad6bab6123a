"""Names that an overview calls new without saying in which change, which must then be in one of them."""

import re
from collections.abc import Iterator

from agent.audit.library import Library
from agent.audit.page import Page
from agent.audit.statement import RIGHT, UNVERIFIABLE, Finding, Statement, shortened, wrong
from agent.audit.vocabulary import HEDGED, plain
from agent.claims import Verdict
from agent.evidence import CommitEvidence
from agent.ids import RepoId

_NEW = re.compile(
    r"\b(?:new|newly|introduc\w+|add(?:s|ed)?)\b|新增|新的|引入|新(?=环境变量|参数|选项|开关)", re.IGNORECASE
)
# What users must write letter by letter: a variable of the environment, a flag.
_WRITTEN = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|--[a-z][a-z0-9]*(?:-[a-z0-9]+)+")


def novelties(page: Page) -> Iterator[Statement]:
    """State of each variable and flag that is called new beside no change that one of the days brings it."""
    for place, block in enumerate(page.blocks):
        if block.kind not in ("item", "paragraph") or page.subjects[place] is not None or page.mentions[place]:
            continue
        for cell, inline in enumerate(block.inlines):
            text, start = plain(inline.text), 0
            for end in (*page.sentence_ends(place, cell), len(text)):
                spans = [one for one in inline.spans if one.kind == "code" and start <= one.at < end]
                names = [one for one in spans if _WRITTEN.fullmatch(one.text.strip())]
                told = _NEW.search(text, start, end) and not HEDGED.search(text, start, end)
                start = end
                for span in names if told else ():
                    repos = [page.repos[place]] if page.repos[place] else page.spoken_of
                    params = {"name": span.text.strip(), "repos": " ".join(filter(None, repos))}
                    line, words = inline.line_at(span.at), shortened(span.text)
                    yield Statement(line, "identifier", words, None, page.repos[place], "new name", params)


class Novelties:
    """Looks for names in all that landed in the days of one report."""

    def __init__(self, library: Library) -> None:
        self._library = library

    def finding(self, statement: Statement) -> Finding | None:
        """Give the verdict; a name may be in a change that the report does not cite and nobody read."""
        name, repos = statement.params["name"], statement.params["repos"].split()
        texts = {one.id: one.texts for one in self._library.found.values() if isinstance(one, CommitEvidence)}
        having = next((id_ for id_, shown in texts.items() if any(name in text for text in shown)), "")
        if having:
            return statement.ruled(RIGHT, f"{having} has it")
        landed = [self._library.landed.get(RepoId(repo)) for repo in repos]
        rows = [row for each in landed for row in each or ()]
        if not repos or None in landed or not rows or any(row.id not in texts for row in rows):
            return statement.ruled(UNVERIFIABLE, f"no cited change has {name}")
        why = f"none of the {len(rows)} commits of these days has {name}"
        return statement.ruled(wrong(Verdict.UNSUPPORTED.value), why)
