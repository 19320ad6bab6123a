"""Which earlier commit a commit undoes, brings back or copies: as its message says, and as its patch shows."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from agent.facts import Fact, FactKind, Severity
from tools.diff.patch_id import PatchIds, likeness

LineageKind = Literal["revert", "reland", "cherry-pick"]
MAX_MESSAGE = 100_000
ENOUGH_ALIKE = 0.6
"""How much of two changes must be common to call the one an edited version of the other, once that one was undone."""
ENOUGH_UNDONE = 0.8
"""The same for the opposite of a change."""
ENOUGH_COPIED = 0.9
"""The same for a copy of what was never undone, where nothing else speaks for it."""
ENOUGH_LINES = 10
"""Of fewer lines a likeness says nothing; an equal patch does."""


@dataclass(frozen=True, slots=True)
class Lineage:
    """What a commit is to an earlier one, which is named by what is known of it."""

    kind: LineageKind
    sha: str = ""
    """As written, perhaps abbreviated."""
    number: int | None = None
    """Of the earlier pull request."""
    repo: str = ""
    """`owner/name`, where the message says one."""
    subject: str = ""
    likeness: float | None = None
    """Of a partner found by its patch, how much of the change is the same; None for what the message says."""


_KINDS: dict[str, LineageKind] = {
    "rev": "revert",
    "rel": "reland",
    "rea": "reland",
    "red": "reland",
    "che": "cherry-pick",
    "bac": "cherry-pick",
}
_TAGS = re.compile(
    r"^(?:\s*(?:\[[^\[\]]{1,60}\]|(?!revert|re-?land|re-?apply)[\w/-]{1,24}(?:\([^()]{1,60}\))?!?:(?=\s)))*\s*",
    re.IGNORECASE,
)
_TAGGED = re.compile(r"\[(re-?land|re-?apply|redo|cherry[- ]?pick(?:ed)?|backport)\b[^\[\]]{0,60}\]", re.IGNORECASE)
_RETRIED = re.compile(
    r"^(.{12,}?)[\s,:-]*\("
    r"(?:retry|re-?land(?:ed|ing)?|re-?appl(?:y|ied)|redo|take \d|(?:second|2nd|3rd) (?:attempt|try))\)$",
    re.IGNORECASE,
)
"""A title that says at its end that it is there for another time."""
_QUOTED_REVERT = re.compile(r"""^reverts?\s*:?\s*["“]\s*""", re.IGNORECASE)
_WORD = re.compile(r"^(revert|re-?land|re-?apply)(?:s|ed)?\b\s*[:-]?\s*", re.IGNORECASE)
_ROLLS_BACK = re.compile(r"^(?:roll[ -]?back|back[ -]?out|undo)(?:s|es|ed|ing)?\b\s*[:-]?\s*", re.IGNORECASE)
_QUOTES = '"“”'
_PULL = r"(?:PR\s{0,3}|pull request\s{0,3})?"
_REFERENCE = (
    r"(?:(?P<repo>[\w.-]{1,99}/[\w.-]{1,99})?#(?P<number>[1-9]\d{0,9})\b"
    r"|https?://[\w.:-]{1,99}/(?P<where>[\w.-]{1,99}/[\w.-]{1,99})/pull/(?P<pull>[1-9]\d{0,9})\b)"
)
# A bare number is a pull request only behind `PR` or when nothing but the end or another one follows it.
_NAMED = re.compile(
    rf"^(?:of\s+|commit\s+)?(?:{_PULL}{_REFERENCE}|PR\s*(?P<pr>\d{{1,7}})\b|(?P<bare>\d{{4,7}})(?=\s*(?:$|[,(&]|and\b))"
    r"|(?P<sha>(?=[a-f]*\d)[0-9a-f]{7,40})\b)\s*(?:,|and\b|&)?\s*",
    re.IGNORECASE,
)
_OWN_NUMBERS = re.compile(r"\(#(\d{1,10})\)")
_REVERTS_COMMIT = re.compile(r"\breverts commits? (?P<sha>[0-9a-f]{7,40})\b", re.IGNORECASE)
_UNDOES = r"(?:reverts?|reverting|rolls?[ -]?back|rolling back|rollback of|backs? out|backing out|undo(?:es)?)"
_WHAT_IT_DID = (
    r"(?:(?:changes?|commit|work|behaviou?r|updates?)\s+)?(?:(?:made|introduced|added)\s+)?(?:(?:in|of|from|by)\s+)?"
)
# Only at the beginning of a sentence is it this commit that undoes something; "reverted in #12" tells of another one.
_REVERTS_PULL = re.compile(
    rf"(?:^\W{{0,4}}|[.!;]\s{{1,3}})(?:(?:this|it|so|also|we|therefore|temporarily)\s+){{0,2}}"
    rf"(?:(?:pr|pull request|commit|change|patch)\s+)?{_UNDOES}\s+(?:the\s+)?{_WHAT_IT_DID}"
    rf"(?:{_PULL}{_REFERENCE}|commit\s+(?P<sha>(?=[a-f]*\d)[0-9a-f]{{7,40}})\b)",
    re.IGNORECASE | re.MULTILINE,
)
_RELANDS_PULL = re.compile(
    rf"\bre-?(?:lands?|landing|apply|applies|applying)\s+(?:of\s+)?{_PULL}{_REFERENCE}", re.IGNORECASE
)
_VERSION_OF = re.compile(rf"\b(?:fixed|corrected|updated|new) version of\s+{_PULL}{_REFERENCE}", re.IGNORECASE)
_PICKED_COMMIT = re.compile(r"\(cherry[- ]picked from commit (?P<sha>[0-9a-f]{7,40})", re.IGNORECASE)
_PICKED_PULL = re.compile(
    rf"\b(?:cherry[- ]?pick(?:s|ed)?|backport(?:s|ed)?)(?:\s+(?:of|from|for))?\s+{_PULL}{_REFERENCE}", re.IGNORECASE
)
_SAYINGS: tuple[tuple[str, re.Pattern[str], LineageKind], ...] = (
    ("reverts commit", _REVERTS_COMMIT, "revert"),
    ("picked from commit", _PICKED_COMMIT, "cherry-pick"),
    ("revert", _REVERTS_PULL, "revert"),
    ("roll back", _REVERTS_PULL, "revert"),
    ("rolls back", _REVERTS_PULL, "revert"),
    ("rolling back", _REVERTS_PULL, "revert"),
    ("rollback", _REVERTS_PULL, "revert"),
    ("back out", _REVERTS_PULL, "revert"),
    ("backs out", _REVERTS_PULL, "revert"),
    ("backing out", _REVERTS_PULL, "revert"),
    ("undo", _REVERTS_PULL, "revert"),
    ("land", _RELANDS_PULL, "reland"),
    ("appl", _RELANDS_PULL, "reland"),
    ("pick", _PICKED_PULL, "cherry-pick"),
    ("backport", _PICKED_PULL, "cherry-pick"),
)
_FACTS = {"revert": FactKind.REVERT, "reland": FactKind.RELAND, "cherry-pick": FactKind.CHERRY_PICK}
_SQUASHED = re.compile(r"^\* \S", re.MULTILINE)


