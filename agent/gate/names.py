"""Names in prose: each identifier, path, flag and piece of code stands in the evidence letter by letter."""

import re
from functools import lru_cache

from agent.claims import Judgement
from agent.gate.ground import Ground, occurs
from agent.gate.prose import Kind, Token
from agent.gate.reading import Reading, undecided, unsupported
from agent.gate.stems import parts, words_of
from agent.gate.words_en import FUNCTION, PRODUCTS

_SPACES = re.compile(r"\s+")
_PIECE = re.compile(r"--?[A-Za-z][\w-]*|[A-Za-z_]\w*|[0-9]+(?:\.[0-9]+)*")
_MIXED = re.compile(r"(?=.*[A-Za-z])(?=.*[0-9])[A-Za-z0-9]+")
_UNITS = re.compile(r"[0-9]+(?:st|nd|rd|th|x|s|ms|us|ns|[kmgt]i?b?|d|h|min|px|bit|k|m)", re.IGNORECASE)
_HALF = re.compile("[a-z]{3,}", re.ASCII)
_HAN = re.compile("[一-鿿]")
_SHORT = r"[A-Z][A-Za-z0-9]*[A-Z][A-Za-z0-9]*"
_EXPANDED = re.compile(
    rf"(?<![\w`])(?P<short>{_SHORT})\s?[(（](?P<long>[A-Za-z][A-Za-z\- ]{{4,80}}|[一-鿿 ]{{3,20}})[)）]"
    r"|(?P<words>(?:[A-Z][a-z]+[ -](?:[a-z]+[ -])?){1,6}[A-Z]?[a-z]+|[一-鿿]{3,12})"
    rf"\s?[(（](?P<abbr>{_SHORT})[)）]"
)


def check_names(reading: Reading) -> Judgement | None:
    """Look up every name; a code span that is nowhere is made up."""
    doubtful: Judgement | None = None
    for token in reading.tokens:
        judgement = _judged(token, reading)
        if judgement is not None and judgement.verdict == "unsupported":
            return judgement
        doubtful = doubtful or judgement
    return doubtful


def _judged(token: Token, reading: Reading) -> Judgement | None:
    ground = reading.ground
    if own_name(token.text, reading):
        return None
    if token.path:
        return _path(token.text, ground)
    if token.kind in (Kind.CODE, Kind.FLAG, Kind.NAME, Kind.VERSION):
        return _literal(token, ground)
    if token.kind is Kind.QUOTED:
        return _quoted(token.text, ground)
    if token.kind is Kind.WORD and _MIXED.fullmatch(token.text) and not _UNITS.fullmatch(token.text):
        flat = token.text.lower()
        if flat not in _flat(ground):
            # SM100 where code asks `device_sm in (100, 103)`.
            apart = all(part in ground.words or occurs(part, ground.text) for part in re.findall(r"[a-z]+|\d+", flat))
            judged = undecided if apart else unsupported
            return judged("identifier", f"{token.text} is not in the cited evidence")
    elif _is_torn(token, reading):
        return undecided("identifier", f"{token.text} is the end of a longer name in the cited evidence")
    elif token.camel and token.text.lower() not in PRODUCTS and token.text.lower() not in ground.text.lower():
        return undecided("identifier", f"{token.text} is not in the cited evidence")
    return None


def _is_torn(token: Token, reading: Reading) -> bool:
    """Tell whether half of a name was translated: 深seek where the evidence has deepseek."""
    text, word = reading.sentence.text, token.lower
    if token.kind is not Kind.WORD or not _HALF.fullmatch(word) or not _HAN.match(text, token.start - 1):
        return False
    evidence = reading.ground.text.lower()
    return re.search(rf"[a-z]{word}\b", evidence) is not None and re.search(rf"\b{word}", evidence) is None


def own_name(text: str, reading: Reading) -> bool:
    """Tell whether a word names the repository that is spoken of; people write it with other capitals."""
    flat = re.sub(r"[^a-z0-9/]", "", text.lower())
    repos = (*(one.repo for one in reading.ground.evidence), *((reading.claim.repo,) if reading.claim.repo else ()))
    return any(flat in _forms(repo) for repo in repos)


@lru_cache(maxsize=256)
def _forms(repo: str) -> frozenset[str]:
    """List how the name of a repository is written: with its owner and without, no signs."""
    flat = re.sub(r"[^a-z0-9/]", "", repo.lower())
    return frozenset({flat, *flat.split("/")})


def _flat(ground: Ground) -> str:
    return re.sub(r"[_\- ]", "", ground.text.lower())


