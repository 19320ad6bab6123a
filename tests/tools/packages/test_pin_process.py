"""A large file of pins is read in a process of its own, which is ended when its time is over."""

import asyncio
import time

from tools.packages.pin_process import read_pins_in_time

LOCK = '[[package]]\nname = "httpx"\nversion = "0.27.0"\n'


def test_a_large_file_is_read_like_a_small_one() -> None:
    for text in (LOCK, LOCK + "# a comment\n" * 100_000):
        pins = asyncio.run(read_pins_in_time("poetry.lock", text, {}, seconds=60)).pins
        assert [(pin.name, pin.version) for pin in pins] == [("httpx", "0.27.0")]


def test_what_takes_too_long_is_said() -> None:
    began = time.process_time()
    lines = "".join(f"[[p{number}.q]]\nx=1\n" for number in range(400_000))
    read = asyncio.run(read_pins_in_time("poetry.lock", lines, {}, seconds=0.2))
    assert read.problem == "reading it takes longer than 0.2 seconds"
    assert time.process_time() - began < 2
