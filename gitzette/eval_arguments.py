"""What `gitzette eval` can be told."""

import argparse
from pathlib import Path


def add_eval_arguments(evaluate: argparse.ArgumentParser) -> None:
    """Add everything beside the sets, the mirrors and `--json`."""
    evaluate.add_argument("--gate", action="store_true", help="run the sets of evals/limits.toml; 1 if one is broken")
    evaluate.add_argument("--out", metavar="DIR", type=Path, help="keep scores, summary, JUnit and history here")
    evaluate.add_argument("--html", metavar="FILE", type=Path, help="write a page to look at")
    evaluate.add_argument("--baseline", metavar="FILE", type=Path, help="compare with the results.jsonl of another run")
    evaluate.add_argument("--trials", metavar="K", type=int, default=1, help="run each set so often, and tell pass^k")
    evaluate.add_argument("--held-out", action="store_true", help="make worlds from a seed that nothing is tuned on")
    evaluate.add_argument("--resume", action="store_true", help="go on where the evaluation in --out was ended")
    evaluate.add_argument("--jobs", metavar="N", type=int, default=2, help="sets at the same time (default: 2)")
    evaluate.add_argument("--small", action="store_true", help="take few cases where there are many of the same kind")
    evaluate.add_argument(
        "--analyst", choices=("rules", "model"), default="rules", help="model: a scripted one, where a set has it"
    )
    evaluate.add_argument("--gold", metavar="FILE", help="links between the threads and commits, for the set links")
    evaluate.add_argument("--model", metavar="NAME", default="local", help="the model behind --model-url")
    evaluate.add_argument("--model-url", metavar="URL", help="ask this server, where a set can ask a real model")
    evaluate.add_argument("--accept", action="store_true", help="keep these shares as those that must not fall")
    evaluate.add_argument("--part", metavar="KEY", help=argparse.SUPPRESS)
