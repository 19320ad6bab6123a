"""Commits, threads and releases as a report writes them: linked, in code, in bold, bare."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import unquote

from agent.audit.markdown_blocks import Block, Inline, Span
from agent.audit.vocabulary import (
    COMMIT_COLUMN,
    COMMIT_LABEL,
    ISSUE_COLUMN,
    ISSUE_LABEL,
    PULL_COLUMN,
    PULL_LABEL,
    plain,
)
from agent.errors import UsageError
from agent.ids import RepoId, parse_reference, repo_id

MentionKind = Literal["commit", "thread", "release", "repository"]

_HEX = re.compile(r"(?<![\w./:@#=&%?-])[0-9a-fA-F]{7,64}(?![\w/=%-]|\.\w)")
_NUMBER = re.compile(
    r"(?<![\w/&#])(?P<repo>[A-Za-z0-9][\w-]{0,38}/[\w.-]{1,100})?(?:#|\bGH-|(?<=PR )|(?<=pull )|(?<=issue ))"
    r"(?P<number>[1-9]\d{0,6})(?![\w.]*\d)\b"
)
_COMMIT_URL = re.compile(r"/commits?/(?P<sha>[0-9A-Za-z]+)(?:[/?#.].*)?$")
_LIST_URL = re.compile(r"/commits/[^?#]+\?(?:since|until|author|path)=")
_RELEASE_URL = re.compile(r"^https?://[^/]+/(?P<repo>[^/]+/[^/]+)/releases/tag/(?P<tag>[^?#]+)")
_THREAD_URL = re.compile(r"/(?P<kind>pull|pulls|issues|discussions)/(?P<number>[^/?#]+)")
_BY_WAY_OF = re.compile(
    r"(?:\b(?:in|by|via|with|see|from|through|reverts?|reverted|and|fixed)|通过|由|见|参见|经|回退了?)\s*$",
    re.IGNORECASE,
)
# "abc1234 (#12)", "#12 (abc1234)", "(#12, abc1234": a hash beside the number of its pull request, or of its lines.
_NUMBER_BEFORE = re.compile(r"(?:#|\bPR )\d{1,6}[)\]]?\s*[,，:：]?\s*[(\[（]?\s*(?:commit\s+)?$", re.IGNORECASE)
_NUMBER_BEHIND = re.compile(r"\s*[,，]?\s*[(\[（]?\s*(?:PR\s*)?#\d|\s*[(（]\+\d", re.IGNORECASE)
# "# path/of/file.py (abc1234)" above code: of which commit it is.
CODE_LABEL = re.compile(
    r"\s*(?:#|//|--|;+|/\*|<!--|%)\s*(?P<path>(?:[\w.@+-]+/)*[\w.@+-]*[\w+-]\.[A-Za-z]\w{0,9}(?=[^\w.]))?"
    r"[\s@(（\[:：,，|`–—-]*(?:(?:commit|sha|提交|from|自|in)[\s:：]*)*`?(?P<sha>[0-9a-f]{7,40})(?![\w.=-])"
)
_FULL = 40
_ABBREVIATED = 16
_NEAR = 64


@dataclass(frozen=True)
class Mention:
    """One artefact that the report names."""

    kind: MentionKind
    line: int
    words: str
    repo: RepoId | None
    """The repository that the mention itself names."""
    sha: str = ""
    number: int = 0
    tag: str = ""
    told: Literal["", "pull", "issue"] = ""
    """What the report or the address says a thread is."""
    sure: bool = True
    """False for hexadecimal words that may be something else."""
    damaged: str = ""
    """Why the reference cannot be one."""
    at: int = 0
    """Where it stands in its text."""
    cell: int = 0


def mentions_of(block: Block) -> list[Mention]:
    """Find every artefact that a block names, in reading order."""
    found: list[Mention] = [labelled] if (labelled := _above_code(block)) else []
    for place, inline in enumerate(block.inlines):
        column = block.header[place] if place < len(block.header) else ""
        if block.kind == "row" and block.level:
            continue
        for span in inline.spans:
            found += [_at(m, place) for m in _in_span(span, inline, column)]
    return found


def _above_code(block: Block) -> Mention | None:
    """Find the commit that the first line of a block of code, a comment, says it is of."""
    label = CODE_LABEL.match(block.code) if block.kind == "fence" else None
    if label is None or not re.search(r"\d", label["sha"]) or not re.search("[a-f]", label["sha"]):
        return None
    line = block.line + (0 if block.level else 1)
    return Mention("commit", line, label["sha"], None, sha=label["sha"])


def _at(mention: Mention, cell: int) -> Mention:
    return mention if cell == 0 else Mention(**{**mention.__dict__, "cell": cell})


def _in_span(span: Span, inline: Inline, column: str) -> Iterator[Mention]:
    if span.kind == "link" and not span.url.startswith("#"):
        if mention := linked(span):
            yield _by_label(mention, span)
        elif not span.url.startswith("http"):
            yield from _bare(span, inline, column)
        return
    yield from _bare(span, inline, column)


def _by_label(mention: Mention, span: Span) -> Mention:
    """Read a damaged address by its label, where that begins alike: what stands below can still be checked."""
    label = plain(span.text).strip("`[]() ").lower()
    if mention.damaged and re.fullmatch(r"[0-9a-f]{7,16}", label) and mention.sha.startswith(label):
        return replace(mention, sha=label)
    return mention


def linked(span: Span) -> Mention | None:
    """Read the address of a link; None where it leads to something else."""
    url = span.url
    if release := _RELEASE_URL.match(url):
        return Mention("release", span.line, span.text, _repo(release["repo"]), tag=unquote(release["tag"]), at=span.at)
    if _LIST_URL.search(url):
        return None
    reference = parse_reference(url)
    if reference is None or reference.repo is None:
        return _damaged(span)
    if reference.kind == "commit":
        damage = ""
        if 32 < len(reference.sha) < _FULL:
            damage = f"{len(reference.sha)} digits: neither a full hash nor an abbreviation"
        return Mention("commit", span.line, url, reference.repo, sha=reference.sha, damaged=damage, at=span.at)
    told = _THREAD_URL.search(url)
    kind: Literal["", "pull", "issue"] = "" if told is None else "pull" if told["kind"].startswith("pull") else "issue"
    return Mention("thread", span.line, url, reference.repo, number=reference.number, told=kind, at=span.at)


def _damaged(span: Span) -> Mention | None:
    """Find addresses of a commit or thread that are none."""
    if (found := _COMMIT_URL.search(span.url)) and (repo := _repo_of(span.url)):
        sha = found["sha"].lower()
        why = f"{len(sha)} digits" if re.fullmatch("[0-9a-f]+", sha) else "not hexadecimal"
        return Mention("commit", span.line, span.url, repo, sha=sha, damaged=f"no commit hash: {why}", at=span.at)
    if (found := _THREAD_URL.search(span.url)) and (repo := _repo_of(span.url)):
        why = f"{found['number']!r} is no number of a thread"
        return Mention("thread", span.line, span.url, repo, damaged=why, at=span.at) if found["number"] else None
    return None


def _repo_of(url: str) -> RepoId | None:
    found = re.match(r"https?://[^/]+/([^/]+/[^/]+)/", url)
    return _repo(found[1]) if found else None


def _repo(text: str) -> RepoId | None:
    try:
        return repo_id(text)
    except UsageError:
        return None


def _bare(span: Span, inline: Inline, column: str) -> Iterator[Mention]:
    """Find hashes and numbers that stand in the text."""
    text = plain(span.text)
    # Only the last words before a place say what it is; a paragraph may be endless.
    before = plain(inline.text[max(0, span.at - _NEAR) : span.at])
    for found in _HEX.finditer(text):
        if mention := _hash(found, span, text, before, column):
            yield mention
    if span.kind == "code" and not re.fullmatch(r"\s*(?:[\w.-]+/[\w.-]+)?#\d+\s*", text):
        return
    for found in _NUMBER.finditer(text):
        lead = (before + text[: found.start() + (text[found.start()] == "#")])[-24:].rstrip("#")
        told: Literal["", "pull", "issue"] = "pull" if PULL_LABEL.search(lead) or PULL_COLUMN.match(column) else ""
        if not told and (ISSUE_LABEL.search(lead) or ISSUE_COLUMN.match(column)):
            told = "issue"
        repo = _repo(found["repo"]) if found["repo"] else None
        at, line = span.at + found.start(), span.line
        yield Mention("thread", line, found[0], repo, number=int(found["number"]), told=told, at=at)


def _hash(found: re.Match[str], span: Span, text: str, before: str, column: str) -> Mention | None:
    """Tell whether a hexadecimal word is meant as a commit."""
    near = found.start() < _NEAR
    word, lead = found[0], (before if near else "") + text[max(0, found.start() - _NEAR) : found.start()]
    mixed = bool(re.search(r"\d", word) and re.search("[a-fA-F]", word))
    alone = text.strip(" ()[]*`") == word
    placed = bool(COMMIT_COLUMN.match(column)) or bool(COMMIT_LABEL.search(lead[-24:]))
    leads = near and span.at < _NEAR and not re.search(r"\w", lead) and (alone or span.kind != "text" or mixed)
    # "Title (abc1234)" and "Title (abc1234, somebody)" are how change logs cite.
    bracketed = bool(re.search(r"[(\[（]\s*$", lead)) and bool(re.match(r"\s*[)\]）,，]", text[found.end() :] or ")"))
    numbered = len(word) <= _ABBREVIATED and _NUMBER_BEFORE.search(lead) is not None
    bracketed = bracketed or numbered or bool(_NUMBER_BEHIND.match(text, found.end()) or _BY_WAY_OF.search(lead))
    endless = 32 < len(word) < 64 and mixed
    sure = placed or endless or (mixed and (leads or bracketed or (span.kind in ("code", "link") and alone)))
    # One hash in thirty is all digits when abbreviated.
    lone = alone and span.kind == "code"
    labelled = numbered or (placed and re.fullmatch(r"(?i).*\b(?:commit|sha)\s*[:：]?\s*", lead[-24:]) is not None)
    digits = not mixed and word.isdigit() and labelled and len(word) <= _ABBREVIATED
    sure = sure or (lone and leads) or digits
    if not (mixed or lone or digits or (placed and alone) or len(word) >= _FULL) or re.search(
        r"(?i)sha256[:-]?$|md5:?$|0x$", lead
    ):
        return None
    damage = ""
    if 32 < len(word) != _FULL:
        if not sure:
            return None
        damage = f"{len(word)} digits: neither a full hash nor an abbreviation"
    at, line = span.at + found.start(), span.line
    return Mention("commit", line, word, None, sha=word.lower(), sure=sure, damaged=damage, at=at)
