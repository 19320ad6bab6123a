"""The command line: it parses, calls and prints; everything heavy is imported inside a command."""

import argparse
import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from agent.errors import EXIT_DONE, AppError
from gitzette.eval_arguments import add_eval_arguments

_EPILOG = """\
exit status:
  0 done   1 failed   2 wrong use or configuration   3 done, but incomplete or errors found
  4 the evidence for an answer is not there

configuration: gitzette.toml in the folder you stand in, GITZETTE_* variables, GITHUB_TOKEN.
With no --repo and no configuration, `run` reports on the checkout you stand in.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; an error that is the user's or the world's is one line, a bug keeps its traceback."""
    parser = _parser()
    args = parser.parse_args(argv)
    if args.command is None:
        parser.print_help()
        return EXIT_DONE
    try:
        status: int = args.command(args)
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
    parser = argparse.ArgumentParser(
        prog="gitzette",
        description="A daily gazette of the git repositories you depend on.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    parser.set_defaults(command=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _add_run(commands)
    _add_ask(commands)
    _add_chat(commands)
    _add_facts(commands)
    _add_between(commands)
    _add_audit(commands)
    _add_stories(commands)
    _add_site(commands)
    _add_eval(commands)
    _add_serve(commands)
    _add_mcp(commands)
    _add_runs(commands)
    _add_init(commands)
    _add_doctor(commands)
    return parser


class _Version(argparse.Action):
    """Prints the version; looked up only when asked, because that is slow."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object, **__: object) -> None:
        from gitzette.origin import own_version

        print(f"gitzette {own_version()}")
        parser.exit()


def _add_run(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    run = commands.add_parser("run", help="report on what landed in a window", description=_RUN)
    _add_repo(run)
    run.add_argument("--date", metavar="DAY", help="one day, as 2026-02-04 (default: yesterday)")
    run.add_argument("--since", metavar="TIME", help="start of the window: a day or a time such as 2026-02-04T06:00")
    run.add_argument("--until", metavar="TIME", help="end of the window, itself not included (default: today 00:00)")
    run.add_argument("--week", metavar="WEEK", help="join the daily reports of a week, as 2026-W06, into one edition")
    _add_uses(run)
    run.add_argument("--tz", metavar="ZONE", help="time zone that cuts the days, as Asia/Shanghai (default: UTC)")
    run.add_argument("--lang", choices=("en", "zh"), help="language of the report (default: en)")
    run.add_argument("--layout", choices=("digest", "ledger"), help="form of the report (default: digest)")
    run.add_argument("--analyst", choices=("rules", "model"), help="who explains what changed (default: rules)")
    run.add_argument("--source", choices=("git", "api"), help="read everything from git, or everything from the API")
    run.add_argument("--out", metavar="DIR", type=Path, help="output folder (default: ./gazette)")
    run.add_argument("--partial", action="store_true", help="allow a window that is not over; the report says so")
    run.add_argument(
        "--resume", metavar="RUN", nargs="?", const="", help="go on with an unfinished run (default: the newest)"
    )
    run.add_argument(
        "--catch-up", action="store_true", help="report on every day up to yesterday (or --date) that has no report yet"
    )
    run.add_argument("--replay", metavar="RUN", help="make the report of an earlier run again, from its record alone")
    run.add_argument("--demo", action="store_true", help="report on a made-up world; needs no network and no token")
    run.add_argument("--json", action="store_true", help="print the report as JSON")
    run.set_defaults(command=_run)


def _add_ask(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    ask = commands.add_parser("ask", help="answer a question about recent changes", description=_ASK)
    ask.add_argument("question", metavar="QUESTION", nargs="*", help="in English or Chinese, in quotation marks")
    _add_repo(ask)
    ask.add_argument("--since", metavar="TIME", help="look from here on; nothing before is read or cited")
    ask.add_argument("--until", metavar="TIME", help="look up to here, itself not included (default: now)")
    ask.add_argument("--tz", metavar="ZONE", help="time zone of days such as yesterday (default: UTC)")
    ask.add_argument("--source", choices=("git", "api"), help="read everything from git, or everything from the API")
    ask.add_argument("--analyst", choices=("rules", "model"), help="who answers (default: rules)")
    ask.add_argument("--lang", choices=("en", "zh"), help="language of the answer (default: that of the question)")
    ask.add_argument("--thread", metavar="NAME", help="go on with this conversation, or begin it")
    ask.add_argument(
        "--json", action="store_true", help="print answer, claims, citations and what was searched as JSON"
    )
    ask.set_defaults(command=_ask)


def _add_chat(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    chat = commands.add_parser("chat", help="ask one question after the other", description=_CHAT)
    _add_repo(chat)
    chat.add_argument("--thread", metavar="NAME", help="go on with this conversation, or begin it (default: a new one)")
    chat.add_argument("--since", metavar="TIME", help="look from here on; nothing before is read or cited")
    chat.add_argument("--tz", metavar="ZONE", help="time zone of days such as yesterday (default: UTC)")
    chat.add_argument("--source", choices=("git", "api"), help="read everything from git, or everything from the API")
    chat.add_argument("--analyst", choices=("rules", "model"), help="who answers (default: rules)")
    chat.set_defaults(command=_chat)


def _add_facts(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    facts = commands.add_parser("facts", help="what one commit changes for its users", description=_FACTS)
    facts.add_argument("sha", metavar="SHA", help="the commit: a full or abbreviated hash, or its address")
    _add_repo(facts)
    facts.add_argument("--source", choices=("git", "api"), help="read from git, or from the API")
    facts.add_argument("--hunks", action="store_true", help="use the patch only, not the whole files")
    facts.add_argument("--json", action="store_true", help="print the facts as JSON")
    facts.set_defaults(command=_facts)


def _add_between(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    between = commands.add_parser("between", help="what changes from one version to another", description=_BETWEEN)
    between.add_argument("old", metavar="A", help="the version you have: a tag, a hash or a day")
    between.add_argument("new", metavar="B", help="the version you go to")
    _add_repo(between)
    _add_uses(between)
    between.add_argument("--tz", metavar="ZONE", help="time zone of days (default: UTC)")
    between.add_argument("--lang", choices=("en", "zh"), help="language of the guide (default: en)")
    between.add_argument("--out", dest="file", metavar="FILE", type=Path, help="write to a file (default: print it)")
    between.add_argument("--json", action="store_true", help="give the guide as JSON")
    between.set_defaults(command=_between)


def _add_uses(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--uses",
        metavar="PATH",
        type=Path,
        action="append",
        help="your own code: what it uses comes first; it is read here only and sent nowhere",
    )


def _add_audit(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    audit = commands.add_parser("audit", help="check anybody's report against the commits it cites", description=_AUDIT)
    audit.add_argument("file", metavar="FILE.md", type=Path, help="the report: Markdown, Chinese or English")
    _add_repo(audit)
    audit.add_argument("--source", choices=("git", "api"), help="read everything from git, or everything from the API")
    audit.add_argument("--json", action="store_true", help="print the findings as JSON")
    audit.add_argument("--html", metavar="FILE", type=Path, help="write the report with the verdicts beside its lines")
    audit.set_defaults(command=_audit)


def _add_stories(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    stories = commands.add_parser("stories", help="how things went on over the days", description=_STORIES)
    _add_repo(stories)
    stories.add_argument("--since", metavar="DAY", help="only stories with news on or after this day")
    stories.add_argument("--lang", choices=("en", "zh"), help="language (default: that of the configuration)")
    stories.add_argument("--out", metavar="DIR", type=Path, help="folder with the reports (default: ./gazette)")
    stories.add_argument("--json", action="store_true", help="print them as JSON")
    stories.set_defaults(command=_stories)


def _add_site(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    site = commands.add_parser("site", help="make a static site of the published reports", description=_SITE)
    site.add_argument("--out", metavar="DIR", type=Path, help="folder with the reports (default: ./gazette)")
    site.add_argument(
        "--to", metavar="DIR", type=Path, help="folder of the site (default: site in that of the reports)"
    )
    site.set_defaults(command=_site)


def _add_eval(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    evaluate = commands.add_parser("eval", help="measure how right Gitzette is", description=_EVAL)
    evaluate.add_argument("sets", metavar="SET", nargs="*", help="a set by its name (default: all)")
    _add_repo(evaluate)
    evaluate.add_argument("--since", metavar="DAY", help="first day to read on the mirrors given by --repo")
    evaluate.add_argument("--until", metavar="DAY", help="day after the last one to read on the mirrors")
    evaluate.add_argument("--threads", metavar="FILE", help="threads of the mirrors as JSON, served beside them")
    evaluate.add_argument("--json", action="store_true", help="print the figures as JSON")
    add_eval_arguments(evaluate)
    evaluate.set_defaults(command=_eval)


def _add_serve(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    serve = commands.add_parser("serve", help="show the site and answer questions in a browser", description=_SERVE)
    _add_repo(serve)
    serve.add_argument("--host", metavar="ADDRESS", default="127.0.0.1", help="where to listen (default: 127.0.0.1)")
    serve.add_argument("--port", metavar="N", type=int, default=8787, help="the port (default: 8787; 0: any)")
    serve.add_argument("--token-env", metavar="NAME", help="the variable with the token; needed where others can reach")
    serve.add_argument("--tz", metavar="ZONE", help="time zone of days such as yesterday (default: UTC)")
    serve.add_argument("--lang", choices=("en", "zh"), help="language of the first page (default: en)")
    serve.add_argument("--source", choices=("git", "api"), help="read everything from git, or everything from the API")
    serve.add_argument("--out", metavar="DIR", type=Path, help="folder with the reports (default: ./gazette)")
    serve.add_argument("--site", metavar="DIR", type=Path, help="folder of the site (default: site below --out)")
    serve.set_defaults(command=_serve)


def _add_mcp(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    mcp = commands.add_parser("mcp", help="answer programs that speak the Model Context Protocol", description=_MCP)
    _add_repo(mcp)
    mcp.add_argument("--tz", metavar="ZONE", help="time zone of days such as yesterday (default: UTC)")
    mcp.add_argument("--lang", choices=("en", "zh"), help="language of reports and stories (default: en)")
    mcp.add_argument("--source", choices=("git", "api"), help="read everything from git, or everything from the API")
    mcp.add_argument("--out", metavar="DIR", type=Path, help="folder with the reports (default: ./gazette)")
    mcp.add_argument("--http", action="store_true", help="listen on a port of this machine instead of stdin and stdout")
    mcp.add_argument("--port", metavar="N", type=int, default=8765, help="the port for --http (default: 8765; 0: any)")
    mcp.set_defaults(command=_mcp)


def _add_runs(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    runs = commands.add_parser("runs", help="show earlier runs and what they spent")
    runs.add_argument("--json", action="store_true", help="print them as JSON")
    runs.set_defaults(command=_runs)


def _add_init(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    init = commands.add_parser("init", help="write a commented gitzette.toml", description=_INIT)
    _add_repo(init)
    init.add_argument("--tz", metavar="ZONE", help="time zone that cuts the days, as Asia/Shanghai (default: UTC)")
    init.add_argument("--lang", choices=("en", "zh"), help="language of the reports (default: en)")
    init.add_argument(
        "--workflow", action="store_true", help="also write a GitHub Actions workflow that runs every day"
    )
    init.set_defaults(command=_init)


def _add_doctor(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    doctor = commands.add_parser(
        "doctor", help="check folders, reports, git, token, limits, mirrors, database, clock and model"
    )
    doctor.add_argument("--json", action="store_true", help="print the findings as JSON")
    doctor.set_defaults(command=_doctor)


def _add_repo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--repo",
        metavar="OWNER/NAME[=PATH]",
        action="append",
        default=[],
        help="a repository; with =PATH its commits are read from that clone or mirror; may be repeated",
    )


_RUN = "Reads what landed on the default branch of each repository and writes reports/DATE.md and reports/DATE.json."
_ASK = (
    "Answers from what was read, every sentence checked and judged against the evidence it cites; exit status 4 when "
    "there is no answer, only the nearest evidence. Qualifiers such as is:revert, author:NAME and path:PART filter. "
    "A repository that nothing is known of has its last 7 days read first."
)
_CHAT = (
    "Keeps a conversation: a model hears what was asked and answered before. "
    "On a terminal /help lists the commands; elsewhere every line of the input is a question."
)
_FACTS = "Reads a diff like an engineer: what came, went or changed for users, each fact with the lines that show it."
_BETWEEN = "Writes an upgrade guide: what breaks, new and changed settings, dependencies, each with its commit."
_AUDIT = "Checks every reference, number, quotation and link of a report; exit status 3 when something is wrong."
_STORIES = "Lists reverts, re-lands, series, follow-ups and what was taken in, each with its timeline, newest first."
_SERVE = "The site with a page to ask on: answers as they come, each citation beside the lines that show it."
_MCP = "Gives ask, audit, reports, stories, facts and search to Claude, Cursor and others; all of it is read-only."
_SITE = (
    "Writes pages, search and feed for any web server or GitHub Pages; only days whose reports changed are made anew."
)
_INIT = "Writes a commented gitzette.toml where you stand; asks on a terminal, and never replaces a file."
_EVAL = "Runs evaluation sets on made-up worlds, and on real mirrors where --repo owner/name=PATH gives them."


def _run(args: argparse.Namespace) -> int:
    if args.week is not None:
        from gitzette.weekly import weekly

        return weekly(args, os.environ)
    if args.catch_up:
        from gitzette.catching import catch_up

        return catch_up(args, os.environ)
    if args.replay is not None:
        from gitzette.replaying import replay

        return replay(args, os.environ)
    with _importing():
        from gitzette.running import run

    return run(args, os.environ)


@contextmanager
def _importing() -> Iterator[None]:
    """Import much at once: what comes with it stays until the end, and is not searched for garbage again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _ask(args: argparse.Namespace) -> int:
    with _importing():
        from gitzette.asking import ask

    return ask(args, os.environ)


def _chat(args: argparse.Namespace) -> int:
    with _importing():
        from gitzette.chatting import chat

    return chat(args, os.environ)


def _facts(args: argparse.Namespace) -> int:
    with _importing():
        from gitzette.facting import facts

    return facts(args, os.environ)


def _between(args: argparse.Namespace) -> int:
    with _importing():
        from gitzette.between import between

    return between(args, os.environ)


def _audit(args: argparse.Namespace) -> int:
    with _importing():
        from gitzette.auditing import audit

    return audit(args, os.environ)


def _stories(args: argparse.Namespace) -> int:
    from gitzette.stories_command import stories

    return stories(args, os.environ)


def _site(args: argparse.Namespace) -> int:
    from gitzette.site.command import site

    return site(args, os.environ)


def _eval(args: argparse.Namespace) -> int:
    with _importing():
        from gitzette.evaluating import evaluate

    return evaluate(args)


def _serve(args: argparse.Namespace) -> int:
    with _importing():
        from gitzette.live.serving import serve

    return serve(args, os.environ)


def _mcp(args: argparse.Namespace) -> int:
    with _importing():
        from gitzette.mcp.server import serve_mcp

    return serve_mcp(args, os.environ)


def _runs(args: argparse.Namespace) -> int:
    from gitzette.running import show_runs

    return show_runs(args, os.environ)


def _init(args: argparse.Namespace) -> int:
    from gitzette.init import init

    return init(args)


def _doctor(args: argparse.Namespace) -> int:
    from gitzette.doctor import doctor

    return doctor(args, os.environ)
