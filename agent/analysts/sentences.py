"""How a model's answers become claims: the shapes it answers in, its citations, its anchors, and what is said anew."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import BaseModel, Field, create_model

from agent.domain.base import EvidenceId, Language, RepoId
from agent.domain.claims import Anchor, Claim, Kind, Refused, Role
from agent.domain.evidence import CommitEvidence, Evidence
from agent.domain.patch import cut_hunks
from agent.gate.literals import literals
from agent.gate.safety import LONGEST
from agent.gate.text import normal, plain_marks

MOST_SENTENCES, MOST_ANSWERED = 5, 10
NAMES: dict[Language, str] = {"en": "English", "zh": "Chinese (简体中文，全角标点)"}
Found = Mapping[EvidenceId, Evidence]
_TELLING = 4  # Characters of a name or line below which it stands in too many hunks to find one by it
_TOLD = 600  # Characters of an anchor that its writer is shown again when it was refused


# ---------------------------------------------------------------- shapes


class Sentence(BaseModel):
    """One sentence of analysis; the words in each language are fields of the subclass."""

    advice: bool = Field(default=False, description="true where the sentence tells the reader what to do")
    cites: list[str] = Field(default_factory=list, description="handles of the evidence, such as c or #12")
    anchor: str = Field(default="", description="words or diff lines copied verbatim from the evidence")
    old: str = Field(default="", description="a value that was there before, verbatim from a removed line, or empty")
    new: str = Field(default="", description="a value that is there now, verbatim from an added line, or empty")


class Summary(BaseModel):
    """One sentence that rests on sentences which were published already."""

    rests_on: list[str] = Field(default_factory=list, description="handles of the sentences it rests on, such as c1.2")


@cache
def analysis_shape(languages: tuple[Language, ...]) -> type[BaseModel]:
    """Give the shape in which a commit is explained: a headline and sentences, in each language."""
    fields: dict[str, Any] = {f"headline_{lang}": (str, "") for lang in languages}
    return create_model("Analysis", **fields, sentences=_sentences(Sentence, languages, MOST_SENTENCES))


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


def _sentences(base: type[BaseModel], languages: Sequence[Language], most: int | None = None) -> Any:
    """Give the field for a list of sentences in some languages."""
    names = {lang: f"the sentence in {NAMES[lang]}" for lang in languages}
    words: dict[str, Any] = {lang: (str, Field(default="", description=told)) for lang, told in names.items()}
    sentence = create_model(base.__name__, __base__=base, **words)
    # A server that keeps to schemas ends there; what others write beyond is left out, and not the whole answer.
    extra: dict[str, Any] = {"maxItems": most} if most else {}
    return list[sentence], Field(default_factory=list, json_schema_extra=extra)


def words_of(said: BaseModel, languages: Sequence[Language], prefix: str = "") -> dict[Language, str]:
    """Give what was written in each language; without all of them there is no sentence."""
    # Nothing is read beyond the length at which the gate refuses a sentence anyway.
    found: dict[Language, str] = {
        lang: " ".join(str(getattr(said, f"{prefix}{lang}")).split())[: LONGEST + 1] for lang in languages
    }
    return found if all(found.values()) else {}


def asked_languages(languages: Sequence[Language]) -> str:
    """Name the languages as a prompt does."""
    return " and ".join(NAMES[lang] for lang in languages)


# ---------------------------------------------------------------- claims


def commit_claims(
    answer: BaseModel,
    about: CommitEvidence,
    handles: Mapping[str, EvidenceId],
    found: Found,
    languages: Sequence[Language],
) -> list[Claim]:
    """Turn the analysis of a commit into claims: its headline, then its sentences."""
    name = f"{about.repo}@{about.change.commit.sha[:12]}"
    claims: list[Claim] = []
    if text := words_of(answer, languages, "headline_"):
        title = Anchor(cite=about.id, text=about.change.commit.title)
        given: dict[str, Any] = {"repo": about.repo, "about": (about.id,), "cites": (about.id,), "text": text}
        claims.append(Claim(id=f"{name}.m0", role=Role.HEADLINE, anchors=(title,), kind=Kind.STATED, **given))
    said: Sequence[Sentence] = getattr(answer, "sentences", ())
    for number, one in enumerate(said[:MOST_SENTENCES], start=1):
        cites = (about.id, *named_by(one, handles))
        if claim := sentence_claim(f"{name}.m{number}", one, cites, found, languages):
            claims.append(claim)
    return claims


def named_by(said: Sentence, handles: Mapping[str, EvidenceId]) -> list[EvidenceId]:
    """Give what a sentence cites; a handle that was never shown stays as it is."""
    return [handles.get(one.strip("[]` "), one) for one in said.cites]


def sentence_claim(
    name: str, said: Sentence, cites: Iterable[EvidenceId], found: Found, languages: Sequence[Language]
) -> Claim | None:
    """Turn one sentence into a claim about what it cites first; what was never shown stays, for the gate to refuse."""
    text, cites = words_of(said, languages), tuple(dict.fromkeys(cites))
    if not text:
        return None
    repos = {found[cite].repo for cite in cites if cite in found}
    has_anchor = bool(said.anchor.strip() and cites)
    return Claim(
        id=name,
        repo=repos.pop() if len(repos) == 1 else None,
        role=Role.ADVICE if said.advice else Role.EFFECT,
        about=cites[:1],
        cites=cites,
        text=text,
        anchors=with_proof(anchored(said.anchor, cites, found), text, found) if has_anchor else (),
        kind=Kind.ADVICE if said.advice else Kind.STATED,
        old=said.old.strip(),
        new=said.new.strip(),
    )


def summary_claims(
    answer: BaseModel,
    rests: Mapping[str, Claim],
    name: str,
    repo: RepoId | None,
    role: Role,
    languages: Sequence[Language],
) -> list[Claim]:
    """Turn sentences about a day into claims that cite the commits of the sentences they rest on."""
    claims: list[Claim] = []
    said: Iterable[Summary] = getattr(answer, "sentences", ())
    for number, one in enumerate(said, start=1):
        text = words_of(one, languages)
        ground = [rests[handle] for raw in one.rests_on if (handle := raw.strip("[]` ")) in rests]
        if not text or not ground:
            continue
        cites = tuple(dict.fromkeys(cite for claim in ground for cite in claim.about))
        anchors = tuple(dict.fromkeys(one for claim in ground for one in claim.anchors if one.cite in cites))
        claims.append(
            Claim(id=f"{name}{number}", repo=repo, role=role, cites=cites, anchors=anchors, text=text, kind=Kind.STATED)
        )
    return claims


# ---------------------------------------------------------------- anchors


def anchored(text: str, cites: Sequence[EvidenceId], found: Found) -> Anchor:
    """Find which citation holds the anchor, and in a commit which file; the first one where none does."""
    wanted = _bare(text)
    for cite in cites:
        one = found.get(cite)
        if isinstance(one, CommitEvidence):
            if wanted in _bare(one.change.commit.message):
                return Anchor(cite=cite, text=text)
            for file in one.change.files:
                if wanted in _bare(file.patch or ""):
                    return Anchor(cite=cite, text=text, file=file.path)
        elif one is not None and any(wanted in _bare(part) for part in one.texts):
            return Anchor(cite=cite, text=text)
    return Anchor(cite=cites[0], text=text)


def with_proof(anchor: Anchor, text: Mapping[Language, str], found: Found) -> tuple[Anchor, ...]:
    """Put beside an anchor that names nothing of its sentence the nearest line of its hunk or paragraph that does."""
    names = [one.text for lang, words in text.items() for one in literals(plain_marks(words), chinese=lang == "zh")]
    if any(name in anchor.text for name in names):
        return (anchor,)
    for part in _surroundings(anchor, found.get(anchor.cite)):
        lines, whole = part.splitlines(), _bare(anchor.text)
        first = next((place for place, line in enumerate(lines) if _bare(line) and _bare(line) in whole), 0)
        naming = [place for place, line in enumerate(lines) if any(name in line for name in names)]
        if naming:
            near = lines[min(naming, key=lambda place: abs(place - first))]
            return (anchor, anchor.model_copy(update={"text": near.strip() if anchor.file is None else near}))
    return (anchor,)


def _surroundings(anchor: Anchor, evidence: Evidence | None) -> list[str]:
    """Give the hunks or paragraphs in which an anchor stands."""
    if isinstance(evidence, CommitEvidence) and anchor.file:
        patches = [file.patch or "" for file in evidence.change.files if file.path == anchor.file]
        parts = [part.partition("\n")[2] for patch in patches for part in cut_hunks(patch)]
    elif isinstance(evidence, CommitEvidence):
        parts = evidence.change.commit.message.split("\n\n")
    else:
        parts = [part for one in (evidence.texts if evidence else ()) for part in one.split("\n\n")]
    return [part for part in parts if _bare(anchor.text) in _bare(part)]


def _bare(text: str) -> str:
    """Give words without the signs of a diff at the start of its lines."""
    return normal("\n".join(line[1:] if line[:1] in "+- " else line for line in text.splitlines()))


# ---------------------------------------------------------------- repairs


def can_be_repaired(one: Refused) -> bool:
    """Tell what another wording can mend: a judge who stays away or is void it cannot."""
    return all(no.check not in ("no judge", "control") for no in one.reasons)


def refusal_text(number: str, one: Refused) -> str:
    """Tell what was refused and why, with the evidence that is nearest."""
    lines = [f"{number}. {' / '.join(one.claim.text.values())}"]
    lines += [f"   anchor: {anchor.text[:_TOLD]}" for anchor in one.claim.anchors]
    for no in one.reasons:
        near = f" The evidence has: {no.nearest}" if no.nearest else ""
        lines.append(f"   refused: {no.reason}.{near}")
    return "\n".join(lines)


def focus_of(claims: Iterable[Claim]) -> list[str]:
    """List the lines and names by which the hunks are found that sentences speak of."""
    found: dict[str, None] = {}
    for claim in claims:
        lines = [line for anchor in claim.anchors for line in anchor.text.splitlines()]
        bare = [(line[1:] if line[:1] in "+-" else line).strip() for line in lines]
        names = [
            one for lang, words in claim.text.items() for one in literals(plain_marks(words), chinese=lang == "zh")
        ]
        found |= dict.fromkeys(line for line in bare if len(line) >= _TELLING)
        found |= dict.fromkeys(one.text for one in names if one.kind != "number" and len(one.text) >= _TELLING)
    return list(found)
