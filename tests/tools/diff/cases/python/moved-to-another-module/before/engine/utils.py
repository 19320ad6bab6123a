def cdiv(number: int, unit: int) -> int:
    """Divide and round up."""
    return -(number // -unit)


def is_even(number: int) -> bool:
    return number % 2 == 0
