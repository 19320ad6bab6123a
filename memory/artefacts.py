"""Everything that was ever fetched, each artefact once, under the hash of its content, with where and when."""

import hashlib
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from sqlite_utils import Database

from agent.errors import StorageError
from agent.evidence import EvidenceId
from memory.database import reading

_LEVEL = 1
"""Diffs shrink fivefold at the fastest level; the best one is a tenth smaller and takes six times as long."""


@dataclass(frozen=True)
class Artefact:
    """One fetched thing as it came."""

    kind: str
    body: bytes
    evidence: EvidenceId | None = None
    """The name under which it can be cited, where it has one."""

    @cached_property
    def hash(self) -> str:
        """The name of its content; equal content of different kinds is kept apart."""
        return hashlib.sha256(b"%s\0%s" % (self.kind.encode(), self.body)).hexdigest()


class Artefacts:
    """The store of evidence."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, artefacts: Iterable[Artefact], origin: str, at: datetime) -> None:
        """Store what is not there yet; the caller holds the transaction."""
        wanted = {artefact.hash: artefact for artefact in artefacts}
        for there in self._present(wanted):
            del wanted[there]
        fetched = at.isoformat(timespec="seconds")
        self._db.conn.executemany(
            "insert into artefacts (hash, kind, evidence, origin, fetched, size, body) values (?, ?, ?, ?, ?, ?, ?)",
            (
                (name, one.kind, one.evidence, origin, fetched, len(one.body), zlib.compress(one.body, _LEVEL))
                for name, one in wanted.items()
            ),
        )

    def get(self, name: str) -> Artefact:
        """Find an artefact by the hash of its content."""
        return self.get_all([name])[0]

    def get_all(self, names: Sequence[str]) -> list[Artefact]:
        """Find several, in the order asked for."""
        with reading():
            rows = self._db.execute(
                "select hash, kind, evidence, body from artefacts where hash in (select value from json_each(?))",
                [json.dumps(list(names))],
            ).fetchall()
        found = {row[0]: _whole(*row) for row in rows}
        if missing := [name for name in names if name not in found]:
            raise StorageError(f"the memory has no artefact {missing[0][:12]}")
        return [found[name] for name in names]

    def _present(self, names: Iterable[str]) -> list[str]:
        sql = "select hash from artefacts where hash in (select value from json_each(?))"
        return [row[0] for row in self._db.execute(sql, [json.dumps(list(names))])]


def _whole(name: str, kind: str, evidence: str | None, body: bytes) -> Artefact:
    """Unpack a row, and notice when it is not what it was."""
    try:
        artefact = Artefact(kind, zlib.decompress(body), evidence)
    except zlib.error as error:
        raise StorageError(f"the memory is damaged: artefact {name[:12]} cannot be unpacked") from error
    if artefact.hash != name:
        raise StorageError(f"the memory is damaged: artefact {name[:12]} is not what its name says")
    return artefact
