"""What a program offers under names of its own: metrics that dashboards read, subcommands that scripts run."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity

if TYPE_CHECKING:
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
LOGGER = """from prometheus_client import Counter, Gauge


class Logger:
    _gauge_cls = Gauge

    def __init__(self, labels):
        self.running = self._gauge_cls(
            name="app:running",
            documentation="Requests that run.",
            labelnames=labels,
        )
{}"""
GAUGE = """        self.{0} = self._gauge_cls(
            name="app:{0}",
            documentation="Requests that {1}.",
            labelnames=labels,
        )
"""
COUNTER = """        self.done = Counter("{}", "Requests that are done.", labelnames=labels)
"""


@ROUTES
async def test_metrics_that_come_together_are_one_fact(route: str, facts_of: "FactsOf") -> None:
    new = LOGGER.format(GAUGE.format("queued", "wait") + COUNTER.format("app:done"))
    facts = await facts_of({"pkg/stats.py": LOGGER.format("")}, {"pkg/stats.py": new}, route)
    assert [(fact.kind, fact.severity, fact.name, fact.detail, fact.new) for fact in facts] == [
        (FactKind.REGISTERED, Severity.ADDITIVE, "app:queued, app:done", "metrics", "gauge; counter")
    ]


@ROUTES
async def test_a_metric_that_goes_breaks_dashboards(route: str, facts_of: "FactsOf") -> None:
    old = LOGGER.format(GAUGE.format("queued", "wait"))
    facts = await facts_of({"pkg/stats.py": old}, {"pkg/stats.py": LOGGER.format("")}, route)
    assert [(fact.kind, fact.severity, fact.name) for fact in facts] == [
        (FactKind.UNREGISTERED, Severity.BREAKING, "app:queued")
    ]


@ROUTES
async def test_a_metric_was_renamed_where_its_words_stay(route: str, facts_of: "FactsOf") -> None:
    old, same, other = (
        LOGGER.format(GAUGE.format(*words)) for words in (("queued", "wait"), ("waiting", "wait"), ("idle", "do not"))
    )
    facts = await facts_of({"pkg/stats.py": old}, {"pkg/stats.py": same}, route)
    assert [(fact.kind, fact.old, fact.new) for fact in facts] == [
        (FactKind.SYMBOL_RENAMED, "app:queued", "app:waiting")
    ]
    facts = await facts_of({"pkg/stats.py": old}, {"pkg/stats.py": other}, route)
    assert {fact.kind for fact in facts} == {FactKind.REGISTERED, FactKind.UNREGISTERED}


@ROUTES
async def test_the_end_of_a_counters_name_is_written_by_the_client(route: str, facts_of: "FactsOf") -> None:
    old, new = (LOGGER.format(COUNTER.format(name)) for name in ("app:done", "app:done_total"))
    assert await facts_of({"pkg/stats.py": old}, {"pkg/stats.py": new}, route) == []


@ROUTES
async def test_a_metric_of_another_sort_is_told(route: str, facts_of: "FactsOf") -> None:
    old = LOGGER.format(COUNTER.format("app:done"))
    new = old.replace("self.done = Counter(", "self.done = Gauge(")
    facts = await facts_of({"pkg/stats.py": old}, {"pkg/stats.py": new}, route)
    assert [(fact.kind, fact.name, fact.old, fact.new) for fact in facts] == [
        (FactKind.REGISTRATION_CHANGED, "app:done", "counter", "gauge")
    ]


@ROUTES
async def test_what_counts_for_itself_is_no_metric(route: str, facts_of: "FactsOf") -> None:
    new = """from collections import Counter


def count(rows):
    seen = Counter("a_b")
    both = Counter("a_b", rows)
    bars = plot.Histogram(name="row_sizes", x=rows)
    return seen, both, bars
"""
    facts = await facts_of({"pkg/rows.py": "def count(rows):\n    return rows\n"}, {"pkg/rows.py": new}, route)
    assert facts == []


@ROUTES
async def test_a_metric_whose_name_is_put_together_now_is_still_there(route: str, facts_of: "FactsOf") -> None:
    old = LOGGER.format(COUNTER.format("app:done"))
    new = old.replace('"app:done"', 'f"{self.prefix}:done"')
    assert await facts_of({"pkg/stats.py": old}, {"pkg/stats.py": new}, route) == []


PROGRAM = """import argparse


