"""What kinds of statements can be judged by their values alone, and what a claim says in a language."""

from agent.claims import Claim
from agent.settings import Language

REQUIRED: dict[str, tuple[str, ...]] = {
    "exists": (),
    "titled": ("title",),
    "authored": ("author",),
    "dated": ("at",),
    "state": ("state",),
    "released": ("version",),
    "pull": ("number",),
    "belongs": ("repo",),
    "shows": (),
    "counts": (),
    "touches": ("path",),
    "names": ("identifier",),
    "fixes": ("issue",),
    "likely fixes": ("issue",),
    "fact": ("kind", "name"),
    "risk": ("kind", "name"),
    "advice": ("kind", "name"),
    "facts": ("facts",),
    "risks": ("facts",),
    "advices": ("facts",),
    "undoes": (),
    "relands": (),
    "undone": (),
    "relands part": (),
    "undoes part": (),
    "follows": (),
    "follows as said": (),
    "mends": (),
    "takes in": (),
    "adopts": ("package", "names"),
    "adopts as said": (),
    "rests on": (),
    "made for": (),
    "series": ("part", "landed"),
}
"""The structured predicates with the values that they cannot do without; any other is judged by its words."""

# Models like to write hyphens that never break a line; dates and names have them all the same.
_HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\ufe63\uff0d", "-"))

COUNTED = ("files", "additions", "deletions", "commits")
"""What the predicate `counts` can state; at least one of them."""


def structured(claim: Claim) -> bool:
    """Tell whether the claim can stand on its values, without a word."""
    return claim.predicate in REQUIRED


def prose(claim: Claim, lang: Language) -> str:
    """Give the words that would be printed, with plain hyphens; attributed speech has none of ours."""
    return "" if claim.speech else claim.text.get(lang, "").translate(_HYPHENS).strip()
