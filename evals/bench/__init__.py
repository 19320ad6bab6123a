"""The performance suite: what each part costs beside a named floor, and how that grows."""
