"""Which words a report in a language has."""

from agent.settings import Language
from agent.words import Words
from agent.words_en import EN
from agent.words_zh import ZH

_ALL: dict[Language, Words] = {"en": EN, "zh": ZH}


def words(lang: Language) -> Words:
    """Find a language's words."""
    return _ALL[lang]
