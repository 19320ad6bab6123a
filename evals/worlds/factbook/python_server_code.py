"""A Python server with flags, variables, routes, checks and a registry, to be changed."""

SERVER = '''\
"""The HTTP server and its command line."""

from __future__ import annotations

import argparse
import os
import warnings

import click
from fastapi import APIRouter, FastAPI, HTTPException

app = FastAPI()
router = APIRouter(prefix="/v1")

BACKENDS = ["auto", "~mode~", "~mode2~"]
TRACE_DIR = os.environ.get("ATLAS_TRACE_DIR", "/tmp/traces")
WORKERS = int(os.getenv("ATLAS_~NOUN~_WORKERS", "~small~"))
MODELS = {
    "llama": "atlas.models.llama:Llama",
    "qwen": "atlas.models.qwen:Qwen",
    "mixtral": "atlas.models.mixtral:Mixtral",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what can be set."""
    group = parser.add_argument_group("~noun~")
    group.add_argument("--model", type=str, required=True, help="Path or name of the model.")
    group.add_argument(
        "--~noun~-backend",
        type=str,
        choices=["auto", "~mode~", "~mode2~"],
        default="auto",
        help="Kernels to use.",
    )
    group.add_argument(
        "--max-~noun~s",
        type=int,
        default=~small~,
        help="How many may be in flight.",
    )
    group.add_argument("--disable-~noun~-cache", action="store_true", help="Do not keep anything.")
    group.add_argument("--log-level", type=str, default="info", help="How much to say.")


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--workers", type=int, default=~small~, help="Processes to start.")
@click.option("--scheduler", type=click.Choice(["fcfs", "priority"]), default="fcfs")
def main(host: str, workers: int, scheduler: str) -> None:
    """Start the server."""
    print(host, workers, scheduler)


@app.get("/health")
async def health() -> dict[str, str]:
    """Say that all is well."""
    return {"status": "ok"}


@app.post("/~noun~/flush")
async def flush() -> dict[str, int]:
    """Throw everything away."""
    return {"flushed": 0}


@router.get("/models")
async def models() -> list[str]:
    """List what can be asked."""
    return sorted(MODELS)


def ~fn~(tokens: list[int], ~opt~: int, top_k: int) -> list[int]:
    """Cut the tokens to what fits."""
    if len(tokens) > ~big~:
        raise ValueError(f"a ~noun~ holds at most ~big~ tokens, got {len(tokens)}")
    assert top_k <= ~small~, "top_k is too large for this kernel"
    if ~opt~ < 1:
        raise ValueError("~opt~ must be positive")
    return tokens[:~opt~]


def ~fn2~(name: str) -> str:
    """Find the class that serves a model."""
    if name not in MODELS:
        raise HTTPException(status_code=404, detail=f"no model {name}")
    return MODELS[name]


def ~fn3~(values: list[float]) -> float:
    """Average the values."""
    total = 0.0
    for value in values:
        total += value
    return total / max(len(values), 1)


def choose(device: str) -> str:
    """Choose where nobody did."""
    backend = "auto"
    if device == "cpu":
        backend = "~mode~"
    return backend
'''
