"""Who wrote an artefact, under every name that may be printed."""

import re
import unicodedata
from typing import NamedTuple

from agent.domain import Person
from agent.dossier import Dossier
from agent.evidence import CommitEvidence, Evidence, ReleaseEvidence, ThreadEvidence
from agent.ids import thread_id

_TRAILER = re.compile(r"^co-authored-by:[ \t]*([^<>\n]{1,200}?)[ \t]*<([^<>\n]{0,200})>", re.IGNORECASE | re.MULTILINE)
_NOREPLY = re.compile(r"(?:\d+\+)?([A-Za-z0-9_-]+(?:\[bot\])?)@users\.noreply\.", re.ASCII)
_NOTE = re.compile(r"\s*[(（][^()（）]*[)）]\s*$")
_BETWEEN = re.compile(r"\s*(?:[,，、;；&]|\band\b|\bwith\b|和|与|及)\s*")


class Authors(NamedTuple):
    """The author under his names, and those who took part."""

    main: tuple[str, ...]
    along: tuple[str, ...] = ()


def names_of(evidence: Evidence, dossier: Dossier) -> tuple[str, ...]:
    """List every name under which somebody had a hand in it, that of who committed it included."""
    who = authors(evidence, dossier)
    committed = _names(evidence.change.commit.committer) if isinstance(evidence, CommitEvidence) else ()
    return tuple(dict.fromkeys(name for name in (*who.main, *who.along, *committed) if name))


def authors(evidence: Evidence, dossier: Dossier) -> Authors:
    """Name who wrote it: names of git, logins, and co-authors of the trailers."""
    if isinstance(evidence, ThreadEvidence):
        return Authors((evidence.thread.author,) if evidence.thread.author else ())
    if isinstance(evidence, ReleaseEvidence):
        return Authors(())
    commit = evidence.change.commit
    main = _names(commit.author)
    if login := _pull_author(evidence, dossier):
        main = (*main, login)
    trailers = (Person(name=name, email=email) for name, email in _TRAILER.findall(commit.message))
    return Authors(main, tuple(name for person in trailers for name in _names(person)))


def _names(person: Person) -> tuple[str, ...]:
    login = _NOREPLY.match(person.email)
    return (person.name, login[1]) if login else (person.name,)


def _pull_author(evidence: CommitEvidence, dossier: Dossier) -> str | None:
    pull = dossier.found.get(thread_id(evidence.repo, evidence.pull)) if evidence.pull else None
    return pull.thread.author if isinstance(pull, ThreadEvidence) else None


def listed(text: str) -> list[str]:
    """Split a list of people."""
    return [name for name in _BETWEEN.split(text.strip()) if name] or [text]


def written_by(text: str, who: Authors) -> bool:
    """Tell whether these are authors: each took part, and not only those who took part are named."""
    # A name may hold a comma: "Doe, Jane".
    for names in ([text], listed(text)):
        known = all(any(same(name, one) for one in (*who.main, *who.along)) for name in names)
        if known and any(same(name, one) for name in names for one in who.main):
            return True
    return False


def same(one: str, other: str) -> bool:
    """Compare two names; case, width, white space, a leading @ and a note in parentheses do not matter."""
    return _key(one) == _key(other) or _key(_NOTE.sub("", one)) == _key(_NOTE.sub("", other)) != ""


def _key(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).strip().removeprefix("@").strip("`*_ ").casefold().split())
