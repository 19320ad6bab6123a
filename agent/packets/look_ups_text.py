"""The text of look-ups for writers and judges, and what anchors may be copied from."""

from collections.abc import Iterator, Mapping, Sequence

from agent.domain.evidence import FileEvidence, without_line_numbers
from agent.domain.look_ups import LookUp
from agent.triage.title_conventions import Area, area


def with_handles(look_ups: Sequence[LookUp]) -> dict[str, LookUp]:
    """Return what can be cited of some look-ups by its handle: f1 lines of a file, #12 a thread."""
    handles: dict[str, LookUp] = {}
    files = 0
    for look_up in look_ups:
        if look_up.lines is not None:
            files += 1
            handles[f"f{files}"] = look_up
        elif look_up.thread is not None:
            handles[f"#{look_up.thread.number}"] = look_up
    return handles


def printed_look_ups(look_ups: Sequence[LookUp]) -> list[str]:
    """Return each look-up as it is shown, under its handle or under the call that asked for it."""
    handles = {look_up: handle for handle, look_up in with_handles(look_ups).items()}
    texts = []
    for look_up in look_ups:
        heading = f"[{handles[look_up]}] " if look_up in handles else f"{look_up.call}:\n"
        texts.append(heading + look_up.text.rstrip("\n"))
    return texts


def files_by_handle(look_ups: Sequence[LookUp]) -> Mapping[str, FileEvidence]:
    """Return the lines of files that were looked up, as evidence."""
    files: dict[str, FileEvidence] = {}
    for handle, look_up in with_handles(look_ups).items():
        if look_up.lines is not None:
            files[handle] = FileEvidence(id=look_up.lines, text=look_up.text)
    return files


def look_ups_note(look_ups: Sequence[LookUp]) -> str:
    """Return the lines of code that were looked up, for anchors and names to be found in.

    Words of people are no part of it: not threads and documents, and not the messages of commits.
    """
    return "\n".join(_code_lines(look_ups))


def _code_lines(look_ups: Sequence[LookUp]) -> Iterator[str]:
    for look_up in look_ups:
        if look_up.lines is not None and area(look_up.lines.path) is not Area.DOCS:
            yield look_up.text
            yield without_line_numbers(look_up.text)
        if look_up.kind == "uses":
            for line in look_up.text.splitlines():
                path = line.partition(":")[0]
                if area(path) is not Area.DOCS:
                    yield line
