"""What a GraphQL query can reach of a repository's files: blobs with their text, and trees by name."""

from typing import Any

from evals.github_server.hub import Hosted
from evals.github_server.nodes import Context
from evals.github_server.shapes import node_id

MAX_TEXT = 512_000
"""GitHub cuts the text of a blob after so many bytes, and says so."""
_SNIFFED = 8_000


class FileNode:
    """What a path can lead to."""

    typename: str

    def __init__(self, context: Context, hosted: Hosted, oid: str) -> None:
        self._context, self._hosted = context, hosted
        self.oid, self.abbreviated_oid, self.id = oid, oid[:7], node_id(self.typename, oid)
        self.commit_url = f"{context.web}/{hosted.full_name}/commit/{oid}"

    @property
    def repository(self) -> Any:
        """Where the object is."""
        return self._context.nodes.repository(self._context, self._hosted)


class TreeNode(FileNode):
    """A directory."""

    typename = "Tree"


class BlobNode(FileNode):
    """The content of a file."""

    typename = "Blob"

    def __init__(self, context: Context, hosted: Hosted, oid: str, content: bytes) -> None:
        super().__init__(context, hosted, oid)
        self.byte_size = len(content)
        self.is_binary = b"\0" in content[:_SNIFFED]
        self.is_truncated = len(content) > MAX_TEXT
        self.text = None if self.is_binary else _decoded(content, content[:MAX_TEXT])


def _decoded(content: bytes, shown: bytes) -> str:
    """Write text as UTF-8, as GitHub does whatever it was written in."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return shown.decode("latin-1")
    # A cut may go through the middle of a character.
    return shown.decode("utf-8", "ignore")


def file_node(context: Context, hosted: Hosted, commit: str, path: str) -> FileNode | None:
    """Show what a commit has at a path; None where it has nothing."""
    [found] = hosted.git.objects([f"{commit}:{path}"])
    if found is None:
        return None
    oid, kind, content = found
    if kind == "blob":
        return BlobNode(context, hosted, oid, content)
    return TreeNode(context, hosted, oid) if kind == "tree" else None
