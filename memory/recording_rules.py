"""The methods whose record needs more than their annotations say."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, TypeAdapter

from agent.domain import Change
from agent.errors import AppError
from agent.sources import CodeSource, Foresees, Study
from memory.shapes import Plain


@dataclass(frozen=True, kw_only=True)
class Rule:
    """How a method is recorded."""

    each: str = ""
    """The parameter whose items are looked up together, recorded one by one, and only asked for where missing."""
    item_of: Callable[[Any], str] = str
    """Names the item that a streamed answer belongs to."""
    size: Callable[[Any], int] = lambda _: 0
    """Measures a streamed answer, because not too many are held in memory."""
    lasting: Callable[[Any, str, Mapping[str, Any]], bool] | None = None
    """Tells of an answer, its item and the arguments whether it never changes: then it serves all later runs."""
    shape: Plain[Any] | None = None
    run: Callable[..., Any] | None = None
    """Makes the call in a way of its own."""


async def _foresee(method: Any, studies: Sequence[Study]) -> None:
    """Announce to the source what is not recorded; if that fails, it fails again where the answer is asked for."""
    source = method.proxy
    files = [source.blobs.calls(one.change, one.read) for one in studies]
    earlier = [source.before.calls(one.change.commit.sha, one.telling) for one in studies]
    unread = method.recorder.unanswered(call for calls in (*files, *earlier) for call in calls.values())
    wanted = []
    for study, reads, before in zip(studies, files, earlier, strict=True):
        read = tuple(path for path, call in reads.items() if call in unread)
        telling = study.telling if unread.intersection(before.values()) else ()
        if read or telling:
            wanted.append(Study(change=study.change, read=read, telling=telling))
    if wanted:
        with suppress(AppError):
            await (await method.target()).foresee(wanted)


def _has_both(versions: tuple[bytes | None, bytes | None], path: str, arguments: Mapping[str, Any]) -> bool:
    """Tell whether both versions are there that the change of a file has."""
    old, new = versions
    status = {file.path: file.status for file in arguments["change"].files}.get(path)
    return status is not None and (old is not None or status == "added") and (new is not None or status == "removed")


def _patches(change: Change) -> int:
    return sum(len(file.patch or "") for file in change.files)


# Each byte becomes one character: JSON has no bytes, and this compresses as well as the file itself.
_Bytes = Annotated[
    bytes,
    PlainSerializer(lambda data: data.decode("latin-1")),
    BeforeValidator(lambda text: text.encode("latin-1") if isinstance(text, str) else text),
]
_VERSIONS = Plain("versions", TypeAdapter(tuple[_Bytes | None, _Bytes | None]))

RULES: Mapping[Callable[..., Any], Rule] = {
    CodeSource.changes: Rule(
        each="shas",
        item_of=lambda change: change.commit.sha,
        size=_patches,
        lasting=lambda change, *_: change is not None and not change.unreadable,
    ),
    CodeSource.blobs: Rule(each="paths", shape=_VERSIONS, lasting=_has_both),
    Foresees.foresee: Rule(run=_foresee),
}
