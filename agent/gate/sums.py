"""What two numbers of a line give together: computations that nobody registered."""

import re
from decimal import Decimal
from functools import lru_cache
from itertools import permutations

_NUMBER = re.compile(r"(?<![\w.])\d{1,9}(?![\w.])", re.ASCII)
_MOST, _SHIFT = 6, 40


@lru_cache(maxsize=20_000)
def results(line: str) -> frozenset[Decimal]:
    """List sums, differences, products, quotients and shifts of the numbers in a line."""
    numbers = [int(number) for number in _NUMBER.findall(line)][:_MOST]
    found: set[Decimal] = set()
    for one, two in permutations(numbers, 2):
        found |= {Decimal(one + two), Decimal(one - two), Decimal(one * two)}
        if two and one % two == 0:
            found.add(Decimal(one // two))
        if two <= _SHIFT:
            found.add(Decimal(one << two))
    return frozenset(found)
