"""What a conversation is about at the moment, so that "it", "that commit" and "and last week?" mean something."""

import re
from datetime import timedelta

from agent.asking.draft import Draft
from agent.asking.findings import Findings
from agent.asking.inquiry import Act, Aim, Inquiry, Term, Thing
from agent.asking.reference import Kind, Reference, referred
from agent.asking.understanding import Setting, understand
from agent.domain import Frozen
from agent.errors import InputError
from agent.evidence import EvidenceId
from agent.ids import RepoId
from agent.window import Window, midnight, zone

_SHOWN = 10
_SEVERAL = 5
_GOES_ON = re.compile(
    r"^(?:and|or|but|what about|how about|same for|the same for|also|then)\b"
    r"|^(?:那么?|还有|以及|再|换成|至于)|呢[?？。!]*$",
    re.IGNORECASE,
)
_EVERYWHERE = re.compile(
    r"\b(?:both|all|any|either|each|every|which|other) (?:of the )?(?:repos?|repositor(?:y|ies)|projects?)\b"
    r"|\banywhere\b|\beverywhere\b|所有(?:的)?(?:仓库|项目)|哪[个些](?:仓库|项目)|各个?(?:仓库|项目)|每个(?:仓库|项目)|其他(?:仓库|项目)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\bthe (?:day|(?P<week>week)) before\b(?! yesterday)|(?:再往?)?前一(?:天|(?P<zh>周|个星期))", re.IGNORECASE
)
_FILLERS = frozenset(("开始", "别的", "另外", "其他", "其它", "thanks", "okay"))
"""What is no topic in a conversation."""
_WHAT_IT_DOES = re.compile(
    r"\b(?:do|does|did|explain|describe|change[sd]?)\b|做|干|讲|解释|介绍|内容|改", re.IGNORECASE
)
_ABOUT_NAMES = (Aim.CHANGES, Aim.WHO, Aim.WHEN, Aim.COUNT, Aim.FATE)
_OPEN = (Aim.CHANGES, Aim.WHO, Aim.WHEN, Aim.EXPLAIN, Aim.STATUS, Aim.COUNT)
"""Aims that ask nothing by themselves: who, when, how many of what?"""


class Focus(Frozen):
    """What the last question asked for, and what its answer showed."""

    aim: Aim = Aim.CHANGES
    repos: tuple[RepoId, ...] = ()
    window: Window | None = None
    said_when: str = ""
    versions: tuple[str, ...] = ()
    shas: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    names: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    acts: tuple[Act, ...] = ()
    things: tuple[Thing, ...] = ()
    shown: tuple[EvidenceId, ...] = ()
    """Commits and threads of the answer, in the order in which they were shown."""
    authors: tuple[str, ...] = ()
    """Who wrote what was shown."""

    @classmethod
    def of(cls, found: Findings, draft: Draft) -> "Focus":
        """Remember what was asked for, and the first things that were shown."""
        asked = {name: getattr(found.inquiry, name) for name in cls.model_fields if name in Inquiry.model_fields}
        shown = tuple(dict.fromkeys(item.cite for item in draft.items))[:_SHOWN]
        authors = [found.cards[name].author for name in shown if name in found.cards]
        return cls.model_validate(asked | {"shown": shown, "authors": tuple(dict.fromkeys(authors))})

    @property
    def has_topic(self) -> bool:
        """Whether the last question was about something, and not about everything."""
        return bool(self.shas or self.numbers or self.names or self.terms or self.people or self.versions)

    def commits(self) -> list[EvidenceId]:
        """List the commits that were shown."""
        return [name for name in self.shown if re.search(r"@[0-9a-f]{40}$", name)]

    def threads(self) -> list[EvidenceId]:
        """List the issues and pull requests that were shown."""
        return [name for name in self.shown if "#" in name]


