"""The command `eval record`: freezes real days of clones for evaluations without a network."""

import argparse
import json
import sys
from datetime import date
from pathlib import Path

from agent.errors import EXIT_DONE, UsageError
from agent.settings import RepoSpec
from evals.recording import RECORDINGS, freeze


def record(args: argparse.Namespace) -> int:
    """Freeze the days of every repository that was given."""
    if len(args.sets) > 1 or not args.repo or not args.since:
        raise UsageError("gitzette eval record --repo owner/name=PATH --since DAY --until DAY [--threads FILE]")
    try:
        span = (date.fromisoformat(args.since), date.fromisoformat(args.until))
    except ValueError as error:
        raise UsageError("--since and --until must be days such as 2026-07-01") from error
    threads = json.loads(Path(args.threads).read_text("utf-8")) if args.threads else []
    for text in args.repo:
        spec = RepoSpec.parse(text)
        assert spec.path is not None
        made = freeze(spec.name, spec.path, span, threads, args.out or RECORDINGS)
        sys.stdout.write(f"{made}\n")
    return EXIT_DONE
