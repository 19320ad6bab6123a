"""How a model's answers become claims: the shapes it answers in, its citations, and its anchors."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, create_model

from agent.domain.base import EvidenceId, Language
from agent.domain.claims import Anchor, Claim, Kind
from agent.domain.evidence import CommitEvidence, Evidence
from agent.domain.patch import cut_hunks
from agent.gate.literals import Literal, literals
from agent.gate.safety import LONGEST
from agent.gate.text import normal, plain_marks

MOST_SENTENCES, MOST_ANSWERED = 5, 10
NAMES: dict[Language, str] = {"en": "English", "zh": "Chinese (简体中文，全角标点)"}
Found = Mapping[EvidenceId, Evidence]
Shown = Mapping[str, Evidence]  # Pieces of evidence by their handles
_TELLING = (
    4  # Characters of a name or line below which it stands in too many hunks to find one by it
)


# ---------------------------------------------------------------- shapes


class Sentence(BaseModel):
    """One sentence of analysis; the words in each language are fields of the subclass."""

    advice: bool = Field(
        default=False, description="true where the sentence tells the reader what to do"
    )
    cites: list[str] = Field(
        default_factory=list, description="handles of the evidence, such as c or #12"
    )
    anchor: str = Field(
        default="", description="words or diff lines copied verbatim from the evidence"
    )
    old: str = Field(
        default="",
        description="a value that was there before, verbatim from a removed line, or empty",
    )
    new: str = Field(
        default="", description="a value that is there now, verbatim from an added line, or empty"
    )


class Summary(BaseModel):
    """One sentence that rests on sentences which were published already."""

    rests_on: list[str] = Field(
        default_factory=list, description="handles of the sentences it rests on, such as c1.2"
    )


@cache
def analysis_shape(languages: tuple[Language, ...]) -> type[BaseModel]:
    """Give the shape in which a commit is explained: a headline and sentences, in each language."""
    fields: dict[str, Any] = {f"headline_{lang}": (str, "") for lang in languages}
    return create_model(
        "Analysis", **fields, sentences=_sentences(Sentence, languages, MOST_SENTENCES)
    )


@cache
def repair_shape(languages: tuple[Language, ...]) -> type[BaseModel]:
    """Give the shape in which refused sentences are said anew, each under its number."""
    numbered = create_model("NumberedSentence", __base__=Sentence, id=(str, ""))
    return create_model("Repair", sentences=_sentences(numbered, languages))


@cache
def answer_shape(lang: Language) -> type[BaseModel]:
    """Give the shape in which a question is answered: sentences, or that nothing answers it, and what comes nearest."""
    nothing = "true where nothing that was read answers the question, or it takes for granted what is not so"
    near = "handles of what comes nearest, where nothing answers"
    return create_model(
        "Answer",
        abstains=(bool, Field(default=False, description=nothing)),
        sentences=_sentences(Sentence, (lang,), MOST_ANSWERED),
        nearest=(list[str], Field(default_factory=list, description=near)),
    )


@cache
def summary_shape(languages: tuple[Language, ...]) -> type[BaseModel]:
    """Give the shape in which a day is summed up."""
    return create_model("DaySummary", sentences=_sentences(Summary, languages))


def _sentences(
    base: type[BaseModel], languages: Sequence[Language], most: int | None = None
) -> Any:
    told = {
        lang: Field(default="", description=f"the sentence in {NAMES[lang]}") for lang in languages
    }
    words: dict[str, Any] = {lang: (str, one) for lang, one in told.items()}
    sentence = create_model(base.__name__, __base__=base, **words)
    # A server that keeps to schemas ends there; what others write beyond is left out, and not the whole answer.
    return list[sentence], Field(
        default_factory=list, json_schema_extra={"maxItems": most} if most else {}
    )


def words_of(
    said: BaseModel, languages: Sequence[Language], prefix: str = ""
) -> dict[Language, str]:
    """Give what was written in each language; without all of them there is no sentence."""
    whole = {lang: " ".join(str(getattr(said, f"{prefix}{lang}")).split()) for lang in languages}
    # Nothing is read beyond the length at which the gate refuses a sentence anyway.
    return (
        {lang: words[: LONGEST + 1] for lang, words in whole.items()} if all(whole.values()) else {}
    )


def asked_languages(languages: Sequence[Language]) -> str:
    """Name the languages as a prompt does."""
    return " and ".join(NAMES[lang] for lang in languages)


# ---------------------------------------------------------------- claims


def cited(text: str, handles: Mapping[str, EvidenceId]) -> EvidenceId:
    """Find what a model cites: by its handle, its name, its number or the beginning of its hash."""
    text, names = text.strip("[]` "), [*handles.values()]
    ends = [name for name in names if name.endswith((f"#{text.lstrip('#')}", f"@{text}"))]
    begun = [
        name
        for name in names
        if len(text) > 6 and name.partition("@")[2].startswith(text.rpartition("@")[2])
    ]
    return handles.get(text) or next(
        iter((*(name for name in names if name == text), *ends, *begun)), text
    )


def sentence_claim(
    name: str, said: Sentence, shown: Shown, languages: Sequence[Language], about: str | None = None
) -> Claim | None:
    """Turn a sentence into a claim about what it cites first; what was never shown stays, for the gate to refuse."""
    handles, found = (
        {key: one.id for key, one in shown.items()},
        {one.id: one for one in shown.values()},
    )
    named = [cited(one, handles) for one in said.cites if one.strip()]
    text, cites = (
        words_of(said, languages),
        tuple(dict.fromkeys([about, *named] if about else named)),
    )
    if not text:
        return None
    repos = {found[cite].repo for cite in cites if cite in found}
    return Claim(
        id=name,
        repo=repos.pop() if len(repos) == 1 else None,
        role="advice" if said.advice else "effect",
        about=cites[:1],
        cites=cites,
        text=text,
        anchors=_with_proof(anchored(said.anchor, cites, found), text, found)
        if said.anchor.strip() and cites
        else (),
        kind=Kind.ADVICE if said.advice else Kind.STATED,
        old=said.old.strip(),
        new=said.new.strip(),
    )


def anchored(text: str, cites: Sequence[EvidenceId], found: Found) -> Anchor:
    """Find which citation holds the anchor, and in a commit which file; the first one where none does."""
    wanted = _bare(text)
    held = (
        (cite, file)
        for cite in cites
        for file, part in _parts(found.get(cite))
        if wanted in _bare(part)
    )
    cite, file = next(held, (cites[0], None))
    return Anchor(cite=cite, text=text, file=file)


def _with_proof(anchor: Anchor, text: Mapping[Language, str], found: Found) -> tuple[Anchor, ...]:
    """Put beside an anchor that names nothing of its sentence the nearest line of its hunk or paragraph that does."""
    names, wanted = [one.text for one in _literals(text)], _bare(anchor.text)
    texts = [part for file, part in _parts(found.get(anchor.cite)) if file == anchor.file]
    if any(name in anchor.text for name in names):
        texts = []
    for part in (
        part for one in texts for part in (cut_hunks(one) if anchor.file else one.split("\n\n"))
    ):
        lines = part.splitlines()[1 if anchor.file else 0 :]
        naming = [place for place, line in enumerate(lines) if any(name in line for name in names)]
        if naming and wanted in _bare("\n".join(lines)):
            first = next(
                (
                    place
                    for place, line in enumerate(lines)
                    if _bare(line) and _bare(line) in wanted
                ),
                0,
            )
            near = lines[min(naming, key=lambda place: abs(place - first))]
            return (
                anchor,
                anchor.model_copy(update={"text": near if anchor.file else near.strip()}),
            )
    return (anchor,)


def _literals(text: Mapping[Language, str]) -> list[Literal]:
    return [
        one
        for lang, words in text.items()
        for one in literals(plain_marks(words), chinese=lang == "zh")
    ]


def _parts(evidence: Evidence | None) -> Iterator[tuple[str | None, str]]:
    """Give what can be quoted of evidence: words, and of a commit the patches with the paths of their files."""
    if isinstance(evidence, CommitEvidence):
        yield None, evidence.change.commit.message
        yield from ((file.path, file.patch or "") for file in evidence.change.files)
    elif evidence is not None:
        yield from ((None, text) for text in evidence.texts)


def _bare(text: str) -> str:
    """Give words without the signs of a diff at the start of its lines."""
    return normal("\n".join(line[1:] if line[:1] in "+- " else line for line in text.splitlines()))


def focus_of(claims: Iterable[Claim]) -> list[str]:
    """List the lines and names by which the hunks are found that sentences speak of."""
    found: dict[str, None] = {}
    for claim in claims:
        lines = [line for anchor in claim.anchors for line in anchor.text.splitlines()]
        bare = [(line[1:] if line[:1] in "+-" else line).strip() for line in lines]
        names = [one.text for one in _literals(claim.text) if one.kind != "number"]
        found |= dict.fromkeys(one for one in (*bare, *names) if len(one) >= _TELLING)
    return list(found)
