"""Whether words of others give orders to whoever reads them: such words are not shown as what they say of a change."""

import re

_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”|「[^」]*」|(?<!\w)'[^']{0,200}'(?!\w)")
_ORDER = re.compile(
    # Talk to a machine, about its orders, or about what is to be written.
    r"\b(?:assistants?|language models?|LLMs?|chat ?bots?|graders?|AI (?:agents?|models?|readers?)|"
    r"automated readers?|judging models?|check(?:er|ing tool)s?)\b[^.\n]{0,80}"
    r"\b(?:must|should|shall|(?:has|have) to|please|write|say|report|mark|answer|ignore|put|add|treat|follow|skip)\b"
    r"|\b(?:ignore|forget|disregard)\b[^.\n]{0,30}\b(?:previous|prior|earlier|above)\b"
    r"|\b(?:your|the|every|all|any) (?:summar(?:y|ies)|reports?|answers?|repl(?:y|ies)|statements?)\b[^.\n]{0,40}"
    r"\b(?:must|(?:has|have) to|shall)\b"
    r"|\b(?:your|the) (?:system )?(?:prompt|instructions)\b"
    r"|\b(?:tell|inform|indicate to)\b[^.\n]{0,12}\b(?:readers?|users|everybody)\b"
    r"|\b(?:decode|read) this\b[^.\n]{0,20}\b(?:follow|obey)\b"
    r"|<\|im_\w+|</?(?:evidence|tool_result|information|system)>|^\W*(?:system|assistant)\s*:"
    r"|忽略[^。\n]{0,10}(?:指示|指令|提示)|语言模型|评审模型|系统提示|(?:摘要|报告)[^。\n]{0,6}(?:第一句|必须|只写)"
    r"|告诉[^。\n]{0,6}读者",
    re.IGNORECASE | re.MULTILINE,
)
_ADDRESS = re.compile(r"\b(?:https?|ftp)://|\bwww\.", re.IGNORECASE)


def commands(text: str) -> bool:
    """Tell whether words are an order to their reader; one that is only quoted is talked about, not given."""
    return _ORDER.search(_QUOTED.sub(" ", text)) is not None


def leads_away(text: str) -> bool:
    """Tell whether words hold an address: links are written by code alone."""
    return _ADDRESS.search(text) is not None
