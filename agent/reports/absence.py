"""The absence of a name from everything that was searched, in words."""

from collections.abc import Sequence

from agent.domain.base import Language
from agent.markdown import code
from agent.questions_and_replies import Absence, Searched
from agent.report_languages import catalogue


def absence_text(
    text: str,
    absence: Absence | None,
    searched_repos: Sequence[Searched],
    lang: Language,
    *,
    clock: bool = True,
) -> str:
    """Return that nothing that was read mentions a name, and what was read.

    Without the `clock` days have no time: a prompt of the same day stays the same.
    """
    name = code(text)
    words: dict[str, str] = catalogue(lang)["ask"]
    read_spans: list[str] = []
    for searched in searched_repos:
        days = searched.days_read(words["to"], words["separator"], clock=clock)
        if days:
            read_spans.append(words["place"].format(repo=searched.repo, days=days))
    if absence is None or not read_spans:
        return words["unknown"].format(what=name)
    has_threads = all(searched.threads for searched in searched_repos)
    sentence = words["absent"] if has_threads else words["absent_in_commits"]
    if not absence.is_whole:
        sentence = words["absent_in_index"]
    statement = sentence.format(what=name, places=words["places"].join(read_spans))
    if any(searched.threads for searched in searched_repos):
        statement += words["comments_unsearched"]
    if absence.unread_files:
        statement += words["files_unsearched"].format(count=absence.unread_files)
    return statement
