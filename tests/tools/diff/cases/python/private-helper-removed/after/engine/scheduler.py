class Scheduler:
    """Chooses what runs next."""

    def next(self) -> int:
        return min(self.waiting)
