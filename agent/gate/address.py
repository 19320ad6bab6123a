"""Whom a sentence speaks to: a statement says what changed, and gives nobody advice, orders or an account of itself."""

from agent.claims import Judgement
from agent.gate.prose import Kind
from agent.gate.reading import Reading, undecided

_ADDRESSED = frozenset({"you", "your", "yours", "yourself", "please", "i'm", "i'll", "my", "myself"})
_ADDRESSED_ZH = frozenset(["你", "您", "你们", "您的", "你的", "请", "请勿", "我"])


def check_address(reading: Reading) -> Judgement | None:
    """Refuse words to whoever reads: advice is bound to facts and written by code, and evidence may hold orders."""
    for token in reading.tokens:
        plain = token.lower.replace("’", "'")
        if (token.kind is Kind.WORD and plain in _ADDRESSED) or (token.kind is Kind.HAN and plain in _ADDRESSED_ZH):
            return undecided("address", f"{token.text!r} speaks to the reader; say what changed")
    return None
