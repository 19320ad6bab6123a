class Scheduler:
    """Chooses what runs next."""

    def next(self) -> int:
        return self.waiting[0]
