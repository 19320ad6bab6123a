"""What is indexed of commits, threads and releases, and which of them belong together."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlite_utils import Database

from agent.evidence import EvidenceId
from agent.ids import RepoId, references
from memory.columns import clean, stamp
from memory.words import indexed

INSERTED = (
    "insert into search_entries (id, evidence, repo, kind, opened, ended, author) values (?, ?, ?, ?, ?, ?, ?)",
    "insert into search_words (rowid, title, facts, paths, body, parts) values (?, ?, ?, ?, ?, ?)",
)


@dataclass(frozen=True, kw_only=True)
class Entry:
    """What is indexed of one commit, thread or release; threads have a time at which they ended."""

    id: EvidenceId
    repo: RepoId
    kind: str
    opened: datetime
    ended: datetime | None = None
    author: str = ""
    title: str = ""
    facts: str = ""
    paths: str = ""
    body: str = ""
    names: str = ""
    brought_by: EvidenceId = ""
    """The pull request of a commit."""


def put_entry(db: Database, entry: Entry) -> None:
    """Index one piece of evidence over what was known of it; the caller holds the transaction."""
    execute = db.conn.execute
    if (row := execute("select id from search_entries where evidence = ?", (entry.id,)).fetchone()) is not None:
        execute("delete from search_words where rowid = ?", row)
        execute("delete from search_entries where id = ?", row)
        execute("delete from search_refs where source = ?", (entry.id,))
    times = (stamp(entry.opened), stamp(entry.ended))
    number = execute(INSERTED[0], (None, entry.id, entry.repo, entry.kind, *times, clean(entry.author))).lastrowid
    texts = (f"{entry.title} {entry.author}", entry.facts, entry.paths, entry.body, entry.names)
    told = [indexed(clean(text)) for text in texts]
    parts = " ".join((*(one.parts for one in told), told[-1].words))
    execute(INSERTED[1], (number, *(one.words for one in told[:4]), parts))
    named = references(entry.repo, f"{entry.title}\n{entry.body}")
    put_refs(db, [(entry.id, entry.brought_by)] if entry.brought_by else [], brought=True)
    put_refs(db, ((entry.id, other) for other in named if other != entry.id))


def put_refs(db: Database, pairs: Iterable[tuple[EvidenceId, EvidenceId]], *, brought: bool = False) -> None:
    """Note which pieces of evidence belong together; the caller holds the transaction."""
    insert = "insert or ignore into search_refs (source, target, brought) values (?, ?, ?)"
    db.conn.executemany(insert, ((*pair, int(brought)) for pair in pairs))
