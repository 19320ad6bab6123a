"""What an artefact is called in a line, and where it stands on the web."""

import re
from functools import lru_cache

from agent.evidence import EvidenceId
from agent.ids import RepoId
from agent.web import Web

_SHORT = 7
_THREAD = re.compile(r"([^@#]+)#([0-9]{1,10})", re.ASCII)
_COMMIT = re.compile("[0-9a-f]{40}")


@lru_cache(maxsize=16_384)
def named(cite: EvidenceId, own: RepoId | None, web: Web) -> tuple[str, str]:
    """Give the short name of an artefact, without its repository where that is `own`, and its address."""
    if found := _THREAD.fullmatch(cite):
        repo, number = RepoId(found[1]), int(found[2])
        return (f"#{number}" if repo == own else cite), web.thread(repo, number)
    name, _, rest = cite.partition("@")
    repo = RepoId(name)
    if _COMMIT.fullmatch(rest):
        return (rest[:_SHORT] if repo == own else f"{repo}@{rest[:_SHORT]}"), web.commit(repo, rest)
    return (rest if repo == own else cite), web.release(repo, rest)
