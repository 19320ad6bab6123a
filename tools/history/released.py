"""Which fixes came out with a release of the window."""

from collections.abc import Sequence

from agent.analyst import Material
from agent.domain import Commit, Issue, Release
from agent.errors import NotFound
from agent.linking.digest import Digest
from agent.linking.known import Known
from agent.report import RepoSection
from agent.sources import CodeSource
from agent.stories import Story
from agent.weaving.released import released_fixes, released_stories


async def fixes_released(
    code: CodeSource, section: RepoSection, material: Material, known: Known, releases: Sequence[Release]
) -> list[Story]:
    """Tell which fixes came out with a release of the window; a fix of an earlier day is looked up."""
    today = {read.evidence.id: read.evidence.change.commit for read in material.reads}
    fixed_by: dict[int, Commit] = {}
    for number, change in released_fixes(section.issues, (*known.links, *material.links), code.repo).items():
        try:
            fixed_by[number] = today.get(change) or await code.resolve(change.rpartition("@")[2])
        except NotFound:
            continue
    issues: list[Issue | Digest] = [*material.issues, *known.issues]
    return released_stories(code.repo, section.issues, fixed_by, issues, tuple(releases))
