"""How the sentences of a model become claims: with citations, anchors and files."""

from agent.domain.commits import FileChange
from agent.evidence_headings import file_heading
from agent.writing.model_sentences import anchored
from tests.agent.writing.test_targets import file, read


def test_a_heading_that_code_wrote_is_no_line_of_its_file() -> None:
    evidence = read([file("src/router.py", "-def grow(): ...\n+def grow(limit): ...")]).evidence
    (change,) = evidence.change.files
    assert isinstance(change, FileChange)
    by_id = {evidence.id: evidence}

    heading = anchored(file_heading(change), [evidence.id], by_id)
    assert (heading.text, heading.file) == ("--- src/router.py (modified, +1 -1)", None)

    line = anchored("+def grow(limit): ...", [evidence.id], by_id)
    assert line.file == "src/router.py"


def test_a_removed_line_that_looks_like_a_heading_is_a_line_of_its_file() -> None:
    removed = "--- schema.sql (modified, +0 -1)"
    evidence = read([file("schema.sql", removed)]).evidence
    assert anchored(removed, [evidence.id], {evidence.id: evidence}).file == "schema.sql"
