"""The comment on a pull request: a report about bumps in one screen, everything else folded."""

from collections.abc import Iterator, Sequence

from agent.browser_urls import Web
from agent.bumps.bump_report_model import (
    BumpReport,
    CodeUse,
    Explanation,
    PackageOutcome,
    VersionCommit,
)
from agent.bumps.pins import Bump
from agent.domain.base import RepoId
from agent.markdown import code, inline, link

MAX_CHARACTERS = 65_536  # GitHub refuses a longer comment
_MAX_LINES_SHOWN = 12  # Lines of own code above the folds
_MAX_EXPLANATIONS_SHOWN = 6
_MAX_NAMES_SHOWN = 4  # Of one explained commit
_MAX_LISTED = 200  # Entries of a folded list
_MAX_REASON = 300
_MARKER_NAME = "gitzette-bump"
NAMES_ALONE = (
    "Only names and their arguments are compared: a change of behaviour without a changed name is "
    "not seen."
)
EXPLAINED = (
    "Names and their arguments are compared; a change of behaviour without a changed name is only "
    "told where a model explained its commit, and code and a judge checked what it wrote."
)
LIMIT = (
    "Uses are looked up in Python, JavaScript, TypeScript, Rust and Go, in includes of C "
    "and C++, and in inputs of actions; settings by their names in any file. Nothing of this "
    "pull request or of a dependency was installed or run."
)
_CUT = "\n\n*The rest does not fit into a comment; the summary of the run has all of it.*\n"


def marker(repo: RepoId) -> str:
    """Return the hidden line by which a comment is found again."""
    return f"<!-- {_MARKER_NAME} {repo.lower()} -->"


