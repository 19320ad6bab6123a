class SamplingParams:
    """What to sample."""

    def check(self) -> None:
        if self.n > 16:
            raise ValueError("n must not exceed the limit")
        self.checked = True
