"""The command line: commands.toml names the commands; what a command needs is imported when it is called."""

import argparse
import os
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path

_TYPES: Mapping[str, Callable[[str], object]] = {"path": Path, "int": int}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; an error that is the user's or the world's is one line, a bug keeps its traceback."""
    parser = _parser()
    args = parser.parse_args(argv)
    if args.target is None:
        from gitzette import own_version

        print(f"gitzette {own_version()}" if args.version else parser.format_help().rstrip())
        return 0
    # It brings pydantic along, which help can do without.
    from agent.domain.base import EXIT_DONE, AppError

    try:
        module, _, name = args.target.partition(":")
        status: int = getattr(import_module(module), name)(args, os.environ)
        return status
    except AppError as error:
        print(f"gitzette: {' '.join(str(error).split())}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("gitzette: interrupted; nothing half-written was left", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output went away (`gitzette … | head`); that is no error of ours.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_DONE


def _parser() -> argparse.ArgumentParser:
    table = tomllib.loads(Path(__file__).with_name("commands.toml").read_text("utf-8"))
    shared = table.pop("shared")
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="gitzette", formatter_class=form, **table.pop("gitzette"))
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.set_defaults(target=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, command in table.items():
        sub = commands.add_parser(
            name, help=command["help"], description=command.get("description")
        )
        for option, more in (
            {one: shared[one] for one in command["use"]} | command.get("options", {})
        ).items():
            kind = {"type": _TYPES[more["type"]]} if "type" in more else {}
            sub.add_argument(option, **more | kind)
        sub.set_defaults(target=command["target"])
    return parser