def read_lineage(message: str) -> list[Lineage]:
    """Read what a message says of an earlier commit; what the commit itself is comes first, then by certainty."""
    subject, body = _parts(message[:MAX_MESSAGE])
    headline = list(_headline(subject))
    if not headline and (squashed := _SQUASHED.search(body)):
        # A squash lists the branch's own commits; one that undid another of them says nothing of what landed.
        body = body[: squashed.start()]
    said = list(dict.fromkeys(_body(body)))
    if len(headline) == 1:
        headline, said = _completed(headline[0], said)
    kind = headline[0].kind if headline else None
    return sorted([*headline, *said], key=lambda one: (one.kind != kind, not one.sha, one.number is None))


def find_partner(ids: PatchIds, earlier: Mapping[str, PatchIds]) -> Lineage | None:
    """Find the commit that a change undoes, brings back or copies, among earlier ones given oldest first."""
    if not ids.lines:
        return None
    alike = list(_alike(ids, earlier))
    if not alike:
        return None
    # Who was first decides what the ones after it are: the change itself, its revert, its re-land, a second revert.
    kind: LineageKind = "revert" if alike[0].kind == "revert" else "reland"
    partners = [one for one in alike if (one.kind == "revert") == (kind == "revert")]
    best = max(enumerate(partners), key=lambda place: (place[1].likeness or 0.0, place[0]))[1]
    if kind == "revert":
        enough = ENOUGH_UNDONE
    elif any(one.kind == "revert" for one in alike):
        enough, best = ENOUGH_ALIKE, replace(best, kind=kind)
    else:
        enough = ENOUGH_COPIED
    return best if (best.likeness or 0.0) >= enough else None


