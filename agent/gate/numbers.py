"""Whether every number of a claim stands in the evidence or was worked out from it by code."""

import re
from collections.abc import Iterable
from decimal import Decimal

from agent.claims import MARK, Claim, Judgement, Verdict
from agent.dossier import Computation, Dossier
from agent.evidence import CommitEvidence, Evidence
from agent.gate.atoms import Atom, atoms
from agent.gate.counts import counted, miscounted, totals
from agent.gate.enumerations import list_lengths
from agent.gate.figures import Figures, figures, told_counts
from agent.gate.nearness import is_near, named_value, other_values
from agent.gate.nouns import Noun
from agent.gate.numerals import numerals
from agent.gate.predicates import prose
from agent.gate.stems import words_of
from agent.gate.sums import results
from agent.gate.units import UNITS, Unit
from agent.settings import Language

_ADDED = re.compile(r"\badd(?:s|ed|ing)?\b|\binsert|新增|增加|添加|加入", re.IGNORECASE)
_DELETED = re.compile(r"\b(?:delet|remov|drop)(?:es|e|s|ed|ing|ping|ped)?\b|删除|移除|去掉|减少", re.IGNORECASE)
_MODES = ("100644", "100755", "120000", "160000", "040000")
_LINES, _NEAR = 3000, 24
_FEW, _TIMES = 100, tuple(map(Decimal, range(2, 9)))
_ABOUT = re.compile(
    r"(?:约|近|超过|逾|~|≈|\b(?:about|around|roughly|nearly|some|almost|approximately|over))\s?$", re.IGNORECASE
)
_PART = re.compile(r"[/–~]\s?\d|-\d")
_SPELLED = re.compile(r"(?<=\d)([A-Za-z]{1,3})\b")
_COUNTS = re.compile(
    r"\s*[个处条项种次份类块名位层组套张台轮步段枚款批]|\s+(?:[a-z-]+\s+)?[a-z]{3,}s\b(?<!ss)(?<!is)(?<!us)"
)
_HEAD = re.compile(r"\s+(?:[\w-]+\s+){0,3}?(?P<noun>[a-z]{3,}s)\b(?<!ss)(?<!is)(?<!us)")
_PLACES = re.compile(r"\s*(?:处|个位置|个地方)|\s+(?:[a-z-]+\s+){0,2}(?:places?|spots?|sites?|hunks?|locations?)\b")
_UNCHANGED = re.compile(
    r"(?:\bfrom|[由从])\s*(?P<quote>[`\"“]?)(?P<value>-?[\w.]*\d(?:[\w.]*\w)?)[`\"”]?\s*"
    r"(?:to\b|[变改升降调增减提换](?:为|成|到|至|高到|低到|整为|加到|少到)?|到|至|→)\s*(?P=quote)(?P=value)(?![\w.]*\w)"
)
"""What went from a value to the same one has not gone anywhere."""
_COMPUTED: dict[Noun, str] = {"files": "file", "lines": "line", "commits": "commit", "issues": "issue", "pulls": "pull"}


def numbers(claim: Claim, dossier: Dossier, lang: Language) -> Judgement | None:
    """Find the first number that neither the evidence nor a computation gives.

    What is written out ("three backends") counts things that nobody registered: there no rule can tell.
    """
    if claim.predicate == "counts" and (failure := miscounted(claim, dossier)):
        return failure
    text = prose(claim, lang)
    if same := _UNCHANGED.search(text):
        return Judgement(
            verdict=Verdict.NUMBER, reason=f"{same['value']} to {same['value']} is no change", check="literal"
        )
    evidence = [dossier.found[cite] for cite in claim.sources]
    doubt: Judgement | None = None
    for atom in atoms(text):
        if reason := _wrong(atom, claim, text, evidence, dossier):
            check = "count" if atom.noun else "literal"
            if not _may_be(atom, evidence):
                return Judgement(verdict=Verdict.NUMBER, reason=reason, check=check)
            doubt = doubt or Judgement(verdict=Verdict.UNDECIDED, reason=reason, check=check)
    return doubt


def _may_be(atom: Atom, evidence: list[Evidence]) -> bool:
    """Tell whether a number may be right that nobody registered: a count of a part, a ratio, the mode of a file."""
    # What stands in code is looked up letter by letter as a name.
    if atom.word or atom.in_code or atom.text in _MODES or _ABOUT.search(atom.before) or _PART.match(atom.after):
        return True
    if atom.unit and atom.unit.dimension == "times":
        return atom.value in _TIMES
    if atom.noun is not None:
        # A part of the files and lines of a change may be meant, never more than there are.
        most = max(counted(atom.noun, "", "", evidence), default=Decimal(0))
        return atom.noun in ("issues", "pulls", "commits") or (
            not atom.sign and atom.value is not None and atom.value < most
        )
    if atom.unit and any(atom.value in figures(text).bare for one in evidence for text in one.texts):
        return True
    if re.search(r"(?:第|\blines?|\bL)\s?$", atom.before) or _is_worked_out(atom, evidence):
        return True
    if atom.value is None:
        # 3D and 7B are names more than numbers.
        return re.fullmatch(r"\d{1,3}[A-Za-z-]+", atom.text) is not None
    return atom.value < _FEW and _COUNTS.match(atom.after) is not None


