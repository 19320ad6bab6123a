"""Whether an installation that fitted a requirement of Python fits another one."""

from packaging.requirements import InvalidRequirement, Requirement
from packaging.version import InvalidVersion, Version

_PINS = ("==", "===")
_MINIMA = (">=", ">", "~=")


def refuses_all_before(name: str, old: str, new: str) -> bool:
    """Return True if the versions on which a project was sure to run are refused now.

    Of Python each minor version counts, of a package only a major one: of a package with a pin,
    and of one that is only asked to be a little newer, another version is installed and nothing is lost.
    """
    old_minimum = _minimum(name, old)
    new_minimum = _minimum(name, new)
    if old_minimum is None or new_minimum is None:
        return False
    numbers = 2 if name == "python" else 1
    return old_minimum.release[:numbers] < new_minimum.release[:numbers]


def _minimum(name: str, written: str) -> Version | None:
    """Return the least version that a requirement allows; None where it names none, or only one."""
    try:
        specifiers = list(Requirement(f"{name}{written}").specifier)
        if any(specifier.operator in _PINS for specifier in specifiers):
            return None
        versions: list[Version] = []
        for specifier in specifiers:
            if specifier.operator in _MINIMA:
                versions.append(Version(specifier.version))
    except (InvalidRequirement, InvalidVersion):
        return None
    return max(versions, default=None)
