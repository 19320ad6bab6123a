"""Arithmetic."""

UNIT = 8


def round_up(number: int, unit: int) -> int:
    """Round up to a multiple."""
    return (number + unit - 1) // unit * unit
