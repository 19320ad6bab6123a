"""What a question names outright: commits, threads, versions, identifiers, paths and words in quotation marks."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from agent.ids import RepoId

_SHA = re.compile(r"(?<![\w/.-])(?=[a-f]*\d)[0-9a-f]{7,40}(?![\w-])", re.ASCII)
_NUMBER = (
    r"(?:(?P<repo>[A-Za-z0-9][\w.-]*/[\w.-]+|(?<![\w/-])(?:%s)(?=\s*#|\s*(?:'s|的|issue|pr\b|pull|议题)))"
    r"\s*(?:'s|的|里的?)?\s*(?:issue|pr|pull request|pull|议题|问题)?\s*)?#(?P<a>[1-9]\d{0,8})(?!\w)"
    r"|\bGH-(?P<b>[1-9]\d{0,8})\b"
    r"|(?:\b(?:issues?|prs?|pull requests?|pulls?|bugs?|tickets?)|议题|问题|工单|合并请求|拉取请求)"
    r"\s*(?:no\.?|number|号)?\s*"
    r"(?P<c>[1-9]\d{1,8})(?![\w.])"
    r"|(?<![\w.])(?P<d>[1-9]\d{1,8})\s*号?\s*(?:issue|pr|议题|问题|工单)(?![\w])"
    r"|(?<![\w/-])(?P<home>%s)\s*(?:的|里)?\s*(?P<e>[1-9]\d{1,8})(?!\s*(?:commits?|prs?|issues?|days?|weeks?|times|[个次天周月年]))"
    r"(?![\w.]*\w)"
    r"|\b(?:clos(?:e|es|ed|ing)|fix(?:es|ed)?|resolv(?:e|es|ed)|when|after|by)\s+(?P<f>[1-9]\d{1,8})"
    r"(?=\s*(?:and|,|merged|landed|closed|\?|\.|$))"
)
"""The number of a thread; the names of the repositories at hand stand in its place."""
_ADDRESS = re.compile(
    r"https?://[^\s/]+/(?P<repo>[\w.-]+/[\w.-]+)/(?:(?:issues|pull)/(?P<number>\d+)|commits?/(?P<sha>[0-9a-f]{7,40}))"
)
_REPO = re.compile(r"(?<![\w/.@-])(?P<repo>[A-Za-z0-9][\w-]{0,38}/[A-Za-z0-9][\w.-]{0,99})(?![\w/])", re.ASCII)
_VERSION = re.compile(
    r"(?<![\w.])v?(?:\d+\.\d+(?:\.\d+)*(?:[.-]?(?:rc|a|b|alpha|beta|post|dev)\.?\d*)?|\d+(?=\.x\b))"
    r"(?:\.x\b)?(?![\w.]*\w)",
    re.IGNORECASE,
)
_WHOLE_VERSION = re.compile(
    r"(?:\b(?:to|onto)|升到|升级到|换到)\s*(?:[A-Za-z][\w.-]*\s+v?|v)(?P<n>\d{1,3})(?![\w.])", re.IGNORECASE | re.ASCII
)
"""A version that is a plain number, behind the name of what it is a version of: to CUDA 13."""
_QUOTED = re.compile(
    r"(\[[A-Za-z][\w/ .-]{0,30}\])|`([^`\n]{1,200})`"
    r"|“([^”\n]{2,200})”|\"([^\"\n]{2,200})\"|「([^」\n]{2,200})」|『([^』\n]{2,200})』"
)
_SCHEME = re.compile(r"(?<!\w)[a-z][a-z0-9+]{1,10}://(?!\w)", re.IGNORECASE)
"""What addresses begin with, by itself: file://."""
_ROUTE = re.compile(r"(?<![\w/.:@-])(?:/[a-z][\w{}-]*)+(?![\w/.])", re.ASCII)
"""The address of something that a server offers: /v1/loads."""
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z0-9_-]+", re.IGNORECASE)
_PATH = re.compile(
    r"(?<![\w/.-])(?=[\w.@+/-]*[A-Za-z])(?:[\w.@+-]+/)+(?:[\w.@+-]*[\w+-])?|(?<![\w/.-])[\w-]+\.(?:py|pyi|cuh?|cpp|cc|hpp|h|rs|go|tsx?|jsx?|ya?ml|toml|json|sh|"
    r"md|rst|txt|cfg|ini|cmake|proto)(?!\w)"
)
_NAME = re.compile(
    r"(?<![\w.-])(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|[A-Za-z]\w*_\w+|_\w+|[A-Z][a-z0-9]+(?:[A-Z]\w*)+|[a-z]+[A-Z]\w+)"
    r"(?:\(\))?(?![\w-])",
    re.ASCII,
)
_FAMILY = re.compile(
    r"\b(?:(?:start|begin)\w*\s+(?:with|by)|prefixed\s+(?:with|by))\s+(?P<a>--[a-z][a-z0-9_-]*|[A-Za-z]\w*_\w*)\*?"
    r"|(?<![\w-])(?P<b>--[a-z][a-z0-9_-]*|[A-Za-z]\w*_\w*)\*?\s*(?:开头|打头|(?:as a )?prefix\b)"
    r"|(?<![\w./-])(?P<c>--[a-z][a-z0-9_-]*|[A-Za-z]\w*_\w*)\*"
    r"|(?<![\w./-])(?P<d>--[a-z][a-z0-9_-]*-|[A-Za-z]\w*_)(?![\w-])",
    re.IGNORECASE | re.ASCII,
)
"""Names by what they begin with: SGLANG_QUEUE_*, flags starting with --moe-, VLLM_FP8_ 开头."""
_SHORTEST_NAME = 7
_NO_PATHS = frozenset(
    (
        "old/new",
        "new/old",
        "and/or",
        "before/after",
        "from/to",
        "i/o",
        "read/write",
        "on/off",
        "yes/no",
        "issue/pr",
        "pr/issue",
    )
)
"""Two words with a stroke between them."""
_ANY_OF_SERIES = re.compile(r"\[?[a-z]/n\]?", re.IGNORECASE)
"""[n/N] stands for each part of a series."""
_PART = re.compile(r"(?<![\w/.-])\[?\d{1,2}/[nN]\]?(?![\w/])")
"""One part of a series: 8/N."""
_FURTHER = re.compile(r"(?<=¦)\s*(?:,|and|&|、|和|与|或|or)\s*#?(?P<n>[1-9]\d{1,8})(?!\w|\.\d)", re.IGNORECASE)
"""A number behind another one: 251 and 252."""
_MODEL = re.compile(r"(?<![\w./-])[A-Z][A-Za-z]+[ -](?:V\d+(?:\.\d+)*|R\d)(?![\w.])")
"""Names of models that have a version for a second word: DeepSeek V3.2."""
_PERSON_SIGN = re.compile(r"(?<![\w/])@([A-Za-z0-9][A-Za-z0-9-]{0,38})")


