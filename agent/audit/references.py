"""Statements that something exists: commits, pull requests, issues, releases, and what links are labelled."""

import re
from collections.abc import Iterator

from agent.audit.markdown_blocks import Block, Span
from agent.audit.mentions import Mention, linked
from agent.audit.page import Page
from agent.audit.statement import Kind, Statement, shortened, structural
from agent.audit.vocabulary import COMMIT_COLUMN, COMMIT_LABEL, PULL_LABEL, REPO_COLUMN, plain

_PATH = re.compile(r"^[\w.*{}-]*[\w*}](?:/[\w.*{}-]+)+/?$|^[\w-]+\.[a-z]{1,5}$")
_CALLED_COMMIT = re.compile(
    r"(?:(?:view|see|查看)?\s*(?:this |the )?(?:commits?|sha|提交|哈希))(?:\s*[:：#]?\s*#?\d+)?", re.IGNORECASE
)
_KINDS: dict[str, Kind] = {"commit": "commit", "release": "release", "repository": "repository"}


def references(page: Page) -> Iterator[Statement]:
    """State that each mention exists, and that each link is what it is called."""
    for place, block in enumerate(page.blocks):
        for mention in page.mentions[place]:
            yield from _exists(page, place, mention)
            yield from _beside(page, place, mention)
        for inline in block.inlines:
            for span in inline.spans:
                if span.kind == "link":
                    yield from _labels(span, plain(inline.text[max(0, span.at - 64) : span.at]))
        yield from _columns(block)


def kind_of(mention: Mention) -> Kind:
    """Name what kind of thing a mention is."""
    if mention.kind == "thread":
        return "pull request" if mention.told == "pull" else "issue"
    return _KINDS[mention.kind]


def _exists(page: Page, place: int, mention: Mention) -> Iterator[Statement]:
    repo = page.repo_of(mention, place)
    if mention.damaged:
        yield structural(mention.line, kind_of(mention), mention.words, "malformed", mention.damaged)
        return
    subject = page.subjects[place]
    lost = repo is None and mention.kind == "thread" and subject is not None and subject.kind == "commit"
    also = (subject,) if lost and subject is not None else ()
    yield Statement(mention.line, kind_of(mention), shortened(mention.words), mention, repo, also=also)
    filed = page.repos[place]
    if filed != repo and _filed(page, place, mention):
        told = f"{filed} {shortened(mention.words)}"
        yield structural(mention.line, kind_of(mention), told, "out of scope", f"the link goes to {repo}")


def _beside(page: Page, place: int, mention: Mention) -> Iterator[Statement]:
    """State that a pull request which is linked beside a commit is of the same repository."""
    if mention.kind != "thread" or mention.told != "pull" or not mention.repo or mention.damaged:
        return
    commit = page.nearest(place, mention.at, mention.cell)
    if commit is None or commit.kind != "commit" or commit.damaged:
        return
    repo, to = page.repo_of(commit, place), page.names.known(mention.repo)
    if repo is not None and repo != to:
        params = {"number": str(mention.number), "to": to}
        yield Statement(mention.line, "pull request", shortened(mention.words), commit, repo, "filed", params)


def _filed(page: Page, place: int, mention: Mention) -> bool:
    """Tell whether a table says by a column of its own to which repository an entry belongs."""
    block = page.blocks[place]
    columns = any(REPO_COLUMN.match(plain(column)) for column in block.header)
    return block.kind == "row" and columns and page.repos[place] is not None and mention is page.subjects[place]


def _labels(span: Span, before: str) -> Iterator[Statement]:
    """Compare what a link is called with where it leads."""
    target = linked(span)
    if target is None:
        return
    label = plain(span.text).strip("`[]() ")
    bare = label == plain(span.url).strip()
    called = before[-24:] if bare else label
    told = f"{label} → {span.url}" if not bare else f"{called.strip()} {span.url}"
    if target.kind == "commit":
        if PULL_LABEL.search(called) or (not bare and re.fullmatch(r"(?i)(?:pr|pull request)?\s*#\d+", label)):
            yield structural(span.line, "label", told, "label", "called a pull request, but the link goes to a commit")
        hexes = re.findall(r"(?<![\w/])[0-9a-f]{7,40}(?![\w/])", label.lower()) if not bare else []
        if len(hexes) == 1 and re.search(r"\d", hexes[0]):
            if not target.sha.startswith(hexes[0]) and not hexes[0].startswith(target.sha):
                yield structural(span.line, "label", told, "label", f"the link goes to {target.sha[:12]}")
            else:
                yield structural(span.line, "label", told, "right", "the link goes to the commit that it names")
    if target.kind == "thread":
        if _CALLED_COMMIT.fullmatch(label) or (bare and COMMIT_LABEL.search(called)):
            yield structural(span.line, "label", told, "label", "called a commit, but the link goes to a thread")
        if not bare and re.fullmatch(r"(?=.*\d)[0-9a-f]{7,40}", label) and label != str(target.number):
            yield structural(span.line, "label", told, "label", "called a commit, but the link goes to a thread")
        numbers = re.findall(r"#(\d+)", label) if not bare else []
        if len(numbers) == 1:
            same = int(numbers[0]) == target.number
            why = "right" if same else "label"
            yield structural(span.line, "label", told, why, f"the link goes to #{target.number}")
        kind = "pull request" if target.told == "pull" else "issue"
        if target.told == "pull" and re.search(r"(?i)\bissue\b", called) and not re.search(r"(?i)\bpr\b", called):
            yield structural(span.line, "label", told, "label", f"called an issue, but the link goes to a {kind}")
        if target.told == "issue" and PULL_LABEL.search(called):
            yield structural(
                span.line, "label", told, "label", f"called a pull request, but the link goes to an {kind}"
            )
    if target.kind == "release" and re.fullmatch(r"v?\d+(?:\.\d+)+\S*", label):
        why = "right" if label.removeprefix("v") == target.tag.removeprefix("v") else "label"
        yield structural(span.line, "label", told, why, f"the link goes to {target.tag}")


def _columns(block: Block) -> Iterator[Statement]:
    """Find a path where the table has its commits."""
    if block.kind != "row" or block.level:
        return
    for place, inline in enumerate(block.inlines):
        if place >= len(block.header) or not COMMIT_COLUMN.match(plain(block.header[place])):
            continue
        words = [span.text.strip() for span in inline.spans if span.kind in ("strong", "code", "text")]
        paths = [word for word in words if _PATH.match(plain(word)) and not re.fullmatch(r"[0-9a-f]{7,40}", word)]
        if paths and not re.search(r"(?<!\w)[0-9a-f]{7,40}(?!\w)", inline.text):
            told = f"{block.header[place]}: {inline.text}"
            yield structural(block.line, "commit", told, "malformed", "a path stands where the commit should be named")
