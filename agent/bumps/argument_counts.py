"""Counts of arguments that functions take and calls pass, in languages that count them."""

from typing import NamedTuple


class ParameterCount(NamedTuple):
    """How many arguments a function takes; `most` is None where any number may follow."""

    least: int
    most: int | None

    def takes(self, count: int) -> bool:
        """Return True if a call with so many arguments fits."""
        return count >= self.least and (self.most is None or count <= self.most)

    def __str__(self) -> str:
        if self.most is None:
            return f"{self.least} or more arguments"
        if self.most != self.least:
            return f"{self.least} to {self.most} arguments"
        return f"{self.least} argument{'' if self.least == 1 else 's'}"


class ArgumentCount(NamedTuple):
    """How many arguments a call passes, as far as its source shows."""

    given: int
    is_open: bool = False  # Whether something that is spread may pass more


def count_fault(
    old: frozenset[ParameterCount], new: frozenset[ParameterCount], call: ArgumentCount | None
) -> str:
    """Return why a call that fitted one of several declarations fits none of the new ones."""
    if call is None or call.is_open or not old or not new:
        return ""
    if not any(parameters.takes(call.given) for parameters in old):
        return ""
    if any(parameters.takes(call.given) for parameters in new):
        return ""
    takes = " or ".join(sorted({str(parameters) for parameters in new}))
    return f"it takes {takes}, and {call.given} are given"
