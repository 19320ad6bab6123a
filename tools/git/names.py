"""Which commits abbreviated hashes mean, all looked up in a few passes."""

import re
from collections.abc import Sequence

from tools.git.view import View

_FORM = re.compile(r"[0-9a-f]{4,40}")
_AT_ONCE = 500


async def name_commits(view: View, prefixes: Sequence[str]) -> dict[str, list[str]]:
    """Find every commit that each abbreviation may mean; none for one that is missing or no hash."""
    wanted = [prefix for prefix in dict.fromkeys(prefixes) if _FORM.fullmatch(prefix)]
    found: dict[str, list[str]] = {prefix: [] for prefix in prefixes}
    if not wanted:
        return found
    asked = [f"{prefix}^{{commit}}".encode("ascii") for prefix in wanted]
    for prefix, one in zip(wanted, await view.objects.known(asked), strict=True):
        if one is not None:
            found[prefix] = [one.sha.decode("ascii")]
    # Git calls an abbreviation that fits several commits missing, too.
    unclear = [prefix for prefix in wanted if not found[prefix] and len(prefix) < 40]
    for start in range(0, len(unclear), _AT_ONCE):
        some = unclear[start : start + _AT_ONCE]
        for sha in await _candidates(view, some):
            for prefix in some:
                if sha.startswith(prefix):
                    found[prefix].append(sha)
    return found


async def _candidates(view: View, prefixes: Sequence[str]) -> list[str]:
    """List the commits that begin with any of these digits."""
    options = [f"--disambiguate={prefix}" for prefix in prefixes]
    named = (await view.read(["rev-parse", *options])).split()
    return [one.sha.decode("ascii") for one in await view.objects.known(named) if one and one.kind == b"commit"]


async def ancestors(view: View, tip: str) -> frozenset[str]:
    """List everything that a commit rests on, and itself."""
    return frozenset((await view.read(["rev-list", tip])).decode("ascii").split())
