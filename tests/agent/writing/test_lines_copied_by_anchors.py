"""Which lines of a looked-up file a sentence rests on."""

import pytest

from agent.domain.base import RepoId
from agent.domain.evidence import FileEvidence
from agent.domain.evidence_id import EvidenceId
from agent.writing.lines_copied_by_anchors import exact_lines, lines_of
from agent.writing.model_sentences import anchored

LINES = EvidenceId.lines(RepoId("octo/router"), "a" * 40, "src/topk.cu", 24, 516)
HEADING = "src/topk.cu at aaaaaaaaaaaa, lines 24 to 516 of 546 around kLimit; go on with start=517"
SHOWN = FileEvidence(
    id=LINES,
    text=f"""{HEADING}
    24  #ifdef USE_ROCM
    25  constexpr int kLimit = 8;

    26
    27  #else
…
   172      grow(
   173          pos < kLimit,
   174      );
   516  constexpr int kLimit = 8;
""",
)


@pytest.mark.parametrize(
    ("anchor", "lines"),
    [
        ("   173          pos < kLimit,", (173, 173)),
        ("pos < kLimit", (173, 173)),
        ("grow(\n         pos < kLimit,", (172, 173)),
        ("      grow(\n   173          pos < kLimit,\n   174      );", (172, 174)),
        ("constexpr int kLimit = 8;\n#else", (25, 27)),
        # The first of equal lines.
        ("constexpr int kLimit = 8;", (25, 25)),
        ("pos < kLimit, and more", None),
        (HEADING, None),
        ("  ", None),
    ],
)
def test_lines_are_known_where_the_anchor_follows_them(
    anchor: str, lines: tuple[int, int] | None
) -> None:
    assert lines_of(anchor, SHOWN) == lines


def test_an_anchor_in_a_looked_up_file_has_its_lines() -> None:
    anchor = anchored("pos < kLimit,", [LINES], {LINES: SHOWN})
    assert (anchor.cite, anchor.file, anchor.lines) == (LINES, None, (173, 173))


PATCH = """@@ -1,4 +1,4 @@ def fuse(tensor):
     fused = fuse(
-        completes_late=uses_launch,  # Same meaning
+        completes_late=completes_late,
     )
     return fused"""


@pytest.mark.parametrize(
    ("anchor", "shown"),
    [
        # Blanks and signs that a writer lost are there again.
        (
            "- completes_late=uses_launch, # Same meaning",
            "-        completes_late=uses_launch,  # Same meaning",
        ),
        ("completes_late=completes_late,", "+        completes_late=completes_late,"),
        (
            "fused = fuse(\n-completes_late=uses_launch, # Same meaning",
            "     fused = fuse(\n-        completes_late=uses_launch,  # Same meaning",
        ),
        # Parts of lines, lines that do not follow each other, and other words stay as they are.
        ("completes_late=uses_launch", "completes_late=uses_launch"),
        ("fused = fuse(\n)", "fused = fuse(\n)"),
        ("@@ -1,4 +1,4 @@ def fuse(tensor):", "@@ -1,4 +1,4 @@ def fuse(tensor):"),
        ("return fused\nreturn", "return fused\nreturn"),
        ("", ""),
    ],
)
def test_whole_lines_of_a_diff_are_shown_as_they_stand_there(anchor: str, shown: str) -> None:
    assert exact_lines(anchor, PATCH) == shown
