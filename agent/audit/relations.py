"""Whether a change closes the issue, takes back the change or came by the pull request that a report says."""

import re

from agent.audit.changes import Changes
from agent.audit.library import Library
from agent.audit.statement import RIGHT, Finding, Statement, told, wrong
from agent.claims import Verdict
from agent.evidence import CommitEvidence, Evidence
from agent.ids import RepoId, thread_id

_CLOSES = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b:?\s+"
    r"(?:https?://[^/\s]{1,80}/([\w.-]+/[\w.-]+)/issues/|([\w.-]+/[\w.-]+)?#)([1-9]\d{0,8})",
    re.IGNORECASE,
)
_UNDOING = re.compile(
    r"revert|roll\w*\s?back|back(?:s|ed)? out|undo|restor|bring\w* back|回退|回滚|撤销|恢复", re.IGNORECASE
)
_REVERTED = re.compile(r"\brevert\w*\b[^\n#]{0,200}?(?:#|/pull/)(\d+)", re.IGNORECASE)
_CLOSING_WORD = r"\b(?<!not )(?<!n't )(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b"
_STAYS = re.compile(
    r"\b(?:still (?:outstanding|open|unresolved|unsolved|happens|fails|needs?)|remains? (?:open|outstanding|unresolved)"
    r"|(?:does|do|did|is|are|was|will) ?(?:not|n't) (?:yet )?(?:be )?(?:fix|clos|resolv|solv|address)\w*"
    r"|not (?:yet )?fixed|unresolved|not a fix)\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"^Revert \"(.+)\"", re.IGNORECASE)
_CLOSING_NUMBER = re.compile(r"\s*\(#\d+\)\s*$")
_DESCRIBED = 80
_UNSUPPORTED = wrong(Verdict.UNSUPPORTED.value)


