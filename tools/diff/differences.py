"""What differs between two versions, and how it is named and written for a reader."""

from dataclasses import dataclass

from agent.facts import FactKind as K
from tools.diff.kinds import ROWS
from tools.diff.versions import Found


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs, not yet judged by whom it concerns."""

    kind: K
    name: str
    old: str | None = None
    new: str | None = None
    detail: str | None = None
    before: Found | None = None
    after: Found | None = None

    @property
    def found(self) -> Found:
        """The newer of both declarations."""
        found = self.after or self.before
        assert found is not None
        return found


def name_of(found: Found) -> str:
    """Name what a reader looks for: a parameter by its function, everything else by itself."""
    one = found.one
    if one.kind == "parameter":
        return one.owner
    return one.path if ROWS[one.kind].symbol else one.name


def detail_of(found: Found) -> str | None:
    """Say what the kind of a fact does not: the parameter, the sort of symbol, the table, the help, or the owner."""
    one = found.one
    if one.kind == "parameter":
        return one.name
    if one.kind in ("function", "class", "enum", "constant", "export"):
        return "method" if is_python(found) and one.kind == "function" and one.owner else one.kind
    own = {"registration": "table", "flag": "help"}.get(one.kind, "")
    return one.parts.get(own) or one.owner or None


def members_of(found: Found) -> str | None:
    """List the members of an enumeration that came or went, with their values: code may have stored them."""
    members = [one for one in found.declared if one.kind == "member" and one.owner == found.one.path]
    return ", ".join(written(Found(one, found.versions, found.side)) or one.name for one in members) or None


def written(found: Found) -> str | None:
    """Write a declaration that came or went as users would: a parameter with its default, an error by its words."""
    one = found.one
    if one.kind in ("parameter", "field", "member"):
        value = one.parts.get("default") or one.parts.get("value")
        typed = f": {one.parts['type']}" if one.kind != "member" and "type" in one.parts else ""
        return f"{one.name}{typed}" + (f" = {value}" if value else "")
    for part in ("default", "value", "version", "message", "condition"):
        if part in one.parts and one.kind not in ("function", "class", "enum"):
            return one.parts[part]
    return None


def is_python(found: Found) -> bool:
    """Tell a declaration of Python, where callers write the names of parameters and types are only remarks."""
    return found.versions.file.path.endswith((".py", ".pyi"))
