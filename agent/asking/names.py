"""What questions call by its name: flags, variables, functions, files; and where commits and facts have it."""

import re
from collections.abc import Sequence

from agent.card import Card
from agent.facts import Fact
from agent.lists import listed
from agent.naming import items_of

_FILE = re.compile(
    r"\.(?:py|pyi|cuh?|cpp|cc|hpp|h|rs|go|tsx?|jsx?|ya?ml|toml|json|sh|md|rst|txt|cfg|ini|cmake|proto|in|lock|ipynb)$"
)

_PART = re.compile(r"\d+/\w+")
"""A part of a series: 8/N."""


def plain(name: str) -> str:
    """Write a name so that spellings of it are equal."""
    return name.strip("`'\" ").removesuffix("()").lstrip("-").replace("-", "_").lower()


def is_person(name: str, author: str) -> bool:
    """Tell whether a name is that of an author, in full or by one of its parts."""
    wanted, known = plain(name), plain(author)
    return wanted == known or wanted in known.replace("_", " ").split() or known in wanted.replace("_", " ").split()


def is_path(name: str) -> bool:
    """Tell whether a name is that of a file or a folder."""
    if _PART.fullmatch(name):
        return False
    return ("/" in name and "://" not in name and not name.startswith("/")) or bool(_FILE.search(name.lower()))


_MODEL = re.compile(r"[A-Z][A-Za-z]+[ -](V\d+\.\d+)")
"""A model with the number of its version: DeepSeek V3.2."""


def short_model(name: str) -> str:
    """Give what titles call a model in short, the number of its version alone; nothing for another name."""
    model = _MODEL.fullmatch(name)
    return model[1] if model else ""


def is_family(name: str) -> bool:
    """Tell whether a name is what several names begin with: VLLM_FP8_, --moe-."""
    return name.endswith(("_", "-")) and not name.startswith("_") and name.strip("-") != ""


def spellings(name: str) -> tuple[str, ...]:
    """Give what to look for in a text to find a name, or all names that begin so."""
    return (name, f"{name}*") if is_family(name) else (name,)


def _is_called(name: str, wanted: str) -> bool:
    return name == wanted or (is_family(wanted) and name.startswith(wanted))


def bare_file(path: str) -> str:
    """Give the name of a file as code may write it, without its ending; a whole path is written as it is."""
    return path if "/" in path else _FILE.sub("", path)


def things_of(names: Sequence[str]) -> list[str]:
    """Give the names that are not of files; those of files say where, and not what."""
    return [name for name in names if not is_path(name)]


def is_about(fact: Fact, name: str) -> bool:
    """Tell whether a fact is about something that a question names."""
    if is_path(name):
        return lies_in(fact, name) or _called(fact, plain(name))
    if name.startswith("--") and fact.name.isupper():
        return False  # A constant or a variable may share the words of a flag, and is another thing.
    if name.startswith("--") and is_family(name) and not (fact.name.startswith("--") or "flag" in fact.kind.value):
        return False  # Much begins like a family of flags, and is none.
    return _called(fact, plain(name))


_PINNED = listed("version ver tag commit ref rev sha hash git python py cubin release branch default url repo image")
"""What a pin adds to the name of the thing that it pins: FLASHINFER_VERSION, flashinfer-python, DEEPGEMM_GIT_REF."""


def pinned(fact: Fact) -> str:
    """Give the name of what a fact about a dependency pins; nothing for other facts."""
    if not fact.kind.value.startswith(("dependency-", "image-")):
        return ""
    own = plain(fact.name).rstrip("/").rpartition("/")[2]  # Of an address, what it leads to.
    words = [word for word in re.split(r"[_.\[\]]+", own) if word and word not in _PINNED]
    return "_".join(words)


def _called(fact: Fact, wanted: str) -> bool:
    if wanted and pinned(fact) == wanted:
        return True
    told = [fact.name, *fact.name.split(", "), fact.detail or "", *(one for one in (fact.old, fact.new) if one)]
    for one in told:
        bare = plain(one)
        if _is_called(bare, wanted) or bare.endswith((f".{wanted}", f"/{wanted}", f"::{wanted}")):
            return True
    lists = [item for text in (fact.old, fact.new) for item in items_of(text)]
    if any(_is_called(plain(item.partition("=")[0].partition(":")[0]), wanted) for item in lists):
        return True
    return f".{wanted}." in f".{plain(fact.name)}."


def lies_in(fact: Fact, path: str) -> bool:
    """Tell whether a fact shows in a file or below a folder."""
    wanted = plain(path).strip("/")
    return any(f"/{wanted}/" in f"/{plain(place.file)}/" for place in fact.places)


def has_name(name: str, card: Card, text: str) -> bool:
    """Tell whether a commit speaks of a name, works in it, or touches it."""
    wanted = plain(name)
    if any(is_about(fact, name) for fact in card.facts):
        return True
    paths = [plain(path) for path in card.paths]
    if any(f"/{wanted.strip('/')}/" in f"/{path}/" for path in paths):
        return True
    module = wanted.replace(".", "/")
    if "." in wanted and any(f"/{module}." in f"/{path}" or f"/{module}/" in f"/{path}" for path in paths):
        return True
    if name.startswith("--"):
        return f"--{wanted.replace('_', '-')}" in text.lower().replace("_", "-")
    own = plain(bare_file(name)) if is_path(name) else wanted.rpartition(".")[2]
    if any(_is_called(plain(one), own) for one in (*card.touched, *card.written)):
        return True
    if (short := short_model(name)) and re.search(rf"(?<![\w.]){short}(?![\w.])", card.title, re.IGNORECASE):
        return True
    if is_family(wanted):
        return bool(re.search(rf"(?<![a-z0-9_]){re.escape(wanted)}", text.lower()))
    spelling = _spelling(name)
    if "_" in wanted and re.search(rf"(?<![a-z0-9_]){spelling}_", card.title.lower()):
        return True  # What is entitled by a longer name has to do with the thing that its beginning names.
    return bool(re.search(rf"(?<![a-z0-9_]){spelling}(?![a-z0-9_])", text.lower()))


def _spelling(name: str) -> str:
    """Write a pattern for a name however its words are joined: max_routes, max-routes; ModelBash, Model Bash."""
    parted = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", "_", name.strip("`'\" ").removesuffix("()"))
    return re.sub(r"(?:_|\\ |\s)+", "[-_ ]?", re.escape(plain(parted)))


def share_named(names: Sequence[str], card: Card, text: str) -> float:
    """Tell how many of the names a commit has, between 0 and 1; of several files one is enough."""
    things, paths = things_of(names), [name for name in names if is_path(name)]
    found = [has_name(name, card, text) for name in things]
    if paths:
        found.append(any(has_name(path, card, text) for path in paths))
    return sum(found) / len(found) if found else 1.0


def works_in(name: str, card: Card) -> bool:
    """Tell whether a commit works inside something: its hunks lie there, or its title says so."""
    wanted = plain(name).rstrip("/").rpartition("/")[2] if is_path(name) else plain(name)
    return any(plain(one) == wanted for one in card.touched) or wanted in plain(card.title)
