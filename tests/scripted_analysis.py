"""A scripted model that writes and judges, and small repositories for it to write about."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from agent.domain.window import Window
from agent.settings.values import Budget, RepoSpec, Settings
from evals.model_server.honest import probed
from evals.model_server.requests_and_answers import ModelRequest, Saying, ToolCall
from evals.model_server.server import ModelServer
from gitzette.day_run import RunOutcome, run_day
from gitzette.terminal_output import QuietProgress
from tests.made_repos import Work

DAY = Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC")
NOW = datetime(2026, 2, 5, 6, tzinfo=UTC)
LIMIT = "Lower the limit of routes"
TIMEOUT = "Give workers more time"
Answer = Mapping[str, Any]
JUDGED = "Somebody wrote these sentences"  # What every question to a judge has
EDITED = "You will place every one of them"  # What an editor that may look further is told
_SHORTLISTED = re.compile(r"^\[(c\d+)\] (.+) <- (.+)$", re.MULTILINE)
_RELATION_SENTENCE = re.compile(r"\S+ (?:fixes everything that|takes back what) (\S+) ")
_SENTENCE = re.compile(r"^\[(s\d+)\] (.+)$", re.MULTILINE)
_ROW = re.compile(r"^\[(c\d+)\] (.+)$", re.MULTILINE)
_PACKET = re.compile(r"^\[(c\d+)\] (.+?)(?=^\[c\d+\]|\Z)", re.MULTILINE | re.DOTALL)


def said(en: str, zh: str, anchor: str, **more: object) -> dict[str, object]:
    """Write a sentence as a model does."""
    return {"en": en, "zh": zh, "cites": ["c"], "anchor": anchor} | more


LIMIT_SAID = said(
    "`MAX_ROUTES` goes from `22` to `12`.",
    "`MAX_ROUTES` 从 `22` 降到 `12`。",
    "+MAX_ROUTES = 12",
    old="22",
    new="12",
)
TIMEOUT_SAID = said(
    "`WORKER_TIMEOUT` is now `45`.", "`WORKER_TIMEOUT` 现在是 `45`。", "+WORKER_TIMEOUT = 45"
)


def analysis(*sentences: Answer, en: str = "", zh: str = "", anchor: str = "") -> dict[str, object]:
    """Write the analysis of a commit as a model does; the anchor is that of its headline."""
    headline = {"headline_en": en, "headline_zh": zh, "headline_anchor": anchor}
    return headline | {"sentences": sentences}


ANALYSES: dict[str, Answer] = {
    LIMIT: analysis(
        LIMIT_SAID, en="Fewer routes: `MAX_ROUTES` is `12`", zh="路由变少：`MAX_ROUTES` 为 `12`"
    ),
    TIMEOUT: analysis(
        TIMEOUT_SAID,
        en="Workers get more time",
        zh="工作进程的时间更长",
        anchor="+WORKER_TIMEOUT = 45",
    ),
}


def honest(sentence: str, evidence: str) -> str:
    """Judge as somebody who looks for every name and number, and which number was there before."""
    names = [*sentence.split("`")[1::2], *re.findall(r"#\d+", sentence)]
    if not all(name in evidence for name in names):
        return "unsupported"
    english = sentence.partition(" / ")[0]
    if english.endswith(" is removed.") and f"{names[0]} (modified, " in evidence:
        return "contradicted"
    values = [name for name in english.split("`")[1::2] if name.isdecimal()]
    if len(values) == 2 and values[0] != values[1]:
        was_there = re.search(rf"^-.*\b{values[0]}$", evidence, re.MULTILINE)
        is_there = re.search(rf"^\+.*\b{values[1]}$", evidence, re.MULTILINE)
        return "stated" if was_there and is_there else "contradicted"
    return "stated"


@dataclass
class Scripted:
    """A model whose every answer is given; what it was asked is in the server."""

    analyses: Mapping[str, Answer] = field(default_factory=lambda: ANALYSES)
    repairs: Mapping[str, Answer] = field(default_factory=dict)
    tiers: Mapping[str, int] = field(default_factory=dict)
    """How much commits matter, by their titles; worth knowing where not given."""
    reason: Answer = field(default_factory=dict)  # Why every commit stands where it stands
    ranks: Callable[[str], int] = lambda _: 0
    """What commits of several questions are sorted by, given their titles."""
    groups: Sequence[Answer] = ()  # Commits that belong together, by their handles
    minor: Mapping[str, Answer] = field(default_factory=dict)
    """The sentences about minor commits, by their titles."""
    turns: Sequence[Saying] = ()
    """What it says when it may call tools, one after the other, about each commit."""
    looks: Mapping[str, Sequence[Saying]] = field(default_factory=dict)
    """The same for the commits of these titles, in the place of `turns`."""
    judge_turns: Sequence[Saying] = ()  # What the judge says when it may call tools
    editor_turns: Sequence[Saying] = ()  # What the editor says when it may call tools
    needs: Callable[[str, str], str] = lambda *_: ""
    """What the judge would have to see, given a sentence and the evidence."""
    opinion: Callable[[str, str], str] = honest
    quote: str = ""  # What the judge rests on; the title of the commit where not given
    problem: str = ""  # What the judge says is wrong with sentences that do not stand
    summary: Sequence[Answer] = ()
    summary_repairs: Sequence[Answer] = ()
    relations: Mapping[str, Sequence[Answer]] = field(default_factory=dict)
    """What commits have to do with what they name, by their titles."""
    stories: Sequence[Answer] = ()  # The paragraphs of stories, by their handles

    def __call__(self, request: ModelRequest) -> Saying:
        """Answer by the shape that is asked for."""
        if (answer := probed(request)) is not None:
            return answer
        if request.tools:
            return self._look(request)
        return Saying(text=json.dumps(self._answer(request), ensure_ascii=False))

    def _look(self, request: ModelRequest) -> Saying:
        turn = sum(message["role"] == "assistant" for message in request.body["messages"])
        turns = self.turns
        if JUDGED in request.messages[1]:
            turns = self.judge_turns
            return turns[turn] if turn < len(turns) else Saying(text="enough")
        if EDITED in request.messages[1]:
            turns = self.editor_turns
            return turns[turn] if turn < len(turns) else Saying(text="enough")
        for title, turns_of_commit in self.looks.items():
            if title in request.messages[1]:
                turns = turns_of_commit
        return turns[turn] if turn < len(turns) else Saying(text="enough")

    def _answer(self, request: ModelRequest) -> Answer:
        if request.schema == "Edition":
            return self._edition(request)
        if request.schema == "CommitOrder":
            titles = dict(_ROW.findall(request.user))
            return {"commits": sorted(titles, key=lambda handle: self.ranks(titles[handle]))}
        if request.schema == "MinorSentences":
            return {"sentences": self._minor_sentences(request)}
        if request.schema == "Rulings":
            evidence, _, sentences = request.user.partition(JUDGED)
            return {"rulings": self.rulings(_SENTENCE.findall(sentences), evidence)}
        if request.schema == "Shortlist":
            return {"pairs": self._pairs(request)}
        if request.schema == "StoryTexts":
            return {"stories": self.stories}
        if request.schema == "SaidRelations":
            own_row = request.user.partition("What it may belong to:")[0]
            return {
                "relations": next(
                    (some for title, some in self.relations.items() if title in own_row), ()
                )
            }
        if request.schema == "DaySummary":
            return {"sentences": self.summary}
        if request.schema == "SummaryRepair":
            return {"sentences": self.summary_repairs}
        answers = self.repairs if request.schema == "Repair" else self.analyses
        return next(
            (answer for title, answer in answers.items() if title in request.user),
            {"sentences": []},
        )

    def rulings(self, sentences: Sequence[tuple[str, str]], evidence: str) -> list[dict[str, str]]:
        """Rule on the sentences of a question, each given with its handle."""
        rulings = []
        for handle, text in sentences:
            verdict = self._verdict(text, evidence)
            ruling = {
                "id": handle,
                "quote": self.quote or evidence.splitlines()[2],
                "problem": "" if verdict in ("stated", "inferred") else self.problem,
                "needs": self.needs(text, evidence),
                "verdict": verdict,
            }
            rulings.append(ruling)
        return rulings

    def _edition(self, request: ModelRequest) -> Answer:
        """Place the commits by their tiers, equal ones as they are shown."""
        places = []
        for handle, title in _ROW.findall(request.user):
            tier = next((tier for part, tier in self.tiers.items() if part in title), 2)
            places.append({"commit": handle, "tier": tier, **self.reason})
        places.sort(key=lambda placement: -placement["tier"])
        return {"places": places, "groups": self.groups}

    def _verdict(self, sentence: str, evidence: str) -> str:
        """Refuse relations that no script gives a commit; have an opinion on everything else."""
        if sentence.startswith("“"):
            # The steps of a story as code tells them: it has to be this story's.
            return "stated" if sentence.partition(" / ")[0] in evidence else "contradicted"
        related = _RELATION_SENTENCE.match(sentence)
        handles = set()
        commit = evidence.partition("What it may belong to:")[0]
        for title, relations in self.relations.items():
            if title in commit:
                handles |= {
                    relation["other"] for relation in relations if relation["relation"] != "none"
                }
        if related and related[1] not in handles:
            return "unsupported"
        return self.opinion(sentence, evidence)

    def _pairs(self, request: ModelRequest) -> list[Answer]:
        """Choose the first candidates of the commits that have relations."""
        pairs: list[Answer] = []
        for handle, title, candidates in _SHORTLISTED.findall(request.user):
            if any(part in title for part in self.relations):
                pairs.append({"commit": handle, "others": candidates.split()[:3]})
        return pairs

    def _minor_sentences(self, request: ModelRequest) -> list[Answer]:
        sentences: list[Answer] = []
        for handle, packet in _PACKET.findall(request.user):
            for title, sentence in self.minor.items():
                if title in packet:
                    sentences.append({**sentence, "commit": handle})
        return sentences


def of(server: ModelServer, schema: str) -> list[str]:
    """Give the questions that asked for a shape."""
    return [request.user for request in server.asked if request.schema == schema]


def sentences_in(question: str) -> list[str]:
    """Give the sentences that a judge is shown, in their order."""
    return [text for _, text in _SENTENCE.findall(question)]


def calling(tool: str, /, **arguments: object) -> Saying:
    """Call a tool."""
    return Saying(calls=(ToolCall(tool, json.dumps(arguments)),))


@dataclass(frozen=True)
class Clone:
    """A repository on this machine."""

    folder: Path
    name: str = "octo/router"

    def commit(self, message: str, hour: int, **files: str) -> str:
        """Commit files (`a__py` is a.py) on the fourth of February, and give the hash."""
        work = Work(self.folder)
        for name, text in files.items():
            work.write(name.replace("___", "/").replace("__", "."), text)
        return work.commit(message, at=datetime(2026, 2, 4 if hour else 1, hour, tzinfo=UTC))

    @property
    def spec(self) -> RepoSpec:
        """What to report on."""
        return RepoSpec.model_validate(f"{self.name}={self.folder}")


def two_commits(folder: Path, name: str = "octo/router") -> Clone:
    """Make a repository in which a limit falls and a timeout rises on the day."""
    clone = Clone(folder, name)
    clone.commit("Begin", 0, router__py="MAX_ROUTES = 22\n", worker__py="WORKER_TIMEOUT = 30\n")
    clone.commit(
        f"{LIMIT}\n\nLarger values overflow the shared buffer.", 9, router__py="MAX_ROUTES = 12\n"
    )
    clone.commit(TIMEOUT, 10, worker__py="WORKER_TIMEOUT = 45\n")
    return clone


def settings_of(folder: Path, server: ModelServer, *specs: RepoSpec, **more: object) -> Settings:
    """Make settings for a run with a model, and with nothing of the user's."""
    values = {
        "repos": specs,
        "source": "git",
        "home": folder / "home",
        "out": folder / "out",
        "analyst": "model",
        "model": server.model,
        "model_url": server.url,
        "budget": Budget(wait_seconds=1, retry_seconds=0.01),
    }
    return Settings.model_validate(values | more)


async def run(
    folder: Path,
    server: ModelServer,
    *clones: Clone,
    again: str | None = None,
    die_at: str = "",
    **more: object,
) -> RunOutcome:
    """Report on the day as the command does; `die_at` ends the run at a step."""
    settings = settings_of(folder, server, *(clone.spec for clone in clones), **more)
    return await run_day(settings, {}, DAY, settings.repos, NOW, Dying(die_at), again)


class Stop(Exception):
    """The end of a run that nothing announces."""


class Dying(QuietProgress):
    """Ends the run the first time that a step of this name is told."""

    def __init__(self, step: str) -> None:
        self.step_to_die_at = step

    def step(self, repo: str, what: str, done: int = 0, total: int = 0) -> None:
        """Die at the step."""
        if what == self.step_to_die_at:
            raise Stop
