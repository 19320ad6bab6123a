"""What the words of a warning say is deprecated, where they begin with its name."""

import re
from typing import Final

_WHAT: Final = r"(?:parameter|argument|arg|field|option|flag|attribute|keyword|(?:env(?:ironment)? )?var(?:iable)?)"
_SUBJECT: Final = re.compile(
    rf"(?P<before>(?:the )?(?:{_WHAT} )?)"
    r"(?P<quote>``?|['\"])?(?P<name>[a-z_][\w.]*)(?:\(\))?(?(quote)(?:=[^`'\"]*)?(?P=quote))"
    rf"(?P<behind>(?: {_WHAT})?) (?:is|has been|was|will be) (?:now )?deprecated\b",
    re.IGNORECASE,
)
_PLAIN: Final = re.compile(r"[A-Z]?[a-z]*|[A-Z]")
_ORDINARY: Final = frozenset(
    {
        "this",
        "that",
        "it",
        "which",
        "what",
        "usage",
        "use",
        "support",
        "feature",
        "function",
        "functionality",
        "method",
        "class",
        "module",
        "api",
        "behavior",
        "behaviour",
        "format",
        "mode",
        "property",
        "script",
        "file",
        "operator",
        "model",
        "backend",
        "syntax",
    }
)
"""Words that begin a sentence and are hardly ever the name of what it speaks of."""

_HANDED = re.compile(r"\{\w[^{}]*\}\W{0,3}(?: \w+)? (?:is|has been|was|will be) (?:now )?deprecated\b", re.IGNORECASE)


def leaves_open(message: str) -> bool:
    """Tell whether the words name nothing themselves: what is deprecated is handed to the helper that says them."""
    return _HANDED.search(message) is not None


def subject(message: str, scope: str) -> str:
    """Name what is deprecated; nothing where the words do not, or where they name what they stand in."""
    found = _SUBJECT.match(message)
    if found is None or found["name"].rpartition(".")[2] in scope.split("."):
        return ""
    name = found["name"]
    if found["quote"]:
        return name
    # A sentence begins with a capital; behind "the" and before "argument" stand adjectives as well.
    plain = _PLAIN.fullmatch(name) and (not name.islower() or found["behind"] or found["before"].lower() == "the ")
    return "" if plain or name in _ORDINARY else name