def _alike(ids: PatchIds, earlier: Mapping[str, PatchIds]) -> Iterator[Lineage]:
    """Give the commits that make the same change (as if picked) or the opposite one (as if reverted)."""
    for sha, other in earlier.items():
        if not other.lines:
            continue
        if other.forward == ids.forward:
            yield Lineage("cherry-pick", sha=sha, likeness=1.0)
        elif other.reverse == ids.forward:
            yield Lineage("revert", sha=sha, likeness=1.0)
        elif _comparable(ids.lines, other.lines):
            same, undone = likeness(ids.sketch, other.sketch), likeness(ids.sketch, other.mirrored)
            if max(same, undone) >= ENOUGH_ALIKE:
                # Only an equal patch is wholly alike; the samples of two others may be.
                yield Lineage(
                    "revert" if undone > same else "cherry-pick", sha=sha, likeness=min(max(same, undone), 0.99)
                )


def _comparable(one: int, other: int) -> bool:
    """Say whether two changes have enough lines, and nearly as many, to be alike at all."""
    return min(one, other) >= max(ENOUGH_LINES, 0.4 * max(one, other))


def _parts(message: str) -> tuple[str, str]:
    """Part subject and body, and join a subject that GitHub cut with an ellipsis."""
    subject, _, body = message.lstrip("\n").partition("\n")
    subject, body = subject.strip()[:2_000], body.lstrip("\n")
    head, ellipsis, tail = subject.partition("…")
    if ellipsis and body.startswith("…"):
        rest, _, body = body[1:].partition("\n")
        return f"{head}{rest.strip()}{tail}", body
    return subject, body


def _headline(subject: str) -> Iterator[Lineage]:
    """Read the subject: a quoted title, named targets, or the tag of a re-land or a pick."""
    start = _TAGS.match(subject)
    text = subject[start.end() :] if start else subject
    if _QUOTED_REVERT.match(text):
        yield _quoted(text)
    elif undone := _ROLLS_BACK.match(text):
        rest = text[undone.end() :]
        yield from (_reference("revert", target) for target in (_NAMED.match(rest),) if target)
    elif word := _WORD.match(text):
        yield from _worded(_KINDS[word[1][:3].lower().replace("re-", "rel")], word[1], text[word.end() :])
    elif tag := _TAGGED.search(subject[: start.end()] if start else ""):
        kind = _KINDS[tag[1][:3].lower().replace("re-", "rel")]
        named = _NAMED.match(text)
        yield _reference(kind, named) if named else Lineage(kind, number=_target(text), subject=_title(text))
    elif retried := _RETRIED.match(_title(text)):
        yield Lineage("reland", number=_target(text), subject=retried[1])


def _quoted(text: str) -> Lineage:
    """Read `Revert "…"`; a revert of a revert brings back what the innermost title names."""
    depth = 0
    while found := _QUOTED_REVERT.match(text):
        depth += 1
        text = text[found.end() :]
    end = max(text.rfind(quote) for quote in _QUOTES)
    inside, outside = (text[:end], text[end:]) if end > 0 else (text, text)
    within = _OWN_NUMBERS.findall(inside) if end > 0 else []
    number = int(within[-1]) if within else _target(outside)
    return Lineage("reland" if depth % 2 == 0 else "revert", number=number, subject=_title(inside))


