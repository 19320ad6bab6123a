"""Whether the words that a report gives as a title are the title."""

import re
from difflib import SequenceMatcher
from itertools import chain

from agent.audit.asking import Asking
from agent.audit.library import Library
from agent.audit.metadata import titles
from agent.audit.own_judging import printed
from agent.audit.signatures import signature
from agent.audit.statement import RIGHT, UNVERIFIABLE, Finding, Statement, judged, shortened, told, wrong
from agent.audit.vocabulary import plain
from agent.claims import Judgement, Verdict
from agent.evidence import CommitEvidence, Evidence

_ALIKE = 0.8
_TELLING = 4
_NUMBERED = re.compile(r"\s*\(#\d+\)\s*$")
_MERGED_NOTE = re.compile(r"\s+—\s+.*$")


class Titling:
    """Compares titles, and knows what else is called so."""

    def __init__(self, library: Library, asking: Asking, text: str) -> None:
        self._asking = asking
        self._library = library
        self._text = text
        self._by_title: dict[str, list[str]] = {}
        cited = [one.change.commit for one in library.found.values() if isinstance(one, CommitEvidence)]
        for commit in (*chain.from_iterable(library.landed.values()), *cited):
            bare = " ".join(word for word in _tokens(commit.subject) if not word.isdigit())
            self._by_title.setdefault(bare, []).append(f"{commit.id} “{shortened(commit.subject, 80)}”")

    def finding(self, statement: Statement, evidence: Evidence) -> Finding | None:
        """Give the verdict; None where the words turn out to be no title."""
        title = statement.params["title"]
        if "exact" in statement.params:
            return self._exactly_titled(statement, evidence)
        bare = _MERGED_NOTE.sub("", title)
        signed = signature(title)
        unsigned = signed.title if signed else re.sub(r"\s+by\s+\S[^()]*$", "", bare)
        for form in dict.fromkeys((title, bare, _unnumbered(bare, evidence), unsigned, plain(title))):
            if form.strip() and self._asking.ask(statement, evidence, title=form).passed:
                return judged(statement, Judgement(verdict=Verdict.SUPPORTED), told(evidence))
        real = [_tokens(one) for one in titles(evidence)]
        stated = _tokens(_MERGED_NOTE.sub("", title))
        if not stated:
            return None
        forms = (stated, _tokens(unsigned))
        joined = {"".join(form) for form in forms}
        shortened_only = not statement.strict and any(_abridges(stated, one) for one in real)
        if shortened_only or any("".join(one) in joined or any(_within(form, one) for form in forms) for one in real):
            return judged(statement, Judgement(verdict=Verdict.SUPPORTED), told(evidence))
        if not statement.strict and (_is_translated(stated, real) or any(_is_retold(stated, one) for one in real)):
            return None
        likeness = max((_likeness(form, one) for one in real for form in forms if form), default=0.0)
        if statement.strict or likeness >= _ALIKE:
            by_pull = statement.about is not None and statement.about.kind == "thread"
            grown = any(len(one) > _TELLING and forms[1][: len(one) - 1] == one[:-1] for one in real)
            if by_pull and isinstance(evidence, CommitEvidence) and likeness < _ALIKE and not grown:
                if other := self._titled_so(stated, evidence.id) or self._titled_so(forms[1], evidence.id):
                    why = f"it is “{next(titles(evidence), '')}”; so is called {other}"
                    return statement.ruled(wrong("metadata"), why)
                # The title of a pull request may have changed on the way.
                why = f"the commit is called “{next(titles(evidence), '')}”"
                return statement.ruled(UNVERIFIABLE, why)
            return judged(statement, self._asking.ask(statement, evidence), told(evidence))
        return None

    def listed(self, statement: Statement) -> Finding | None:
        """Judge a row that has only a title: a commit of these days must be called so, and be by whom it says."""
        repo, stated = statement.repo, _tokens(_NUMBERED.sub("", statement.params["title"]))
        landed, around = ((rows.get(repo, ()) if repo else ()) for rows in (self._library.landed, self._library.lines))
        own = [row for row in landed if _is_called(row.subject, stated)]
        author = statement.params["author"].casefold()
        if own and author in self._library.people and author not in {row.author.name.casefold() for row in own}:
            return statement.ruled(wrong("metadata"), f"{own[0].id} is by {own[0].author.name}")
        if own:
            return statement.ruled(RIGHT, f"{own[0].id} is called so")
        # What landed on other days, or is listed as well, is not what this row has wrong.
        alike = [row for row in landed if _likeness(stated, _tokens(_NUMBERED.sub("", row.subject))) >= _ALIKE]
        meant = [row for row in alike if row.subject not in self._text]
        if not meant or any(_is_called(row.subject, stated) for row in around):
            return None
        return statement.ruled(wrong("metadata"), f"the title is “{meant[0].subject}”")

    def called_so(self, title: str) -> str:
        """Find a commit that has exactly this title, signed or not."""
        unsigned = signature(title)
        forms = (title, unsigned.title if unsigned else "")
        return next((other for form in forms if (other := self._titled_so(_tokens(form)))), "")

    def _titled_so(self, stated: list[str], but: str = "") -> str:
        """Find another commit that has exactly this title, whatever number closes it."""
        bare = [word for word in stated if not word.isdigit()]
        if len(bare) < _TELLING:
            return ""
        return next((name for name in self._by_title.get(" ".join(bare), ()) if name != but), "")

    def _exactly_titled(self, statement: Statement, evidence: Evidence) -> Finding:
        """Compare a title of our own printing letter by letter; only what Markdown does to it is allowed."""
        shown = {printed(form) for form in _without_notes(statement.params["title"], evidence)}
        real = [printed(one) for one in titles(evidence)]
        verdict = Verdict.SUPPORTED if shown & {*real, *(one or "—" for one in real)} else Verdict.METADATA
        reason = "" if verdict is Verdict.SUPPORTED else f"the title is “{next(titles(evidence), '')}”"
        return judged(statement, Judgement(verdict=verdict, reason=reason), told(evidence))


