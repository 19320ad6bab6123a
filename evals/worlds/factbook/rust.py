"""Rust: items, options of the command line, routes, variables, errors."""

from evals.worlds.factbook.case import Case, Said, change
from evals.worlds.factbook.rust_code import CRATE


def cases() -> list[Case]:
    """List the changes."""
    return [*_symbols(), *_parameters(), *_data(), *_server()]


def _of(title: str, swaps: tuple[tuple[str, str], ...], *said: Said) -> Case:
    return change(f"rust {title}", f"router/src/{title.replace(' ', '_')}_~v~.rs", CRATE, swaps, *said)


def _symbols() -> list[Case]:
    scaled = CRATE[CRATE.index("pub fn ~fn2~") : CRATE.index("pub fn ~fn3~")]
    fresh = "pub fn clamp_load(load: f64, ceiling: f64) -> f64 {\n    load.min(ceiling)\n}\n\n"
    release = CRATE[CRATE.index("    pub fn release") : CRATE.index("    fn is_full")]
    return [
        _of("function added", ((scaled, scaled + fresh),), Said("symbol-added", "clamp_load", severity="additive")),
        _of("function removed", ((scaled, ""),), Said("symbol-removed", "~fn2~", severity="breaking")),
        _of(
            "function renamed",
            (("pub fn ~fn2~(", "pub fn ~fn2~_all("),),
            Said("symbol-renamed", "~fn2~_all", "~fn2~", "~fn2~_all", severity="breaking"),
        ),
        _of("method removed", ((release, ""),), Said("symbol-removed", "~Cls~.release", severity="breaking")),
        _of(
            "method hidden",
            (("    pub fn release", "    pub(crate) fn release"),),
            Said("symbol-removed", "~Cls~.release", severity="breaking"),
        ),
        _of(
            "constant changed",
            (("usize = ~big~;", "usize = ~small~;"),),
            Said("constant-changed", "MAX_~NOUN~S", "~big~", "~small~", severity="behaviour"),
        ),
        _of("comment changed", (("/// Choose what goes.", "/// Choose the victims."),), Said("only-comments", "")),
    ]


def _parameters() -> list[Case]:
    head = "pub fn ~fn3~(workers: usize, shards: usize) -> usize {"
    return [
        _of(
            "parameter added",
            (("scale: f32) ->", "scale: f32, bias: f32) ->"), ("w * scale", "w * scale + bias")),
            Said("parameter-added", "~fn2~", detail="bias", severity="breaking"),
        ),
        _of(
            "parameter removed",
            (("&[f32], scale: f32) ->", "&[f32]) ->"), ("w * scale", "w * 2.0")),
            Said("parameter-removed", "~fn2~", detail="scale", severity="breaking"),
        ),
        _of(
            "parameters reordered",
            ((head, "pub fn ~fn3~(shards: usize, workers: usize) -> usize {"),),
            Said("parameter-reordered", "~fn3~", severity="breaking"),
        ),
        _of(
            "parameter type changed",
            (("rid: u64, tokens: usize)", "rid: u64, tokens: u32)"),),
            Said("signature-changed", "~Cls~.~fn~"),
        ),
    ]


def _data() -> list[Case]:
    graph = "    pub enable_graph: bool,\n"
    return [
        _of(
            "enum member added",
            (("    Preempted,\n", "    Preempted,\n    Swapped,\n"),),
            Said("enum-member-added", "~Noun~State.Swapped"),
        ),
        _of(
            "enum member removed",
            (("    Preempted,\n", ""),),
            Said("enum-member-removed", "~Noun~State.Preempted", severity="breaking"),
        ),
        _of(
            "enum member renamed",
            (("    Preempted,\n", "    Paused,\n"),),
            Said("enum-member-renamed", "~Noun~State.Paused", "Preempted", "Paused", severity="breaking"),
        ),
        _of("field added", ((graph, graph + "    pub ~extra~: Option<String>,\n"),), Said("field-added", "~extra~")),
        _of(
            "field removed",
            ((graph, ""),),
            Said("field-removed", "~Noun~Options.enable_graph", severity="breaking"),
        ),
        _of(
            "field renamed",
            ((graph, "    pub use_graph: bool,\n"),),
            Said("field-renamed", "~Noun~Options.use_graph", "enable_graph", "use_graph", severity="breaking"),
        ),
        _of(
            "field type changed",
            (("    pub ~opt~: usize,\n", "    pub ~opt~: u32,\n"),),
            Said("field-changed", "~Noun~Options.~opt~"),
        ),
    ]


def _server() -> list[Case]:
    verbose = "    /// Say more.\n    #[arg(long)]\n    pub verbose: bool,\n"
    flag = '\n    /// For the traces.\n    #[arg(long = "~extraK~", default_value = "")]\n    pub ~extra~: String,\n'
    division = "    (workers + shards - 1) / shards\n"
    forced = '    let forced = std::env::var("ATLAS_~NOUN~_SHARDS").ok();\n'
    return [
        _of(
            "flag added",
            ((verbose, verbose + flag),),
            Said("flag-added", "--~extraK~", severity="additive"),
            Said("field-added", "Args.~extra~"),
        ),
        _of(
            "flag removed",
            (("\n" + verbose, ""),),
            Said("flag-removed", "--verbose", severity="breaking"),
            Said("field-removed", "Args.verbose"),
        ),
        _of(
            "flag renamed",
            (('long = "max-~noun~s"', 'long = "max-running-~noun~s"'),),
            Said("flag-renamed", "--max-running-~noun~s", "--max-~noun~s", "--max-running-~noun~s"),
        ),
        _of(
            "flag default changed",
            (("default_value_t = ~small~", "default_value_t = ~big~"),),
            Said("flag-default-changed", "--max-~noun~s", "~small~", "~big~", severity="behaviour"),
        ),
        _of(
            "env added",
            ((forced, forced + '    let _quiet = std::env::var("ATLAS_QUIET_~NOUN~").is_ok();\n'),),
            Said("env-added", "ATLAS_QUIET_~NOUN~", severity="additive"),
        ),
        _of(
            "env renamed",
            (('"ATLAS_~NOUN~_SHARDS"', '"ATLAS_SHARDS"'),),
            Said("env-renamed", "ATLAS_SHARDS", "ATLAS_~NOUN~_SHARDS", "ATLAS_SHARDS", severity="breaking"),
        ),
        _of(
            "route added",
            (('        .route("/health"', '        .route("/ready", get(health))\n        .route("/health"'),),
            Said("route-added", "/ready", severity="additive"),
        ),
        _of(
            "route removed",
            (('\n        .route("/~noun~/flush", post(flush))', ""),),
            Said("route-removed", "/~noun~/flush", severity="breaking"),
        ),
        _of(
            "limit raised",
            (("tokens > ~big~ {", "tokens > ~big~0 {"),),
            Said("limit-changed", "tokens", "> ~big~", "> ~big~0", severity="behaviour"),
        ),
        _of(
            "error added",
            ((division, '    if shards == 0 {\n        panic!("no shards");\n    }\n' + division),),
            Said("error-added", "panic"),
        ),
        _of(
            "function deprecated",
            (("pub fn ~fn2~(", '#[deprecated(note = "use ndarray")]\npub fn ~fn2~('),),
            Said("deprecated", "~fn2~"),
        ),
    ]
