"""What code inside a function decides otherwise now: one written-out value that matters outside in place of another.

Of all values that are exchanged (`exchanged.py`) few are anybody's business. Told is what says a choice by its name, or
asks for a version or an architecture; not what a kernel computes with, what is logged, nor where anything lies.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from typing import TYPE_CHECKING

from agent.facts import FactKind
from tools.diff.answers import ASKS, answers, denials, is_said, reasons
from tools.diff.cases import CASE, cases
from tools.diff.choices import choices
from tools.diff.draft import Draft, Where
from tools.diff.exchanged import Exchange, exchanges
from tools.diff.grouping import Shown
from tools.diff.guards import GUARD, build_guards, guards
from tools.diff.hunks import Hunk, Patch, Side
from tools.diff.roles import Role, role
from tools.diff.scopes import ASIDE, depth_of, hunk_line, is_prose, scope_of
from tools.diff.terms import SWITCH, terms
from tools.diff.written import is_value, tokens_of

if TYPE_CHECKING:
    from tools.diff.versions import Versions

_PYTHON = (".py", ".pyi")
_C = (".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hh", ".hpp", ".hxx", ".inl")
_BUILD = ("CMakeLists.txt", ".cmake")
_RUN = (Role.SOURCE, Role.HEADER, Role.KERNEL, Role.MODEL, Role.OPERATOR)
_DEVICE = (Role.HEADER, Role.KERNEL)
"""Where most is code of kernels, whose numbers are their own business."""
_CHOICE = re.compile(
    r"backend|mode(?!l)|dtype|precision|default|method|version|kernel|thresh|timeout|max|min(?!or)|limit|size|strateg|polic"
    r"|algorithm|format|layout|arch|capab|platform|device|activation|quant|type|transport|scheduler|attention|provider"
    r"|retr(?:y|ies)|interval|ttl|level|budget|capacity|ratio|factor|eps|temperature|top_?[kp]\b|tokens|steps|workers"
    r"|batch|modalit|language|encoding|status|supported|components?_names|logprob|decode\b|penalty|rate(?:_|$)|memory|(?:^|_)mem(?:_|$)",
    re.IGNORECASE,
)
_ARCH = re.compile(
    r"arch|capab|(?:^|_)(?:sm|cc|major|minor|ver|gfx|compute)(?:_|\d|$|\()|version|_VER|CUDART|ROCM|HIP_V",
    re.IGNORECASE,
)
_COMPILER = re.compile(r"CUDACC_VER|CUDA_VERSION|CUDART_VERSION|_MSC_VER|__GNUC__|HIP_VERSION")
_SIZED = re.compile(
    r"max|min(?!or)|top_?k|limit|thresh|page_size|block_size|batch|tokens|world_size|head_dim|head_size|steps|rank_size"
    r"|(?:^|_)(?:tp|dp|ep|pp)(?:_size)?$|seq_?len",
    re.IGNORECASE,
)
_SET_BY_USERS = re.compile(r"(?:config|args?|params|options?|opts|settings|request|req)(?:\.|->)\w+$", re.IGNORECASE)
_OWN = re.compile(
    r"tile|stages?(?:_|$)|warp|grid|thread|stride|offset|idx|index|(?:^|_|\.)(?:n?dims?|axis|rank|state|pos|slot|arg|args"
    r"|id|ids|key|keys|path|paths|file|files|url|prefix|suffix|message|msg|reason|help|label|title|text|fields|color"
    r"|module|order|error|choices|default|new_flag|timestep)$|shape|vec_|unroll|lane|smem|swizzle"
    r"|mask|count|(?:tensor|scalar)_dtypes|mutates|module_path|op_name|op_type|__\w+__|_ir\.|register|barrier|align|epilogue|cacheop|buffer|pipeline_params",
    re.IGNORECASE,
)
_NAMED = re.compile(r"name$", re.IGNORECASE)
_PAGED = re.compile(r"(?:page|block)_size$")
_FOR_READERS = re.compile(
    r"\b(?:log|logg(?:er|ing)|log_\w+|print\w*|raise|warn\w*|import|fprintf|printf|assert\w*|throw|static_assert|add_argument|environ|getenv)\b"
    r"|\w*(?:CHECK|ASSERT|LOG)\w*\("
    r"|^(?:def|class|async|@|template|using|typedef)\b"
)
_OPTIONS = re.compile(r"(?:Args|Arguments|Config|Options|Settings)$")
_OFFERS = re.compile(
    r"tactic|candidate|config|valid|support|choice|option|variant|available|search_space", re.IGNORECASE
)
"""The name of a function that lists what there is to choose from."""
_SUPPORT = re.compile(r"support", re.IGNORECASE)
_WHOLE_LIST = re.compile(r"[\[({]")
_NUMBER = re.compile(r"-?(?:0x[\da-f]+|\d[\d_']*\.?\d*(?:e[-+]?\d+)?|\.\d+|float\(.*\))[ulf]*$", re.IGNORECASE)
_QUOTED = re.compile(r"[\"']")
_EMPTY = ("[]", "{}", "()", '""', "''")
_NOTHING = ("None", "nullptr")
_SWITCHED = ("True", "False", "true", "false")
_MEMBER = re.compile(r"(?<![\"'\w.:])([A-Za-z_]\w*(?:(?:\.|::)\w+)*)(?:\.|::)([A-Za-z_]\w*)(?![\w\"'(])")
_BOUND = re.compile(r"([<>])(=?) (\d+)$")
_COMPARED_WITH = re.compile(r"^(?:==|!=|<=|>=|<|>|not in|in) ")
_INTEGER = re.compile(r"(?:torch|np|jnp|tl)\.u?int\w*$")
_HASH = re.compile(r"[\"'](?=\w*\d)[0-9a-f]{7,}[\"']$")
_ITEM = re.compile(r"[\"'][^\"']*[\"']|[A-Za-z_]\w*(?:(?:\.|::)\w+)+")
_BRANCH = re.compile(r"\s*(?:\}\s*)?(?:if|elif|else|for|while|with|try|except|case|switch|catch)\b")
_NEAR = 20
"""Lines above a value that are looked at for what it stands under."""
_WORD = re.compile(r"\"[^\"]*\"|'[^']*'")
_CONDITION = re.compile(r" if .* else ")
_BEGUN = re.compile(r".\s*(?:async )?(?:def|class) |.[A-Za-z].*[({]\s*$")
_PLACED = re.compile(r"/|::|\w\.[A-Za-z]")
"""A path, an address or the name of a module."""
_ASKED = re.compile(r"[A-Za-z_]\w+")
_MOST_HUNKS = 1_000
"""Hunks of which is kept what they exchange; few commits have as many."""
_RENAMED = (FactKind.MEMBER_RENAMED, FactKind.FIELD_RENAMED, FactKind.SYMBOL_RENAMED)


def may_decide(path: str, hunk: Hunk) -> bool:
    """Tell whether a hunk may show such a value."""
    return _is_read(path) and bool(_choices(path, hunk))


def decided(versions: "Versions", told: Iterable[Draft]) -> Iterator[Draft]:
    """Tell what functions that were there before decide otherwise, unless one of the other facts tells it."""
    path = versions.file.path
    if not _is_read(path):
        return
    drafts = list(told)
    labels: dict[tuple[str, bool], Draft] = {}
    for hunk in versions.patch.hunks:
        for found in _choices(path, hunk):
            if any(_tells(draft, found) for draft in drafts) or _is_elsewhere(found, hunk, versions.patch):
                continue
            if found.by == "place" and found.old and found.new and _is_under_another(found, versions.patch.hunks):
                continue
            name = scope_of(versions, hunk, found)
            if name is None or _is_aside(name, found):
                continue
            where = Where(found.before if found.old else None, found.after if found.new else None)
            old, new = found.old or None, found.new or None
            draft = Draft(FactKind.VALUE_CHANGED, name, True, where, old, new, found.what or "return")
            if found.what == CASE:
                key = name, found.old == ""
                labels[key] = _with_label(labels[key], draft) if key in labels else draft
            else:
                yield draft
    yield from labels.values()


def _with_label(one: Draft, other: Draft) -> Draft:
    """Put two cases of a function that went, or came, into one."""
    old, new = (", ".join(each for each in pair if each) for pair in ((one.old, other.old), (one.new, other.new)))
    return one._replace(old=old or None, new=new or None)


def _is_elsewhere(found: Exchange, hunk: Hunk, patch: Patch) -> bool:
    """Tell whether what only came, or only went, did the other elsewhere in the file."""
    if _is_asked(found):
        # What is asked for in one place may be what several lines set before, under conditions.
        sets = re.compile(rf"[-+]\s+{re.escape(found.what)}\s*(?::[^=]+)?=(?!=)")
        return any(sum(map(bool, map(sets.match, side.values()))) > 1 for side in (patch.removed, patch.added))
    if (found.old and found.new) or found.by == "terms":
        return False
    others = (patch.removed if found.new else patch.added).values()
    if found.by == "reason":
        return any(is_said(found.old or found.new, line) for line in others)
    text = hunk_line(hunk, found.come, "+") if found.new else hunk_line(hunk, found.gone, "-")
    if found.what == GUARD:
        # Another condition may ask for the same around more, or less, of the file.
        asked = {*_ASKED.findall(found.old or found.new)} - {"defined"}
        return any("#" in line and "if" in line and asked & {*_ASKED.findall(line)} for line in others)
    return any(line[1:].strip() == text for line in others)


def _is_aside(name: str, found: Exchange) -> bool:
    """Tell whether a function is nobody's business outside, or what it returns, sets or asks for anew."""
    owner, _, own = name.rpartition(".")
    if found.by == "own" and (own == "__init__" or not _OPTIONS.search(owner)):
        return True
    if found.by == "answer":
        # What a private method supports, its class does; a private function is a helper.
        helper = own.startswith("_") and not owner
        return helper or not ASKS.match(own) or ASIDE.search(name) is not None
    if found.by == "reason":
        return ASIDE.search(name) is not None
    unlike = (found.form == "returned" and not _CHOICE.search(own)) or (found.what == CASE and not _SUPPORT.search(own))
    if not found.old and unlike:
        return True
    if found.form == "listed" and not _OFFERS.search(name):
        return True
    return ASIDE.search(name) is not None or (found.form == "returned" and _OWN.search(name) is not None)


