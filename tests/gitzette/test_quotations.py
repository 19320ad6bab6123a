"""What authors are quoted with: their own sentence about the change, never a form that they filled in."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import SecretStr

from agent.domain.window import Window
from evals.github_server.app import GitHubServer
from evals.worlds.data_model import Pull
from evals.worlds.worlds import repo_from_mirror
from tests.gitzette.conftest import Served
from tests.made_repos import Work

REPO = "acme/engine"
AT = datetime(2026, 2, 4, 9, tzinfo=UTC)
FORM = """\
Thank you for contributing to the engine! Please run `run_router` before you open it.

## Description

{}

- [ ] I have run `run_router` and
  read what the router says about its limits
"""
TEMPLATE = "Describe what the router did before your change.\n"


async def quotations(
    folder: Path, *bodies: str, template: str = "", in_messages: bool = False
) -> list[list[str]]:
    """Land a pull request for each body, and return what is quoted of each, oldest first.

    Bodies that stand `in_messages` have no threads.
    """
    work = Work(folder / "engine")
    files = {"router.py": "def run_router():\n    return 0\n"}
    if template:
        files[".github/pull_request_template.md"] = template
    work.commit("Begin", files, at=AT.replace(day=1))
    pulls = []
    for number, body in enumerate(bodies, start=1):
        code = f"def run_router():\n    return {number}\n"
        title = f"Improve step {number} (#{number})"
        message = f"{title}\n\n{body}" if in_messages else title
        sha = work.commit(message, {"router.py": code}, at=AT.replace(minute=number))
        pull = Pull(number, f"Improve step {number}", body, "ada", AT, AT, state="closed")
        pulls.append(replace(pull, merged_at=AT, closed_at=AT, merge_commit=sha, commits=(sha,)))
    hub = replace(
        repo_from_mirror(REPO, work.path / ".git"), pulls=() if in_messages else tuple(pulls)
    )
    with GitHubServer([hub], tokens=(Served.token,)) as server:
        served = Served(folder, server, [REPO], token=SecretStr(Served.token))
        covered = await served.run(Window.days(AT.date(), AT.date(), "UTC"))
    report = covered.report
    quoted = []
    for row in sorted(report.ledger, key=lambda row: row.landed_at):
        about = row.id
        quotations = [claim for claim in report.claims if claim.speech and claim.about == (about,)]
        quoted.append([quote.text for claim in quotations for quote in claim.quotes])
    return quoted


async def test_a_form_that_several_pull_requests_have_is_never_quoted(tmp_path: Path) -> None:
    own_sentence = "The router now returns a step number."
    assert await quotations(tmp_path, FORM.format(own_sentence), FORM.format("N/A")) == [
        [own_sentence],
        [],
    ]


async def test_the_template_of_the_repository_is_never_quoted(tmp_path: Path) -> None:
    own_sentence = "The router now returns a step number."
    quoted = await quotations(
        tmp_path, f"{TEMPLATE}\n{own_sentence}", template=f"<!-- Hi -->\n{TEMPLATE}"
    )
    assert quoted == [[own_sentence]]


async def test_the_template_is_not_quoted_from_messages_without_threads(tmp_path: Path) -> None:
    own = "The router now returns a step number."
    bodies = (f"{TEMPLATE}\n{own}", TEMPLATE)
    quoted = await quotations(tmp_path, *bodies, template=TEMPLATE, in_messages=True)
    assert quoted == [[own], []]


async def test_half_sentences_and_announcements_of_lists_are_not_quoted(tmp_path: Path) -> None:
    wrapped = "- `run_router` returns what\nthe router counted before\n- more\n"
    announced = "This implements these features of the router:\n\n- `run_router` counts\n"
    assert await quotations(tmp_path, wrapped, announced) == [[], []]


async def test_the_sentence_that_names_what_changed_is_preferred_and_others_say_nothing(
    tmp_path: Path,
) -> None:
    message = "This is a follow-up to earlier work. `run_router` returns\nthe number of the step."
    vague = "Some people asked for this on the last call. It is much better like that now."
    quoted = await quotations(tmp_path, message, vague)
    assert quoted == [["`run_router` returns\nthe number of the step."], []]