def _is_worked_out(atom: Atom, evidence: list[Evidence]) -> bool:
    """Tell whether two numbers of one line give this one: 64 * 1024, 1 << 20, from 128 to 512."""
    lines = (line for one in evidence for text in one.texts for line in text.split("\n")[:_LINES])
    return any(atom.value in results(line[:200]) for line in lines if atom.value is not None)


def _wrong(atom: Atom, claim: Claim, text: str, evidence: list[Evidence], dossier: Dossier) -> str:
    if atom.noun is not None:
        return _wrong_count(atom, evidence, dossier, claim)
    if _signed_total(atom, text):
        return _wrong_sign(atom, evidence)
    known = [figures(one) for artefact in evidence for one in artefact.texts]
    if _is_computed(atom, dossier, claim):
        return ""
    if _is_written(atom, evidence, known):
        return _misplaced(atom, evidence)
    if atom.word and atom.value in _enumerated(atom, claim, text, evidence):
        return ""
    return f"{atom.text} stands nowhere in the cited evidence"


# ---------------------------------------------------------------- literally


def _is_written(atom: Atom, evidence: Iterable[Evidence], known: list[Figures]) -> bool:
    if atom.value is None:
        version = atom.text.lower().removeprefix("v")
        return any(one.has_version(version) for one in known) or _is_token(atom.text, evidence)
    if any(one.has(atom.value, atom.unit) for one in known):
        return atom.unit is None or _has_unit(atom, atom.unit, evidence)
    if atom.unit is not None and any(one.rounds_to(atom.value, atom.unit) for one in known):
        return True
    # "CUDA 12" and "Python 3.12" name a version by its first numbers, "SM 90" and "K = 7168" stand in names: sm90.
    named = re.search(r"[A-Z][A-Za-z]*\s$", atom.before)
    joined = re.search(r"(?<![A-Za-z])([A-Za-z]{1,8})[\s=:]{1,3}$", atom.before)
    if joined and atom.unit is None and _is_joined(joined[1], atom.text, evidence):
        return True
    if atom.unit is not None or ("." not in atom.text and named is None):
        return False
    return any(one.has_version(atom.text) for one in known) or _is_behind_letters(atom.text, evidence)


def _is_behind_letters(version: str, evidence: Iterable[Evidence]) -> bool:
    """Tell whether a version stands right behind the name of what it is of: `ctk13.1`."""
    glued = re.compile(rf"[A-Za-z]{re.escape(version)}(?![\w.]*\d)")
    return "." in version and any(glued.search(text) for one in evidence for text in one.texts)


def _has_unit(atom: Atom, unit: Unit, evidence: Iterable[Evidence]) -> bool:
    """Tell whether the line of a number has its unit: `delay_ms = 5000` is not 5000 s, `delay = 5` may be either."""
    if unit.dimension not in ("time", "size"):
        return True
    number = re.compile(rf"(?<![\w.]){re.escape(atom.text)}(?![0-9.])")
    lines = [
        line for one in evidence for text in one.texts for line in text.split("\n")[:_LINES] if number.search(line)
    ]
    factors = [re.findall(rf"(?<![\w.]){re.escape(atom.text)}\s*\*\s*(\d+)", line) for line in lines]
    if lines and all(factors):
        # 90 * 60 seconds are 90 minutes.
        return unit.size in {Decimal(factor) for some in factors for factor in some}
    units = {UNITS[word] for line in lines for word in words_of(_SPELLED.sub(r" \1 ", line)) if word in UNITS}
    shown = {one for one in units if one.dimension == unit.dimension}
    # Without the number as it is printed another unit was converted; code without units counts seconds and bytes.
    return not lines or unit in shown or (not shown and unit.size == 1)


def _is_joined(word: str, number: str, evidence: Iterable[Evidence]) -> bool:
    form = re.compile(rf"(?<![A-Za-z]){word}[_-]?{re.escape(number)}(?![0-9])", re.IGNORECASE)
    return any(form.search(text) for one in evidence for text in one.texts)


def _is_token(token: str, evidence: Iterable[Evidence]) -> bool:
    whole = re.compile(rf"(?<![A-Za-z0-9]){re.escape(token)}(?![A-Za-z0-9])", re.IGNORECASE)
    return any(whole.search(text) for one in evidence for text in one.texts)


def _misplaced(atom: Atom, evidence: Iterable[Evidence]) -> str:
    """Say that a number is there, but that the name in front of it has other values."""
    name = named_value(atom.before)
    if not name or not atom.text.isdecimal():
        return ""
    texts = [one for artefact in evidence for one in artefact.texts]
    real = [value for one in texts for value in other_values(name, atom.text, one)]
    if not real or any(is_near(atom.text, name, one) for one in texts):
        return ""
    return f"{name} is {' or '.join(dict.fromkeys(real[:3]))} in the evidence, not {atom.text}"


