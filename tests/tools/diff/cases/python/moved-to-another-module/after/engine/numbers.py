"""Arithmetic."""

UNIT = 8


def cdiv(number: int, unit: int) -> int:
    """Divide and round up."""
    return -(number // -unit)