@dataclass(frozen=True)
class Marks:
    """Everything that is named, and what is left of the question without it."""

    shas: tuple[str, ...]
    numbers: tuple[int, ...]
    homes: tuple[tuple[int, str], ...]
    """Which repository a number belongs to, where the question says so."""
    repos: tuple[str, ...]
    versions: tuple[str, ...]
    names: tuple[str, ...]
    people: tuple[str, ...]
    rest: str


def marks_of(text: str, known: Sequence[RepoId]) -> Marks:
    """Take the names out of a question, the most definite first; what is taken is not read again."""
    taker = _Taker(text)
    addresses = taker.take(_ADDRESS)
    quoted = [next(group for group in found.groups() if group) for found in taker.take(_QUOTED)]
    numbers_of = _numbers(tuple(known))
    numbered = taker.take(numbers_of)
    further = taker.take(_FURTHER) if numbered else []
    families = [_beginning(next(one for one in found.groups() if one)) for found in taker.take(_FAMILY)]
    flags = [found[0] for pattern in (_FLAG, _SCHEME, _ROUTE) for found in taker.take(pattern)]
    parts = [found[0].strip("[]") for found in taker.take(_PART)]
    repos = [found["repo"] for found in taker.take(_REPO, lambda found: _is_repo(found["repo"], known))]
    paths = [found[0] for found in taker.take(_PATH, _is_path)]
    shas = [found[0] for found in taker.take(_SHA)]
    models = [found[0] for found in taker.take(_MODEL)]
    people = [found[1] for found in taker.take(_PERSON_SIGN)]
    names = [found[0].removesuffix("()") for found in taker.take(_NAME, _is_name)]
    whole = taker.take_group(_WHOLE_VERSION, "n")
    versions = [re.sub(r"\.x$", "", found[0], flags=re.IGNORECASE) for found in taker.take(_VERSION)]
    quoted = [one for one in quoted if not _ANY_OF_SERIES.fullmatch(one)]
    flags += [*families, *parts]
    inner = [one.removesuffix("*") for one in quoted if not _SHA.fullmatch(one) and not numbers_of.fullmatch(one)]
    shas += [one for one in quoted if _SHA.fullmatch(one)] + [one["sha"] for one in addresses if one["sha"]]
    numbers = [_number(one) for one in numbered] + [int(one["n"]) for one in further]
    numbers += [int(one["number"]) for one in addresses if one["number"]]
    numbers += [_number(found) for one in quoted if (found := numbers_of.fullmatch(one))]
    homes = [(_number(one), _in_full(repo, known)) for one in numbered if (repo := one["repo"] or one["home"])]
    homes += [(int(one["number"]), one["repo"]) for one in addresses if one["number"]]
    repos += [*(repo for _, repo in homes), *(one["repo"] for one in addresses)]
    return Marks(
        shas=tuple(dict.fromkeys(shas)),
        numbers=tuple(dict.fromkeys(numbers)),
        homes=tuple(dict.fromkeys(homes)),
        repos=tuple(dict.fromkeys(repos)),
        versions=tuple(dict.fromkeys((*versions, *whole))),
        names=tuple(dict.fromkeys(one.strip() for one in (*inner, *flags, *paths, *models, *names) if one.strip())),
        people=tuple(dict.fromkeys(people)),
        rest=taker.rest,
    )


