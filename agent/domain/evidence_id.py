"""The id under which a piece of evidence is cited: one type, one parser, one printer.

An id has four forms:

- `owner/name@<40 hex digits>`: a commit
- `owner/name#12`: a thread, that is an issue or a pull request
- `owner/name@v0.6.3`: a tag, under which a release is cited
- `owner/name@<40 hex digits>:path#L10-L20`: lines of a file at a commit
"""

import re
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from pydantic import GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from agent.domain.base import RepoId

OWNER = r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}"  # Users managed by an enterprise have an underscore
REPO_NAME = r"[A-Za-z0-9._-]{1,100}"
FULL_HASH_LENGTH = 40

_REPO = re.compile(rf"{OWNER}/{REPO_NAME}", re.ASCII)
_FULL_HASH = re.compile(rf"[0-9a-f]{{{FULL_HASH_LENGTH}}}", re.ASCII)
_HASH_OR_TAG = re.compile(r"[0-9a-f]{7,}", re.ASCII)
# What git allows in the name of a tag; a colon separates a commit from a path.
_TAG = re.compile(r"[^\s\x00-\x20\x7f:~^?*\[\\]{1,250}")
_PATH = r"[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]{0,1000}?"
_FORM = re.compile(
    rf"(?P<repo>{_REPO.pattern})"
    r"(?:#(?P<number>[1-9][0-9]{0,9})"
    rf"|@(?P<sha>{_FULL_HASH.pattern})"
    rf"(?::(?P<path>{_PATH})\#L(?P<first>[1-9][0-9]{{0,8}})-L(?P<last>[1-9][0-9]{{0,8}}))?"
    rf"|@(?P<tag>{_TAG.pattern}))",
    re.ASCII,
)

EvidenceKind = Literal["commit", "thread", "tag", "lines", "malformed"]


class _IdParts(NamedTuple):
    """The parts of an id; those that its kind does not have are empty."""

    kind: EvidenceKind
    repo: RepoId = RepoId("")
    revision: str = ""
    number: int | None = None
    path: str = ""
    first_line: int | None = None
    last_line: int | None = None