class CommentWriter:
    """Writes a report; every foreign text is escaped."""

    def __init__(self, report: BumpReport, web: Web) -> None:
        self._report = report
        self._web = web

    def comment(self) -> str:
        """Return the comment, cut to the length that GitHub accepts."""
        text = f"{marker(self._report.repo)}\n{self.markdown()}"
        if len(text) <= MAX_CHARACTERS:
            return text
        closing = "\n</details>\n"
        length = MAX_CHARACTERS - len(_CUT) - 2 * len(closing)
        kept = text[:length].rpartition("\n")[0]
        unclosed = kept.count("<details>") - kept.count("</details>")
        return kept + closing * max(unclosed, 0) + _CUT

    def markdown(self) -> str:
        """Return the whole report."""
        return "\n".join(self._lines()).rstrip() + "\n"

    def _lines(self) -> Iterator[str]:
        report = self._report
        outcomes = report.outcomes
        yield f"### {_headline(report)}"
        yield ""
        yield from self._breaking_lines()
        if outcomes:
            yield "| package | from | to | what it does to your code |"
            yield "|---|---|---|---|"
            for outcome in _ordered(outcomes)[:_MAX_LISTED]:
                yield self._row(outcome)
            yield ""
        yield from self._explanations()
        yield from self._changed_fold()
        yield from self._breaks_fold()
        yield from self._mapping_fold()
        yield from self._unread_fold()
        compared = EXPLAINED if self._report.model else NAMES_ALONE
        yield f"<sub>{compared} {LIMIT}</sub>"

    def _breaking_lines(self) -> Iterator[str]:
        """Yield the lines that fail, then those that may."""
        lines: list[str] = []
        uncertain_lines: list[str] = []
        for outcome in self._report.outcomes:
            for use in outcome.breaking_uses:
                what = self._what_happens(use)
                lines.append(f"- **{self._location(use)}** {what} ({_name(outcome.bump)})")
            for use in outcome.uncertain_uses:
                what = self._what_happens(use)
                uncertain_lines.append(
                    f"- {self._location(use)} may fail: {what} ({_name(outcome.bump)})"
                )
        visible_lines = (lines + uncertain_lines)[:_MAX_LINES_SHOWN]
        yield from visible_lines
        if visible_lines:
            yield ""
        hidden = lines[_MAX_LINES_SHOWN:]
        yield from _folded(f"{len(hidden):,} more lines that fail", hidden)
        hidden = uncertain_lines[max(_MAX_LINES_SHOWN - len(lines), 0) :]
        yield from _folded(f"{len(hidden):,} more lines that may fail", hidden)

    def _location(self, use: CodeUse) -> str:
        """Return the file and line as a permanent link."""
        return self._link_to_line(use.file, use.line)

    def _link_to_line(self, file: str, line: int) -> str:
        url = self._web.lines(self._report.repo, self._report.tip, file, line, line)
        return link(code(f"{file}:{line}"), url)

    def _what_happens(self, use: CodeUse) -> str:
        text = inline(use.text)
        if use.replacement:
            text += f"; use {code(use.replacement)}"
        if use.is_guarded and use.effect != "changed":
            text += "; the line is inside `try`, so its handler runs"
        return text

    def _row(self, outcome: PackageOutcome) -> str:
        bump = outcome.bump
        cells = [
            _name(bump),
            code(_short(bump.old)),
            code(_short(bump.new)),
            self._outcome_cell(outcome),
        ]
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    def _outcome_cell(self, outcome: PackageOutcome) -> str:
        if outcome.uses:
            failing = len(outcome.breaking_uses)
            uncertain = len(outcome.uncertain_uses)
            others = len(outcome.uses) - failing - uncertain
            parts = []
            if failing:
                parts.append(f"{failing} {_plural(failing, 'line fails', 'lines fail')}")
            if uncertain:
                lines = _plural(uncertain, "line", "lines")
                parts.append(f"{uncertain} {lines} may fail")
            if others:
                parts.append(f"{others} {_plural(others, 'uses', 'use')} what changed")
            return f"**you use this**: {', '.join(parts)}"
        if outcome.reason:
            return f"could not be read, because {inline(outcome.reason[:_MAX_REASON])}"
        count = outcome.changed_names
        names = _plural(count, "changed name", "changed names")
        files = f"{outcome.files_searched:,} {_plural(outcome.files_searched, 'file', 'files')}"
        return f"no use found of the {count:,} {names}, in {files}{_importing(outcome)}"

    def _explanations(self) -> Iterator[str]:
        """Yield what changes behind names that own code uses, and what the model failed at."""
        lines: list[str] = []
        for outcome in self._report.outcomes:
            for explanation in outcome.explanations:
                lines.append(self._explanation(outcome, explanation))
        if lines:
            yield f"**Changes behind names that you use**, explained by {inline(self._report.model)}:"
            yield ""
        yield from lines[:_MAX_EXPLANATIONS_SHOWN]
        if lines:
            yield ""
        hidden = lines[_MAX_EXPLANATIONS_SHOWN:]
        yield from _folded(f"{len(hidden)} more changes behind names that you use", hidden)
        for failure in self._report.model_failures:
            cause = inline(failure[:_MAX_REASON])
            yield f"*Changes of behaviour are not all explained, because {cause}.*"
            yield ""

    def _explanation(self, outcome: PackageOutcome, explanation: Explanation) -> str:
        mapping = outcome.mapping
        assert mapping is not None, "only commits of a known repository are explained"
        url = self._web.commit(mapping.repo, explanation.sha)
        names = dict.fromkeys(use.name for use in explanation.uses)
        listed = ", ".join(code(name) for name in list(names)[:_MAX_NAMES_SHOWN])
        first = explanation.uses[0]
        location = self._link_to_line(first.file, first.line)
        text = " ".join(inline(sentence) for sentence in explanation.sentences)
        linked_sha = link(code(explanation.sha[:12]), url)
        return f"- {listed} ({location}): {text} ({_name(outcome.bump)}, {linked_sha})"

    def _changed_fold(self) -> Iterator[str]:
        lines: list[str] = []
        for outcome in self._report.outcomes:
            for use in outcome.uses:
                if not use.is_breaking and not use.may_break:
                    what = self._what_happens(use)
                    lines.append(f"- {self._location(use)} {what} ({_name(outcome.bump)})")
        yield from _folded(f"{len(lines)} lines that use what changed, and still work", lines)

    def _breaks_fold(self) -> Iterator[str]:
        lines: list[str] = []
        for outcome in self._report.outcomes:
            for sentence in outcome.breaking_changes:
                lines.append(f"- {_name(outcome.bump)}: {inline(sentence)}")
        yield from _folded(f"{len(lines)} breaking changes of these packages for anybody", lines)

    def _mapping_fold(self) -> Iterator[str]:
        lines: list[str] = []
        for outcome in self._report.outcomes:
            mapping = outcome.mapping
            if mapping is None:
                continue
            repo = link(code(mapping.repo), self._web.repo(mapping.repo))
            old = self._version(mapping.repo, mapping.old)
            new = self._version(mapping.repo, mapping.new)
            imports = ", ".join(code(name) for name in mapping.imports[:5])
            imported = f"; imported as {imports}" if imports else ""
            origin = inline(mapping.origin)
            ranges = outcome.bump.ranges
            lowest = f"; the lowest versions that {inline(ranges)}" if ranges else ""
            comparison = f"{repo} ({origin}), {old} to {new}{lowest}{imported}"
            lines.append(f"- {_name(outcome.bump)}: {comparison}")
        yield from _folded("Where the sources of these packages are", lines)

    def _version(self, repo: RepoId, commit: VersionCommit) -> str:
        url = self._web.commit(repo, commit.sha)
        linked_sha = link(code(commit.sha[:12]), url)
        how = code(commit.tag) if commit.tag else commit.proof
        note = f", {inline(commit.note)}" if commit.note else ""
        return f"{linked_sha} ({how}{note})"

    def _unread_fold(self) -> Iterator[str]:
        report = self._report
        changes = report.changes
        lines: list[str] = []
        if report.folded:
            count = len(report.folded)
            what = _plural(count, "transitive dependency", "transitive dependencies")
            names = ", ".join(_change(bump) for bump in report.folded[:_MAX_LISTED])
            lines.append(f"- {count:,} {what} that your code does not import: {names}")
        for bump in report.containers[:_MAX_LISTED]:
            lines.append(f"- container {_change(bump)}: images are listed only")
        for unclear in changes.unclear[:_MAX_LISTED]:
            reason = inline(unclear.reason[:_MAX_REASON])
            lines.append(f"- {code(unclear.name)}: could not be read, because {reason}")
        for problem in (*changes.problems, *report.omissions)[:_MAX_LISTED]:
            lines.append(f"- {inline(problem[:_MAX_REASON])}")
        for outcome in report.outcomes:
            for omission in outcome.omissions[:_MAX_LISTED]:
                lines.append(f"- {_name(outcome.bump)}: {inline(omission[:_MAX_REASON])}")
        if changes.added or changes.removed:
            lines.append(
                f"- {len(changes.added)} packages are new, {len(changes.removed)} are gone"
            )
        yield from _folded("What was not read", lines)


