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
    asked = "".join(f"{prefix}^{{commit}}\n" for prefix in wanted).encode("ascii")
    told = await view.read(["cat-file", "--batch-check=%(objectname)", "--buffer"], stdin=asked)
    for prefix, line in zip(wanted, told.decode("ascii").splitlines(), strict=True):
        if re.fullmatch(r"[0-9a-f]{40}", line):
            found[prefix] = [line]
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
    named = (await view.read(["rev-parse", *options])).decode("ascii").split()
    if not named:
        return []
    form = "--batch-check=%(objectname) %(objecttype)"
    told = await view.read(["cat-file", form, "--buffer"], stdin="\n".join(named).encode("ascii"))
    return [line.split()[0] for line in told.decode("ascii").splitlines() if line.endswith(" commit")]


async def ancestors(view: View, tip: str) -> frozenset[str]:
    """List everything that a commit rests on, and itself."""
    return frozenset((await view.read(["rev-list", tip])).decode("ascii").split())