def in_context(question: str, setting: Setting, focus: Focus | None) -> Inquiry:
    """Understand a question in the light of the last one: what it leaves open is what was spoken of."""
    inquiry = understand(question, setting)
    if focus is None or inquiry.strangers or inquiry.aim is Aim.BEYOND:
        return inquiry
    inquiry = _earlier(_without_fillers(inquiry), focus)
    reference = None if _is_definite(inquiry) else referred(inquiry.text, about=_has_topic(inquiry))
    if reference is not None and (said := _said(reference, inquiry, focus)) is not None:
        whole, repos = said
        inquiry = _placed(understand(whole, setting), repos, setting)
        return _in_the_same_place(inquiry, focus, setting, timed=True)
    if (reference is not None and reference.kind is Kind.MANY) or _leaves_open(inquiry):
        return _in_the_same_place(_gone_on(inquiry, focus), focus, setting, timed=True)
    if _GOES_ON.search(inquiry.text) and _asks_nothing(inquiry):
        return _in_the_same_place(_asked_again(inquiry, focus), focus, setting, timed=True)
    return _in_the_same_place(inquiry, focus, setting, timed=not _has_topic(inquiry))


# ---------------------------------------------------------------- what a question gives by itself


def _without_fillers(inquiry: Inquiry) -> Inquiry:
    terms = tuple(term for term in inquiry.terms if term.said.lower() not in _FILLERS)
    return inquiry if terms == inquiry.terms else inquiry.model_copy(update={"terms": terms})


def _earlier(inquiry: Inquiry, focus: Focus) -> Inquiry:
    """Count "the day before" from the time that was spoken of."""
    found = _BEFORE.search(inquiry.text)
    if found is None or focus.window is None or (inquiry.window is not None and inquiry.said_when not in found[0]):
        return inquiry
    end = focus.window.start
    days = 7 if found["week"] or found["zh"] else 1
    first = (end.astimezone(zone(focus.window.tz)) - timedelta(days=days)).date()
    window = Window(start=midnight(first, focus.window.tz), end=end, tz=focus.window.tz)
    return inquiry.model_copy(update={"window": window, "said_when": found[0]})


def _is_definite(inquiry: Inquiry) -> bool:
    """Tell whether it names its thing outright, so that "it" is only a word."""
    return bool(inquiry.shas or inquiry.numbers or inquiry.names)


def _has_topic(inquiry: Inquiry) -> bool:
    return bool(_is_definite(inquiry) or inquiry.terms or inquiry.people or inquiry.versions)


def _asks_nothing(inquiry: Inquiry) -> bool:
    """Tell whether it only names something, with no question of its own."""
    if inquiry.reason or set(inquiry.acts) - {Act.CHANGED}:
        return False
    return inquiry.aim is Aim.CHANGES or (inquiry.aim is Aim.EXPLAIN and not _WHAT_IT_DOES.search(inquiry.text))


def _leaves_open(inquiry: Inquiry) -> bool:
    """Tell whether it is only a piece of a question: another time, another repository, who, why, since when."""
    if _has_topic(inquiry) or inquiry.aim not in _OPEN:
        return False
    things = set(inquiry.things) - {Thing.COMMIT} if inquiry.aim is Aim.WHO else set(inquiry.things)
    bare = not things and (not inquiry.acts or inquiry.aim is not Aim.CHANGES)
    return bare or (bool(_GOES_ON.search(inquiry.text)) and not things and _asks_nothing(inquiry))


# ---------------------------------------------------------------- what the last one adds


def _said(reference: Reference, inquiry: Inquiry, focus: Focus) -> tuple[str, list[str]] | None:
    """Say the question in full: with the thing in the place of the word that stands for it, and where that thing is."""
    things = _meant(reference, inquiry, focus)
    if not things:
        return None
    spoken = " ".join(_spelled(thing) for thing in things)
    text = f"{inquiry.text[: reference.start]} {spoken} {inquiry.text[reference.end :]}"
    return text, [re.split("[@#]", thing)[0] for thing in things if _is_cite(thing)]


