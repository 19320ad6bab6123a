"""Record the answers of a model for the demonstration: python scripts/record_demo.py URL [MODEL].

Asks an OpenAI-compatible server whatever gitzette/data/demo_answers.json has no answer for, and forgets the answers
that nothing asks for any more. Delete the file first to ask everything anew. The key is read from OPENAI_API_KEY.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pydantic import SecretStr

from agent.settings.values import Budget
from gitzette.archive import replace_file
from gitzette.arguments import window_of
from gitzette.demo import ANSWERS, CAPABILITIES, RecordedAnswers, demo_world
from gitzette.progress import PlainProgress
from gitzette.running import cover
from tools.chat.endpoint import ChatEndpoint
from tools.chat.messages import Question, Reply

_HOUR, _DAY = 3_600, 86_400


class Recording(RecordedAnswers):
    """Asks a server what has no answer yet, and keeps each answer at once."""

    def __init__(self, live: ChatEndpoint) -> None:
        super().__init__()
        self._live = live
        self.used: dict[str, dict[str, object]] = {}

    async def ask(self, question: Question) -> Reply:
        """Answer a question."""
        if question.hash not in self.kept:
            self.kept[question.hash] = (await self._live.ask(question)).model_dump(mode="json")
            self.save(self.kept)
        self.used[question.hash] = self.kept[question.hash]
        return await super().ask(question)

    def save(self, answers: dict[str, dict[str, object]]) -> None:
        """Write these answers."""
        replace_file(
            ANSWERS, [json.dumps(answers, ensure_ascii=False, indent=1, sort_keys=True), "\n"]
        )


def main() -> None:
    """Run the demonstration as `gitzette run --demo` does, with the server behind the recorded answers."""
    url, model = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "played"
    key = SecretStr(os.environ.get("OPENAI_API_KEY", "none"))
    live = ChatEndpoint(name=model, url=url, key=key, timeout=_HOUR, capabilities=CAPABILITIES)
    answers = Recording(live)
    options = (
        "analyst",
        "date",
        "lang",
        "layout",
        "partial",
        "repo",
        "since",
        "source",
        "tz",
        "until",
    )
    with tempfile.TemporaryDirectory() as folder:
        args = argparse.Namespace(**dict.fromkeys(options), out=Path(folder))
        with demo_world(args, {}) as (settings, now):
            patient = Budget(model_seconds=_DAY, repo_model_seconds=_DAY, answer_seconds=_HOUR)
            settings = settings.model_copy(update={"budget": patient})
            window = window_of(args, settings.tz, now)
            done = cover(
                settings,
                {},
                window,
                settings.repos,
                now,
                PlainProgress(sys.stderr),
                answers=answers,
            )
            report = asyncio.run(done).report
    fallbacks = [one.reason for section in report.sections for one in section.account.fallbacks]
    if fallbacks or report.failures:
        sys.exit(f"not recorded: {[*fallbacks, *report.failures][0]}")
    answers.save(answers.used)
    print(f"{ANSWERS} has all answers of the demonstration")


main()
