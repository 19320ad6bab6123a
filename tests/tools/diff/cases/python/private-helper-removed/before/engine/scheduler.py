class Scheduler:
    """Chooses what runs next."""

    def next(self) -> int:
        return self._first()

    def _first(self) -> int:
        return min(self.waiting)


def _count(waiting: list[int]) -> int:
    total = len(waiting)
    return total
