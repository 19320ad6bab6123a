"""How the words of an analyst become a claim: every name of evidence turns into a mark, or stays and fails the gate."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pydantic import Field

from agent.claims import Claim, Kind, Quote, Role
from agent.domain import Frozen
from agent.evidence import EvidenceId
from agent.ids import Reference, RepoId, parse_reference
from agent.settings import Language

_REPO = r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}/[A-Za-z0-9._-]{1,100}"
_URL = r"https?://[^\s<>()\[\]`，。；、（）]+"
_NAMED = re.compile(
    rf"\[(?P<label>[^\[\]\n]{{0,200}})\]\((?P<target>{_URL})\)"
    rf"|(?P<url>{_URL})"
    r"|(?<![\w\])])\[(?P<handles>[A-Za-z]{1,8}\d{1,4}(?:[,，、;\s]+[A-Za-z]{1,8}\d{1,4})*)\](?!\()"
    rf"|(?P<tick>`?)(?P<name>(?<![\w/.@-]){_REPO}(?:@[0-9a-f]{{7,40}}|\#[1-9]\d{{0,9}})(?![\w-])"
    r"|(?<![\w/&.-])(?:\#|GH-)[1-9]\d{0,9}(?![\w-])"
    r"|(?<![\w.@/-])[0-9a-f]{7,40}(?![\w-]))(?P=tick)",
    re.ASCII,
)


@dataclass(frozen=True, kw_only=True)
class Shown:
    """The closed list of evidence that an analyst was shown."""

    handles: Mapping[str, EvidenceId]
    """By the handles it was shown under, such as `c1` and `i2`."""
    known: frozenset[EvidenceId] = frozenset()
    """Everything known to exist, shown or not: an abbreviated hash must be unique among all of it."""
    background: frozenset[EvidenceId] = frozenset()
    """What is of earlier days and may not be told as new."""
    repo: RepoId | None = None
    """What a number or hash without a repository belongs to."""

    def find(self, name: str) -> EvidenceId | None:
        """Resolve a handle, a hash, a number or an address to evidence that was shown."""
        name = name.strip().strip("[]`")
        if name in self.handles:
            return self.handles[name]
        shown = set(self.handles.values())
        if name in shown:
            return name
        reference = parse_reference(name, self.repo)
        if reference is None:
            return None
        fitting = {one for one in shown | self.known if _is_meant(one, reference)}
        lower = {one.lower() for one in fitting}
        return next((one for one in shown if len(lower) == 1 and one.lower() in lower), None)


def _is_meant(known: EvidenceId, reference: Reference) -> bool:
    """Tell whether a reference can mean an artefact; GitHub's names know no case."""
    if reference.kind == "thread":
        return reference.repo is not None and known.lower() == f"{reference.repo}#{reference.number}".lower()
    repo, _, sha = known.partition("@")
    own = reference.repo is None or repo.lower() == reference.repo.lower()
    return own and len(sha) == 40 and sha.startswith(reference.sha)


class Draft(Frozen):
    """A claim as an analyst writes it: words in which evidence is named by handles, or as people name it."""

    id: str
    role: Role
    repo: RepoId | None = None
    text: dict[Language, str] = Field(default_factory=dict)
    cites: tuple[str, ...] = ()
    """Handles that are cited beside those that stand in the words."""
    about: tuple[str, ...] = ()
    quotes: tuple[Quote, ...] = ()
    """Quotations; each names its source by handle."""
    speech: bool = False


def settle(draft: Draft, shown: Shown) -> Claim:
    """Turn a draft into a claim; what names nothing that was shown stays as it is, for the gate to refuse."""
    cited = dict.fromkeys(_all_names(draft, shown))
    cites = [one for one in cited if one not in shown.background]
    background = [one for one in cited if one in shown.background]
    marks = {one: f"[@{number}]" for number, one in enumerate((*cites, *background), start=1)}
    return Claim(
        id=draft.id,
        repo=draft.repo,
        role=draft.role,
        about=tuple(dict.fromkeys(shown.find(name) or name for name in draft.about)),
        cites=tuple(cites),
        background=tuple(background),
        quotes=tuple(quote.model_copy(update={"cite": shown.find(quote.cite) or quote.cite}) for quote in draft.quotes),
        speech=draft.speech,
        kind=Kind.QUOTATION if draft.speech else Kind.STATED,
        text={lang: _marked(text, shown, marks) for lang, text in draft.text.items()},
    )


def _all_names(draft: Draft, shown: Shown) -> Iterator[EvidenceId]:
    """List everything cited, in the order in which it is first named."""
    for lang in sorted(draft.text):
        for match in _NAMED.finditer(draft.text[lang]):
            yield from (found for name in _names(match) if (found := shown.find(name)))
    for name in (*draft.cites, *draft.about, *(quote.cite for quote in draft.quotes)):
        yield shown.find(name) or name


def _names(match: re.Match[str]) -> list[str]:
    if match["handles"]:
        return re.findall(r"[A-Za-z]+\d+", match["handles"])
    return [(match["target"] or match["url"] or match["name"]).rstrip(".,;:!?")]


def _marked(text: str, shown: Shown, marks: Mapping[EvidenceId, str]) -> str:
    """Put a mark in the place of every name that was shown."""
    return _NAMED.sub(lambda match: _mark(match, shown, marks), text)


def _mark(match: re.Match[str], shown: Shown, marks: Mapping[EvidenceId, str]) -> str:
    found = [(name, shown.find(name)) for name in _names(match)]
    # Half of a list that was shown is no list that was shown.
    if any(one is None for _, one in found):
        return match[0]
    mark = "".join(marks[one] for _, one in found if one)
    name = found[0][0]
    end = match[0][match[0].rindex(name) + len(name) :] if match["url"] else ""
    label = (match["label"] or "").strip("` ")
    said = "" if not label or shown.find(label) or parse_reference(label) else f"{label} "
    return f"{said}{mark}{end}"
