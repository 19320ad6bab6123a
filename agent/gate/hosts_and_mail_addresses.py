"""The hosts and mail addresses in the words of a model: only code writes links.

A dotted name is a host if its last label is a top-level domain, unless the cited diff uses it as
code: `torch.nn`, `config.json` and `0.6.3` are none, `req.stream` is none where the diff has it,
`DecodeWrapper.run` is none where the diff has the class and the member.
"""

import ipaddress
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from agent.domain.evidence import Citable, CommitEvidence
from agent.gate.searchable_evidence_text import SearchText, without_signs
from agent.triage.title_conventions import Area, area

_LABELS = r"(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+"
_LAST_LABEL = r"[A-Za-z][A-Za-z0-9-]*"
# What is followed by a bracket is called or indexed: `re.search(x)`.
_DOTTED = re.compile(rf"(?<![A-Za-z0-9_@-]){_LABELS}(?P<last>{_LAST_LABEL})(?![\w(\[-])", re.ASCII)
_MAIL = re.compile(
    rf"[A-Za-z0-9._%+-]{{1,64}}@{_LABELS}(?P<last>{_LAST_LABEL})(?![\w(\[-])", re.ASCII
)
# A label in another script; letters before it may be a sentence without spaces.
_OTHER_SCRIPT = re.compile(r"[\w-]\.(?P<last>[^\W\d_A-Za-z]{2,20})")
# Behind `==` or `>=` stands a version of four parts.
_IP = re.compile(r"(?<![\w.])(?<![=<>~!]=)\d{1,3}(?:\.\d{1,3}){3}(?![\w.]*\w)", re.ASCII)
_CLASS_NAME = re.compile(r"_*[A-Z]\w+", re.ASCII)
_VERSION = re.compile(r"\d+\.\d+\..*")  # 4.7.0.dev
_COMMENT = re.compile(r"^[ \t]*(?:\*|#|//|/\*|<!--).*|[ \t](?:#|//|/\*).*", re.MULTILINE)
_RESERVED = frozenset({"example", "test", "invalid", "localhost", "local", "internal", "onion"})
"""Top-level names that are reserved (RFC 2606, 6761, 7686) and delegated to nobody."""
_FILE_ENDINGS = frozenset({"cc", "cu", "java", "md", "mm", "pl", "py", "rs", "sh", "so"})
"""Endings of source files and documents that are top-level domains, too."""


class TextAddress(NamedTuple):
    """A host or a mail address in a text."""

    text: str
    kind: str  # `a mail address` or `the address of a host`


def addresses(
    text: str, evidence: Sequence[Citable], notes: Sequence[str] = ()
) -> list[TextAddress]:
    """Return the mail addresses and hosts of a sentence.

    Names in the code of the evidence and in notes that code wrote about it are no hosts. Comments
    in them are words of people.
    """
    text_addresses: list[TextAddress] = []
    for match in _MAIL.finditer(text):
        if _is_top_level(match["last"]):
            text_addresses.append(TextAddress(match[0], "a mail address"))
    hosts = list(dict.fromkeys(_hosts(_MAIL.sub(" ", text))))
    if not hosts:
        return text_addresses
    code = list(_code_without_comments(evidence))
    code += [_COMMENT.sub("", note) for note in notes]
    code_text = SearchText("\n".join(code))
    for host in hosts:
        if not code_text.has(host) and not _is_member_of_class(host, text, code_text):
            text_addresses.append(TextAddress(host, "the address of a host"))
    return text_addresses


def _is_member_of_class(host: str, text: str, code: SearchText) -> bool:
    """Return True for a class and its member in a code span, as `DecodeWrapper.run`.

    Both are in the code, where the member is defined or called. The name of a class begins with a
    capital; hosts are hardly written so.
    """
    owner, _, member = host.partition(".")
    if "." in member or not _CLASS_NAME.fullmatch(owner):
        return False
    if text.count(host) != text.count(f"`{host}"):
        return False  # Outside of a code span it reads as a host
    is_called = re.search(rf"(?<!\w){re.escape(member)}\s?\(", code.text) is not None
    return is_called and code.has(owner)


def _hosts(text: str) -> Iterator[str]:
    for match in _DOTTED.finditer(text):
        if not _is_top_level(match["last"]) or _is_file_name(match, text):
            continue
        if not _VERSION.fullmatch(match[0]):
            yield match[0]
    for match in _OTHER_SCRIPT.finditer(text):
        if _is_top_level(match["last"]):
            yield match[0]
    for match in _IP.finditer(text):
        if _is_outside(match[0]):
            yield match[0]


def _is_top_level(label: str) -> bool:
    return label.lower() in _top_level_domains()


@cache
def _top_level_domains() -> frozenset[str]:
    text = (files("agent.gate") / "top_level_domains.txt").read_text("ascii")
    labels = {line for line in text.splitlines() if line and not line.startswith("#")}
    decoded = {label.encode("ascii").decode("idna") for label in labels if label[:4] == "xn--"}
    return frozenset(labels | decoded | _RESERVED)


def _is_file_name(match: re.Match[str], text: str) -> bool:
    """Return True for a name with one point in a code span that ends as source files do."""
    is_in_span = text.count("`", 0, match.start()) % 2 == 1
    return is_in_span and match[0].count(".") == 1 and match["last"].lower() in _FILE_ENDINGS


def _is_outside(digits: str) -> bool:
    """Return True for the address of another machine; a version such as 12.9.1.999 is none."""
    try:
        address = ipaddress.IPv4Address(digits)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified)


def _code_without_comments(evidence: Sequence[Citable]) -> Iterator[str]:
    """Yield what the cited diffs have as code: no documents, no comments, but names and values."""
    for piece in evidence:
        if not isinstance(piece, CommitEvidence):
            continue
        yield from piece.paths
        for fact in piece.facts:
            yield from (value for value in (fact.name, fact.old, fact.new) if value)
        for file in piece.change.files:
            if area(file.path) is not Area.DOCS:
                yield _COMMENT.sub("", without_signs(file.patch or ""))
