"""Look up each literal of a sentence in the text of the cited evidence."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from agent.domain.base import RepoId
from agent.domain.dates import Stated, find_dates
from agent.domain.evidence import CommitEvidence, Evidence, ThreadEvidence, all_dates_of
from agent.domain.window import zone
from agent.gate.literals import MAGNITUDES, UNITS, Literal, split_number, unit_behind
from agent.gate.text import SearchText, fold_case, is_border, text_of

_PART = re.compile(r"[a-z0-9]+")
_HOST = ("git", "github")  # Names that every report knows: where the evidence comes from
_NAMES = "python=py pyi|rust=rs|go=go|javascript=js|typescript=ts|markdown=md|java=java|bash=sh|ruby=rb|kotlin=kt"
_LANGUAGES = {
    end: one.partition("=")[0] for one in f"{_NAMES}|swift=swift".split("|") for end in one.partition("=")[2].split()
}
"""What files with these endings are written in."""
_CODE_TOKEN = re.compile(r"--?[A-Za-z][\w-]*|\w+|[<>=!]=|->|[-+*/%<>&|!~^@$?]")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+")
_JOINTS = ("_", "-", " ", ".")
_LINES = 2000  # On how many lines the tokens of a code span are looked for


@dataclass(frozen=True)
class Lookup:
    """The evidence of one claim, as literals are looked up in it."""

    evidence: tuple[Evidence, ...]
    texts: tuple[SearchText, ...]
    known: frozenset[str]
    tz: str

    @classmethod
    def of(cls, evidence: Iterable[Evidence], repo: RepoId | None, tz: str, words: Sequence[str] = ()) -> "Lookup":
        """Lay out evidence; further words may be those of anchors, on one line each."""
        evidence = tuple(evidence)
        lines = [SearchText("\n".join(" ".join(text.split()) for text in words))] if words else []
        return cls(evidence, (*map(text_of, evidence), *lines), known_names(evidence, repo), tz)

    def stands(self, literal: Literal) -> bool:
        """Tell whether a literal stands in the evidence."""
        return _CHECKS[literal.kind](self, literal)

    def has(self, word: str, *, fold: bool = False) -> bool:
        """Tell whether any evidence has a word."""
        return any(text.has(word, fold=fold) for text in self.texts)

    def has_form(self, text: str, before: str, after: str) -> bool:
        """Tell whether any evidence has a text between what may stand before and after it."""
        form = re.compile(f"{before}{re.escape(text)}{after}")
        return any(text in one.text and form.search(one.text) for one in self.texts)

    def has_hash(self, digits: str) -> bool:
        """Tell whether a commit of the evidence has a hash that begins with these digits."""
        return any(sha.startswith(digits) for text in self.texts for sha in text.hashes)


def _code(where: Lookup, literal: Literal) -> bool:
    span = literal.text
    if where.has(span) or fold_case(span) in where.known or _qualified(where, literal):
        return True
    if (number := split_number(span)) and stands_number(*number, where.texts):
        return True
    tokens = _CODE_TOKEN.findall(span)
    return bool(tokens) and any(_on_one_line(tokens, text) for text in where.texts)


def _on_one_line(tokens: Sequence[str], text: SearchText) -> bool:
    """Tell whether a line has all tokens in their order: `a=True` is borne out by `a: bool = True`."""
    longest = max(tokens, key=len)
    for number, place in enumerate(text.places(longest)):
        if number >= _LINES:
            return False
        rest = iter(_CODE_TOKEN.findall(text.line_at(place)[0]))
        if all(token in rest for token in tokens):
            return True
    return False


def _qualified(where: Lookup, literal: Literal) -> bool:
    """Let a qualified name count by its parts: a diff shows the class and its method on lines of their own."""
    name = literal.text.removesuffix("()")
    if where.has(name):
        return True
    parts = re.split(r"\.|::|->", name)
    return len(parts) > 1 and all(
        re.fullmatch(r"\w+", part) and (where.has(part) or fold_case(part) in where.known) for part in parts
    )


def _folded(where: Lookup, literal: Literal) -> bool:
    """Look up FP8 or FlashInfer in any case, also where its parts are joined otherwise: sm_100, flash-infer."""
    if stands_name(literal.text, where.texts, where.known):
        return True
    humps = _HUMP.findall(literal.text)
    return len(humps) > 1 and any(where.has(joint.join(humps), fold=True) for joint in _JOINTS)


def _path(where: Lookup, literal: Literal) -> bool:
    path = literal.text.removeprefix("./")
    tail = path.strip("/")
    paths = [one for text in where.texts for one in text.paths]
    if fold_case(tail) in where.known or any(f"/{tail}/" in f"/{one}/" for one in paths):
        return True
    if "*" in tail:
        return any(fnmatchcase(one, pattern) for one in paths for pattern in (tail, f"*/{tail}", f"{tail}/*"))
    # As a whole or as the end of a longer path.
    if where.has_form(tail, r"(?<![\w.-])", r"(?![\w-]|\.\w)"):
        return True
    words = tail.split("/")
    plain = not path.startswith("/") and all(re.fullmatch(r"[A-Za-z0-9-]+", word) for word in words)
    return plain and len(words) > 2 and all(where.has(word, fold=True) for word in words)


def _pair(where: Lookup, literal: Literal) -> bool:
    """Tell whether two plain words with a slash are no path, or a path that is there."""
    folders = {part for text in where.texts for path in text.paths for part in path.split("/")[:-1]}
    words = [word for word in literal.text.split("/") if word]
    if fold_case(literal.text) in where.known or not any(word in folders | where.known for word in words):
        return True
    return all(where.has(word, fold=True) for word in words)


def _number(where: Lookup, literal: Literal) -> bool:
    # A hash may happen to have digits alone.
    own = len(literal.text) > 6 and where.has_hash(literal.text)
    return own or stands_number(literal.text, literal.unit, where.texts)


def _version(where: Lookup, literal: Literal) -> bool:
    """Look up a version with or without its letter; a longer one that begins with it will do."""
    bare = literal.text.lstrip("vV")
    after = r"(?![0-9A-Za-z])" if "." in bare or literal.text != bare else r"(?![0-9A-Za-z]|\.\d)"
    return where.has_form(bare, r"(?<![0-9.])", after)


def _thread(where: Lookup, literal: Literal) -> bool:
    repo, _, number = literal.text.partition("#")
    for one, text in zip(where.evidence, where.texts, strict=False):
        if repo and fold_case(repo) != fold_case(one.repo) and not text.has(literal.text, fold=True):
            continue
        own = (
            one.pull if isinstance(one, CommitEvidence) else one.thread.number if isinstance(one, ThreadEvidence) else 0
        )
        if own == int(number) or re.search(rf"(?:#|GH-|/pull/|/issues/){number}(?!\d)", text.text):
            return True
    return False


def _date(where: Lookup, literal: Literal) -> bool:
    stated = find_dates(literal.text)
    zones = (zone("UTC"), zone(where.tz))
    moments = [moment for one in where.evidence for moment in all_dates_of(one)]
    if all(any(date.fits(moment, tz) for moment in moments for tz in zones) for date in stated):
        return True
    if where.has(literal.text):
        return True
    written = [date for one in where.evidence for text in one.texts[:2] for date in find_dates(text[:100_000])]
    return all(any(_same_day(date, other) for other in written) for date in stated)


def _same_day(one: Stated, other: Stated) -> bool:
    pairs = ((one.year, other.year), (one.month, other.month), (one.day, other.day))
    return all(mine is None or mine == theirs for mine, theirs in pairs)


def known_names(evidence: Iterable[Evidence], repo: RepoId | None) -> frozenset[str]:
    """List the names that need no proof: the repositories, their owners, and the languages of the files touched."""
    found = set(_HOST)
    evidence = tuple(evidence)
    for name in (*(one.repo for one in evidence), *((repo,) if repo else ())):
        folded = fold_case(name)
        found |= {folded, *folded.split("/"), *_PART.findall(folded)}
        found |= {re.sub(r"[^a-z0-9]", "", part) for part in folded.split("/")}
    paths = (path for one in evidence for path in getattr(one, "paths", ()))
    found |= {_LANGUAGES[end] for path in paths if (end := path.rpartition(".")[2]) in _LANGUAGES}
    return frozenset(found)


def stands_name(name: str, texts: Sequence[SearchText], known: frozenset[str]) -> bool:
    """Tell whether a name stands in the evidence, as a word or a part of an identifier, in any case or number."""
    folded = fold_case(name)
    forms = {folded, f"{folded}s", folded.removesuffix("s")} - {""}
    return any(form in known or text.has(form, fold=True) for form in forms for text in texts)


def stands_number(number: str, unit: str, texts: Sequence[SearchText]) -> bool:
    """Tell whether a number stands in the evidence, with its unit on the same line where it has one."""
    if unit in MAGNITUDES and _stands_multiplied(number, unit, texts):
        return True
    if unit and unit not in UNITS:
        return any(text.has(f"{number}{unit}", fold=True) for text in texts)
    found = ((text, form, place) for text in texts for form in _forms(number) for place in text.places(form))
    return any(not unit or _has_unit(*text.line_at(place), form, unit) for text, form, place in found)


def _stands_multiplied(number: str, unit: str, texts: Sequence[SearchText]) -> bool:
    """Tell whether 64K stands as 64000 or 65536."""
    value = float(number.replace(",", "").replace("_", ""))
    whole = (f"{value * factor:.0f}" for factor in MAGNITUDES[unit])
    return any(text.has(form) for one in whole for form in _forms(one) for text in texts)


def _forms(number: str) -> Iterator[str]:
    """Write a number in the ways in which code and people write it: 1024, 1,024, 1_024, 1024.0."""
    plain = number.replace(",", "").replace("_", "")
    whole, point, rest = plain.partition(".")
    grouped = f"{int(whole):,}"
    forms = [plain, f"{grouped}{point}{rest}", f"{grouped.replace(',', '_')}{point}{rest}", number]
    forms.append(f"{plain}.0" if not point else plain.rstrip("0").rstrip("."))
    yield from dict.fromkeys(forms)


def _has_unit(line: str, place: int, form: str, unit: str) -> bool:
    """Tell whether a line names a unit: behind the number, as a word, or as the end of an identifier (`delay_ms`)."""
    behind, _ = unit_behind(line, place + len(form))
    if behind in UNITS[unit]:
        return True
    folded = fold_case(line)
    return any(_is_named(word, line, folded) for word in UNITS[unit])


def _is_named(word: str, line: str, folded: str) -> bool:
    if len(word) == 1 and word.isascii():
        return word != "%" and re.search(rf"[a-z0-9]_{word}(?![a-z0-9_])", folded) is not None
    at = folded.find(word)
    while at >= 0:
        if is_border(line, at) and is_border(line, at + len(word)):
            return True
        at = folded.find(word, at + 1)
    return False


_CHECKS: dict[str, Callable[[Lookup, Literal], bool]] = {
    "code": _code,
    "snake": lambda where, literal: where.has(literal.text),
    "camel": _folded,
    "mixed": _folded,
    "qualified": _qualified,
    "path": _path,
    "pair": _pair,
    "flag": lambda where, literal: where.has_form(literal.text, r"(?<![\w-])", r"(?![\w-])"),
    "hash": lambda where, literal: (
        where.has_hash(literal.text) or where.has_form(literal.text, r"(?<![0-9A-Za-z_])", "")
    ),
    "number": _number,
    "version": _version,
    "thread": _thread,
    "date": _date,
    "name": lambda where, literal: stands_name(literal.text, where.texts, where.known),
}