def without_renamed(shown: Sequence[Shown]) -> list[Shown]:
    """Leave out values that only follow a new name of what they are."""
    names = {_ends(one.draft) for one in shown if one.draft.kind in _RENAMED}
    gone = {name for one in shown if one.draft.kind is FactKind.MEMBER_REMOVED for name in _names(one.draft)}
    if not names and not gone:
        return list(shown)
    return [
        one for one in shown if one.draft.kind is not FactKind.VALUE_CHANGED or not _follows(one.draft, names, gone)
    ]


def _follows(draft: Draft, renamed: Set[tuple[str, str]], gone: Set[str]) -> bool:
    """Tell whether there is no other choice, since what was chosen is called otherwise or gone."""
    ends = _ends(draft)
    return ends in renamed or ends[0] in gone


def _names(draft: Draft) -> list[str]:
    return re.findall(r"\w+", f"{draft.name.rpartition('.')[2]} {draft.old or ''}")


def _ends(draft: Draft) -> tuple[str, str]:
    old, new = (re.split(r"[.:\s]", text or "")[-1] for text in (draft.old, draft.new))
    return old, new


def _is_read(path: str) -> bool:
    return path.endswith(_BUILD) or (path.endswith((*_PYTHON, *_C)) and role(path) in _RUN)


