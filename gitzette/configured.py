"""The settings of a command: the file where the user stands, the environment, and the command line over both."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agent.configuration import override, read_settings
from agent.settings import FILE_NAME, Settings


def settings_here(environ: Mapping[str, str]) -> Settings:
    """Read the file in the folder the user stands in, if there is one, and the environment."""
    file = Path(FILE_NAME)
    return read_settings(file if file.is_file() else None, environ)


def settings_for(args: argparse.Namespace, environ: Mapping[str, str]) -> Settings:
    """Let the command line override the rest."""
    given: dict[str, Any] = {
        key: value
        for key in ("tz", "lang", "layout", "analyst", "source", "out", "uses")
        if (value := getattr(args, key, None)) is not None
    }
    if args.repo:
        given["repos"] = args.repo
    return override(settings_here(environ), given)
