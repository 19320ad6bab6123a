"""Frequencies of words in the messages of a repository's commits."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from tools.git.log import Opened

_MAX_MESSAGES = 1_000  # Of the latest commits: enough to separate common words from rare ones
_MIN_MESSAGES = 100  # In fewer, every word of the project is common
_MAX_MESSAGE = 4_000  # Characters that are read of a message
_WORD = re.compile(r"\w+")


class Messages(Opened):
    """Counts words in the messages of landed commits."""

    _branch: str | None

    async def word_shares(self, words: Sequence[str]) -> Mapping[str, float]:
        """Return in which share of the latest messages of commits each word occurs, in any case.

        A young repository returns nothing: its few messages say nothing about words.
        """
        requested = {word.lower() for word in words}
        counts: Counter[str] = Counter()
        messages = await self._latest_messages()
        if len(messages) < _MIN_MESSAGES:
            return {}
        for message in messages:
            occurring = set(_WORD.findall(message[:_MAX_MESSAGE].lower()))
            counts.update(requested & occurring)
        return {word: counts[word] / len(messages) for word in requested}

    async def _latest_messages(self) -> list[str]:
        repository = await self._open()
        tip = await repository.tip(self._branch)
        if not tip.sha:
            return []
        command = ["log", "-z", "--first-parent", f"-{_MAX_MESSAGES}", "--format=%B", tip.sha]
        output = await (await self._view()).read(command)
        return output.decode("utf-8", "replace").split("\0")
