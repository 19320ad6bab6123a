"""The names of repositories in a brief, put in front of the sentences that do not have them."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from agent.domain.base import Language, RepoId
from agent.report_languages import catalogue
from agent.reports.page_model import PageSentence

_CODE_SPAN = re.compile(r"`([^`]*)`")


def with_repo_names(
    sentences: Iterable[PageSentence], repos: Sequence[RepoId], lang: Language
) -> list[PageSentence]:
    """Return the sentences of a brief; each says which repository it is about, if there are several."""
    names = _names(repos)
    if len(names) < 2:
        return list(sentences)
    listing: str = catalogue(lang)["signs"]["listing"]
    entries = []
    for sentence in sentences:
        missing = _missing_names(sentence, names)
        entries.append(replace(sentence, repo_name=listing.join(missing)))
    return entries


def _names(repos: Sequence[RepoId]) -> dict[RepoId, str]:
    """Return the name of each repository without its owner, unless two share it."""
    short_names = {repo: repo.rpartition("/")[2] for repo in repos}
    counts = Counter(name.casefold() for name in short_names.values())
    names: dict[RepoId, str] = {}
    for repo, name in short_names.items():
        names[repo] = name if counts[name.casefold()] == 1 else repo
    return names


def _missing_names(sentence: PageSentence, names: Mapping[RepoId, str]) -> list[str]:
    """Return the names of the repositories that a sentence is about, if it has none of them."""
    repos = [cite.repo for cite in sentence.claim.cites]
    if sentence.claim.repo:
        repos = [sentence.claim.repo]
    own_names = [names[repo] for repo in dict.fromkeys(repos) if repo in names]
    if any(_has_name(sentence.text, name) for name in own_names):
        return []
    return own_names


def _has_name(text: str, name: str) -> bool:
    """Return True if a text names a repository; a part of a path or of an identifier is no name."""
    code_spans = [span.casefold() for span in _CODE_SPAN.findall(text)]
    if name.casefold() in code_spans:
        return True
    words = _CODE_SPAN.sub(" ", text)
    # Names stand between Chinese characters without a space.
    whole_name = rf"(?<![A-Za-z0-9_./-]){re.escape(name)}(?![A-Za-z0-9_/]|[.-][A-Za-z0-9_])"
    return re.search(whole_name, words, re.IGNORECASE) is not None
