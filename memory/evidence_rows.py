"""Rows of evidence: commits, threads and releases with their searchable text."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from agent.domain.base import LANGUAGES, RepoId
from agent.domain.commits import text_after
from agent.domain.evidence import Card
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact
from agent.domain.references import mentioned_ids
from agent.domain.threads import Issue, PullRequest, Release
from agent.fact_sentences import fact_sentence
from agent.questions_and_replies import Known
from memory.column_values import clean, stamp
from memory.protocols import Value
from memory.search_words import indexed_columns

MODELS: dict[str, type[Known]] = {
    "commit": Card,
    "issue": Issue,
    "pull": PullRequest,
    "release": Release,
}
_MAX_BODY = 65_536  # Characters of a thread or of release notes that are stored: GitHub has no longer threads
_MAX_THREAD_TEXT = 6_000  # Characters of a thread that are indexed
_MAX_FACT_TEXT = 8_000
_MAX_PATH_TEXT = 8_000
_MAX_FACT_SENTENCES = 20  # Facts of a commit that are indexed by their sentences as well
_MAX_FACT_VALUE = 80  # A longer value of a fact is code, whose names are indexed elsewhere
_FROM_WHOLE_FILES = "1"
_FROM_PATCH = "0"
_RELEASE = "release"  # As a version it is greater than that of a tag of git, which is empty


class EvidenceRow(NamedTuple):
    """One piece of evidence; of two with the same id the one with the greater version is kept."""

    id: EvidenceId
    repo: RepoId
    version: str
    record: dict[str, Value]
    pull: EvidenceId | None  # The pull request that brought a commit
    mentions: tuple[EvidenceId, ...]  # What its title and its text refer to


class _Texts(NamedTuple):
    """The texts by which a piece of evidence is found."""

    title: str
    text: str
    facts: str = ""
    paths: str = ""
    names: str = ""


def commit_row(card: Card) -> EvidenceRow:
    """Return the row of a commit; one read from whole files replaces one read from its patch."""
    version = _FROM_WHOLE_FILES if card.route == "blobs" else _FROM_PATCH
    data = json.dumps(card.model_dump(mode="json", exclude_defaults=True), ensure_ascii=False)
    record: dict[str, Value] = {
        "kind": "commit",
        "opened": stamp(card.at),
        "ended": "",
        "author": clean(card.author),
        "body": clean(data),
    }
    pull = EvidenceId.thread(card.repo, card.pull) if card.pull else None
    return _row(card.id, card.repo, version, record, _commit_texts(card), pull)


def thread_row(thread: Issue | PullRequest) -> EvidenceRow:
    """Return the row of a thread: it belongs to the time when it was opened, and when it ended."""
    thread = thread.model_copy(
        update={"title": clean(thread.title), "body": clean(thread.body[:_MAX_BODY])}
    )
    record: dict[str, Value] = {
        "kind": "pull" if isinstance(thread, PullRequest) else "issue",
        "opened": stamp(thread.created_at),
        "ended": stamp(thread.ended_at),
        "author": clean(thread.author or ""),
        "body": clean(thread.model_dump_json()),
    }
    version = stamp(thread.updated_at)
    return _row(thread.id, thread.repo, version, record, _thread_texts(thread))


def release_row(release: Release) -> EvidenceRow:
    """Return the row of a release, which says more than the tag of git."""
    return _release_row(release, _RELEASE)


def tag_row(tag: Release) -> EvidenceRow:
    """Return the row of a tag of git."""
    return _release_row(tag, "")


def search_columns(evidence: Known) -> dict[str, str]:
    """Return the indexed columns of a stored piece of evidence."""
    if isinstance(evidence, Card):
        return _indexed(_commit_texts(evidence), clean(evidence.author))
    if isinstance(evidence, Release):
        return _indexed(_release_texts(evidence), "")
    return _indexed(_thread_texts(evidence), clean(evidence.author or ""))


def _release_row(release: Release, version: str) -> EvidenceRow:
    record: dict[str, Value] = {
        "kind": "release",
        "opened": stamp(release.published_at),
        "ended": "",
        "author": "",
        "body": clean(release.model_dump_json()),
    }
    name = release.id
    return _row(name, release.repo, version, record, _release_texts(release))


def _row(
    name: EvidenceId,
    repo: RepoId,
    version: str,
    record: dict[str, Value],
    texts: _Texts,
    pull: EvidenceId | None = None,
) -> EvidenceRow:
    mentioned = mentioned_ids(repo, f"{texts.title}\n{texts.text}")
    mentions = tuple(other for other in mentioned if other != name)
    columns = _indexed(texts, str(record["author"]))
    full_record: dict[str, Value] = {
        "name": name,
        "repo": repo,
        "version": version,
        **record,
        **columns,
    }
    return EvidenceRow(name, repo, version, full_record, pull, mentions)


def _indexed(texts: _Texts, author: str) -> dict[str, str]:
    return indexed_columns({**texts._asdict(), "title": f"{texts.title} {author}"})


def _commit_texts(card: Card) -> _Texts:
    return _Texts(
        title=card.title,
        text=text_after(card.message, card.title),
        facts=_fact_words(card.facts)[:_MAX_FACT_TEXT],
        paths=" ".join((*card.touched, *card.paths))[:_MAX_PATH_TEXT],
        names=" ".join(card.written),
    )


def _thread_texts(thread: Issue | PullRequest) -> _Texts:
    labels = " ".join(thread.labels)
    return _Texts(title=thread.title, text=f"{thread.body[:_MAX_THREAD_TEXT]} {labels}")


def _release_texts(release: Release) -> _Texts:
    title = release.tag
    if release.name != release.tag:
        title = f"{release.tag} {release.name}"
    return _Texts(title=title, text=release.body[:_MAX_BODY])


def _fact_words(facts: Sequence[Fact]) -> str:
    """Return the kinds, names and short values of facts as words, and what a report says of them.

    So a question in Chinese finds facts of code whose comments are in English.
    """
    words: list[str] = []
    for fact in facts:
        words += [fact.kind, fact.name]
        for value in (fact.old, fact.new, fact.detail):
            if value and len(value) <= _MAX_FACT_VALUE:
                words.append(value)
    for fact in facts[:_MAX_FACT_SENTENCES]:
        words += [fact_sentence(fact, lang) for lang in LANGUAGES]
    return " ".join(words)
