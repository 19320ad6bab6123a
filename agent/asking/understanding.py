"""From a question in anybody's words to what it asks for."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from agent.asking import lexicon as words
from agent.asking import silence
from agent.asking.acts import ACTS, UPGRADING
from agent.asking.inquiry import Act, Aim, Inquiry, Term, Thing
from agent.asking.marks import Marks, marks_of
from agent.asking.periods import Period, period_of
from agent.asking.phrases import phrases_of
from agent.asking.spelling import written_out
from agent.asking.topics import terms_of
from agent.asking.values import turn_of, values_of
from agent.ids import RepoId
from agent.settings import Language

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_PERSON = re.compile(r"\b(?:by|did|has|from|does|author)\s+((?:[A-Z][\w'’.-]+)(?:\s+[A-Z][\w'’.-]+){0,2})")
_OWNER = re.compile(
    r"(?<![对给把为])(?<![对给把为] )(?<![\w¦'-])([A-Za-z][\w-]{2,30})"
    r"(?:'s\s|\s*(?:的|这边|那边|仓库|项目)|\s+(?:repo|repository|project)\b)"
)
_OPEN = re.compile(
    r"\bstill (?:open|broken|unfixed|happen\w*)\b|\b(?:dealt with|handled|taken care of|sorted)\b"
    r"|开着|关了|没关|还没修",
    re.IGNORECASE,
)
_HYPHENED = re.compile(r"(?<![\w-])[a-z]+(?:-[a-z0-9]+)+(?![\w-])")
_PLAIN = ("command-line", "built-in", "opt-in", "opt-out")
_FIRST_NAME = 4
_TOPIC = 2
"""Words and names by which a question says itself what it is about."""


@dataclass(frozen=True)
class Setting:
    """Where and when a question is asked."""

    repos: tuple[RepoId, ...]
    """The repositories that are at hand."""
    now: datetime
    tz: str
    people: tuple[str, ...] = ()
    """Names of authors that are known, so that they are not taken for a topic."""


def understand(question: str, setting: Setting) -> Inquiry:
    """Take a question apart; what is not understood stays a word to look for."""
    text = written_out(" ".join(words.ANY_CASE.sub(" ", unicodedata.normalize("NFKC", question)).split()))
    begins = tuple(found["en"] or found["zh"] for found in words.BEGINNING.finditer(text))
    aside = "; ".join(found[0] for found in words.WITHOUT.finditer(text))
    marks = marks_of(words.BEGINNING.sub(" ¦ ", text), setting.repos)
    period = period_of(text, setting.now, setting.tz)
    rest = words.LABEL.sub(" ¦ ", _without(marks.rest, period))
    without, rest = _left_out(rest)
    repos, strangers, rest = _repositories(marks, rest, setting)
    each = bool(words.EACH.search(rest)) and (len(repos) > 1 or (not repos and bool(words.PROJECTS.search(rest))))
    repos = repos or (setting.repos if each else ())
    people, rest = _people(marks, rest, setting)
    rest = " ".join(rest.split())
    done = UPGRADING.sub(" ¦ ", rest)
    acts = tuple(act for act, pattern in ACTS.items() if pattern.search(done))
    things = tuple(thing for thing, pattern in words.THINGS.items() if pattern.search(rest))
    values = values_of(text)
    # Every name of a model has the word in it somewhere, and what somebody checks before an upgrade is everything.
    topic = words.UPGRADE.sub(" ¦ ", words.THINGS[Thing.MODEL].sub(" ¦ ", rest))
    terms = tuple(term for term in _terms(topic, marks) if term.said not in values)
    versions = tuple(one for one in marks.versions if _is_version(one, period, values, marks))
    inquiry = Inquiry(
        text=text,
        lang=language_of(text),
        aim=Aim.CHANGES,
        repos=repos,
        strangers=strangers,
        window=period.window if period else None,
        said_when=period.said if period else "",
        versions=versions,
        shas=marks.shas,
        numbers=marks.numbers,
        homes=tuple((number, repo) for number, name in marks.homes for repo in setting.repos if repo == name),
        names=tuple(name for name in _flags(marks.names, rest, things) if name not in aside),
        begins=begins,
        people=people,
        terms=terms,
        phrases=phrases_of(rest, terms),
        acts=_settled(acts, of_threads=bool(marks.numbers) or Thing.ISSUE in things),
        things=things,
        values=tuple(value for value in values if value not in versions),
        turn=turn_of(text) if marks.names and not versions else None,
        broad=len(words.WHO.findall(rest)) > 1
        or bool(words.LATER.search(rest))
        or (Act.CHANGED in acts and len(acts) > 1 and bool(words.EITHER.search(rest))),
        reason=bool(words.WHY.search(rest)),
        owners=tuple(dict.fromkeys(one for one in _OWNER.findall(rest) if one.lower() not in silence.WORDS)),
        without=(*without, *(name for name in marks.names if name in aside)),
        when=bool(words.WHEN.search(rest)),
        value=bool(words.WHAT_VALUE.search(rest)),
        often=bool(words.OFTEN.search(rest)),
        merger=bool(words.MERGER.search(rest)),
        origin=bool(words.ORIGIN.search(rest)),
        pins=len(repos) > 1 and bool(words.PINS.search(rest)),
        each=each and len(repos) > 1,
        series=bool(words.SERIES.search(text)) and not words.ONE_PART.search(text),
        first=bool(words.FIRST.search(rest)),
        last=bool(words.LAST.search(rest)),
        follows=bool(words.FOLLOWS.search(rest)),
        bug=bool(words.BUG.search(rest)),
        labels=tuple(label for found in words.LABEL.finditer(text) for label in found.groups() if label),
        mentions=bool(words.MENTIONS.search(rest)),
        contained=len(versions) == 1 and bool(words.CONTAINED.search(rest)),
        opened=bool(words.OPENED.search(rest)),
        which_fix=bool(words.WHICH_FIX.search(rest)),
        which_release=bool(words.WHICH_RELEASE.search(rest)) and not words.MOVED_TO.search(rest),
    )
    if words.MOVED_TO.search(rest) and not inquiry.numbers:
        # The version that something else has come to is a value, and not a release of the repository.
        newest = {"aim": Aim.WHEN, "acts": (Act.BUMPED,), "last": True}
        return inquiry.model_copy(update=newest)
    return inquiry.model_copy(update={"aim": _aim(inquiry, rest)})


def language_of(text: str) -> Language:
    """Answer in the language of the question."""
    return "zh" if _HAN.search(text) else "en"


def _terms(rest: str, marks: Marks) -> list[Term]:
    """Give the words of the topic; what somebody adds behind a question that says what it is about weighs little."""
    every = terms_of(rest)
    sentences = [one.strip() for one in words.SENTENCE.split(rest) if one.strip(" ¦")]
    last = max((place for place, one in enumerate(sentences) if one.endswith(("?", "？"))), default=len(sentences))
    asked = {term.said: term for term in terms_of(" ".join(sentences[: last + 1]))}
    told = [term for term in asked.values() if not term.weak]
    if len(told) + len(marks.names) < _TOPIC:
        return every
    return [term if term.said in asked else term.model_copy(update={"weak": True}) for term in every]


def _without(rest: str, period: Period | None) -> str:
    return rest.replace(period.said, " ¦ ") if period else rest


def _repositories(marks: Marks, rest: str, setting: Setting) -> tuple[tuple[RepoId, ...], tuple[str, ...], str]:
    """Find the repositories that are named, in full or by their short names."""
    known = {one.lower(): one for one in setting.repos}
    named = [known[one.lower()] for one in marks.repos if one.lower() in known]
    strangers = [one for one in marks.repos if one.lower() not in known]
    for repo in setting.repos:
        short = re.compile(rf"(?<![\w/-]){re.escape(repo.partition('/')[2])}(?:'?s)?(?![\w/-])", re.IGNORECASE)
        if short.search(rest):
            named.append(repo)
            rest = short.sub(" ¦ ", rest)
    return tuple(dict.fromkeys(named)), tuple(dict.fromkeys(strangers)), rest


def _people(marks: Marks, rest: str, setting: Setting) -> tuple[tuple[str, ...], str]:
    found = list(marks.people)
    said = rest.lower()
    # Thousands of names may be known: only those whose first word is there at all are looked at closely.
    likely = [name for name in setting.people if name.split() and name.removesuffix("[bot]").split()[0].lower() in said]
    spelled = [(form, name) for name in likely for form in _spellings(name)]
    # The longest first: who is written in full is not somebody else with the same first name.
    for form, name in sorted(spelled, key=lambda one: -len(one[0])):
        if form.lower() in said and (pattern := _as_word(form)).search(rest):
            found.append(name)
            rest = pattern.sub(" ¦ ", rest)
    for match in _PERSON.finditer(rest):
        if not any(match[1].lower() in one.lower() for one in found) and match[1].lower() not in silence.WORDS:
            found.append(match[1])
            rest = rest.replace(match[1], " ¦ ")
    return tuple(dict.fromkeys(found)), rest


def _spellings(name: str) -> list[str]:
    """Give how people write an author's name: in full, or the first name alone; Chinese has no spaces around it."""
    bare = name.removesuffix("[bot]")
    if _HAN.fullmatch(bare):
        return [bare] if len(bare) > 1 else []
    forms = [bare] if len(bare) > 1 else []
    first = bare.split()[0] if len(bare.split()) > 1 else ""
    # Nobody means an author by a word that every question may have: `will`, `may`.
    alone = len(first) >= _FIRST_NAME and first.isalpha() and first.lower() not in silence.WORDS
    return [*forms, first] if alone else forms


