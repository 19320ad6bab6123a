"""The choices that a `Literal` of Python allows."""

import ast


def literal_choices(annotation: str | None) -> tuple[str, ...]:
    """Return the values of the `Literal`s in an annotation; nothing for any other type."""
    if not annotation or "Literal[" not in annotation:
        return ()
    try:
        expression = ast.parse(annotation.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    choices: list[str] = []
    for node in ast.walk(expression):
        if isinstance(node, ast.Subscript) and _is_literal(node.value):
            values = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            choices += [ast.unparse(value) for value in values]
    return tuple(choices)


def _is_literal(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name == "Literal"


def has_other_choices(old: str | None, new: str | None) -> bool:
    """Return True if two annotations allow values by name, and not the same ones."""
    old_choices = set(literal_choices(old))
    new_choices = set(literal_choices(new))
    return bool(old_choices) and bool(new_choices) and old_choices != new_choices


def choices_that_differ(old: str | None, new: str | None) -> tuple[str | None, str | None]:
    """Return the values that only the older, and those that only the newer annotation allows."""
    old_choices = literal_choices(old)
    new_choices = literal_choices(new)
    removed = [choice for choice in old_choices if choice not in new_choices]
    added = [choice for choice in new_choices if choice not in old_choices]
    return ", ".join(removed) or None, ", ".join(added) or None
