"""How a report says that what landed is spread: over the days, over people, over repositories, and what all share."""

import re
from collections.abc import Iterator

from agent.audit.page import Page
from agent.audit.scopes import repos_behind, value_of
from agent.audit.statement import Statement, shortened
from agent.audit.vocabulary import AUTHOR_COLUMN, plain
from agent.ids import RepoId

_END = r"(?=\s*(?:$|[，。；、,;.)）（(]))"
_DAILY = re.compile(
    rf"(?<![\d月-])(?P<day>[0-3]?\d)\s*[日号]\s*(?:合入|合并|有|共)?\s*(?P<n>\d{{1,3}})\s*个(?:提交)?{_END}"
)
_NAME = r"[A-Za-z\u4e00-\u9fff][\w.'-]*(?: \(?[A-Z\u4e00-\u9fff][\w.'-]*\)?){0,3}"
_EACH_ONE = re.compile(rf"(?:^|[，。；,;：:、]\s*)(?P<name>{_NAME})\s+(?P<n>\d{{1,3}})\s*个(?:提交)?{_END}")
_GROUP = re.compile(r"[（(](?P<names>[^（）]{5,400})[)）]\s*各\s*(?:有|提交|合入)?\s*(?P<n>\d{1,3}|一)\s*个?")
_THEM = r"(?:them|these|those|which|the \w+ commits) (?:are |were |come |came )?(?:by|from)"
_LATIN = r"[A-Za-z][\w.'-]*(?: [A-Z][\w.'-]*){0,3}"
_OF_THEM = re.compile(
    rf"\b(?P<n>\d{{1,3}}|[a-z]{{3,9}}) of {_THEM} (?P<name>{_NAME})"
    rf"|其中\s*(?P<zh>\d{{1,3}})\s*个(?:提交)?(?:由|出自|来自)\s*(?P<who>{_LATIN}?)\s*(?:提交|贡献|完成|合入|编写)?{_END}"
)
_JOINT = re.compile(r"\s*(?:、|，|,|和|与|及)\s*")
_COUNT_COLUMN = re.compile(r"^(?:提交(?:总)?数(?:量)?|提交|commits?)(?:\s*[(（][^()（）]*[)）])?$", re.IGNORECASE)
_NUMBERED = re.compile(
    r"(?P<who>[^。；\n]{0,60}?)(?:的)?\s*(?:\d{1,4}|[一二两三四五六七八九十]+)\s*个提交[，,]?\s*(?:的?标题里?)?\s*"
    r"(?:全部|全都|都|均|无一例外地?)\s*(?P<no>没有|不带|未带|无)?\s*(?:带有?|有|附有?|含有?)?\s*(?:PR|合并请求)\s*编?号"
    r"|\ball (?P<of>[^.;\n]{0,40}?)commits (?:carry|have|bear) (?:a |their )?(?:PR|pull request) numbers?",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"(?P<what>删除|移除|新增|增加|添加)的?(?:代码)?行数?\s*(?P<more>多于|超过|大于|高于|少于|不及|小于|低于)\s*(?P<other>[^，。；\n]{2,60})"
)
_KINDS = {"净删": "shrinking", "净减": "shrinking", "净增": "growing", "只改": "one line"}
_KIND = r"净[删减增]行?|只改动?(?:了)?一行"
_ONLY = tuple(
    re.compile(form)
    for form in (
        rf"(?P<kind>{_KIND})的[^，。；\n]{{0,24}}?(?:提交)?(?:只有|仅有|就只有)\s*`?(?P<sha>[0-9a-f]{{7,40}})`?\s*(?:一|这一)?[个笔条]?",
        rf"(?:只有|仅有|唯有)\s*`?(?P<sha>[0-9a-f]{{7,40}})`?\s*(?:一|这一)?[个笔条]?(?:提交)?\s*(?:是)?\s*(?P<kind>{_KIND})",
    )
)
_GONE = r"(?:删除|移除|删去|清理)"
_FILES = r"(?P<files>\d{1,3}|[一二两三四五六七八九十]+)\s*个[^，。；,;（(\n]{0,40}?"
_DELETED = tuple(
    re.compile(rf"{form}\s*[（(，,]\s*(?:合计|共计?|总计|一共|累计)\s*(?P<n>\d[\d,]*)\s*行")
    for form in (rf"{_FILES}(?:全部|都|均)?被?{_GONE}", rf"{_GONE}(?:了)?\s*{_FILES}")
)
_SEVERAL = 2