@lru_cache(maxsize=1_000)
def _as_word(form: str) -> re.Pattern[str]:
    if _HAN.fullmatch(form):
        return re.compile(re.escape(form))
    # A short name may be a word or a product as well.
    return re.compile(rf"(?<!\w){re.escape(form)}(?!\w)(?:'s)?", re.IGNORECASE if len(form) >= _FIRST_NAME else 0)


def _is_version(text: str, period: Period | None, values: Sequence[str], marks: Marks) -> bool:
    """Tell a version from a day that is written with a dot, and from the value of something that is named."""
    plain_number = re.fullmatch(r"\d+\.\d+", text) is not None
    return not (period and text in period.said) and not (plain_number and marks.names and text in values)


def _flags(names: tuple[str, ...], rest: str, things: Sequence[Thing]) -> tuple[str, ...]:
    """Take words with hyphens for names of flags where a question speaks of flags."""
    if Thing.FLAG not in things:
        return names
    return tuple(dict.fromkeys((*names, *(found for found in _HYPHENED.findall(rest) if found not in _PLAIN))))


def _left_out(rest: str) -> tuple[tuple[str, ...], str]:
    """Take out what is not to be counted."""
    found = [(match["zh"] or match["en"] or match["aside"]).strip(" ¦") for match in words.WITHOUT.finditer(rest)]
    return tuple(one for one in found if one), words.WITHOUT.sub(" ¦ ", rest)


