"""Sentences about a release: that a version is out, and the gravest of what it brings."""

from agent.domain.base import LANGUAGES, Language, RepoId
from agent.domain.claims import Anchor, Claim
from agent.domain.evidence_id import EvidenceId
from agent.domain.release_notes import ReleaseNotes
from agent.domain.report import ReleaseLine
from agent.report_languages import catalogue

_MAX_BREAKS_TOLD = 6  # Breaking changes of a release that the writer of the brief is shown


def release_headline(repo: RepoId, release: ReleaseLine, lang: Language) -> str:
    """Return that a version is out, how much it breaks, and which advisories it names."""
    words = catalogue(lang)["release"]
    signs = catalogue(lang)["signs"]
    text: str = words["headline"].format(repo=repo.rpartition("/")[2], tag=release.tag)
    if release.notes is None:
        return text
    news: list[str] = []
    breaks = _breaks_text(release.notes, lang)
    if breaks:
        news.append(breaks)
    if release.notes.advisories:
        news.append(signs["listing"].join(advisory.id for advisory in release.notes.advisories))
    if not news:
        return text
    gravest: str = signs["semicolon"].join(news)
    return f"{text}{signs['colon']}{gravest}"


def _breaks_text(notes: ReleaseNotes, lang: Language) -> str:
    """Return how many changes break something, and in how many commits where all are listed."""
    words = catalogue(lang)["release"]
    entries = notes.entries_of("breaks")
    unlisted = notes.more.get("breaks", 0)
    count = len(entries) + unlisted
    if not count:
        return ""
    text: str = words["breaks_one"] if count == 1 else words["breaks"].format(count)
    commits: set[EvidenceId] = set()
    for entry in entries:
        commits.update(entry.commits)
    is_traced = not unlisted and all(entry.commits for entry in entries)
    if count == 1 or not is_traced:
        return text
    page = catalogue(lang)["page"]
    in_commits = page["one_commit"] if len(commits) == 1 else page["commits"].format(len(commits))
    traced: str = words["breaks_in"].format(breaks=text, commits=in_commits)
    return traced


def claims_of_release(repo: RepoId, release: ReleaseLine) -> list[Claim]:
    """Return what the brief may say of a release: that it is out, and the first things it breaks."""
    release_id = release.id(repo)
    texts = [{lang: f"{release_headline(repo, release, lang)}." for lang in LANGUAGES}]
    if release.notes is not None:
        for entry in release.notes.entries_of("breaks")[:_MAX_BREAKS_TOLD]:
            texts.append(dict(entry.text))
    claims = []
    for number, text in enumerate(texts, start=1):
        words = next(iter(text.values()))
        claims.append(
            Claim(
                id=f"{release_id}.{number}",
                repo=repo,
                role="change",
                about=(release_id,),
                predicate="fact",
                cites=(release_id,),
                text=text,
                # Code wrote these words, so that a sentence may rest on them.
                anchors=(Anchor(cite=release_id, text=words),),
            )
        )
    return claims
