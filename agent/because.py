"""What is taken up of another repository, in words."""

from collections.abc import Mapping

from agent.markdown import code
from agent.settings import Language

_AND: Mapping[Language, str] = {"en": ", ", "zh": "、"}
_ADOPTS: Mapping[Language, str] = {"en": "Uses {}, which [@2] brought.", "zh": "使用了 {}，由 [@2] 引入。"}


def adoption_sentence(params: Mapping[str, str], lang: Language) -> str:
    """Write which names a commit uses that another repository's one brought."""
    names = _AND[lang].join(map(code, params["names"].split()))
    return _ADOPTS[lang].format(names)