def main():
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers(dest="subcommand")
    subparsers.add_parser("serve", help="Serve.")
{}    return parser.parse_args()
"""
VERSION = """    subparsers.add_parser(
        "version",
        help="Show the version.",
    )
"""


@ROUTES
async def test_a_subcommand_that_comes_is_told(route: str, facts_of: "FactsOf") -> None:
    new = {"pkg/cli/main.py": PROGRAM.format(VERSION)}
    facts = await facts_of({"pkg/cli/main.py": PROGRAM.format("")}, new, route)
    assert [(fact.kind, fact.name, fact.detail) for fact in facts] == [(FactKind.REGISTERED, "version", "commands")]


@ROUTES
async def test_a_subcommand_that_goes_is_told(route: str, facts_of: "FactsOf") -> None:
    old = {"pkg/cli/main.py": PROGRAM.format(VERSION)}
    facts = await facts_of(old, {"pkg/cli/main.py": PROGRAM.format("")}, route)
    assert [(fact.kind, fact.severity, fact.name) for fact in facts] == [
        (FactKind.UNREGISTERED, Severity.BREAKING, "version")
    ]


@ROUTES
async def test_a_subcommand_that_is_named_elsewhere_is_still_there(route: str, facts_of: "FactsOf") -> None:
    named = (
        PROGRAM.format("    for name in NAMES:\n        subparsers.add_parser(name)\n") + '\n\nNAMES = ("version",)\n'
    )
    facts = await facts_of({"pkg/cli/main.py": PROGRAM.format(VERSION)}, {"pkg/cli/main.py": named}, route)
    assert not [fact for fact in facts if fact.kind is FactKind.UNREGISTERED]


@ROUTES
async def test_a_parser_of_a_format_is_no_subcommand(route: str, facts_of: "FactsOf") -> None:
    old = "def main(formats):\n    return formats\n"
    new = 'def main(formats):\n    formats.add_parser("yaml", Yaml)\n    return formats\n'
    assert await facts_of({"pkg/cli/main.py": old}, {"pkg/cli/main.py": new}, route) == []


RUST = """use metrics::{{describe_counter, describe_gauge}};

pub fn init_metrics() {{
    describe_gauge!(
        "app_running",
        "Requests that run"
    );
{}}}

pub fn note(size: usize) {{
    gauge!("app_running", "kind" => "any").set(size as f64);
}}
"""
DONE = """    describe_counter!(
        "{}",
        "Requests that are done"
    );
"""


async def _rust(facts_of: "FactsOf", route: str, old: str, new: str) -> list[tuple[object, ...]]:
    file = "router/src/observability/stats.rs"
    facts = await facts_of({file: RUST.format(old)}, {file: RUST.format(new)}, route)
    return [(fact.kind, fact.severity, fact.name, fact.detail) for fact in facts]


@ROUTES
async def test_a_metric_of_rust_that_comes_or_goes_is_told(route: str, facts_of: "FactsOf") -> None:
    assert await _rust(facts_of, route, "", DONE.format("app_done_total")) == [
        (FactKind.REGISTERED, Severity.ADDITIVE, "app_done_total", "metrics")
    ]
    assert await _rust(facts_of, route, DONE.format("app_done_total") + "\n", "") == [
        (FactKind.UNREGISTERED, Severity.BREAKING, "app_done_total", "metrics")
    ]


@ROUTES
async def test_a_metric_of_rust_was_renamed_where_its_words_stay(route: str, facts_of: "FactsOf") -> None:
    assert await _rust(facts_of, route, DONE.format("app_done_total"), DONE.format("app_finished_total")) == [
        (FactKind.SYMBOL_RENAMED, Severity.BREAKING, "app_finished_total", "metrics")
    ]


@ROUTES
async def test_a_label_of_a_metric_is_no_metric(route: str, facts_of: "FactsOf") -> None:
    file, old = "router/src/stats.rs", RUST.format("")
    assert await facts_of({file: old}, {file: old.replace('"kind" => "any"', '"of_kind" => "any_one"')}, route) == []


CLAP = """use clap::{{Parser, Subcommand}};