def _unnumbered(title: str, evidence: Evidence) -> str:
    """Leave out the number of a pull request that the real title does not have, and only that."""
    return title if any(_NUMBERED.search(one) for one in titles(evidence)) else _NUMBERED.sub("", title)


def _without_notes(title: str, evidence: Evidence) -> list[str]:
    """Give a printed title with fewer and fewer of the notes behind it."""
    forms = [title]
    while " — " in forms[-1]:
        forms.append(forms[-1].rpartition(" — ")[0])
    return [*forms, *(_unnumbered(form, evidence) for form in forms)]


def _tokens(text: str) -> list[str]:
    return re.findall(r"[A-Za-z0-9]+|[\u4e00-\u9fff]", plain(text).lower())


def _is_called(subject: str, stated: list[str]) -> bool:
    """Tell whether words are a title, with its number or without, or a part of it."""
    real = _tokens(_NUMBERED.sub("", subject))
    return stated == real or _within(stated, real)


def _within(stated: list[str], real: list[str]) -> bool:
    """Tell whether a title was only shortened at its ends: its words stand in the real one, in order and together."""
    if len(stated) < 3:
        return False
    text, whole = "\0".join(stated), "\0".join(real)
    return f"\0{text}\0" in f"\0{whole}\0"


def _abridges(stated: list[str], real: list[str]) -> bool:
    """Tell whether a title only leaves words out: who does not quote may say it shorter."""
    rest = iter(real)
    return len(stated) >= _TELLING and all(word in rest for word in stated)


def _is_translated(stated: list[str], real: list[list[str]]) -> bool:
    """Tell whether a headline says a title in another language: then it retells and does not quote."""
    return any(not word.isascii() for word in stated) and all(word.isascii() for one in real for word in one)


def _is_retold(stated: list[str], real: list[str]) -> bool:
    """Tell whether words were taken out in one place and put in in another: who misquotes changes them in place."""
    steps = SequenceMatcher(None, stated, real, autojunk=False).get_opcodes()
    out = {word for step in steps if step[0] == "insert" for word in real[step[3] : step[4]]}
    into = {word for step in steps if step[0] == "delete" for word in stated[step[1] : step[2]]}
    # The same words in another order are a title turned round.
    return bool(out and into) and not out & into and all(step[0] != "replace" for step in steps)


def _likeness(stated: list[str], real: list[str]) -> float:
    return SequenceMatcher(None, stated, real, autojunk=False).ratio()
