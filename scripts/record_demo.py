"""Record the answers of a model for the demonstration.

    python scripts/record_demo.py [--forget WORDS]... [URL [MODEL]]

Asks an OpenAI-compatible server whatever gitzette/data/demo_answers.json has no answer for, and
removes the answers that nobody asks for any more. `--forget` removes the answers whose topics hold
some words first, so that they are asked for anew: `--forget @1a2b3c` everything about a commit,
`--forget ""` everything. Without a URL nothing is asked: only unused answers are removed, and what
is missing is named. The key of the server is read from OPENAI_API_KEY.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pydantic import SecretStr

from agent.judging.rulings import Rulings
from agent.model_capabilities import Way
from agent.settings.values import Budget
from gitzette.day_run import RunOutcome, run_day
from gitzette.demo import demo_world
from gitzette.demo_answers import (
    ANSWERS,
    CAPABILITIES,
    RecordedAnswers,
    Recording,
    handles_of,
    lasting,
    sentence_of,
    unknown_names,
)
from gitzette.output_folder import replace_file
from gitzette.settings_from_arguments import window_of
from gitzette.terminal_output import PlainProgress, QuietProgress
from tools.chat.budget import Stopwatch
from tools.chat.model import RecordedChatModel
from tools.chat.openai_compatible_server import ChatServer
from tools.chat.requests_and_replies import ChatReply, ChatRequest, OnPiece

_HOUR = 3_600
_DAY = 86_400
_RUN_OPTIONS = (
    *("analyst", "date", "lang", "layout", "partial"),
    *("repo", "since", "source", "tz", "until"),
)


class LiveRecording(RecordedAnswers):
    """Asks a server what has no answer yet, and writes each answer to the file at once."""

    def __init__(self, recording: Recording, model: RecordedChatModel | None) -> None:
        super().__init__(recording)
        self._model = model

    async def attempt(
        self,
        request: ChatRequest,
        way: Way,
        watch: Stopwatch,
        on_piece: OnPiece | None = None,
    ) -> ChatReply:
        """Return the recorded answer, or record one first."""
        topic = self.topic_of(request)
        if self._model is not None and self._is_incomplete(topic, request):
            answer = lasting(await self._model.answer(request), request)
            if request.response_format is Rulings:
                earlier = self.recording.answers.get(topic, {"rulings": []})
                answer = {"rulings": [*answer["rulings"], *earlier["rulings"]]}
            self.recording.answers[topic] = answer
            _save(self.recording)
        return await super().attempt(request, way, watch, on_piece)

    def _is_incomplete(self, topic: str, request: ChatRequest) -> bool:
        """Return True if there is no answer, or one that does not fit the request any more.

        A judge has to rule on every sentence, and other answers may name only what they are shown.
        """
        answer = self.recording.answers.get(topic)
        if answer is None:
            return True
        handles = handles_of(request)
        if request.response_format is Rulings:
            ruled = {ruling["id"] for ruling in answer["rulings"]}
            return not ruled.issuperset(handles.names.values())
        return any(unknown_names(answer, handles))


def main() -> None:
    """Run the demonstration as `gitzette run --demo` does, with a server behind the recording."""
    options = _options()
    recording = Recording.load()
    for topic in list(recording.answers):
        if any(words in topic for words in options.forget):
            del recording.answers[topic]
    answers = LiveRecording(recording, _model(options))
    covered, window = _run(answers)
    stale = answers.staleness(covered.refused)
    if options.url is None and (stale.missing or stale.refused):
        sys.exit("\n".join(["a model is needed to record:", *stale.details]))
    if stale.missing or covered.report.failures:
        sys.exit("\n".join(["not recorded:", *stale.details, *map(str, covered.report.failures)]))
    for topic in stale.unused:
        del recording.answers[topic]
    recording.refused = sorted({sentence_of(refusal) for refusal in covered.refused})
    recording.window = window
    _save(recording)
    print(f"{ANSWERS} has all answers of the demonstration")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--forget", metavar="WORDS", action="append", default=[])
    parser.add_argument("url", nargs="?")
    parser.add_argument("model", nargs="?", default="played")
    return parser.parse_args()


def _model(options: argparse.Namespace) -> RecordedChatModel | None:
    if options.url is None:
        return None
    key = SecretStr(os.environ.get("OPENAI_API_KEY", "none"))
    server = ChatServer(
        name=options.model, url=options.url, key=key, timeout=_HOUR, capabilities=CAPABILITIES
    )
    return RecordedChatModel(model_name=options.model, server=server)


def _run(answers: RecordedAnswers) -> tuple[RunOutcome, str]:
    """Report on the demonstration, and return the window beside what came of it."""
    patient = Budget(model_seconds=_DAY, repo_model_seconds=_DAY, answer_seconds=_HOUR)
    with tempfile.TemporaryDirectory() as folder:
        args = argparse.Namespace(**dict.fromkeys(_RUN_OPTIONS), out=Path(folder))
        with demo_world(args, {}) as demo:
            settings = demo.settings.model_copy(update={"budget": patient})
            window = window_of(args, settings.tz, demo.now)
            asyncio.run(demo.report_earlier_days(window, QuietProgress()))
            display = PlainProgress(sys.stderr)
            run = run_day(settings, {}, window, settings.repos, demo.now, display, answers=answers)
            return asyncio.run(run), window.key


def _save(recording: Recording) -> None:
    replace_file(ANSWERS, [recording.dump()])


main()