#[derive(Debug, Subcommand)]
pub enum Command {{
    /// Serve.
    Serve(ServeArgs),
{}}}
"""


async def test_a_subcommand_of_rust_that_comes_or_goes_is_told(facts_of: "FactsOf") -> None:
    file = "router/src/cli.rs"
    old, new = CLAP.format(""), CLAP.format('    DryRun(RunArgs),\n    #[command(name = "show")]\n    Display,\n')
    facts = await facts_of({file: old}, {file: new})
    assert [(fact.kind, fact.severity, fact.name, fact.detail) for fact in facts] == [
        (FactKind.REGISTERED, Severity.ADDITIVE, "dry-run, show", "commands")
    ]
    facts = await facts_of({file: new + "\n"}, {file: old + "\n"})
    assert [(fact.kind, fact.severity, fact.name, fact.detail) for fact in facts] == [
        (FactKind.UNREGISTERED, Severity.BREAKING, "dry-run, show", "commands")
    ]


@pytest.mark.parametrize("route", ["blobs", "hunks"])
@pytest.mark.parametrize(
    ("decorator", "named"),
    [
        ('@cli.command("export-all")', "export-all"),
        ('@tool_group.command(name="export-all")', "export-all"),
        ("@app.command()", "export-everything"),
    ],
)
async def test_a_subcommand_by_a_decorator_is_registered(
    facts_of: "FactsOf", route: str, decorator: str, named: str
) -> None:
    old = "import click\n\n\n@cli.command()\ndef serve():\n    return 1\n"
    new = f"{old}\n\n{decorator}\ndef export_everything():\n    return 2\n"
    facts = await facts_of({"pkg/cli.py": old}, {"pkg/cli.py": new}, route)
    (fact,) = [fact for fact in facts if fact.kind is FactKind.REGISTERED]
    assert (fact.name, fact.detail) == (named, "commands")


@pytest.mark.parametrize("decorator", ["@click.command()", "@bot.command()", "@cli.command(NAME)"])
async def test_what_is_no_subcommand_by_its_decorator_is_not_told(facts_of: "FactsOf", decorator: str) -> None:
    old = "import click\n\n\ndef serve():\n    return 1\n"
    new = f"{old}\n\n{decorator}\ndef export_everything():\n    return 2\n"
    facts = await facts_of({"pkg/cli.py": old}, {"pkg/cli.py": new}, "blobs")
    assert not [fact for fact in facts if fact.kind is FactKind.REGISTERED]


@ROUTES
async def test_a_metric_whose_words_deprecate_it_is_told(route: str, facts_of: "FactsOf") -> None:
    old, new = (LOGGER.format(GAUGE.format("queued", words)) for words in ("wait", "wait. DEPRECATED: use app:idle"))
    facts = await facts_of({"pkg/stats.py": old}, {"pkg/stats.py": new}, route)
    assert [(fact.kind, fact.severity, fact.name, fact.new) for fact in facts] == [
        (FactKind.DEPRECATED, Severity.BEHAVIOUR, "app:queued", "Requests that wait. DEPRECATED: use app:idle.")
    ]


@ROUTES
async def test_metrics_whose_heads_a_program_writes_itself_are_told(route: str, facts_of: "FactsOf") -> None:
    text = 'pub fn render(out: &mut String) {{\n    out.push_str("# TYPE app_done_total counter\\n");\n{}}}\n'
    heads = '    out.push_str("# HELP app_ttft_seconds Time to first.\\n");\n'
    heads += '    out.push_str("# TYPE app_ttft_seconds histogram\\n");\n'
    seen = '    let _ = out.contains("# TYPE app_other counter");\n'
    file = "router/src/stats.rs"
    facts = await facts_of({file: text.format("")}, {file: text.format(heads + seen)}, route)
    assert [(fact.kind, fact.severity, fact.name, fact.detail) for fact in facts] == [
        (FactKind.REGISTERED, Severity.ADDITIVE, "app_ttft_seconds", "metrics")
    ]
