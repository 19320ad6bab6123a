"""Which values the change allows a name, and sentences that allow it another."""

import re
from collections.abc import Iterator, Sequence

from agent.evidence import CommitEvidence

_V = r"(?:`[\"']?[\w.+-]+[\"']?`|[\"'][\w.+-]+[\"']|-?\d[\d.]*(?![\w.]*\w))"
_VALUES = rf"(?P<values>{_V}(?:\s*(?:[,，、/]\s*(?:or\s|and\s|或|和)?|or\b|and\b|[或和与])\s*{_V})+)"
_NAME = r"`(?:--)?(?P<name>[A-Za-z_][\w.-]*)`"
_STATED = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_NAME} (?:(?:may|must|can|has to) (?:now |only |also )*be|is (?:now )?(?:one of|either)"
        rf"|(?:now |only )*(?:accepts|takes|allows))(?: either| only| one of)?\s+{_VALUES}",
        rf"{_NAME}\s*(?:现在|如今|仅|只|必须|也|还)*(?:可取|可以?为|可以是|可以取|必须[是为]|只能[是为]|取值[是为]?|允许(?:取|为)?|接受)\s*"
        rf"{_VALUES}",
    )
)
_ONE = re.compile(r"[\w.+-]+")
_MEMBERS = r"(?<![\w.]){0}[\"']?\s*(?:\)\s*)?(?:not\s+)?in\s*[\[({{](?P<values>[^\[\](){{}}\n]+)[\])}}]"
_EQUAL = r"(?<![\w.]){0}\s*[=!]=\s*(?P<value>[\"']?[\w.+-]+[\"']?)"
_LITERAL = r"(?<![\w.]){0}[\"']?\s*:\s*(?:\w+\.)?Literal\[(?P<values>[^\[\]\n]+)\]"


def allowed_otherwise(text: str, commits: Sequence[CommitEvidence]) -> str:
    """Say which value of a sentence the change does not allow; nothing where no line lists just as many."""
    for found in (one for form in _STATED for one in form.finditer(text)):
        said = {value.strip("`\"'.") for value in re.findall(_V, found["values"])}
        sets = list(_allowed(found["name"].rpartition(".")[2].replace("-", "_"), commits))
        if not sets or any(said <= one for one in sets):
            continue
        known = set[str]().union(*sets)
        near = [one for one in sets if len(one) == len(said) and len(one & said) == len(said) - 1]
        if near and said - known:
            return f"the change allows {' or '.join(sorted(near[0]))}, not {' or '.join(sorted(said - known))}"
    return ""


def _allowed(name: str, commits: Sequence[CommitEvidence]) -> Iterator[set[str]]:
    """Find the sets of values that lines behind the change compare a name with."""
    forms = [re.compile(form.format(re.escape(name))) for form in (_MEMBERS, _LITERAL)]
    equal = re.compile(_EQUAL.format(re.escape(name)))
    for line in (line for one in commits for file in one.change.files for line in (file.patch or "").split("\n")):
        if line[:1] not in "+ ":
            continue
        yield from (set(_ONE.findall(found["values"])) for form in forms for found in form.finditer(line))
        if values := {found["value"].strip("\"'") for found in equal.finditer(line)}:
            yield values