def _worded(kind: LineageKind, word: str, rest: str) -> Iterator[Lineage]:
    """Read `Revert #1 and #2`, `Reland "…"`; without a target both words may be ordinary ones."""
    named = False
    while target := _NAMED.match(rest):
        named = True
        yield _reference(kind, target)
        rest = rest[target.end() :]
    # Nobody writes "reland" but of a change; "reapply the mask" is code, "Reapply [Attention] …" is a title.
    relands = word.lower().replace("-", "") == "reland"
    titled = relands or rest[:1] in (*_QUOTES, "[") or _target(rest) is not None
    if not named and titled and (title := _title(rest)):
        yield Lineage(kind, number=_target(rest), subject=title)


def _title(text: str) -> str:
    """Take the quotes and the numbers off a title."""
    while (stripped := _OWN_NUMBERS.sub("", text).strip(f" {_QUOTES}…")) != text:
        text = stripped
    return text


def _target(text: str) -> int | None:
    """Take the number of the earlier pull request: with one number alone, that is the commit's own."""
    numbers = _OWN_NUMBERS.findall(text)
    return int(numbers[0]) if len(numbers) > 1 else None


def _body(body: str) -> Iterator[Lineage]:
    """Read the lines that git, GitHub and people leave in a message."""
    lower = body.lower()
    for word, pattern, kind in _SAYINGS:
        # Looking for a word first is many times faster than a pattern that ignores case.
        if word in lower:
            yield from (_reference(kind, found) for found in pattern.finditer(body))
    if "version of" in lower and "revert" in lower:
        for found in _VERSION_OF.finditer(body):
            if "revert" in lower[found.end() : found.end() + 200]:
                yield _reference("reland", found)


def _reference(kind: LineageKind, found: re.Match[str]) -> Lineage:
    """Read what a pattern found: a hash, or a number with or without its repository."""
    groups = found.groupdict()
    number = next((groups[key] for key in ("number", "pull", "pr", "bare") if groups.get(key)), None)
    repo = groups.get("repo") or groups.get("where") or ""
    return Lineage(kind, sha=(groups.get("sha") or "").lower(), number=int(number) if number else None, repo=repo)


def _completed(headline: Lineage, said: Iterable[Lineage]) -> tuple[list[Lineage], list[Lineage]]:
    """Put what the body says of the same commit into the headline, where it is one commit and no more."""
    others = list(said)
    hashes = [one for one in others if one.kind == headline.kind and one.sha]
    numbers = [one for one in others if one.kind == headline.kind and one.number is not None]
    if len(hashes) == 1 and not headline.sha:
        headline = replace(headline, sha=hashes[0].sha)
        others.remove(hashes[0])
    if len(numbers) == 1 and headline.number in (None, numbers[0].number):
        headline = replace(headline, number=numbers[0].number, repo=numbers[0].repo)
        others.remove(numbers[0])
    return [headline], others


def lineage_fact(message: str, partner: Lineage | None) -> Fact | None:
    """Tell of the earlier commit: the surest that the message says, else what the patch shows."""
    said = read_lineage(message)
    # A copy of an earlier commit on the same line is chance: one-line changes are alike everywhere.
    undone = partner if partner is not None and partner.kind != "cherry-pick" else None
    one = said[0] if said else undone
    if one is None:
        return None
    agrees = partner is not None and partner.kind == one.kind
    sha = one.sha or (partner.sha if partner is not None and agrees else "")
    name = (f"{one.repo}#{one.number}" if one.number else "") or sha or one.subject
    proof = ("message and patch" if agrees else "message") if said else "patch"
    return Fact(kind=_FACTS[one.kind], severity=Severity.BEHAVIOUR, name=name, old=sha or None, detail=proof)