class EvidenceId(str):
    """The name of a commit, a thread, a tag or lines of a file.

    It is a string, so that it serves as a key and as JSON without conversion. `commit`, `thread`,
    `tag` and `lines` make one of its parts and raise `ValueError` for parts that make none; `parse`
    reads one. `cited` also keeps text that is none, as an id of the kind `malformed`.
    """

    __slots__ = ("_parts",)
    _parts: _IdParts

    def __new__(cls, text: str) -> "EvidenceId":
        """Return the id that a text writes; raise `ValueError` if it has none of the forms."""
        if isinstance(text, EvidenceId) and text.kind != "malformed":
            return text
        parts = _parse(text)
        if parts is None:
            raise ValueError(f"{text[:200]!r} is not the id of a commit, thread, tag or file lines")
        return cls._of(text, parts)

    @classmethod
    def commit(cls, repo: RepoId, sha: str) -> "EvidenceId":
        """Return the id of a commit, given its full hash."""
        if not _FULL_HASH.fullmatch(sha):
            raise ValueError(f"not a full commit hash: {sha!r}")
        return cls._of(f"{_valid_repo(repo)}@{sha}", _IdParts("commit", repo, revision=sha))

    @classmethod
    def thread(cls, repo: RepoId, number: int) -> "EvidenceId":
        """Return the id of an issue or a pull request; GitHub numbers them together."""
        if number < 1:
            raise ValueError(f"not an issue number: {number}")
        return cls._of(f"{_valid_repo(repo)}#{number}", _IdParts("thread", repo, number=number))

    @classmethod
    def tag(cls, repo: RepoId, name: str) -> "EvidenceId":
        """Return the id of a tag, under which its release is cited."""
        return cls(f"{_valid_repo(repo)}@{name}")

    @classmethod
    def lines(cls, repo: RepoId, sha: str, path: str, first: int, last: int) -> "EvidenceId":
        """Return the id of lines of a file at a commit; both ends are included."""
        return cls(f"{_valid_repo(repo)}@{sha}:{path}#L{first}-L{last}")

    @classmethod
    def parse(cls, text: str) -> "EvidenceId | None":
        """Return the id that a text writes, or None if it has none of the forms."""
        if isinstance(text, EvidenceId) and text.kind != "malformed":
            return text
        parts = _parse(text)
        return None if parts is None else cls._of(text, parts)

    @classmethod
    def parse_parts(cls, repo: str, *, revision: str = "", number: str = "") -> "EvidenceId | None":
        """Return the id of a commit, a tag or a thread, given its parts as a text has them.

        Return None if they make no id.
        """
        return cls.parse(_joined(repo, revision, number))

    @classmethod
    def cited(cls, text: str) -> "EvidenceId":
        """Return the id in a text that somebody else wrote; what is none is kept as malformed.

        The gate refuses a claim that cites such an id.
        """
        return cls.parse(text) or cls._of(text, _IdParts("malformed"))

    @classmethod
    @lru_cache(maxsize=16_384)  # A report asks for the ids of its commits again and again
    def listed(cls, repo: RepoId, *, revision: str = "", number: int = 0) -> "EvidenceId":
        """Return the id of what a report or a server lists: a commit or tag, or a thread.

        Their data may be anything, so the id may be malformed.
        """
        return cls.cited(_joined(repo, revision, number))

    @staticmethod
    def commit_prefix(repo: RepoId, digits: str) -> str:
        """Return the common prefix of the ids of all commits whose hashes begin with these digits."""
        return f"{repo}@{digits}"

    @classmethod
    def _of(cls, text: str, parts: _IdParts) -> "EvidenceId":
        evidence_id = super().__new__(cls, text)
        evidence_id._parts = parts
        return evidence_id

    @property
    def kind(self) -> EvidenceKind:
        """The kind of evidence; `malformed` is text of a model or a report that is no id."""
        return self._parts.kind

    @property
    def repo(self) -> RepoId:
        """The repository; empty if malformed."""
        return self._parts.repo

    @property
    def revision(self) -> str:
        """The hash or the tag behind the `@`; empty for a thread."""
        return self._parts.revision

    @property
    def sha(self) -> str:
        """The full hash of a commit, also of that which file lines belong to; else empty."""
        return self.revision if self.kind in ("commit", "lines") else ""

    def shortened(self, digits: int = 12) -> str:
        """Return it with a shortened hash, for people to read and for the ids of claims."""
        return self.replace(self.sha, self.sha[:digits], 1) if self.sha else str(self)

    @property
    def number(self) -> int | None:
        """The number of a thread; else None."""
        return self._parts.number

    @property
    def path(self) -> str:
        """The path of file lines; else empty."""
        return self._parts.path

    @property
    def first_line(self) -> int | None:
        """The first of the file lines; else None."""
        return self._parts.first_line

    @property
    def last_line(self) -> int | None:
        """The last of the file lines; else None."""
        return self._parts.last_line

    @property
    def is_commit(self) -> bool:
        """True for a commit."""
        return self.kind == "commit"

    @property
    def is_thread(self) -> bool:
        """True for an issue or a pull request."""
        return self.kind == "thread"

    @property
    def may_abbreviate_hash(self) -> bool:
        """True for a tag of nothing but hexadecimal digits: people shorten hashes like this."""
        return self.kind == "tag" and _HASH_OR_TAG.fullmatch(self.revision) is not None

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[Any], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Read an id from text and write it as that text; what is none is kept as malformed.

        Reports come from anywhere, and one wrong id must not hide the rest of a report.
        """
        from_text = core_schema.no_info_after_validator_function(
            cls.cited, core_schema.str_schema()
        )
        from_id = core_schema.is_instance_schema(cls)
        return core_schema.json_or_python_schema(
            json_schema=from_text,
            python_schema=core_schema.union_schema([from_id, from_text]),
            serialization=core_schema.to_string_ser_schema(when_used="json"),
        )


def is_full_hash(text: str) -> bool:
    """Return True for a commit hash that is not abbreviated."""
    return _FULL_HASH.fullmatch(text) is not None


def _joined(repo: str, revision: str, number: str | int) -> str:
    return f"{repo}#{number}" if number else f"{repo}@{revision}"


@lru_cache(maxsize=1024)
def _valid_repo(repo: RepoId) -> RepoId:
    if not _REPO.fullmatch(repo):
        raise ValueError(f"not a repository: {repo!r}")
    return repo


@lru_cache(maxsize=4096)
def _parse(text: str) -> _IdParts | None:
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    repo = RepoId(match["repo"])
    if match["number"]:
        return _IdParts("thread", repo, number=int(match["number"]))
    if match["tag"]:
        return _IdParts("tag", repo, revision=match["tag"])
    if not match["path"]:
        return _IdParts("commit", repo, revision=match["sha"])
    first_line = int(match["first"])
    last_line = int(match["last"])
    if last_line < first_line:
        return None
    return _IdParts(
        "lines",
        repo,
        revision=match["sha"],
        path=match["path"],
        first_line=first_line,
        last_line=last_line,
    )
