"""The tables, numbered changes to them, and the way from databases that were made before the numbers.

A change is a function behind the others in `MIGRATIONS`; what stands there is never edited. Going back is not
possible: a database that a newer Gitzette changed is refused.
"""

import sys
from pathlib import Path

from agent.errors import StorageError
from memory.database import FILE_NAME, Database, exclusive_file
from memory.text_index import create_index

_TABLES = """
runs id started finished window_key status details recipe number:integer | id
artefacts hash kind evidence origin fetched size:integer body:bytes | hash | evidence
calls run key name hash at lasting | run key | lasting
holds hash run | hash run | run
cited hash window_key | hash window_key
tips repo window_key window_start window_end base tip | repo window_key
landed repo sha window_key window_start window_end late:integer | repo sha window_key
published window_key label | window_key
statements id:number repo window_key label window_start cites en zh | | window_key repo | label
report_items kind repo window_key place:integer label window_start window_end at body | kind repo window_key place
story_steps cite window_key repo place:integer | cite window_key repo place
open_issues repo number:integer digest | repo number
open_listings repo notice | repo
evidence id:number name repo kind opened ended author version body | | kind repo opened | author
evidence_refs source target brought:integer | source target | target
complete_spans repo since until | repo since until
http_cache key value:bytes used | key
secrets name value | name
"""
"""Each with its columns, its key and its indexes."""
_KEPT = ("runs", "artefacts", "calls", "holds", "cited", "tips", "landed")
"""What nothing but an earlier version can give: runs with their records, and which report has which commit."""
_RENAMED = {"window": "window_key", "start": "window_start", "end": "window_end"}
_ADDED = {"runs": ("recipe text", "number integer"), "calls": ("lasting text",)}


def _first_tables(db: Database) -> None:
    """Make all tables of the first numbered version, over what an earlier one left."""
    for line in _TABLES.strip().splitlines():
        columns, key, *indexes = (part.split() for part in line.split("|"))
        db.create_table(columns[0], columns[1:], key, indexes)
    db.execute("create unique index evidence_name on evidence (name)")
    db.execute(create_index("evidence_words", "title, facts, paths, body, parts", stems=True))
    db.execute(create_index("statement_words", "words, parts"))


MIGRATIONS = (_first_tables,)


def open_database(home: Path) -> Database:
    """Open the memory below `home`, made or upgraded as needed; a newer file is refused and left untouched."""
    with exclusive_file(home) as db:
        _upgrade(db, home / FILE_NAME)
        return db


def database_in_memory() -> Database:
    """Make a memory that is gone with the process."""
    db = Database()
    _upgrade(db, Path(":memory:"))
    return db


def _upgrade(db: Database, file: Path) -> None:
    tables = db.tables()
    version = db.rows("select version from schema_version")[0][0] if "schema_version" in tables else 0
    if version > len(MIGRATIONS):
        raise StorageError(f"{file} was written by a newer Gitzette; update Gitzette or move the file away")
    if version == len(MIGRATIONS):
        return
    with db.transaction():
        if version == 0 and tables:
            _carry_over(db, tables)
            sys.stderr.write(f"gitzette: {file} is of an earlier version; runs and their records were kept, ")
            sys.stderr.write("the rest comes from published reports and from the sources again\n")
        for migrate in MIGRATIONS[version:]:
            migrate(db)
        db.execute("drop table if exists schema_version")
        db.create_table("schema_version", ["version:integer"])
        db.insert("schema_version", [{"version": len(MIGRATIONS)}])


def _carry_over(db: Database, tables: dict[str, list[str]]) -> None:
    """Bring the tables of a time without numbers to the form of the first migration; drop what can be made again."""
    for table, columns in tables.items():
        if table not in _KEPT:
            db.execute(f"drop table {table}")
            continue
        for column in set(columns) & set(_RENAMED):
            db.execute(f'alter table {table} rename column "{column}" to {_RENAMED[column]}')
        for added in _ADDED.get(table, ()):
            if added.split()[0] not in columns:
                db.execute(f"alter table {table} add column {added}")
    if "runs" in tables:
        db.execute("update runs set number = rowid")
