def round_up(number: int, unit: int) -> int:
    """Round up to a multiple."""
    return (number + unit - 1) // unit * unit


def is_even(number: int) -> bool:
    return number % 2 == 0
