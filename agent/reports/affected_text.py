"""The text about affected versions."""

from collections.abc import Iterable

from agent.domain.affected_versions import Affected
from agent.domain.base import Language
from agent.domain.versions import VersionSpan
from agent.report_languages import catalogue
from agent.reports.shown_titles import shown_title

_HASH_DIGITS = 9


def affected_text(affected: Affected, lang: Language) -> str:
    """Return which versions have a fault and which its fix, and what says so.

    What a revert takes back need not be a fault, as when a check is taken out again: only which
    versions have it is certain.
    """
    if affected.proof == "reverted":
        return _taken_back_text(affected, lang)
    gap: str = catalogue(lang)["signs"]["gap"]
    return gap.join((_versions_text(affected, lang), _introduction_text(affected, lang)))


def affected_line(handle: str, affected: Affected) -> str:
    """Return the same as one line for the writer of a commit, which it may quote."""
    return f"[{handle}] {affected_text(affected, 'en')}"


def card_text(affected: Affected, lang: Language) -> str:
    """Return the same for readers, who must see whose fault it is beside the versions.

    Where only lines point to the commit that brought it, nobody calls the change a fix.
    """
    if not affected.fault_spans or affected.proof == "reverted":
        return affected_text(affected, lang)
    words = catalogue(lang)["affected"]
    spans = [_span_text(span, lang) for span in affected.fault_spans]
    versions = _listed(spans, lang)
    since = _with_commit(words["since"][affected.proof], affected, lang)
    template: str
    if affected.proof == "lines":
        template = words["lines_since"]
        changed = _changed_text(affected, lang)
        return template.format(versions=versions, since=since, changed=changed)
    template = words["affected_since"]
    return template.format(versions=versions, since=since, fixed=_fixed_text(affected, lang))


def _taken_back_text(affected: Affected, lang: Language) -> str:
    """Return which versions have the commit that is taken back, and which are without it again."""
    words = catalogue(lang)["taken_back"]
    if affected.fault_spans:
        out: str = words["not_out"]
        if affected.first_fixed:
            out = words["out"].format(versions=_listed(map(_code, affected.first_fixed), lang))
        spans = [_span_text(span, lang) for span in affected.fault_spans]
        versions = _listed(spans, lang)
        return _with_commit(words["released"], affected, lang, versions=versions, out=out)
    if affected.contains_fault:
        versions = _listed(map(_code, affected.contains_fault), lang)
        return _with_commit(words["candidates"], affected, lang, versions=versions)
    return _with_commit(words["unreleased"], affected, lang)


def _versions_text(affected: Affected, lang: Language) -> str:
    """Return which versions have a fault, and which its fix."""
    if affected.proof == "lines":
        return _versions_with_lines_text(affected, lang)
    words = catalogue(lang)["affected"]
    template: str
    if affected.fault_spans:
        template = words["affected"]
        spans = [_span_text(span, lang) for span in affected.fault_spans]
        return template.format(versions=_listed(spans, lang), fixed=_fixed_text(affected, lang))
    if affected.contains_fault:
        template = words["candidates"]
        return template.format(versions=_listed(map(_code, affected.contains_fault), lang))
    text: str = words["unreleased"]
    return text


def _versions_with_lines_text(affected: Affected, lang: Language) -> str:
    """Return which versions have the lines that a fix removes.

    That these lines are the fault is not certain, so nobody is called affected.
    """
    words = catalogue(lang)["affected"]
    template: str
    if affected.fault_spans:
        template = words["lines_released"]
        spans = [_span_text(span, lang) for span in affected.fault_spans]
        changed = _changed_text(affected, lang)
        return template.format(versions=_listed(spans, lang), changed=changed)
    if affected.contains_fault:
        template = words["lines_candidates"]
        return template.format(versions=_listed(map(_code, affected.contains_fault), lang))
    text: str = words["lines_unreleased"]
    return text


def first_release_text(version: str, lang: Language) -> str:
    """Return which final version is the first with a commit; an empty one says that none has it."""
    words = catalogue(lang)["affected"]
    text: str = words["released"].format(_code(version)) if version else words["not_released"]
    return text


def _introduction_text(affected: Affected, lang: Language) -> str:
    """Return which commit brought the fault, and what says so."""
    return _with_commit(catalogue(lang)["affected"][affected.proof], affected, lang)


def _with_commit(template: str, affected: Affected, lang: Language, **values: str) -> str:
    """Return a template with the commit that brought a fault, or that is taken back."""
    commit = _code(affected.introduced.sha[:_HASH_DIGITS])
    return template.format(commit=commit, title=shown_title(affected.title, lang), **values)


def _fixed_text(affected: Affected, lang: Language) -> str:
    words = catalogue(lang)["affected"]
    if not affected.first_fixed:
        text: str = words["not_fixed"]
        return text
    template: str = words["fixed"]
    return template.format(versions=_listed(map(_code, affected.first_fixed), lang))


def _changed_text(affected: Affected, lang: Language) -> str:
    words = catalogue(lang)["affected"]
    if not affected.first_fixed:
        text: str = words["not_changed"]
        return text
    template: str = words["changed"]
    return template.format(versions=_listed(map(_code, affected.first_fixed), lang))


def _span_text(span: VersionSpan, lang: Language) -> str:
    if span.first == span.last:
        return _code(span.first)
    template: str = catalogue(lang)["affected"]["span"]
    return template.format(first=_code(span.first), last=_code(span.last))


def _listed(texts: Iterable[str], lang: Language) -> str:
    listing: str = catalogue(lang)["signs"]["listing"]
    return listing.join(texts)


def _code(text: str) -> str:
    return f"`{text}`"
