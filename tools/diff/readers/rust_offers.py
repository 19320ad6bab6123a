"""What a Rust program offers under names of its own: metrics that it exports, subcommands that it runs."""

import re
from collections.abc import Iterable, Iterator

from agent.facts import COMMANDS, METRICS
from tools.diff.readers.calls import Sites, calls
from tools.diff.readers.syntax import mentions
from tools.diff.reading import Site, Symbol

_METRIC = re.compile(
    rb"\b(?:describe_|register_(?:int_)?)?(?:counter|gauge|histogram)(?:_vec)?!\s*\(\s*(?:(?:histogram_)?opts!\s*\(\s*)?\""
)
_MAY_MEASURE = (b"counter", b"gauge", b"histogram")
_SORT = re.compile(r"counter|gauge|histogram")
_NAME = re.compile(r"[A-Za-z]\w*[_:][\w:]*\w")
_SPOKEN = b"# TYPE "
_WRITTEN = re.compile(rb"\"# TYPE ([A-Za-z][\w:]*) (counter|gauge|histogram|summary)\\n\"")
_HELP = re.compile(rb"# HELP ([A-Za-z][\w:]*) ([^\"\\\n]+)")
"""What a program writes itself in the words in which metrics are exported."""
_DESCRIBED = ("describe_", "register_")
_COMMANDS = re.compile(r"^#\[\s*derive\s*\(.*\bSubcommand\b")
_OWN_NAME = re.compile(r"^#\[\s*(?:command|clap)\s*\(.*\bname\s*=\s*\"([^\"]+)\"")
_NO_COMMAND = re.compile(r"^#\[\s*(?:command|clap)\s*\(.*\b(?:flatten|skip|external_subcommand)\b")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def metrics(make: Sites) -> Iterator[Site]:
    """Give what is measured: `describe_counter!("app_done", "Requests that are done")`, `counter!("app_done")`."""
    yield from _written(make)
    if not mentions(make.masked.mask, _MAY_MEASURE):
        return
    for call in calls(make.masked, _METRIC):
        spoken = list(make.masked.literals(call.start, call.end))
        sort = _SORT.search(call.name)
        if sort is None or not spoken or not _NAME.fullmatch(spoken[0]):
            continue
        # Behind the name of what is counted in passing stand labels.
        words = " ".join(spoken[1:2]) if call.name.startswith(_DESCRIBED) else ""
        site = make.at("registration", spoken[0], call.start, call.end, sort[0])
        yield site._replace(scope=METRICS, about=words)


def _written(make: Sites) -> Iterator[Site]:
    """Give the metrics of which a program writes the heads itself: `# TYPE app_done counter`, with a line's end."""
    text = make.masked.text
    if _SPOKEN not in text:
        return
    words = {found[1]: found[2].decode("utf-8", "replace") for found in _HELP.finditer(text)}
    for found in _WRITTEN.finditer(text):
        site = make.at("registration", found[1].decode(), found.start(), found.end(), found[2].decode())
        yield site._replace(scope=METRICS, about=words.get(found[1], ""))


def commands(symbols: Iterable[Symbol]) -> dict[str, Site]:
    """Give the subcommands of a command line by the variants that they are: of an enumeration of `Subcommand`."""
    owners: set[str] = set()
    found: dict[str, Site] = {}
    for symbol in symbols:
        if symbol.kind == "enum" and any(map(_COMMANDS.match, symbol.decorators)):
            owners.add(symbol.name)
        owner, _, name = symbol.name.rpartition(".")
        if symbol.kind != "member" or owner not in owners or any(map(_NO_COMMAND.match, symbol.decorators)):
            continue
        given = next((named[1] for text in symbol.decorators if (named := _OWN_NAME.match(text))), None)
        command = given or _HUMP.sub("-", name).lower()
        found[symbol.name] = Site("registration", command, symbol.start, symbol.head, scope=COMMANDS)
    return found
