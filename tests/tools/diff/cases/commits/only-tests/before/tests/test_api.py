from engine.api import generate


def test_generate() -> None:
    assert generate("a") == "a"
