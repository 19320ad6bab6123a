"""The text of a change's surroundings for writers and judges, and what anchors may be copied from."""

from collections.abc import Iterator

from agent.domain.code_around_changes import CodePassage, NameUses, Surroundings, Use


def passage_heading(passage: CodePassage) -> str:
    """Return the line above a passage: which lines they are, and what encloses them."""
    scopes = "".join(f" {scope}" for scope in passage.scopes)
    return f"@@ lines {passage.first}-{passage.last} @@{scopes}"


def definition_heading(passage: CodePassage) -> str:
    """Return the line above a definition of another part of the repository."""
    scopes = "".join(f" {scope}" for scope in passage.scopes)
    return f"{passage.file}, lines {passage.first}-{passage.last}:{scopes}"


def use_text(use: Use) -> str:
    """Return a line of the repository with the place where it stands, and what it decides over."""
    return "\n".join((f"{use.file}:{use.line}: {use.text}", *use.following))


def uses_heading(uses: NameUses) -> str:
    """Return the line above the uses of a name: how many there are, and whether only tests have it."""
    if uses.are_siblings:
        others = f" ({uses.more} more)" if uses.more else ""
        return f"{uses.name}: other implementations beside the changed one{others}:"
    if not uses.uses:
        return f"{uses.name}: no other line of the repository has this name"
    if uses.only_in_tests:
        return f"{uses.name}: only tests have this name elsewhere"
    if uses.more:
        return f"{uses.name}: {len(uses.uses)} of {len(uses.uses) + uses.more} other lines"
    return f"{uses.name}:"


def surroundings_note(surroundings: Surroundings) -> str:
    """Return everything that may be shown around a change, for anchors and names to be found in.

    Passages occur with and without the signs of a diff, because lines are copied both ways.
    """
    return "\n".join(_note_parts(surroundings))


def _note_parts(surroundings: Surroundings) -> Iterator[str]:
    for passage in surroundings.passages:
        yield passage_heading(passage)
        yield from passage.lines
        for removed_sign in ("-", "+"):
            yield from (line[1:] for line in passage.lines if line[:1] != removed_sign)
    for definition in surroundings.definitions:
        yield definition_heading(definition.passage)
        yield from (line[1:] for line in definition.passage.lines)
    for uses in surroundings.uses:
        yield uses_heading(uses)
        for use in uses.uses:
            yield use_text(use)
    yield from surroundings.releases