def _settled(acts: Sequence[Act], *, of_threads: bool) -> tuple[Act, ...]:
    """Keep the acts that say something definite where there are any; a thread that is shut is done with."""
    if of_threads:
        acts = tuple(dict.fromkeys(Act.FIXED if act is Act.DISABLED else act for act in acts))
    definite = [act for act in acts if act is not Act.CHANGED]
    return tuple(definite or acts)


# ---------------------------------------------------------------- what is wanted


def _aim(inquiry: Inquiry, rest: str) -> Aim:
    """Choose the kind of answer, the most definite question words first."""
    if words.BEYOND.search(_asking(inquiry.text)):
        return Aim.BEYOND
    if _counts(inquiry, rest):
        return Aim.COUNT
    one_change = bool(inquiry.shas or inquiry.numbers)
    back = Act.REVERTED in inquiry.acts and bool(
        {Act.RELANDED, Act.ADDED} & set(inquiry.acts) or words.LATER.search(rest)
    )
    if back and not words.WHO.search(rest) and (inquiry.names or inquiry.terms or one_change):
        return Aim.FATE
    lived = {Act.ADDED, Act.REMOVED} <= set(inquiry.acts) and not words.WHO.search(rest)
    if (lived or words.COURSE.search(rest)) and inquiry.names and not one_change:
        return Aim.FATE
    asks_state = bool(words.STATUS.search(rest) or words.WHICH_RELEASE.search(rest))
    if words.WHO.search(rest):
        return Aim.WHO
    if inquiry.numbers and asks_state and not words.EXPLAIN.search(rest):
        return Aim.STATUS
    if words.FATE.search(rest) and (one_change or Act.REVERTED in inquiry.acts or inquiry.names or inquiry.terms):
        return Aim.FATE
    if len(inquiry.versions) >= 2 and (words.BROKE.search(rest) or not (inquiry.names or inquiry.terms)):
        return Aim.BROKE
    if one_change:
        return Aim.STATUS if inquiry.numbers and asks_state else Aim.EXPLAIN
    if words.WHEN.search(rest) or words.WHAT_VALUE.search(rest):
        return Aim.WHEN
    if asks_state and (
        Act.FIXED in inquiry.acts or inquiry.bug or Thing.ISSUE in inquiry.things or _is_open(inquiry, rest)
    ):
        return Aim.STATUS
    topical = any(not term.weak for term in inquiry.terms) and Thing.BREAKING not in inquiry.things
    broke = words.BROKE.search(rest) or words.UPGRADE.search(rest)
    if broke and not inquiry.names and not (topical and not _asks_breakage(inquiry)):
        return Aim.BROKE
    if words.SUMMARY.search(rest) and not inquiry.names:
        return Aim.SUMMARY
    return Aim.CHANGES


def _asking(text: str) -> str:
    """Leave out the sentences that only tell what somebody met, where others ask."""
    asking = [one for one in words.SENTENCE.split(text) if one.strip() and not one.rstrip().endswith((".", "。"))]
    return " ".join(asking) or text


def _asks_breakage(inquiry: Inquiry) -> bool:
    """Tell whether it is asked what broke; who tells of trouble with one thing asks what changed about it."""
    return Act.FIXED not in inquiry.acts and bool(words.BREAKS.search(_asking(inquiry.text)))


def _is_open(inquiry: Inquiry, rest: str) -> bool:
    """Tell whether it is asked if something is open; of a default that means whether it is on."""
    return Thing.DEFAULT not in inquiry.things and bool(_OPEN.search(rest))


def _counts(inquiry: Inquiry, rest: str) -> bool:
    if inquiry.often and (inquiry.names or inquiry.terms):
        return True
    if words.HOW_MANY.search(rest):
        return not words.WHAT_VALUE.search(rest)
    more = words.MORE.search(rest)
    return bool(more) and bool(inquiry.things) and not (inquiry.names or inquiry.shas or inquiry.terms)