def _beginning(name: str) -> str:
    """Write what names begin with so that it is known for that: up to where their next word is."""
    return name if name.endswith(("_", "-")) else f"{name}{'-' if name.startswith('--') else '_'}"


def _is_path(found: re.Match[str]) -> bool:
    """Tell a path from two words, or two letters, with a stroke between them."""
    return found[0].lower() not in _NO_PATHS and len(max(found[0].split("/"), key=len)) > 1


def _is_name(found: re.Match[str]) -> bool:
    """Tell a name of code from a word that is written with capitals inside, such as LoRA or MoE."""
    word = found[0]
    small = word[0].islower() and len(word) >= _SHORTEST_NAME - 1
    return small or len(word) > _SHORTEST_NAME or any(sign in word for sign in "_.()")


@lru_cache(maxsize=64)
def _numbers(known: tuple[RepoId, ...]) -> re.Pattern[str]:
    short = "|".join(re.escape(one.partition("/")[2]) for one in known)
    return re.compile(_NUMBER % (short or "(?!)", short or "(?!)"), re.IGNORECASE | re.ASCII)


def _in_full(repo: str, known: Sequence[RepoId]) -> str:
    """Give the whole name of a repository that is written short."""
    fitting = (one for one in known if repo.lower() in (one.lower(), one.partition("/")[2].lower()))
    return next(fitting, repo)


def _number(found: re.Match[str]) -> int:
    return int(next(found[name] for name in "abcdef" if found[name]))


def _is_repo(text: str, known: Sequence[RepoId]) -> bool:
    """Tell `owner/name` from a path: known ones first, and what has no dot and no deeper folder."""
    if any(text.lower() == one.lower() for one in known):
        return True
    owner, _, name = text.partition("/")
    lower = text.lower()
    hosts = ("ai", "project", "labs", "org", "inc")
    return bool(
        re.search(r"[A-Z-]", owner) and "." not in name and "_" not in text and not lower.startswith(("csrc/", "src/"))
    ) and (owner.lower().endswith(hosts) or any(one.split("/")[0].lower() == owner.lower() for one in known))


class _Taker:
    """Takes matches out of a text and leaves a gap in their place."""

    def __init__(self, text: str) -> None:
        self.rest = text

    def take(
        self, pattern: re.Pattern[str], fits: Callable[[re.Match[str]], bool] = lambda _: True
    ) -> list[re.Match[str]]:
        found = [one for one in pattern.finditer(self.rest) if fits(one)]
        for one in reversed(found):
            self.rest = f"{self.rest[: one.start()]} ¦ {self.rest[one.end() :]}"
        return found

    def take_group(self, pattern: re.Pattern[str], group: str) -> list[str]:
        """Take one group of each match, and leave what stands around it."""
        found = list(pattern.finditer(self.rest))
        for one in reversed(found):
            self.rest = f"{self.rest[: one.start(group)]} ¦ {self.rest[one.end(group) :]}"
        return [one[group] for one in found]
