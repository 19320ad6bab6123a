"""Which deprecations are new: not those that were told before in other words, nor those that are told twice."""

from tools.diff.likeness import likeness
from tools.diff.reading import Site

_ALIKE = 0.55
_MAKER = ".__init__"


def without_old_deprecations(gone: list[Site], come: list[Site]) -> list[Site]:
    """Leave out what was deprecated before, in other words."""
    before = [site for site in gone if site.kind == "deprecation"]
    kept: list[Site] = []
    for site in come:
        same = (one for one in before if _is_of_one(one, site))
        old = next((one for one in same if _is_reworded(one, site)), None) if site.kind == "deprecation" else None
        if old is None:
            kept.append(site)
        else:
            before.remove(old)
    return _said_once(kept)


def _said_once(sites: list[Site]) -> list[Site]:
    """Leave out what a docstring and a warning both call deprecated, in nearly the same words."""
    kept: list[Site] = []
    classes = {site.name for site in sites if site.kind == "deprecation"}
    for site in sites:
        # Whoever makes an object of a deprecated class is told so.
        if site.kind == "deprecation" and site.name.removesuffix(_MAKER) in classes - {site.name}:
            continue
        twins = (one for one in kept if one.kind == site.kind and _is_of_one(one, site))
        if site.kind != "deprecation" or not any(_is_reworded(one, site) for one in twins):
            kept.append(site)
    return kept


def _is_of_one(one: Site, other: Site) -> bool:
    """Tell whether both may speak of one thing: words that do not name it stand for the function around them."""
    return one.scope == other.scope and (one.name == other.name or one.scope in (one.name, other.name))


def _is_reworded(one: Site, other: Site) -> bool:
    mine, its = one.value or "", other.value or ""
    return not mine or not its or likeness(mine, its, _ALIKE) >= _ALIKE
