"""Leaves out the rest of a function's body with which a fragment of Python begins, where it tells of nothing.

Of what a grammar would have to read of fragments, more than half is such a rest, and it declares nothing.
"""

import re
from dataclasses import replace
from typing import Final

from tools.diff.readers.python_cut import QUOTES
from tools.diff.readers.python_fragment import begins_inside, read_heading
from tools.diff.readers.python_mentions import declaring, told
from tools.diff.reading import Source

DEFINED: Final = rb"[ \t]*+(?:@|(?:async[ \t]+)?def[ \t]|class[ \t])"
# Both begin with the end of the line before, which the engine finds fast.
BEHIND_FUNCTION: Final = re.compile(rb"\n(?:[^\s#)\]}]|" + DEFINED + rb")")
BEHIND_METHOD: Final = re.compile(rb"\n(?:[ \t]{0,4}+[^\s#)\]}]|" + DEFINED + rb")")


def without_lead(source: Source) -> Source:
    """Begin a fragment behind the body that it begins in, if that body has nothing that users set or run into."""
    heading = read_heading(source.heading)
    if source.whole or not heading.name or heading.is_class or begins_inside(source.text, heading):
        return source
    behind = (BEHIND_METHOD if heading.method else BEHIND_FUNCTION).search(b"\n" + source.text)
    end = len(source.text) if behind is None else behind.start()
    lead = source.text[:end]
    if not end or QUOTES.search(lead) or told(lead) or declaring(lead):
        return source
    return replace(source, text=source.text[end:], first_line=source.first_line + lead.count(b"\n"))
