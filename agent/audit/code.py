"""Statements that a fenced block shows what a commit changed."""

import re
from collections.abc import Iterator

from agent.audit.mentions import CODE_LABEL, Mention
from agent.audit.page import Page
from agent.audit.paths import advises
from agent.audit.sections import changes_above
from agent.audit.statement import Statement, shortened
from agent.audit.vocabulary import ELLIPSIS, plain

_COMMANDS = {"bash", "sh", "shell", "console", "text", "mermaid", "http", "output", "log"}
_FAR = 200
_FRAGMENT = re.compile(r"(?=.*[=(){};<>:\[\]])(?=.*\w\s|.*\s\w)[\x20-\x7e]{12,}")
_LONGEST = 400
_COMMENT = re.compile(r"^(?:#|//|/\*|\*|--|;|<!--)")
ANNOTATION = re.compile(r"^(?:#(?!\s*(?:define|include|if|ifdef|ifndef|endif|else|elif|pragma|undef|error)\b)|//)")
"""A line that says something about code and is none."""
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_WORDY = re.compile(r"\w.*\w.*\w", re.DOTALL)
_HEADER = re.compile(r"^(?:diff --git|index [0-9a-f]+\.\.|@@ |--- |\+\+\+ )")


def code(page: Page) -> Iterator[Statement]:
    """State that the lines of each block are lines of the change it stands below."""
    for place, block in enumerate(page.blocks):
        if block.kind != "fence" or not block.code.strip():
            continue
        subject = page.subjects[place]
        around = () if page.mentions[place] else neighbours(page, place)
        if subject is None and block.parent is not None:
            # A remark that cites nothing shows code of the entry it remarks on.
            around = changes_above(page, block.parent)
        if subject is None and around:
            subject = around[0]
        if subject is not None and subject.kind == "thread" and subject.told == "issue":
            continue
        language = block.info.split()[0].lower() if block.info else ""
        if subject is None and (language in _COMMANDS or not language or advises(page, place)):
            continue
        shown = telling_lines(block.code)
        if not shown or (language in _COMMANDS and language != "text"):
            continue
        repo = page.repo_of(subject, place) if subject else page.repos[place]
        words = shortened(block.code)
        first = block.line + (0 if block.level else 1)
        params = {"at": " ".join(str(first + place) for place in shown)}
        lines = tuple(shown.values())
        yield Statement(block.line, "code", words, subject, repo, "shows", params, also=around, lines=lines)


def fragments(page: Page) -> Iterator[Statement]:
    """State that code in running text stands in the change; what does not may be a paraphrase."""
    for place, block in enumerate(page.blocks):
        if block.kind not in ("item", "paragraph", "row"):
            continue
        for cell, inline in enumerate(block.inlines):
            for span in inline.spans:
                if span.kind != "code" or not _FRAGMENT.fullmatch(span.text.strip()) or len(span.text) > _LONGEST:
                    continue
                subject = page.nearest(place, span.at, cell)
                if subject is not None and (subject.kind == "commit" or subject.told == "pull"):
                    repo, lines = page.repo_of(subject, place), (span.text.strip(),)
                    words = shortened(span.text)
                    yield Statement(span.line, "code", words, subject, repo, "shows", lines=lines, strict=False)


def neighbours(page: Page, place: int) -> tuple[Mention, ...]:
    """List the changes that a block of code may be of: those of the text around it, or of the part it stands in.

    Inside a list item only that item's own are meant, and in a part about one change only that one.
    """
    block = page.blocks[place]
    if block.parent is not None:
        return ()
    found: list[Mention] = []
    introduced = place > 0 and plain(page.blocks[place - 1].text).rstrip().endswith((":", "："))
    for near in (place - 1,) if introduced else (place - 1, place + 1):
        if 0 <= near < len(page.blocks) and page.blocks[near].kind in ("paragraph", "item", "row"):
            found += [m for m in page.mentions[near] if _is_change(m) or m is page.subjects[near]]
    above = page.subjects[place - 1] if place and page.blocks[place - 1].kind == "item" else None
    if above is not None and _may_be_change(above):
        # Below the remarks of an entry it is the entry's.
        found.insert(0, above)
    listed = place > 0 and page.blocks[place - 1].kind in ("item", "row")
    if listed or (not found and (introduced or page.subjects[place] is None)):
        for before in range(place - 1, max(-1, place - _FAR), -1):
            if page.blocks[before].kind in ("heading", "rule"):
                break
            found += [m for m in page.mentions[before] if _is_change(m)]
    distinct = {(m.sha[:7], m.number): m for m in found}
    return tuple(distinct.values())


def _is_change(mention: Mention) -> bool:
    return (mention.kind == "commit" and mention.sure and not mention.damaged) or mention.told == "pull"


def _may_be_change(mention: Mention) -> bool:
    return (mention.kind == "commit" and mention.sure) or (mention.kind == "thread" and mention.told != "issue")


def telling_lines(source: str) -> dict[int, str]:
    """Keep the lines that are quoted code, by their place: no annotations, no gaps, no lone brackets."""
    kept: dict[int, str] = {}
    for place, line in enumerate(source.splitlines()):
        bare = line.strip()
        unsigned = re.sub(r"^[+-]\s*", "", bare)
        if not _WORDY.search(unsigned) or _HEADER.match(bare) or (not place and CODE_LABEL.match(bare)):
            continue
        if _COMMENT.match(unsigned) and (_CHINESE.search(bare) or re.fullmatch(r"\W*[\w./+-]+\.\w+\W*", unsigned)):
            continue
        # A comment of the report's own behind a line of code.
        if _CHINESE.search(bare) and (cut := re.split(r"\s(?:#|//)\s", bare)[0]) != bare:
            bare = cut.strip()
        if ELLIPSIS.fullmatch(unsigned):
            continue
        kept[place] = bare
    return kept
