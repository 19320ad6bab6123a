"""`eval relating`: a model relates the commits of real days, and readers' gold scores it."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from evals.harness import Bench
from evals.model_server.server import ModelServer
from evals.sets import relating
from gitzette.commands.evaluate import Gitzette
from tests.scripted_analysis import Clone, Scripted, of

CACHE = "Cache the routes that were asked for last (#5)"
MEND = "Keep routes when the cache is full"
LIMIT = "Raise the limit of workers"
METRICS = "Count routes"


class History(NamedTuple):
    """A clone in which one commit mends an earlier one and another fixes an issue."""

    clone: Clone
    cache: str
    mend: str
    limit: str
    metrics: str


def history(folder: Path) -> History:
    clone = Clone(folder)
    clone.commit("Begin", 0, limits__py="WORKERS = 2\n", metrics__py="ROUTES = 0\n")
    cache = clone.commit(CACHE, 0, cache__py="ROUTE_CACHE_SLOTS = 8\nEVICT_ROUTES = True\n")
    mend = clone.commit(MEND, 9, cache__py="ROUTE_CACHE_SLOTS = 8\nEVICT_ROUTES = False\n")
    limit = clone.commit(f"{LIMIT}\n\nFixes #7", 10, limits__py="WORKERS = 4\n")
    metrics = clone.commit(METRICS, 11, metrics__py="ROUTES = 1\n")
    return History(clone, cache, mend, limit, metrics)


def threads(folder: Path) -> Path:
    common = {"repo": "octo/router", "kind": "issue", "created_at": "2026-02-02T09:00:00Z"}
    filed = [
        common | {"number": 7, "title": "Two workers are too few"},
        common | {"number": 8, "title": "Routes are counted twice"},
    ]
    file = folder / "threads.json"
    file.write_text(json.dumps(filed), encoding="utf-8")
    return file


def gold(folder: Path, made: History) -> Path:
    def relation(sha: str, name: str, other: str, **more: object) -> dict[str, object]:
        commit = f"octo/router@{sha[:9]}"
        return {"commit": commit, "other": f"octo/router{other}", "relation": name} | more

    relations = [
        relation(made.limit, "fixes", "#7", recorded=True),
        relation(made.mend, "introduced by", "#5"),
        relation(made.metrics, "continues", f"@{made.cache[:9]}"),
    ]
    traps = [{"other": "octo/router#8"}, {"other": "octo/router#7", "relation": "partly fixes"}]
    file = folder / "gold.json"
    file.write_text(json.dumps({"relations": relations, "traps": traps}), encoding="utf-8")
    return file


MENDS = {
    "relation": "introduced by",
    "anchor": "+EVICT_ROUTES = False",
    "other_anchor": "+EVICT_ROUTES = True",
}


def evaluated(made: History, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, since its fork server keeps the caller's stderr."""
    command = [sys.executable, "-m", "gitzette", "eval", "relating", "--json"]
    command += ["--repo", f"octo/router={made.clone.folder}"]
    command += ["--since", "2026-02-04", "--until", "2026-02-05", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


async def related(folder: Path, made: History, **more: Any) -> dict[str, Any]:
    """Return what the set finds beside its figures."""
    bench = Bench(
        folder=folder,
        system=Gitzette(),
        say=lambda _: None,
        mirrors=(made.clone.spec,),
        span=("2026-02-04", "2026-02-05"),
        **more,
    )
    await relating.run.run(bench)
    details: Any = bench.details["relating"]
    found: dict[str, Any] = details
    return found


async def test_relations_are_asked_for_alone_and_scored_by_gold(
    tmp_path: Path,
) -> None:
    made = history(tmp_path / "router")
    relation = MENDS | {"other": made.cache[:9]}
    with ModelServer(Scripted(relations={MEND: [relation]}), context=32_768) as server:
        options = ["--model-url", server.url, "--model", server.model, "--judge", server.model]
        options += ["--threads", str(threads(tmp_path)), "--gold", str(gold(tmp_path, made))]
        options += ["--keep", str(tmp_path / "kept")]
        first = await asyncio.to_thread(evaluated, made, *options)
        schemas = {request.schema for request in server.asked}
        asked = len(of(server, "SaidRelations")) + len(of(server, "Rulings"))
        model = {"model": server.model, "model_url": server.url, "model_judging": server.model}
        # The same again, in this process.
        filed = {"threads": threads(tmp_path), "gold": gold(tmp_path, made)}
        again = await related(tmp_path, made, model=model, home=tmp_path / "kept", **filed)
        assert len(of(server, "SaidRelations")) + len(of(server, "Rulings")) == asked
    # The gold has a relation that nobody finds.
    assert first.returncode == 3, first.stderr
    printed = json.loads(first.stdout)
    assert {"Edition", "Analysis", "DaySummary", "StoryTexts"}.isdisjoint(schemas)
    figures = {name: figure["value"] for name, figure in printed["sets"]["relating"].items()}
    assert figures["recorded relations told"] == 1.0
    assert figures["said or inferred relations told exactly"] == 0.5
    assert figures["relations of the model that are right"] == 1.0
    assert figures["asserted relations on the card of their commit"] == 1.0
    assert figures["traps told"] == 0.0
    assert figures["right among the first 5 candidates: regressions"] == 1.0
    assert figures["stories: regressions"] == 1.0
    assert figures["stories: follow-ups"] == 0.0
    details = printed["details"]["relating"]
    assert again["gold"] == details["gold"]
    outcomes = [relation["outcome"] for relation in details["gold"]]
    assert outcomes[:2] == ["told", "told"]
    assert outcomes[2] != "told"
    (day,) = details["days"]
    (admitted,) = day["relations"]
    assert admitted["commit"] == f"octo/router@{made.mend}"
    assert admitted["grade"] == "C"
    assert "Cache the routes" in admitted["sentence"]
    pair = {"commit": admitted["commit"], "other": admitted["other"]}
    assert pair in day["shortlisted"]
    assert pair in day["read"]
    (repository,) = day["repositories"]
    assert repository["commits"] == 3
    # A keyword of which the issue stays open is read as well.
    assert repository["requests"]["relating"]["requests"] == 2
    assert [step["act"] for story in day["stories"] for step in story["steps"]] == [
        "landed",
        "mended",
    ]


async def test_a_relation_that_the_judge_refuses_is_listed_with_the_reason(
    tmp_path: Path,
) -> None:
    made = history(tmp_path / "router")
    relation = MENDS | {"other": made.cache[:9]}
    script = Scripted(relations={MEND: [relation]}, opinion=lambda *_: "unsupported")
    with ModelServer(script, context=32_768) as server:
        model = {"model": server.model, "model_url": server.url}
        details = await related(tmp_path, made, model=model, gold=gold(tmp_path, made))
    (day,) = details["days"]
    assert day["relations"] == []
    (refused,) = day["refused"]
    assert refused["commit"] == f"octo/router@{made.mend}"
    assert refused["reasons"][0]["verdict"] == "unsupported"
    assert details["gold"][1]["outcome"].startswith("refused: ")


async def test_without_a_model_the_candidates_are_listed(tmp_path: Path) -> None:
    made = history(tmp_path / "router")
    (day,) = (await related(tmp_path, made))["days"]
    ranked = {}
    for candidate in day["candidates"]:
        ranked[candidate["commit"], candidate["other"]] = (candidate["kind"], candidate["rank"])
    pair = (f"octo/router@{made.mend}", f"octo/router@{made.cache}")
    assert ranked[pair] == ("earlier commit", 1)