def _headline(report: BumpReport) -> str:
    failing = sum(len(outcome.breaking_uses) for outcome in report.outcomes)
    count = len(report.outcomes)
    packages = f"{count} {_plural(count, 'dependency', 'dependencies')}"
    if failing:
        lines = f"{failing} {_plural(failing, 'line', 'lines')} of your code"
        verb = _plural(failing, "fails", "fail")
        return f"{lines} {verb} with the new versions of {packages}"
    uncertain = sum(len(outcome.uncertain_uses) for outcome in report.outcomes)
    if uncertain:
        lines = f"{uncertain} {_plural(uncertain, 'line', 'lines')} of your code"
        return f"{lines} may fail with the new versions of {packages}"
    if not count:
        return "No dependency that your code uses directly has another version"
    used = sum(bool(outcome.uses) for outcome in report.outcomes)
    unread = sum(bool(outcome.reason) and not outcome.uses for outcome in report.outcomes)
    return f"{packages} bumped: {used} with changes that you use, {unread} that could not be read"


def _ordered(outcomes: Sequence[PackageOutcome]) -> list[PackageOutcome]:
    """Return what fails first, then what is used, then what could not be read, then the rest."""

    def rank(outcome: PackageOutcome) -> int:
        if outcome.breaking_uses:
            return 0
        if outcome.uses:
            return 1
        return 2 if outcome.reason else 3

    return sorted(outcomes, key=rank)


def _importing(outcome: PackageOutcome) -> str:
    count = outcome.files_importing
    if not count:
        return ", none of which imports it"
    return f", {count} of which {_plural(count, 'imports', 'import')} it"


def _folded(title: str, lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    yield f"<details><summary>{title}</summary>"
    yield ""
    yield from lines[:_MAX_LISTED]
    if len(lines) > _MAX_LISTED:
        yield f"- and {len(lines) - _MAX_LISTED:,} more"
    yield ""
    yield "</details>"
    yield ""


def _name(bump: Bump) -> str:
    return code(bump.name)


def _change(bump: Bump) -> str:
    return f"{_name(bump)} {code(_short(bump.old))} to {code(_short(bump.new))}"


def _short(version: str) -> str:
    return version[:12] if len(version) == 40 and version.isalnum() else version


def _plural(count: int, singular: str, plural: str) -> str:
    return singular if count == 1 else plural
