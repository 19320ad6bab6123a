"""Whether words are in the language that was asked for; names, code and quotations belong to none."""

import re

from agent.settings import Language

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_NO_LANGUAGE = re.compile(r"`[^`]*`|“[^”]*”|「[^」]*」|\"[^\"]*\"|\[[^\]]*\]|[\w./-]*[_/.#@-][\w./-]*", re.ASCII)
_LETTER = re.compile(r"[^\W\d_]")
_STRAY = 0.2


def speaks(text: str, lang: Language) -> bool:
    """Tell whether a sentence is in a language, by its script."""
    words = _NO_LANGUAGE.sub(" ", text)
    han, letters = len(_HAN.findall(words)), len(_LETTER.findall(words))
    if letters == 0:
        return True
    # A Chinese character says as much as half an English word.
    return han * 2 >= letters * _STRAY if lang == "zh" else han <= letters * _STRAY and _mostly_latin(words, letters)


def _mostly_latin(words: str, letters: int) -> bool:
    latin = sum("\u0041" <= sign <= "\u024f" for sign in words)
    return latin >= letters * (1 - _STRAY)
