"""Changes of version ranges: bumps where no lock file fixes one version."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from agent.bumps.pins import Bump, PinFile, UnclearBump

_LOWER_BOUNDS = (">=", "~=", "==", ">")


class RangeChanges(NamedTuple):
    """The ranges that differ between two commits."""

    bumps: list[Bump]  # From ranges to others that share no version with them
    unclear: list[UnclearBump]

    def without(self, names: Collection[str]) -> "RangeChanges":
        """Leave packages out of which a lock file says both versions."""
        bumps = [bump for bump in self.bumps if bump.name not in names]
        unclear = [bump for bump in self.unclear if bump.name not in names]
        return RangeChanges(bumps, unclear)

    def where_not_fixed(self, versions: Mapping[str, Collection[str]]) -> "RangeChanges":
        """Leave packages out of which a lock file has a version that the new range may allow.

        A lock file that was not written again has a version below it.
        """
        bumps = []
        for bump in self.bumps:
            fixed = versions.get(bump.name, ())
            if all(_is_below(version, bump.new) for version in fixed):
                bumps.append(bump)
        unclear = [bump for bump in self.unclear if bump.name not in versions]
        return RangeChanges(bumps, unclear)


def _is_below(version: str, other: str) -> bool:
    try:
        return Version(version) < Version(other)
    except InvalidVersion:
        return False


def range_changes(before: Mapping[str, PinFile], after: Mapping[str, PinFile]) -> RangeChanges:
    """Compare the ranges of each file at two commits.

    Where no version is in both ranges, the new one is a bump for everybody, whichever version they
    had. It is reported from the lowest version of the one to the lowest of the other.
    """
    changes = RangeChanges([], [])
    reported: set[tuple[str, str, str]] = set()
    for file in sorted(before.keys() & after.keys()):
        old_ranges = _by_name(before[file])
        new_ranges = _by_name(after[file])
        for name in old_ranges.keys() & new_ranges.keys():
            old = old_ranges[name]
            new = new_ranges[name]
            if (
                old != new
                and not (_is_pin(old) and _is_pin(new))
                and (name, old, new) not in reported
            ):
                reported.add((name, old, new))
                _add(changes, file, name, old, new)
    changes.bumps.sort(key=lambda bump: bump.name)
    changes.unclear.sort(key=lambda bump: bump.name)
    return changes


def _is_pin(specifiers: str) -> bool:
    return specifiers.startswith("==") and not specifiers.endswith("*") and "," not in specifiers


def _by_name(file: PinFile) -> dict[str, str]:
    """Return the range of each package that has a single one in a file; a pin is a range as well."""
    ranges: dict[str, set[str]] = {}
    for entry in file.ranges:
        ranges.setdefault(entry.name, set()).add(entry.specifiers)
    for pin in file.pins:
        if pin.ecosystem == "pypi" and not pin.source:
            ranges.setdefault(pin.name, set()).add(f"=={pin.version}")
    return {name: next(iter(texts)) for name, texts in ranges.items() if len(texts) == 1}


def _add(changes: RangeChanges, file: str, name: str, old: str, new: str) -> None:
    lowest_before = _lowest(old)
    lowest_after = _lowest(new)
    if lowest_before and lowest_after and _are_apart(old, lowest_before, new, lowest_after):
        changes.bumps.append(
            Bump(
                ecosystem="pypi",
                name=name,
                old=lowest_before,
                new=lowest_after,
                files=(file,),
                ranges=f"{file} allows: {old} before, {new} now",
            )
        )
        return
    reason = f"{file} allows {old} before and {new} now, and the same version may fit both"
    changes.unclear.append(UnclearBump(ecosystem="pypi", name=name, file=file, reason=reason))


def _lowest(specifiers: str) -> str:
    """Return the lowest version of a range as it is written; empty where the range has none."""
    versions: list[str] = []
    try:
        for specifier in SpecifierSet(specifiers):
            if specifier.operator in _LOWER_BOUNDS:
                versions.append(specifier.version.removesuffix(".*"))
        return max(versions, key=Version, default="")
    except (InvalidSpecifier, InvalidVersion):
        return ""


def _are_apart(old: str, lowest_before: str, new: str, lowest_after: str) -> bool:
    """Return True if no version is in both ranges.

    Ranges have no holes here, so that they are apart if neither has the lowest version of the other.
    """
    try:
        before = _without_holes(old)
        after = _without_holes(new)
        has_new = before.contains(lowest_after, prereleases=True)
        has_old = after.contains(lowest_before, prereleases=True)
    except (InvalidSpecifier, InvalidVersion):
        return False
    return not has_new and not has_old


def _without_holes(specifiers: str) -> SpecifierSet:
    kept = [str(part) for part in SpecifierSet(specifiers) if part.operator != "!="]
    return SpecifierSet(",".join(kept))