def _meant(reference: Reference, inquiry: Inquiry, focus: Focus) -> list[str]:
    kind = reference.kind
    if kind is Kind.NTH:
        if reference.nth >= len(focus.shown):
            raise InputError(f"the last answer shows {len(focus.shown)}; there is no number {reference.nth + 1}")
        return [focus.shown[reference.nth]]
    if kind is Kind.PERSON:
        return [*focus.people, *focus.authors][:1]
    topic = [f"`{name}`" for name in focus.names] or [" ".join(term.said for term in focus.terms)] * bool(focus.terms)
    if kind is Kind.NAME:
        return topic[:1]
    if kind is Kind.MANY:
        return [] if focus.has_topic else list(focus.shown[:_SEVERAL])
    named = [*(f"#{one}" for one in focus.numbers), *focus.shas]
    if kind is Kind.THREAD:
        return [*(f"#{one}" for one in focus.numbers), *focus.threads(), *focus.commits()][:1]
    if kind is Kind.COMMIT:
        return [*focus.shas, *focus.commits(), *named][:1]
    of_one = inquiry.reason or inquiry.which_release or inquiry.aim not in _ABOUT_NAMES or not inquiry.acts
    of_one = of_one or inquiry.aim is Aim.CHANGES
    return [*named, *focus.shown, *topic][:1] if of_one else [*named, *topic, *focus.shown][:1]


def _is_cite(thing: str) -> bool:
    return "/" in thing and not thing.startswith("`") and ("@" in thing or "#" in thing)


def _spelled(thing: str) -> str:
    """Write a thing as somebody would in a question."""
    if _is_cite(thing):
        return f"#{thing.rpartition('#')[2]}" if "#" in thing else thing.rpartition("@")[2]
    return thing


def _placed(inquiry: Inquiry, repos: list[str], setting: Setting) -> Inquiry:
    known = tuple(dict.fromkeys(RepoId(repo) for repo in repos if repo in setting.repos))
    return inquiry.model_copy(update={"repos": known}) if known and not inquiry.repos else inquiry


def _gone_on(inquiry: Inquiry, focus: Focus) -> Inquiry:
    """Ask the last question with what is different this time."""
    update: dict[str, object] = {
        name: getattr(focus, name) for name in ("names", "terms", "people", "versions", "shas", "numbers")
    }
    if inquiry.reason or inquiry.aim is Aim.EXPLAIN:
        update |= _first_shown(focus) | {"aim": Aim.EXPLAIN}
    elif inquiry.aim is not Aim.CHANGES and not focus.has_topic:
        update |= _first_shown(focus)
    if inquiry.aim is Aim.CHANGES and not inquiry.reason:
        update |= {"aim": focus.aim, "things": focus.things}
    update |= {} if inquiry.acts else {"acts": focus.acts}
    return inquiry.model_copy(update=update)


def _first_shown(focus: Focus) -> dict[str, object]:
    """Take the one thing that was named, else the first that was shown."""
    if focus.shas or focus.numbers or not focus.shown:
        return {}
    first, bare = focus.shown[0], {"names": (), "terms": (), "people": ()}
    if "#" in first:
        return {"numbers": (int(first.rpartition("#")[2]),), **bare}
    return {"shas": (first.rpartition("@")[2],), **bare}


def _asked_again(inquiry: Inquiry, focus: Focus) -> Inquiry:
    """Ask the same of another thing: who, when, what became of it."""
    one = bool(inquiry.shas or inquiry.numbers)
    fits = focus.aim in (Aim.STATUS, Aim.EXPLAIN, Aim.WHO, Aim.FATE) if one else focus.aim in _ABOUT_NAMES
    return (
        inquiry.model_copy(update={"aim": focus.aim, "acts": focus.acts, "things": focus.things}) if fits else inquiry
    )


def _in_the_same_place(inquiry: Inquiry, focus: Focus, setting: Setting, *, timed: bool) -> Inquiry:
    """Look where the last question looked, unless it says where or when; a question for the time has no other."""
    update: dict[str, object] = {}
    if not inquiry.repos and not _EVERYWHERE.search(inquiry.text):
        update["repos"] = tuple(repo for repo in focus.repos if repo in setting.repos)
    # A commit or thread stands where it is; only a topic goes on in its own time.
    timed = timed and not (inquiry.shas or inquiry.numbers or inquiry.versions) and inquiry.aim is not Aim.WHEN
    if timed and inquiry.window is None:
        update |= {"window": focus.window, "said_when": focus.said_when}
    return inquiry.model_copy(update=update)
