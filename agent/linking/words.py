"""What messages say of issues: which they close by GitHub's rules, which they address, and which they only name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from agent.ids import RepoId, ThreadId, parse_reference, thread_id
from agent.linking.own_words import said
from agent.linking.speech import Saying, saying

_BOX = re.compile(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+\[[ xX]?\].*$", re.MULTILINE)
# Other forges have the same paths, and numbers of their own.
_ADDRESS = (
    r"https?://(?![\w.:-]*(?:gitlab|gitee|bitbucket|codeberg))[\w.:-]{1,253}/[\w.-]{1,39}/[\w.-]{1,100}"
    r"/(?:issues|pull)/[1-9]\d{0,9}"
)
_REFERENCE = re.compile(
    r"(?<![\w/#&.\\-])(?:(?:[\w.-]{1,39}/[\w.-]{1,100})?#[1-9]\d{0,9}|GH-[1-9]\d{0,9}"
    rf"|{_ADDRESS})(?!\w|\.\d)",
    re.ASCII | re.IGNORECASE,
)
_LINKED = re.compile(
    r"\[(?P<text>[^\[\]\n]{1,200})\]\((?P<url>[^()\s]{1,400})\)"
    r"|<a\s[^<>\n]{0,200}?href=[\"'](?P<href>[^\"'\s]{1,400})[\"'][^<>\n]{0,200}>(?P<name>[^<>\n]{1,200})</a>",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+(?P<atx>.{1,80})|\*\*(?P<bold>[^*\n]{1,80})\*\*:?|__(?P<under>[^_\n]{1,80})__:?)[ \t]*$"
)
_RELATED = re.compile(
    r"^\W*(?:related|linked|associated|addressed|fixed|closed|resolved|tracking)?\s*(?:github\s+)?(?:issues?|tickets?|bugs?)"
    r"(?:\s+(?:links?|numbers?|fixed|addressed|closed|resolved))?(?:\s*\(.*\))?\W*$|^\W*(?:fixes|closes|resolves)\W*$"
    r"|^\W*(?:相关|关联|对应)\s*(?:的)?\s*(?:issues?|问题)\W*$",
    re.IGNORECASE,
)
_BARE = re.compile(r"^[ \t]*(?:[-*+•][ \t]*)?(?:issues?[ \t:]*)?[(\[]?$", re.IGNORECASE)


@dataclass(frozen=True)
class Said:
    """One issue that a message names, and the line that does."""

    issue: ThreadId
    saying: Saying
    words: str


def closing_words(text: str, repo: RepoId) -> Iterator[tuple[ThreadId, str]]:
    """Find the issues that a message closes when it reaches the default branch, each with the words that do it."""
    for one in sayings(text, repo):
        if one.saying is Saying.CLOSES:
            yield one.issue, one.words


def sayings(text: str, repo: RepoId) -> Iterator[Said]:
    """Find every issue that a message names, in the order of the text; what boxes of a template say does not count."""
    under = before = ""
    first = True
    for line in _LINKED.sub(_bare, _BOX.sub("", said(text))).splitlines():
        heading = _HEADING.match(line)
        if heading and not _REFERENCE.search(line):
            under, before = heading["atx"] or heading["bold"] or heading["under"] or "", ""
            continue
        listed = bool(under and _RELATED.match(under))
        # A sentence may be wrapped right before the number.
        wrapped = before and line.lstrip()[:1] == "#" and not listed
        yield from _line(f"{before} {line}" if wrapped else line, repo, listed=listed, first=first)
        before = "" if _REFERENCE.search(line) else line.rstrip()
        first = first and not line.strip()


def _bare(match: re.Match[str]) -> str:
    """Put the address in the place of a number that links to it: it may be a number of another repository."""
    text, address = match["text"] or match["name"], match["url"] or match["href"]
    thread = re.match(_ADDRESS, address, re.IGNORECASE)
    if _REFERENCE.search(text):
        return thread[0] if thread else " "
    return f"{text} {thread[0]}" if thread else str(text)


def _line(line: str, repo: RepoId, *, listed: bool, first: bool) -> Iterator[Said]:
    found = list(_REFERENCE.finditer(line))
    only = _only_references(line, found)
    start = 0
    for match in found:
        reference = parse_reference(match[0], repo)
        if reference is not None and reference.kind == "thread" and reference.repo is not None:
            # GitHub does not mind the case of names.
            home = repo if reference.repo.lower() == repo.lower() else reference.repo
            one = saying(line, start, match, listed=listed and only, first=first)
            yield Said(thread_id(home, reference.number), one, " ".join(line.split())[:200])
        start = match.end()


def _only_references(line: str, found: list[re.Match[str]]) -> bool:
    """Tell whether a line is nothing but references, as people list them below a heading."""
    if not found:
        return False
    rest = _REFERENCE.sub("", line)
    return bool(_BARE.match(line[: found[0].start()])) and not re.search(
        r"[^\W\d_]", re.sub(r"\(\s*\)|and|和", "", rest)
    )
