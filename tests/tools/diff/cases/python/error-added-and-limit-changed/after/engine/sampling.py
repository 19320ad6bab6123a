class SamplingParams:
    """What to sample."""

    def check(self) -> None:
        if self.n > 8:
            raise ValueError("n must not exceed the limit")
        if self.best_of < self.n:
            raise ValueError("best_of must not be less than n")
        self.checked = True
