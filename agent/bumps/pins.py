"""Pins of dependencies, and what a range of commits does to them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from agent.domain.base import Frozen

Ecosystem = Literal["pypi", "npm", "cargo", "go", "action", "git", "container"]
"""Where a dependency comes from. `git`: a submodule or another address of a repository."""
MAX_PINS_PER_FILE = 20_000
MAX_NAME = 214  # Characters; the longest that a registry allows, npm's
MAX_VERSION = 200


class Pin(Frozen):
    """One dependency as a file fixes it."""

    ecosystem: Ecosystem
    name: str
    version: str
    source: str = ""  # The address of a repository, where the file itself names one
    location: str = ""
    """Distinguishes several pins of one name in a file, such as the folders of npm."""
    is_direct: bool = True


class VersionRange(Frozen):
    """One Python dependency of which a file allows several versions."""

    name: str
    specifiers: str  # As PEP 440 writes them, `<0.28,>=0.27`


class PinFile(Frozen):
    """The pins of a file, and why some of them could not be read."""

    pins: tuple[Pin, ...] = ()
    ranges: tuple[VersionRange, ...] = ()
    problem: str = ""


class Bump(Frozen):
    """A dependency that has another version at the head than at the base."""

    ecosystem: Ecosystem
    name: str
    old: str
    new: str
    source: str = ""
    files: tuple[str, ...] = ()
    is_direct: bool = True
    ranges: str = ""
    """What the files allow, where that are several versions: `old` and `new` are the lowest."""

    @property
    def key(self) -> str:
        """The name under which a map of packages lists it."""
        return f"{self.ecosystem}:{self.name}"


class UnclearBump(Frozen):
    """A dependency whose versions changed in a way that names no single pair."""

    ecosystem: Ecosystem
    name: str
    file: str
    reason: str


class PinChanges(Frozen):
    """Everything that changes between the pins of two commits."""

    bumps: tuple[Bump, ...] = ()
    unclear: tuple[UnclearBump, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()  # Files that could not be read, and why


class _PinKey(NamedTuple):
    ecosystem: Ecosystem
    name: str
    location: str


class _BumpKey(NamedTuple):
    ecosystem: Ecosystem
    name: str
    old: str
    new: str


@dataclass
class _Changes:
    """The changes that were found so far."""

    bumps: dict[_BumpKey, Bump] = field(default_factory=dict)
    unclear: list[UnclearBump] = field(default_factory=list)
    added: dict[str, None] = field(default_factory=dict)
    removed: dict[str, None] = field(default_factory=dict)

    def add_bump(self, old: Pin, new: Pin, file: str) -> None:
        key = _BumpKey(new.ecosystem, new.name, old.version, new.version)
        earlier = self.bumps.get(key)
        files = (file,) if earlier is None else tuple(dict.fromkeys((*earlier.files, file)))
        is_direct = new.is_direct or (earlier is not None and earlier.is_direct)
        self.bumps[key] = Bump(
            ecosystem=new.ecosystem,
            name=new.name,
            old=old.version,
            new=new.version,
            source=new.source or (earlier.source if earlier else ""),
            files=files,
            is_direct=is_direct,
        )


def pin_changes(before: Mapping[str, PinFile], after: Mapping[str, PinFile]) -> PinChanges:
    """Compare the pins of each file at two commits."""
    changes = _Changes()
    problems: list[str] = []
    for file in sorted({*before, *after}):
        old = before.get(file, PinFile())
        new = after.get(file, PinFile())
        if old.problem or new.problem:
            problems.append(f"{file}: {new.problem or old.problem}")
        if not old.problem and not new.problem:
            _compare_file(changes, file, old.pins, new.pins)
    return PinChanges(
        bumps=tuple(changes.bumps.values()),
        unclear=tuple(changes.unclear),
        added=tuple(changes.added),
        removed=tuple(changes.removed),
        problems=tuple(problems),
    )


def _compare_file(changes: _Changes, file: str, old: Iterable[Pin], new: Iterable[Pin]) -> None:
    old_pins = _by_key(old)
    new_pins = _by_key(new)
    for key in {**old_pins, **new_pins}:
        versions_before = old_pins.get(key, {})
        versions_after = new_pins.get(key, {})
        dropped = [pin for version, pin in versions_before.items() if version not in versions_after]
        added = [pin for version, pin in versions_after.items() if version not in versions_before]
        if not versions_before:
            changes.added[f"{key.ecosystem}:{key.name}"] = None
        elif not versions_after:
            changes.removed[f"{key.ecosystem}:{key.name}"] = None
        elif len(dropped) == 1 and len(added) == 1:
            changes.add_bump(dropped[0], added[0], file)
        elif not added and len(versions_after) == 1:
            # What had an earlier version has the one that others had already.
            (remaining,) = versions_after.values()
            for pin in dropped:
                changes.add_bump(pin, remaining, file)
        elif dropped or added:
            pairs = _pairs_by_line(dropped, added)
            for pair in pairs:
                changes.add_bump(pair.old, pair.new, file)
            if not pairs:
                changes.unclear.append(_unclear(key, file, dropped, added))


def _by_key(pins: Iterable[Pin]) -> dict[_PinKey, dict[str, Pin]]:
    grouped: dict[_PinKey, dict[str, Pin]] = {}
    for pin in pins:
        key = _PinKey(pin.ecosystem, pin.name, pin.location)
        grouped.setdefault(key, {}).setdefault(pin.version, pin)
    return grouped


class _PinPair(NamedTuple):
    old: Pin
    new: Pin


def _pairs_by_line(dropped: list[Pin], added: list[Pin]) -> list[_PinPair]:
    """Pair versions of the same release line, where each line has one version on either side."""
    old_lines = {_release_line(pin.version): pin for pin in dropped}
    new_lines = {_release_line(pin.version): pin for pin in added}
    is_unique = len(old_lines) == len(dropped) and len(new_lines) == len(added)
    if not is_unique or old_lines.keys() != new_lines.keys():
        return []
    return [_PinPair(old_lines[line], new_lines[line]) for line in old_lines]


def _release_line(version: str) -> str:
    """Return the numbers up to the first that is not zero, as semantic versioning compares them."""
    numbers: list[str] = []
    for number in version.lstrip("v").split("."):
        numbers.append(number)
        if number != "0":
            break
    return ".".join(numbers)


def _unclear(key: _PinKey, file: str, dropped: list[Pin], added: list[Pin]) -> UnclearBump:
    old = ", ".join(pin.version for pin in dropped) or "none"
    new = ", ".join(pin.version for pin in added) or "none"
    reason = f"{file} has several versions of it; those that went: {old}; those that came: {new}"
    return UnclearBump(ecosystem=key.ecosystem, name=key.name, file=file, reason=reason)