def _tells(draft: Draft, found: Exchange) -> bool:
    """Tell whether another fact is about the same line; where one branch refuses something, another may choose."""
    if draft.kind is FactKind.ERROR_ADDED and not found.old:
        return False
    return bool(found.new and _covers(draft.where.new, found.come)) or bool(
        found.old and _covers(draft.where.old, found.gone)
    )


def _covers(span: tuple[int, int] | None, line: int) -> bool:
    return span is not None and span[0] <= line <= span[1]


@lru_cache(maxsize=_MOST_HUNKS)
def _choices(path: str, hunk: Hunk) -> tuple[Exchange, ...]:
    """List the exchanges that may matter; this is asked when hunks are chosen, and once more for what they tell."""
    return tuple(_chosen(path, hunk))


def _chosen(path: str, hunk: Hunk) -> Iterator[Exchange]:
    """Choose the exchanges of a hunk that may matter to somebody outside."""
    if path.endswith(_BUILD):
        yield from build_guards(hunk)
        return
    python = path.endswith(_PYTHON)
    seen: set[int] = set()
    for found in (*exchanges(hunk, python=python), *((*choices(hunk), *denials(hunk)) if python else ())):
        if found.come in seen or is_prose(found, hunk):
            continue
        if _is_plain(found) and _matters(found, path) and not _is_moved(found, hunk):
            seen.add(found.come)
            yield found
    if python:
        yield from (found for found in terms(hunk) if _is_by_name(found.what) and not is_prose(found, hunk))
        yield from (found for found in answers(hunk) if found.come not in seen and not is_prose(found, hunk))
        yield from (found for found in reasons(hunk) if not is_prose(found, hunk))
    else:
        yield from (found for found in guards(hunk) if found.come not in seen)
        yield from cases(hunk) if role(path) not in _DEVICE else ()