def shares(page: Page) -> Iterator[Statement]:
    """State what is said of the parts of everything that landed."""
    for place, block in enumerate(page.blocks):
        if block.kind == "row" and not block.level:
            yield from _author_row(page, place)
        if block.kind not in ("item", "paragraph"):
            continue
        for cell, inline in enumerate(block.inlines):
            text = plain(inline.text)
            for found, predicate, params in (*_spread(text), *_people(text), *_shared(page, text), *_deleted(text)):
                repos = repos_behind(page, place, text, found.start(), found.end())
                params = {"repos": " ".join(repos)} | params
                line, words = inline.line_at(found.start()), shortened(found[0].strip("，, 。"))
                yield Statement(line, "count", words, None, _one(repos), predicate, params)
            yield from _only(page, place, cell, text)


def _one(repos: list[RepoId]) -> RepoId | None:
    return repos[0] if repos else None


Told = tuple[re.Match[str], str, dict[str, str]]


def _spread(text: str) -> Iterator[Told]:
    """Find how many commits each of several days has."""
    found = list(_DAILY.finditer(text))
    for one in found if len(found) >= _SEVERAL else ():
        yield one, "daily", {"day": one["day"], "commits": one["n"]}


def _people(text: str) -> Iterator[Told]:
    """Find how many commits somebody has, or each of several people."""
    for one in _EACH_ONE.finditer(text):
        yield one, "by person", {"people": one["name"], "commits": one["n"]}
    for one in _OF_THEM.finditer(text):
        if count := value_of(one["n"] or one["zh"]):
            yield one, "by person", {"people": (one["name"] or one["who"]).rstrip(".'"), "commits": str(count)}
    for one in _GROUP.finditer(text):
        yield one, "by person", {"people": _listed(one["names"]), "commits": str(value_of(one["n"]) or 1)}


def _listed(names: str) -> str:
    return "\n".join(name for name in _JOINT.split(names.strip()) if name)


def _shared(page: Page, text: str) -> Iterator[Told]:
    """Find what all commits are said to have, and repositories that are compared."""
    for one in _NUMBERED.finditer(text):
        yield one, "all numbered", {"who": one["who"] or one["of"] or "", "none": "yes" if one["no"] else ""}
    for one in _COMPARED.finditer(text):
        before, behind = page.names.named(text[max(0, one.start() - 80) : one.start()]), page.names.named(one["other"])
        if len(before) == len(behind) == 1 and before != behind:
            more = one["more"] in ("多于", "超过", "大于", "高于")
            side = "deletions" if one["what"] in ("删除", "移除") else "additions"
            repos = {"repos": f"{before[0]} {behind[0]}", "side": side, "more": "yes" if more else ""}
            yield one, "compares", repos


def _deleted(text: str) -> Iterator[Told]:
    """Find how many lines several deleted files are said to have had together."""
    for found in (one for form in _DELETED for one in form.finditer(text)):
        if files := value_of(found["files"]):
            yield found, "deleted together", {"files": str(files), "lines": found["n"].replace(",", "")}


def _only(page: Page, place: int, cell: int, text: str) -> Iterator[Statement]:
    """Find the one commit that is said to be of its kind."""
    inline = page.blocks[place].inlines[cell]
    for found in (one for form in _ONLY for one in form.finditer(text)):
        named = [m for m in page.within(place, cell, found.start(), found.end() + 1) if m.kind == "commit" and m.sure]
        if len(named) == 1:
            repo = page.repo_of(named[0], place)
            repos = repos_behind(page, place, text, found.start(), found.end()) or ([repo] if repo else [])
            params = {"kind": _KINDS[found["kind"][:2]], "repos": " ".join(repos)}
            line = inline.line_at(found.start())
            yield Statement(line, "count", shortened(found[0]), named[0], repo or _one(repos), "only one", params)


def _author_row(page: Page, place: int) -> Iterator[Statement]:
    """Read a table of people and how many commits they have."""
    block = page.blocks[place]
    columns = [plain(column).strip() for column in block.header]
    who = next((at for at, name in enumerate(columns) if AUTHOR_COLUMN.match(name)), None)
    count = next((at for at, name in enumerate(columns) if _COUNT_COLUMN.match(name)), None)
    if who is None or count is None or max(who, count) >= len(block.inlines):
        return
    people, said = (plain(block.inlines[at].text).strip() for at in (who, count))
    number = re.fullmatch(r"(?:各\s*)?(\d{1,4})(?:\s*个)?", said)
    if number is None or not people:
        return
    listed = re.search(r"[（(](.*、.*)[)）]\s*$", people)
    repos = page.names.named(columns[count]) or repos_behind(page, place, people, 0, 0)
    params = {"repos": " ".join(repos), "people": _listed(listed[1]) if listed else people, "commits": number[1]}
    yield Statement(block.line, "count", shortened(f"{people}: {number[1]}"), None, _one(repos), "by person", params)