# ---------------------------------------------------------------- by counting


def _wrong_count(atom: Atom, evidence: list[Evidence], dossier: Dossier, claim: Claim) -> str:
    assert atom.noun is not None
    real = counted(atom.noun, atom.of, _direction(atom), evidence)
    if atom.value in real or _is_computed(atom, dossier, claim) or _is_told(atom, evidence):
        return ""
    told = f"the evidence has {real[0]} {atom.noun}" if real else f"nothing here counts {atom.noun}"
    return f"{told}, not {atom.text}"


def _direction(atom: Atom) -> str:
    """Tell whether lines are said to be added or deleted, by the verb that is nearest in front of the number."""
    added, deleted = (max((m.end() for m in verb.finditer(atom.before)), default=0) for verb in (_ADDED, _DELETED))
    if atom.sign:
        return atom.sign
    if bare := re.match(r"\s+(?:(added)|deleted|removed)\b", atom.after):
        return "+" if bare[1] else "-"
    if not (added or deleted):
        # "Four lines are added": the verb comes behind.
        behind = atom.after[:_NEAR]
        return "+" if _ADDED.search(behind) else "-" if _DELETED.search(behind) else ""
    return "+" if added > deleted else "-"


def _is_told(atom: Atom, evidence: Iterable[Evidence]) -> bool:
    """Tell whether the evidence itself states that count of that noun."""
    return any((atom.noun, atom.value) in told_counts(text) for one in evidence for text in one.texts)


def _signed_total(atom: Atom, text: str) -> bool:
    """Tell whether a number is half of `+12 −3`, which states a line statistic."""
    written = re.escape(atom.text)
    # A range of per cent is none: +20-25%.
    minus, end = r"\s*[,/，、]?\s*[−–-]\s?", r"(?!\d|\s?%)"
    pair = rf"[+＋]\s?{written}{minus}\d+{end}|[+＋]\s?[\d,]+{minus}{written}{end}"
    return atom.value is not None and re.search(pair, MARK.sub("", text)) is not None


def _wrong_sign(atom: Atom, evidence: list[Evidence]) -> str:
    added, deleted = totals(evidence)
    real = {"+": added, "-": deleted}.get(atom.sign, (*added, *deleted))
    if atom.value in real or not added:
        return "" if added else "no cited commit has a line statistic"
    return f"the commit changes +{added[0]} −{deleted[0]}, not {atom.sign or '−'}{atom.text}"


def _is_computed(atom: Atom, dossier: Dossier, claim: Claim) -> bool:
    stem = _COMPUTED[atom.noun] if atom.noun else ""
    return any(stem in one.name and _concerns(one, claim) and _printed_as(one.value, atom) for one in dossier.computed)


def _concerns(computation: Computation, claim: Claim) -> bool:
    return not computation.about or set(computation.about) <= set(claim.sources)


def _printed_as(value: float, atom: Atom) -> bool:
    if atom.value is None:
        return False
    places = len(atom.text.partition(".")[2])
    scaled = Decimal(str(value)) * (100 if atom.unit and atom.unit.dimension == "ratio" and value <= 1 else 1)
    return round(scaled, places) == atom.value or Decimal(str(value)) == atom.value


def _told_otherwise(atom: Atom, evidence: Iterable[Evidence]) -> bool:
    """Tell whether the evidence itself counts the same things, and never as many."""
    noun = _HEAD.match(atom.after)
    if noun is None:
        return False
    form = re.compile(rf"\b(?P<number>[A-Za-z]+|\d+)(?:\s+[\w-]+){{0,3}}?\s+{re.escape(noun['noun'])}\b", re.IGNORECASE)
    texts = (text for one in evidence for text in one.texts[:1])
    told = {value for text in texts for found in form.finditer(text) for value, _, _ in numerals(f"{found[0]} ")}
    return bool(told) and atom.value not in {Decimal(value) for value in told}


def _enumerated(atom: Atom, claim: Claim, text: str, evidence: list[Evidence]) -> set[Decimal]:
    """Count what the claim lists ("two flags, `--a` and `--b`"), its citations, files, places, facts of each kind."""
    kinds = [fact.kind for one in evidence for fact in one.facts]
    files = [file for one in evidence if isinstance(one, CommitEvidence) for file in one.change.files]
    places = sum((file.patch or "").count("\n@@ ") + 1 for file in files)
    counts = {len(claim.cites), len(files), *list_lengths(atom.before, atom.after, text)}
    if _PLACES.match(atom.after):
        counts.add(places)
    if not _told_otherwise(atom, evidence):
        counts.update(kinds.count(kind) for kind in kinds)
    return {Decimal(count) for count in counts if count > 1}