def _is_by_name(target: str) -> bool:
    """Tell whether something that is set under a condition is a choice by its name."""
    what = target.removeprefix("self.")
    if _OWN.search(what) and not _PAGED.search(what):
        return False
    return bool(_SET_BY_USERS.search(target) or SWITCH.search(what) or _CHOICE.search(what))


def _is_plain(found: Exchange) -> bool:
    """Tell whether one value of a kind became another of that kind, and not the same thing in other words."""
    old, new = (_bare(value) for value in (found.old, found.new))
    if {old, new} <= {*_EMPTY, *_NOTHING} or any(map(_PLACED.search, _WORD.findall(old) + _WORD.findall(new))):
        return False
    if _is_same_bound(found.old, found.new) or _is_turned_round(found):
        return False
    if _is_asked(found):
        return not {old, new} & {*_EMPTY, *_NOTHING} and not _INTEGER.match(old) and not _INTEGER.match(new)
    if not old or found.by == "branches":
        return _HASH.match(new) is None
    if _HASH.match(old) or _HASH.match(new) or (_INTEGER.match(old) and _INTEGER.match(new)):
        return False
    owners = [{match[1] for match in _MEMBER.finditer(value)} for value in (old, new)]
    if (owners[0] or owners[1]) and owners[0] != owners[1]:
        return False
    if _NUMBER.match(old) and _NUMBER.match(new) and _figure(found.old) == _figure(found.new):
        return False
    alike = _sort(old) == _sort(new)
    equal = found.form == "compared" and all(value[:2] in ("==", "!=") for value in (found.old, found.new))
    return alike or (found.form != "returned" and not equal)


def _is_same_bound(old: str, new: str) -> bool:
    """Tell whether two comparisons with whole numbers hold for the same ones: `>= 13` and `> 12`."""
    sides = [_BOUND.match(text) for text in (old, new)]
    if sides[0] is None or sides[1] is None:
        return False
    bounds = {(side[1], int(side[3]) + (side[2] == "=") * (1 if side[1] == "<" else -1)) for side in sides if side}
    return len(bounds) == 1


def _is_turned_round(found: Exchange) -> bool:
    """Tell whether the same is asked the other way round, most often with its branches: `==` and `!=`."""
    values = {_COMPARED_WITH.sub("", value) for value in (found.old, found.new)}
    signs = {match[0].strip() for value in (found.old, found.new) if (match := _COMPARED_WITH.match(value)) is not None}
    return len(values) == 1 and signs in ({"==", "!="}, {"in", "not in"})


def _is_asked(found: Exchange) -> bool:
    """Tell whether one of both is no value but an expression that gives one."""
    if found.form not in ("set", "given") or found.by != "place":
        return False
    return not all(" if " in value or is_value(tokens_of(value, python=True)) for value in (found.old, found.new))


def _bare(value: str) -> str:
    """Leave out by which sign something is compared, and under which condition a value is chosen."""
    return _CONDITION.sub(" ", _COMPARED_WITH.sub("", value))


def _figure(number: str) -> str:
    text = number.rstrip("uUlLfF") if not number.startswith("0x") else number
    return text.rstrip("0").rstrip(".") if "." in text else text


def _sort(value: str) -> str:
    if value in _SWITCHED:
        return "switch"
    if _NUMBER.match(value):
        return "number"
    if _WHOLE_LIST.match(value):
        return "list"
    return "word" if _QUOTED.match(value) else "name"


