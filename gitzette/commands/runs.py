"""The command `runs`: earlier runs, newest first."""

import argparse
import sys
from collections.abc import Mapping
from dataclasses import asdict, replace

from agent.domain.errors import EXIT_DONE
from gitzette.home_folder import memory_of
from gitzette.settings_from_arguments import settings_here
from gitzette.terminal_output import as_json
from memory.runs import RunRecord

_MAX_RUNS = 20


def runs(args: argparse.Namespace, environ: Mapping[str, str]) -> int:
    """List earlier runs, newest first."""
    with memory_of(settings_here(environ), environ) as memory:
        records = []
        for run in memory.runs.latest(_MAX_RUNS):
            # A run that was killed could not record its end; without its lock it is not running.
            if run.status == "running" and memory.run_locks.process(run.id) is None:
                records.append(replace(run, status="unfinished"))
            else:
                records.append(run)
    if args.json:
        sys.stdout.write(as_json([asdict(run) for run in records]))
        return EXIT_DONE
    sys.stdout.write("".join(map(_run_line, records)) or "no runs yet\n")
    return EXIT_DONE


def _run_line(run: RunRecord) -> str:
    seconds = run.details.get("seconds", "?")
    repos = ", ".join(run.details.get("repos", []))
    return f"{run.id}  {run.started}  {run.status:<10}  {run.window}  {seconds} s  {repos}\n"
