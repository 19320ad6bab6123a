"""What somebody asks, as far as code understands it."""

from enum import StrEnum

from agent.domain import Frozen
from agent.ids import RepoId
from agent.settings import Language
from agent.window import Window


class Aim(StrEnum):
    """What kind of answer is wanted."""

    CHANGES = "changes"
    """What changed in something, or which commits speak of it."""
    STATUS = "status"
    """How an issue or a pull request stands, and in which release its fix is."""
    EXPLAIN = "explain"
    """What one commit or pull request does."""
    WHO = "who"
    WHEN = "when"
    """When something changed, and from what to what."""
    BROKE = "broke"
    """What users must adapt to."""
    COUNT = "count"
    FATE = "fate"
    """What became of a change."""
    SUMMARY = "summary"
    BEYOND = "beyond"
    """Forecasts, opinions, measurements: nothing that commits and threads can tell."""


class Act(StrEnum):
    """What is said to have happened to something."""

    ADDED = "added"
    REMOVED = "removed"
    RENAMED = "renamed"
    MOVED = "moved"
    RAISED = "raised"
    LOWERED = "lowered"
    CHANGED = "changed"
    DEPRECATED = "deprecated"
    ENABLED = "enabled"
    DISABLED = "disabled"
    FIXED = "fixed"
    REVERTED = "reverted"
    RELANDED = "relanded"
    BUMPED = "bumped"
    BROKEN = "broken"


class Thing(StrEnum):
    """Of what kind the things are that a question speaks of in general."""

    COMMIT = "commit"
    ISSUE = "issue"
    PULL = "pull request"
    RELEASE = "release"
    FLAG = "flag"
    ENV = "environment variable"
    DEPENDENCY = "dependency"
    DEFAULT = "default"
    LIMIT = "limit"
    SYMBOL = "symbol"
    FILE = "file"
    BREAKING = "breaking change"
    REVERT = "revert"
    AUTHOR = "author"
    PICK = "cherry-pick"
    MODEL = "model"


class Term(Frozen):
    """One word of the topic, with everything that is as good as it, as beginnings of English words or as it stands."""

    said: str
    forms: tuple[str, ...]
    weak: bool = False
    """It is more likely a manner of speaking than the topic."""


class Inquiry(Frozen):
    """A question taken apart."""

    text: str
    lang: Language
    aim: Aim
    repos: tuple[RepoId, ...] = ()
    """The repositories that it names; empty where it names none."""
    strangers: tuple[str, ...] = ()
    """Repositories that it names and that are not at hand."""
    window: Window | None = None
    said_when: str = ""
    """The words that gave the window."""
    versions: tuple[str, ...] = ()
    shas: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    homes: tuple[tuple[int, RepoId], ...] = ()
    """Which repository a number belongs to, where the question says so."""
    names: tuple[str, ...] = ()
    """Identifiers, flags, variables, paths and what stands in quotation marks."""
    people: tuple[str, ...] = ()
    terms: tuple[Term, ...] = ()
    phrases: tuple[tuple[str, ...], ...] = ()
    """Words of the topic that stand side by side."""
    acts: tuple[Act, ...] = ()
    things: tuple[Thing, ...] = ()
    turn: tuple[str, str] | None = None
    """The old and the new value, where both are told."""
    values: tuple[str, ...] = ()
    """Numbers and words that are said to be the old or the new value."""
    bug: bool = False
    """It speaks of something that goes wrong."""
    labels: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    """Words that own something, as repositories do: "vllm's scheduler"."""
    without: tuple[str, ...] = ()
    """Words whose commits are not to be counted or listed."""
    begins: tuple[str, ...] = ()
    """What the titles of the commits are to begin with."""
    mentions: bool = False
    """It asks for commits that say something, wherever they say it."""
    contained: bool = False
    """It asks whether a release has something."""
    broad: bool = False
    """It asks for several acts at once."""
    opened: bool = False
    """It asks for whoever reported it."""
    which_fix: bool = False
    """It takes for granted that something was fixed."""
    which_release: bool = False
    reason: bool = False
    """It asks why."""
    when: bool = False
    """It asks for a day, whatever else it asks for."""
    value: bool = False
    """It asks what something is, was or became."""
    often: bool = False
    """It asks how often something happened."""
    merger: bool = False
    """It asks who merged something."""
    origin: bool = False
    """It asks where something was picked from, or what a merge brought in."""
    pins: bool = False
    """It asks which version of one repository another one uses."""
    each: bool = False
    """It asks the same of every repository by itself."""
    series: bool = False
    """It asks for the numbered parts of one piece of work."""
    first: bool = False
    last: bool = False
    follows: bool = False
    """It speaks of something that was named before: "it", "that commit"."""
