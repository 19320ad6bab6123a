"""What earlier days know of a repository's issues."""

from pydantic import Field

from agent.domain import Frozen
from agent.linking.digest import Digest
from agent.links import Link


class Known(Frozen):
    """What the memory hands to a run."""

    issues: tuple[Digest, ...] = ()
    """The open issues as they were when last seen; none where the memory is not up to date."""
    links: tuple[Link, ...] = ()
    """What earlier reports told of fixes, the newest last."""
    told: dict[int, str] = Field(default_factory=dict)
    """The open issues that earlier reports called important, each with how it stood then."""