class Relations:
    """Asks the words of commits what they have to do with issues and with each other."""

    def __init__(self, library: Library, changes: Changes) -> None:
        self._library = library
        self._changes = changes

    def closed(self, statement: Statement) -> Finding | None:
        """Ask the words of a commit whether it has to do with an issue that nobody could read."""
        change = self._changes.of(statement.about, statement)
        issue = int(statement.params["issue"])
        if change is None or change.pull == issue or thread_id(change.repo, issue) in self._library.found:
            return None
        message = change.change.commit.message
        if denied := _denied(message, issue):
            return statement.ruled(_UNSUPPORTED, f"its message says of #{issue} that it is not solved: “{denied}”")
        if _names(message, issue):
            return None if "only" in statement.params else statement.ruled(RIGHT, f"its message names #{issue}")
        landed = self._library.pulls.get((change.repo, issue))
        if landed is not None:
            why = f"#{issue} is the pull request that brought {landed}, not an issue"
        elif closer := self._closer(change.repo, issue):
            why = f"{change.id} does not name #{issue}; {closer} closes it"
        elif "by" in statement.params:
            why = f"the message of {change.id} does not name #{issue}"
        elif others := closed_by(message, change.repo):
            why = f"{change.id} says that it closes {', '.join(f'#{one}' for one in sorted(others))}, not #{issue}"
        elif _explains(message):
            why = f"{change.id} says in its message what it is for, and does not name #{issue}"
        else:
            # The pull request may name it.
            return None
        return statement.ruled(_UNSUPPORTED, why)

    def _closer(self, repo: RepoId, issue: int) -> str:
        """Find a commit of these weeks that says of itself that it closes an issue."""
        line = self._library.lines.get(repo, ())
        return next((row.id for row in line if issue in closed_by(row.message, repo)), "")

    def reverted(self, statement: Statement) -> Finding | None:
        """Ask the words of a commit whether it takes back what a pull request brought."""
        change = self._changes.of(statement.about, statement)
        number = int(statement.params["number"])
        if change is None or change.pull == number:
            return None
        message = change.change.commit.message
        brought = self._library.found.get(self._library.pulls.get((change.repo, number), ""))
        title = _CLOSING_NUMBER.sub("", brought.change.commit.title) if isinstance(brought, CommitEvidence) else ""
        if _names(message, number) or (title and title in message):
            return statement.ruled(RIGHT, f"its message names what #{number} brought")
        if not _UNDOING.search(message):
            return statement.ruled(_UNSUPPORTED, f"nothing says that it takes anything back: {told(change)}")
        others = _REVERTED.findall(_CLOSING_NUMBER.sub("", message.partition("\n")[0]) + message.partition("\n")[2])
        if others:
            return statement.ruled(_UNSUPPORTED, f"its message says that it takes back #{others[0]}")
        quoted = _QUOTED.match(message)
        if quoted and title:
            return statement.ruled(_UNSUPPORTED, f"it takes back “{quoted[1]}”, and #{number} is “{title}”")
        return None

    def cited(self, statement: Statement) -> Finding | None:
        """Look for a number in the message and the lines of a change that are said to name it."""
        change = self._changes.of(statement.about, statement)
        if change is None or change.change.unreadable or change.change.incomplete:
            return None
        number = statement.params["number"]
        form = re.compile(rf"(?<!\d){number}(?!\d)")
        if any(form.search(shown) for shown in change.texts):
            return statement.ruled(RIGHT, f"{change.id} names {number}")
        return statement.ruled(_UNSUPPORTED, f"neither the message nor the lines of {change.id} name #{number}")

    def written(self, statement: Statement) -> Finding | None:
        """Ask a message for words that it is said to have."""
        change = self._changes.of(statement.about, statement)
        if change is None:
            return None
        words, message = (
            " ".join(text.lower().split()) for text in (statement.params["words"], change.change.commit.message)
        )
        if words in message:
            return statement.ruled(RIGHT, f"its message has it: {told(change)}")
        return statement.ruled(wrong(Verdict.QUOTE.value), f"the message of {change.id} does not have these words")

    def filed(self, statement: Statement) -> Finding | None:
        """Tell whether the link beside a commit leads to its number in another repository."""
        change = self._changes.of(statement.about, statement)
        if change is None or str(change.pull) != statement.params["number"]:
            return None
        why = f"{change.id} came by #{change.pull} of {change.repo}; the link goes to {statement.params['to']}"
        return statement.ruled(wrong(Verdict.OUT_OF_SCOPE.value), why)

    def own_number(self, statement: Statement) -> str:
        """Find the commit that is said to fix an issue which is its own pull request."""
        for mention in statement.also:
            change = self._changes.of(mention, statement)
            if change is not None and str(change.pull) == statement.params["issue"]:
                return change.id
        return ""

    def is_other(self, statement: Statement, evidence: Evidence) -> bool:
        """Tell whether a bare number is the pull request of the commit beside it, or of quite another one."""
        number = statement.params["number"]
        if not isinstance(evidence, CommitEvidence) or str(evidence.pull) == number:
            return isinstance(evidence, CommitEvidence)
        spoken = re.search(rf"(?:#|/){number}\b", evidence.change.commit.message) is not None
        brought = self._library.pulls.get((evidence.change.commit.repo, int(number)))
        return evidence.pull is not None and brought not in (None, evidence.id) and not spoken


def closed_by(message: str, repo: RepoId) -> set[int]:
    """List the issues of its own repository that a message says it closes."""
    found = _CLOSES.findall(message)
    return {int(number) for linked, named, number in found if (linked or named or repo).lower() == repo.lower()}


def _names(message: str, number: int) -> bool:
    return re.search(rf"(?:#|/issues/|/pull/){number}\b", message) is not None


def _denied(message: str, number: int) -> str:
    """Find the sentence that names an issue and says that it stays open, where no other says that it is closed."""
    if re.search(rf"{_CLOSING_WORD}[^\n.]{{0,80}}(?:#|/issues/){number}\b", message, re.IGNORECASE):
        return ""
    for part in re.split(r"(?<=[.!?])\s|\n\s*\n", message):
        if re.search(rf"(?:#|/|%7C){number}\b", part) and (found := _STAYS.search(part)):
            return " ".join(part[max(0, found.start() - 80) : found.end() + 20].split())
    return ""


def _explains(message: str) -> bool:
    """Tell whether a message has the description of its pull request, and not its title and trailers alone."""
    body = [line for line in message.split("\n")[1:] if not re.match(r"[\w-]+(?:-by)?: |\s*[*-] |-{3}|\s*$", line)]
    return len(" ".join(body)) >= _DESCRIBED
