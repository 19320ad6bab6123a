"""Records that users fill in, by the names that everybody gives them."""

import re

_SETTINGS = re.compile(
    r"(?:Config|Configuration|Args|Arguments|Options|Settings|Params|Request|Response|Input)$"
)


def is_filled_in(class_name: str) -> bool:
    """Return True for a record that users make themselves or exchange with a project."""
    return _SETTINGS.search(class_name) is not None
