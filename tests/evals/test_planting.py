"""Defects that are planted: each fits the sources as they are."""

from pathlib import Path

from evals.planting import DEFECTS

ROOT = Path(__file__).parents[2]


def test_every_defect_fits_one_place_of_the_sources_and_names_tests_that_there_are() -> None:
    assert len(DEFECTS) >= 20
    assert len({defect.name for defect in DEFECTS}) == len(DEFECTS)
    for defect in DEFECTS:
        text = (ROOT / defect.file).read_text("utf-8")
        assert text.count(defect.old) == 1, defect.name
        file, _, test = defect.tests.partition("::")
        assert (ROOT / file).exists(), defect.name
        assert not test or f"def {test}(" in (ROOT / file).read_text("utf-8"), defect.name


def test_defects_are_planted_in_scorers_and_in_gates() -> None:
    files = {defect.file for defect in DEFECTS}
    assert {file for file in files if file.startswith("agent/gate/")}
    assert {file for file in files if file.startswith("evals/sets/")}
    assert "evals/gate.py" in files
