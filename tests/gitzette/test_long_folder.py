"""A checkout without an origin is reported on under the name of its folder."""

import subprocess
from pathlib import Path

from agent.domain.evidence_id import EvidenceId
from gitzette.arguments import checkout_here


def test_a_checkout_in_a_folder_with_a_very_long_name_has_commits_that_can_be_cited(
    tmp_path: Path,
) -> None:
    folder = tmp_path / ("long-name-" * 20)
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    spec = checkout_here(folder)
    assert EvidenceId.commit(spec.name, "0" * 40).repo == spec.name