def _matters(found: Exchange, path: str) -> bool:
    """Tell by its name whether a value is a choice that shows outside."""
    what = found.what.rpartition("self.")[2]
    old, new = (_bare(value) for value in (found.old, found.new))
    numbers = bool(_NUMBER.match(old) or _NUMBER.match(new))
    device = role(path) in _DEVICE
    if found.form == "listed":
        # What is tried, or offered, the name of the function tells.
        return True
    if found.form == "returned":
        return not device and old not in _NOTHING and new not in _NOTHING
    if found.form == "compared" and _COMPILER.search(what):
        return True
    if _OWN.search(what) and not _PAGED.search(what):
        return False
    if found.form != "compared" and _NAMED.search(what):
        return False
    if found.form == "compared":
        if _ARCH.search(what):
            return True
        if device or what.isupper():
            return False
        numeric = numbers or not (_QUOTED.search(old + new) or _MEMBER.search(old + new))
        return bool((_SIZED if numeric else _CHOICE).search(what))
    if device and (numbers or found.form == "set"):
        return False
    if _SET_BY_USERS.search(what) or any(_is_left_to_users(what, value) for value in (old, new)):
        return True
    switched = (not old or old in _SWITCHED) and new in _SWITCHED
    if switched and found.form != "set":
        return True
    return bool(SWITCH.search(what.rpartition(".")[2]) if switched else _CHOICE.search(what))


def _is_left_to_users(what: str, value: str) -> bool:
    """Tell whether something is what users set under the same name: `trust=config.trust`."""
    return _SET_BY_USERS.search(value) is not None and value.rpartition(".")[2] == what.rpartition(".")[2]


def _is_moved(found: Exchange, hunk: Hunk) -> bool:
    """Tell whether the hunk still has the old line, had the new one before, or takes one case for another."""
    gone = [line[1:].strip() for line in hunk.lines if line[:1] == "-"]
    come = [line[1:].strip() for line in hunk.lines if line[:1] == "+"]
    old, new = hunk_line(hunk, found.gone, "-") if found.old else "", hunk_line(hunk, found.come, "+")
    if (
        (found.by == "place" and old in come)
        or (found.by != "branches" and new in gone)
        or _FOR_READERS.search(old or new)
    ):
        return True
    if found.form == "set":
        return _is_set_again(found, hunk)
    return found.form == "compared" and _is_another_case(found, hunk, (old, new))


def _is_another_case(found: Exchange, hunk: Hunk, lines: tuple[str, str]) -> bool:
    """Tell whether, of several cases one after the other, another one stands here now: the old one is still there."""
    before, after = ({*_ITEM.findall(value)} for value in (found.old, found.new))
    if not before or not after or before == after or after < before:
        return False
    # A case that is left to a branch of its own, or joins another, is taken from one line and put on another.
    context = "" if before & after else " "
    texts = [
        "\n".join(line for line in hunk.lines if line[:1] in (sign, context) and line[1:].strip() not in lines)
        for sign in "+-"
    ]
    return any(item in texts[0] for item in before - after) or any(item in texts[1] for item in after - before)


def _is_under_another(found: Exchange, hunks: Iterable[Hunk]) -> bool:
    """Tell whether a condition around a line came or went, in this hunk or the one before."""
    sides: tuple[tuple[Side, int], ...] = (("old", found.gone), ("new", found.come))
    hunks = [hunk for hunk in hunks if hunk.new_start <= found.come and found.come - hunk.span("new")[1] < _NEAR]
    for side, number in sides:
        lines = {at: line for hunk in hunks for at, line in enumerate(hunk.signed(side), hunk.span(side)[0])}
        depth = depth_of(lines[number])
        for at in range(number - 1, number - _NEAR, -1):
            line = lines.get(at, "")
            if not line[1:].strip() or depth_of(line) >= depth or line[1:].lstrip()[0] in "#)]}":
                continue
            depth = depth_of(line)
            if line[0] != " " and _BRANCH.match(line[1:]):
                return True
    return False


def _is_set_again(found: Exchange, hunk: Hunk) -> bool:
    """Tell whether another changed line, no deeper, sets the same: then neither value says what was or is."""
    again = re.compile(rf"[-+](\s*){re.escape(found.what)}\s*(?::[^=]+)?=(?!=)")
    depths = [len(match[1]) for line in _around(found, hunk) if (match := again.match(line)) is not None]
    return len(depths) > 2 and sorted(depths)[2] <= depths[0]


def _around(found: Exchange, hunk: Hunk) -> list[str]:
    """Give the lines of a hunk that stand in the same function, as far as one can see."""
    kept, at, reached = list[str](), hunk.new_start, False
    for line in hunk.lines:
        if _BEGUN.match(line):
            if reached:
                break
            kept = []
        kept.append(line)
        reached = reached or (at == found.come and line[:1] == "+")
        at += line[:1] not in ("-", "\\")
    return kept
