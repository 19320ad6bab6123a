"""The recipe of a run: everything that shapes its report, nothing that is secret or private."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

from pydantic import SecretStr

from agent.domain.base import RepoId
from agent.domain.claims import Claim
from agent.domain.ledger import LedgerRow
from agent.domain.report import Report, cited_by
from agent.domain.window import Window
from agent.settings.values import Recipe, RepoSpec, Settings

DAY = Window.days(date(2026, 2, 4), date(2026, 2, 4), "Asia/Shanghai")
SPEC = RepoSpec(
    name=RepoId("octo/router"),
    path=Path("/home/somebody/router"),
    branch="next",
    exclude=("docs/",),
)


def test_a_recipe_comes_back_from_json_without_the_token_and_without_paths() -> None:
    settings = Settings(repos=(SPEC,), lang="zh", token=SecretStr("c4nary"), out=Path("/srv/news"))
    window = DAY.cut_at(datetime(2026, 2, 4, 9, tzinfo=UTC))
    recipe = Recipe.of(settings, window, settings.repos)
    text = recipe.model_dump_json()
    again = Recipe.model_validate_json(text)
    assert again == recipe
    assert again.window.partial
    assert again.repos == (RepoSpec(name=RepoId("octo/router"), branch="next", exclude=("docs/",)),)
    assert not [private for private in ("c4nary", "/home", "/srv") if private in text]


def test_a_report_rests_on_what_its_claims_cite_and_on_the_threads_it_names(
    make_row: Callable[..., LedgerRow], make_report: Callable[..., Report]
) -> None:
    repo = RepoId("octo/router")
    reverted = f"octo/router@{'a' * 40}"
    earlier = f"octo/router@{'f' * 40}"
    claim = Claim(
        id="1",
        repo=repo,
        role="change",
        predicate="undoes",
        cites=(reverted,),
        background=(earlier,),
    )
    line = {"title": "Crash", "author": None, "event": "opened", "at": DAY.start, "labels": ()}
    release = {"tag": "v1.2", "name": "", "published_at": DAY.start, "prerelease": False}
    about = {"octo/router": {"issues": [line | {"number": 7}], "releases": [release]}}
    report = make_report([make_row("a" * 40), make_row("b" * 40)], about=about).model_copy(
        update={"claims": (claim,)}
    )
    assert cited_by(report) == {reverted, earlier, "octo/router#7", "octo/router@v1.2"}