def _path(text: str, ground: Ground) -> Judgement | None:
    """Find a path among those touched, by its tail, or as a folder above one."""
    tail = text.strip("/").removeprefix("./")
    padded = [f"/{path}/" for path in ground.paths]
    if any(f"/{tail}/" in path for path in padded):
        return None
    if "*" in tail and any(re.search(re.escape(tail).replace(r"\*", "[^/]*"), path) for path in padded):
        return None
    if not ground.commits and occurs(tail, ground.text):
        return None
    if occurs(tail, ground.spoken):
        return None
    if any(occurs(tail, text) for text in (ground.added, ground.removed)):
        return None
    if occurs(tail, ground.text) and "." not in tail.rpartition("/")[2]:
        return None
    if occurs(tail, ground.text):
        return undecided("path", f"{text} only stands beside what was changed")
    return unsupported("path", f"{text} was not touched by what is cited")


def _literal(token: Token, ground: Ground) -> Judgement | None:
    text = token.text.removesuffix("()").strip()
    if _present(text, ground):
        return None
    pieces = _PIECE.findall(text)
    if len(pieces) > 1 and _qualified(text, ground):
        return None
    if len(pieces) > 1 and not re.fullmatch(r"[\w.:-]+", text) and all(_present(piece, ground) for piece in pieces):
        return undecided("identifier", f"{text!r} does not stand in the cited evidence as it is written")
    if token.kind is Kind.VERSION and _present(text.removeprefix("v"), ground):
        return None
    if token.kind is Kind.VERSION and re.fullmatch(r"v[0-9]", text) and text in words_of(ground.text):
        return None
    if _encloses(text, ground):
        return undecided("identifier", f"{text!r} may be what the changed lines stand in, but is not shown")
    return unsupported("identifier", f"{text!r} does not occur in the cited evidence")


def _encloses(text: str, ground: Ground) -> bool:
    """Tell whether a class may stand around what was changed: its file is called alike, and diffs do not show it."""
    if re.fullmatch(r"(?:[A-Z][a-z0-9]*){2,}", text) is None:
        return False
    humps = set(parts(text))
    paths = [humps & words_of(path) for path in ground.paths]
    known = sum(hump in ground.words for hump in humps)
    return any(len(one) * 2 >= len(humps) for one in paths) or (any(paths) and known * 4 >= len(humps) * 3)


def _present(text: str, ground: Ground) -> bool:
    if not text or occurs(text, ground.text):
        return True
    if text.isalnum() and text.islower() and text in ground.words and _is_part(text, ground):
        return True
    loose = _SPACES.sub(" ", text)
    return " " in loose and loose in _SPACES.sub(" ", ground.text)


def _is_part(text: str, ground: Ground) -> bool:
    """Tell whether a name is what longer ones are made of: `deepep` of `deepep_ht` and `deepep_ll`."""
    return re.search(rf"(?<![A-Za-z0-9])_*{text}_|_{text}(?![A-Za-z0-9])", ground.text) is not None


def _qualified(text: str, ground: Ground) -> bool:
    """Let a qualified name count by its parts if all are there."""
    names = [name for name in re.split(r"\.|::", text) if name]
    return len(names) > 1 and all(re.fullmatch(r"\w+", name) and occurs(name, ground.text) for name in names)


def _quoted(text: str, ground: Ground) -> Judgement | None:
    loose, whole = _SPACES.sub(" ", text), _SPACES.sub(" ", ground.text)
    if loose in whole or loose.strip(".,。，") in whole:
        return None
    if loose.lower() in whole.lower():
        return None
    return undecided("identifier", f"{text!r} stands in quotation marks, but not in the cited evidence")


def check_expansions(reading: Reading) -> Judgement | None:
    """Refuse to guess what an abbreviation stands for."""
    for match in _EXPANDED.finditer(reading.sentence.text):
        short = match["short"] or match["abbr"]
        long = (match["long"] or match["words"]).strip()
        if long.lower().replace("-", " ") in reading.ground.text.lower().replace("-", " "):
            continue
        if not long.isascii():
            if match["long"]:
                return undecided("expansion", f"{short} is explained as {long!r}, which the evidence does not do")
            continue
        initials = "".join(word[0] for word in re.split(r"[ -]", long) if word and word.lower() not in FUNCTION)
        if len(initials) > 1 and initials[0].lower() == short[0].lower():
            return unsupported("expansion", f"that {short} stands for {long!r} is not in the cited evidence")
    return None


def check_projects(reading: Reading) -> Judgement | None:
    """Refuse another repository's name as the one that changed."""
    cited = {one.repo.lower() for one in reading.ground.evidence}
    for repo in reading.dossier.repos:
        name = repo.lower().partition("/")[2]
        if repo.lower() in cited or any(name == other.partition("/")[2] for other in cited):
            continue
        said = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", reading.sentence.text, re.IGNORECASE)
        if said and name not in reading.ground.text.lower():
            return unsupported("repository", f"{name} is not what the citation belongs to")
        if said and reading.sentence.text[: said.start()].strip(' *`“"在于对') == "":
            return undecided("repository", f"the sentence speaks of {name}, the citation belongs to another repository")
    return None
