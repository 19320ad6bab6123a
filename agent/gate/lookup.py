"""Look up each literal of a sentence in the text of the cited evidence."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from agent.domain.base import RepoId
from agent.domain.dates import find_dates
from agent.domain.evidence import CommitEvidence, Evidence, ThreadEvidence, all_dates_of
from agent.domain.window import zone
from agent.gate.literals import MAGNITUDES, UNITS, Literal, unit_behind
from agent.gate.text import SearchText, find_words, fold_case, text_of

_LANGUAGES = {
    "py": "python",
    "rs": "rust",
    "go": "go",
    "js": "javascript",
    "ts": "typescript",
    "java": "java",
}
_CODE_TOKEN = re.compile(r"--?[A-Za-z][\w-]*|\w+|[<>=!]=|->|[-+*/%<>&|!~^@$?]")
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|[0-9]+")
_LINES = 2000  # On how many lines the tokens of a code span are looked for


@dataclass(frozen=True)
class Lookup:
    """The evidence of one claim, as literals are looked up in it."""

    texts: tuple[SearchText, ...]
    evidence: tuple[Evidence, ...] = ()
    known: frozenset[str] = frozenset()  # Names that need no proof
    tz: str = "UTC"

    @classmethod
    def of(
        cls, evidence: Sequence[Evidence], repo: RepoId | None, tz: str, words: Sequence[str] = ()
    ) -> "Lookup":
        """Lay out evidence; further words may be those of anchors, on one line each."""
        lines = [SearchText("\n".join(" ".join(text.split()) for text in words))] if words else []
        return cls(
            (*map(text_of, evidence), *lines), tuple(evidence), _known_names(evidence, repo), tz
        )

    def stands(self, literal: Literal) -> bool:
        """Tell whether a literal stands in the evidence."""
        return _CHECKS[literal.kind](self, literal)

    def has(self, word: str, *, fold: bool = False) -> bool:
        """Tell whether any evidence has a word."""
        return any(text.has(word, fold=fold) for text in self.texts)

    def knows(self, word: str) -> bool:
        """Tell whether a word needs no proof."""
        return fold_case(word) in self.known

    def has_form(self, text: str, before: str, after: str) -> bool:
        """Tell whether any evidence has a text between what may stand before and after it."""
        form = re.compile(f"{before}{re.escape(text)}{after}")
        return any(text in one.text and form.search(one.text) for one in self.texts)

    def has_hash(self, digits: str) -> bool:
        """Tell whether a commit of the evidence has a hash that begins with these digits."""
        return any(sha.startswith(digits) for text in self.texts for sha in text.hashes)


def _known_names(evidence: Iterable[Evidence], repo: RepoId | None) -> frozenset[str]:
    """List the names that need no proof: the repositories, their owners, and the languages of the files touched."""
    found = {"git", "github"}
    for name in (*(one.repo for one in evidence), *([repo] if repo else ())):
        folded = fold_case(name)
        found |= {folded, *folded.split("/"), *re.findall("[a-z0-9]+", folded)}
    paths = (path for one in evidence if isinstance(one, CommitEvidence) for path in one.paths)
    ends = {path.rpartition(".")[2] for path in paths}
    return frozenset(found | {name for end, name in _LANGUAGES.items() if end in ends})


def _code(where: Lookup, literal: Literal) -> bool:
    span = literal.text
    if where.has(span) or where.knows(span) or _qualified(where, literal):
        return True
    tokens = _CODE_TOKEN.findall(span)
    return bool(tokens) and any(_on_one_line(tokens, text) for text in where.texts)


def _on_one_line(tokens: Sequence[str], text: SearchText) -> bool:
    """Tell whether a line has all tokens in their order: `a=True` is borne out by `a: bool = True`."""
    for number, place in enumerate(text.places(max(tokens, key=len))):
        if number >= _LINES:
            return False
        rest = iter(_CODE_TOKEN.findall(text.line_at(place)[0]))
        if all(token in rest for token in tokens):
            return True
    return False


def _qualified(where: Lookup, literal: Literal) -> bool:
    """Let a qualified name count by its parts: a diff shows the class and its method on lines of their own."""
    name = literal.text.removesuffix("()")
    parts = re.split(r"\.|::|->", name)
    return where.has(name) or (
        len(parts) > 1
        and all(
            re.fullmatch(r"\w+", part) and (where.has(part) or where.knows(part)) for part in parts
        )
    )


def _name(where: Lookup, literal: Literal) -> bool:
    """Look up a name as a word or a part of an identifier, in any case or number."""
    folded = fold_case(literal.text)
    forms = {folded, f"{folded}s", folded.removesuffix("s")} - {""}
    return any(form in where.known or where.has(form, fold=True) for form in forms)


def _joined(where: Lookup, literal: Literal) -> bool:
    """Look up FP8 or FlashInfer in any case, also where its parts are joined otherwise: sm_100, flash-infer."""
    humps = _HUMP.findall(literal.text)
    joined = (joint.join(humps) for joint in "_- ." if len(humps) > 1)
    return _name(where, literal) or any(where.has(form, fold=True) for form in joined)


def _path(where: Lookup, literal: Literal) -> bool:
    tail = literal.text.removeprefix("./").strip("/")
    paths = [one for text in where.texts for one in text.paths]
    if where.knows(tail) or any(f"/{tail}/" in f"/{one}/" for one in paths):
        return True
    # As a whole or as the end of a longer path.
    if where.has_form(tail, r"(?<![\w.-])", r"(?![\w-]|\.\w)"):
        return True
    # Else it may be several words, as in prefill/decode/mixed.
    words = [word for word in literal.text.split("/") if re.fullmatch(r"[A-Za-z0-9-]+", word)]
    return len(words) == literal.text.count("/") + 1 > 2 and all(
        where.has(word, fold=True) for word in words
    )


def _pair(where: Lookup, literal: Literal) -> bool:
    """Tell whether two plain words with a slash are no path, or a path that is there."""
    folders = {part for text in where.texts for path in text.paths for part in path.split("/")[:-1]}
    words = [word for word in literal.text.split("/") if word]
    if where.knows(literal.text) or not any(word in folders | where.known for word in words):
        return True
    return all(where.has(word, fold=True) for word in words)


def _version(where: Lookup, literal: Literal) -> bool:
    """Look up a version with or without its letter; a longer one that begins with it will do."""
    return where.has_form(literal.text.lstrip("vV"), r"(?<![0-9.])", r"(?![0-9A-Za-z])")


def _thread(where: Lookup, literal: Literal) -> bool:
    repo, _, number = literal.text.partition("#")
    for one, text in zip(where.evidence, where.texts, strict=False):
        if (
            repo
            and fold_case(repo) != fold_case(one.repo)
            and not text.has(literal.text, fold=True)
        ):
            continue
        thread = one.thread.number if isinstance(one, ThreadEvidence) else 0
        own = one.pull if isinstance(one, CommitEvidence) else thread
        if own == int(number) or re.search(rf"(?:#|GH-|/pull/|/issues/){number}(?!\d)", text.text):
            return True
    return False


def _date(where: Lookup, literal: Literal) -> bool:
    stated = find_dates(literal.text)
    zones = (zone("UTC"), zone(where.tz))
    moments = [moment for one in where.evidence for moment in all_dates_of(one)]
    if all(any(date.fits(moment, tz) for moment in moments for tz in zones) for date in stated):
        return True
    written = [
        date
        for one in where.evidence
        for text in one.texts[:2]
        for date in find_dates(text[:100_000])
    ]
    days = {(one.year, one.month, one.day) for one in written}
    return where.has(literal.text) or all(
        any(
            date.year in (None, year) and date.month == month and date.day in (None, day)
            for year, month, day in days
        )
        for date in stated
    )


def _number(where: Lookup, literal: Literal) -> bool:
    """Look up a number, with its unit on the same line where it has one; a hash may happen to have digits alone."""
    number, unit = literal.text, literal.unit
    plain = number.replace(",", "").replace("_", "")
    # 64K may stand as 64000 or 65536.
    whole = (f"{float(plain) * factor:.0f}" for factor in MAGNITUDES.get(unit, ()))
    if any(where.has(form) for one in whole for form in _forms(one)) or (
        len(plain) > 6 and where.has_hash(plain)
    ):
        return True
    if unit and unit not in UNITS:
        return where.has(f"{number}{unit}", fold=True)
    forms = {number, *_forms(plain)}
    found = (
        (text, form, place) for text in where.texts for form in forms for place in text.places(form)
    )
    return any(
        not unit or _has_unit(*text.line_at(place), form, unit) for text, form, place in found
    )


def _forms(plain: str) -> Iterator[str]:
    """Write a number in the ways in which code and people write it: 1024, 1,024, 1_024, 1024.0."""
    whole, point, rest = plain.partition(".")
    grouped = f"{int(whole):,}"
    yield from (plain, f"{grouped}{point}{rest}", f"{grouped.replace(',', '_')}{point}{rest}")
    yield plain.rstrip("0").rstrip(".") if point else f"{plain}.0"


def _has_unit(line: str, place: int, form: str, unit: str) -> bool:
    """Tell whether a line names a unit: behind the number, as a word, or as the end of an identifier (`delay_ms`)."""
    return unit_behind(line, place + len(form)) in UNITS[unit] or any(
        _is_named(one, line) for one in UNITS[unit]
    )


def _is_named(unit: str, line: str) -> bool:
    folded = fold_case(line)
    if len(unit) == 1 and unit.isascii():
        return unit != "%" and re.search(rf"[a-z0-9]_{unit}(?![a-z0-9_])", folded) is not None
    return next(find_words(unit, folded, written=line), None) is not None


_CHECKS: dict[str, Callable[[Lookup, Literal], bool]] = {
    "code": _code,
    "snake": lambda where, one: where.has(one.text),
    "camel": _joined,
    "mixed": _joined,
    "qualified": _qualified,
    "path": _path,
    "pair": _pair,
    "flag": lambda where, one: where.has_form(one.text, r"(?<![\w-])", r"(?![\w-])"),
    "hash": lambda where, one: (
        where.has_hash(one.text) or where.has_form(one.text, "(?<![0-9A-Za-z_])", "")
    ),
    "number": _number,
    "version": _version,
    "thread": _thread,
    "date": _date,
    "name": _name,
}
