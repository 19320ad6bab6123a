"""The Jinja environment that all templates share; who writes HTML has it escape every value."""

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def made_environment(*, autoescape: bool, **options: Any) -> Environment:
    """Make an environment for our templates; a name that does not exist is an error."""
    loader = PackageLoader("gitzette.render", "templates")
    shape: dict[str, Any] = {"trim_blocks": True, "lstrip_blocks": True, "undefined": StrictUndefined}
    return Environment(loader=loader, autoescape=autoescape, **(shape | options))  # noqa: S701 -- see who calls


@cache
def plain_environment() -> Environment:
    """Give the environment of text that is neither Markdown nor HTML yet."""
    return made_environment(autoescape=False)
