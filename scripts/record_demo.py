"""Record the answers of a model for the demonstration: python scripts/record_demo.py URL [MODEL].

Asks an OpenAI-compatible server whatever gitzette/data/demo_answers.json has no answer for, and forgets the answers
that nothing asks for any more. Delete the file first to ask everything anew. The key is read from OPENAI_API_KEY.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from pydantic import SecretStr

from agent.settings.values import Budget
from gitzette.arguments import window_of
from gitzette.demo import ANSWERS, CAPABILITIES, RecordedAnswers, demo_world
from gitzette.progress import PlainProgress
from gitzette.running import cover
from tools.chat.endpoint import ChatEndpoint

_HOUR, _DAY = 3_600, 86_400


def main() -> None:
    """Run the demonstration as `gitzette run --demo` does, with the server behind the recorded answers."""
    url, model = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "played"
    key = SecretStr(os.environ.get("OPENAI_API_KEY", "none"))
    live = ChatEndpoint(name=model, url=url, key=key, timeout=_HOUR, capabilities=CAPABILITIES)
    answers = RecordedAnswers(live=live)
    options = ("analyst", "date", "lang", "layout", "partial", "repo", "since", "source", "tz", "until")
    with tempfile.TemporaryDirectory() as folder:
        args = argparse.Namespace(**dict.fromkeys(options), out=Path(folder))
        with demo_world(args, {}) as (settings, now):
            patient = Budget(model_seconds=_DAY, repo_model_seconds=_DAY, answer_seconds=_HOUR)
            settings = settings.model_copy(update={"budget": patient})
            window = window_of(args, settings.tz, now)
            done = cover(settings, {}, window, settings.repos, now, PlainProgress(sys.stderr), answers=answers)
            report = asyncio.run(done).report
    fallbacks = [one.reason for section in report.sections for one in section.account.fallbacks]
    if fallbacks or report.failures:
        sys.exit(f"not recorded: {[*fallbacks, *report.failures][0]}")
    answers.save()
    print(f"{ANSWERS} has all answers of the demonstration")


main()
