"""What a writer is shown of a commit: people's words first, then the hunks that tell most, as many as fit."""

from collections.abc import Callable

from agent.analysts.packet import commit_packet
from agent.domain.commits import FileChange
from agent.domain.evidence import Material, Read
from agent.domain.facts import Fact
from agent.models import tokens_of

Make = Callable[..., FileChange]


def lines(name: str, count: int) -> str:
    return "\n".join(f"+{name} line {number} of a long hunk" for number in range(count))


def test_messages_and_threads_are_shown_with_their_code_under_handles(
    file: Make, read: Callable[..., Read], material: Callable[..., Material]
) -> None:
    one = read([file("router.py", "-LIMIT = 22\n+LIMIT = 8")])
    packet = commit_packet(one, material(one))
    for shown in (
        "[c] commit by Mira, landed 2026-02-04, 1 files, +1 -1\nLower the limit (#41)\n\nLarger values",
        "see `grow()` and #12.",
        "[#41] pull request #41 of octo/router, opened 2026-02-04 by jo, merged: Lower it\nUse `topK = 8`.",
        "[#13] issue #13 of octo/router, opened 2026-02-04 by jo, closed: Crash\nAbout Crash.",
        "by jo, closed: Overflow\nAbout Overflow.\nkim: It needs `--slow`.",
    ):
        assert shown in packet.text
    threads = {f"#{number}": f"octo/router#{number}" for number in (41, 13, 12)}
    assert packet.handles == {"c": one.evidence.id} | threads
    assert "Colours" not in packet.text


def lost(one: Read, material: Material) -> list[str]:
    """Give the files that are not shown any more, in the order in which they go when the room gets less."""
    gone: dict[str, None] = {}
    for budget in range(4_000, 500, -50):
        text = commit_packet(one, material, budget).text
        gone |= dict.fromkeys(path for path in one.evidence.paths if f"--- {path} " not in text)
    return list(gone)


def test_where_room_lacks_tests_go_first_then_the_smallest_and_documents_and_facts_stay(
    file: Make, read: Callable[..., Read], material: Callable[..., Material], fact: Callable[..., Fact]
) -> None:
    files = [
        file("tests/test_router.py", lines("test", 50)),
        file("src/small.py", lines("small", 20)),
        file("src/large.py", lines("large", 60)),
        file("src/proved.py", f"+LIMIT = 8\n{lines('proved', 10)}"),
        file("setup.cfg", lines("configured", 20)),
        file("docs/limits.md", lines("documented", 15)),
    ]
    one = read(files, "Lower the limit", [fact("+LIMIT = 8")])
    assert lost(one, material(one))[:3] == ["tests/test_router.py", "src/small.py", "src/large.py"]
    assert {"setup.cfg", "docs/limits.md"}.isdisjoint(lost(one, material(one)))
    text = commit_packet(one, material(one)).text
    places = [text.index(f"--- {path} ") for path in one.evidence.paths]
    assert places == sorted(places), "what is shown keeps the order of the diff"


def test_a_packet_keeps_to_its_tokens_and_lists_files_that_lost_lines(
    file: Make, read: Callable[..., Read], material: Callable[..., Material]
) -> None:
    files = [file(f"src/m{number}.py", lines(f"m{number}", 200)) for number in range(9)]
    files.append(file("logo.png", unreadable="binary"))
    one = read(files)
    for budget in (2_000, 6_000, 24_000):
        packet = commit_packet(one, material(one), budget)
        # The list of what is left out comes on top.
        listed = tokens_of("\n".join(packet.left_out))
        assert tokens_of(packet.text) <= budget + listed + 100
    assert "logo.png (binary, +0 -0)" in packet.left_out
    assert "src/m8.py (modified, +200 -0)" in commit_packet(one, material(one), 6_000).left_out


def test_a_focus_shows_only_hunks_that_hold_one_of_its_words(
    file: Make, read: Callable[..., Read], material: Callable[..., Material]
) -> None:
    one = read([file("router.py", "-LIMIT = 22\n+LIMIT = 8", "+COLOUR = 3"), file("other.py", "+SHAPE = 1")])
    text = commit_packet(one, material(one), focus=["LIMIT = 8", "nowhere"]).text
    assert "+LIMIT = 8" in text
    assert "COLOUR" not in text
    assert "SHAPE" not in text
    assert "Larger values overflow" in text
