class Scheduler:
    """Chooses what runs next."""

    def pick(self, waiting):
        first = waiting[0]
        return first
