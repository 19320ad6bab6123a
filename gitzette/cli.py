"""The command line (CLI), made from commands.toml; a command's modules are imported when it is called."""

import argparse
import gc
import logging
import os
import sys
import tomllib
import traceback
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

EXIT_INTERRUPTED = 130  # As shells count: 128 and the number of the signal
_USAGE = "gitzette [-h] [--version] [--debug] COMMAND ..."
_DEBUG_HELP = "show the traceback of an error"
_MAX_CAUSE = 300  # Characters of an unexpected error that are printed
_NAME_WIDTH = 10  # Columns of the names of commands in --help
_TYPES: Mapping[str, Callable[[str], object]] = {"path": Path, "int": int}
_ALLOCATIONS_BEFORE_COLLECTION = 50_000
"""Python's default of 700 spends a tenth of a run on looking through trees that nobody dropped."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status; every error is one line on stderr."""
    parser = command_parser()
    args = parser.parse_args(argv)
    if args.target is None:
        from gitzette import own_version

        print(f"gitzette {own_version()}" if args.version else parser.format_help().rstrip())
        return 0
    # These bring pydantic along, which help can do without.
    from agent.domain.errors import EXIT_DONE, EXIT_FAILED, AppError
    from gitzette.error_log import open_error_log

    with open_error_log(os.environ, debug=args.debug) as log:
        try:
            status = _run_command(args)
            if log.path is not None:
                _print_error(f"what went wrong is in {log.path}")
            return status
        except AppError as error:
            if args.debug:
                traceback.print_exc()
            _print_error(str(error))
            return error.exit_code
        except KeyboardInterrupt:
            _print_error(_interrupted(args))
            return EXIT_INTERRUPTED
        except BrokenPipeError:
            # The reader of our output went away (`gitzette … | head`); that is no error of ours.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return EXIT_DONE
        except Exception as error:
            # A bug of ours: a user gets one line, and the log the traceback.
            logging.getLogger(__name__).exception("gitzette %s failed", args.command)
            _print_error(_unexpected(error, args.command, log.path))
            return EXIT_FAILED


def _run_command(args: argparse.Namespace) -> int:
    module, _, name = args.target.partition(":")
    command = getattr(_imported(module), name)
    gc.set_threshold(_ALLOCATIONS_BEFORE_COLLECTION)
    status: int = command(args, os.environ)
    return status


def _imported(module: str) -> ModuleType:
    """Import the module of a command.

    Modules live as long as the process: the garbage collector need not look through them, neither
    while they are imported nor later.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        imported = import_module(module)
        gc.freeze()
    finally:
        if was_enabled:
            gc.enable()
    return imported


def _interrupted(args: argparse.Namespace) -> str:
    """Return the line about a command that its user stopped."""
    message = "interrupted; nothing half-written was left"
    if args.command == "run" and not (args.demo or args.replay):
        return f"{message}; `gitzette run --resume` goes on where it stopped"
    return message


def _unexpected(error: Exception, command: str, log_path: Path | None) -> str:
    """Return the line about an error that is a bug of ours."""
    cause = f"{type(error).__name__}: {error}"[:_MAX_CAUSE]
    where = f"the traceback is in {log_path}" if log_path else "--debug shows the traceback"
    return (
        f"{command} failed with an error that nobody expected ({cause}); {where}; please report it"
    )


def _print_error(message: str) -> None:
    print(f"gitzette: {' '.join(message.split())}", file=sys.stderr)


def command_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line, made from the table of commands."""
    table = tomllib.loads(Path(__file__).with_name("commands.toml").read_text("utf-8"))
    shared = table.pop("shared")
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="gitzette", usage=_USAGE, formatter_class=form, **table.pop("gitzette")
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.add_argument("--debug", action="store_true", help=_DEBUG_HELP)
    parser.set_defaults(target=None)
    commands = parser.add_subparsers(
        title="commands",
        metavar="COMMAND",
        prog="gitzette",
        help=argparse.SUPPRESS,
        description=_grouped_commands(table),
    )
    for name, command in table.items():
        # Without `help` argparse does not list it: the description does, in groups.
        subparser = commands.add_parser(
            name, description=command.get("description") or command["help"]
        )
        options = {option: shared[option] for option in command["use"]}
        options |= command.get("options", {})
        for option, settings in options.items():
            if "type" in settings:
                settings = settings | {"type": _TYPES[settings["type"]]}
            subparser.add_argument(option, **settings)
        # Without a default, it does not take back what stands before the command.
        subparser.add_argument(
            "--debug", action="store_true", default=argparse.SUPPRESS, help=_DEBUG_HELP
        )
        subparser.set_defaults(target=command["target"], command=name)
    return parser


def _grouped_commands(table: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the commands with a line each, below the names of their groups."""
    groups: dict[str, list[str]] = {}
    for name, command in table.items():
        line = f"  {name:<{_NAME_WIDTH}}{command['help']}"
        groups.setdefault(command["group"], []).append(line)
    return "\n\n".join("\n".join((f"{group}:", *lines)) for group, lines in groups.items())
