"""Python: what users of a server see, its flags, variables, routes, checks, deprecations and registries."""

from evals.worlds.factbook.case import Case, Said, change
from evals.worlds.factbook.python_server_code import SERVER


def cases() -> list[Case]:
    """List the changes."""
    return [*_flags(), *_env(), *_routes(), *_checks(), *_registries()]


def _of(title: str, swaps: tuple[tuple[str, str], ...], *said: Said) -> Case:
    return change(f"python {title}", f"atlas/serve/{title.replace(' ', '_')}_~v~.py", SERVER, swaps, *said)


def _flags() -> list[Case]:
    level = '    group.add_argument("--log-level", type=str, default="info", help="How much to say.")\n'
    fresh = '    group.add_argument(\n        "--~extraK~",\n        type=str,\n        default=None,\n    )\n'
    disable = '    group.add_argument("--disable-~noun~-cache", action="store_true", help="Do not keep anything.")\n'
    host = '@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")\n'
    return [
        _of("flag added", ((level, level + fresh),), Said("flag-added", "--~extraK~", severity="additive")),
        _of("flag removed", ((disable, ""),), Said("flag-removed", "--disable-~noun~-cache", severity="breaking")),
        _of(
            "flag renamed",
            (('"--max-~noun~s"', '"--max-running-~noun~s"'),),
            Said("flag-renamed", "--max-running-~noun~s", "--max-~noun~s", "--max-running-~noun~s"),
        ),
        _of(
            "flag default changed",
            (("        default=~small~,\n", "        default=~big~,\n"),),
            Said("flag-default-changed", "--max-~noun~s", "~small~", "~big~", severity="behaviour"),
        ),
        _of(
            "flag choices widened",
            (
                (
                    '        choices=["auto", "~mode~", "~mode2~"],\n',
                    '        choices=["auto", "~mode~", "~mode2~", "~mode3~"],\n',
                ),
            ),
            Said("flag-choices-changed", "--~noun~-backend"),
        ),
        _of(
            "flag choices narrowed",
            (('        choices=["auto", "~mode~", "~mode2~"],\n', '        choices=["auto", "~mode~"],\n'),),
            Said("flag-choices-changed", "--~noun~-backend", severity="breaking"),
        ),
        _of(
            "click flag added",
            (
                (host, host + '@click.option("--~extraK~", default="", help="For the traces.")\n'),
                ("def main(host: str, workers", "def main(host: str, ~extra~: str, workers"),
            ),
            Said("flag-added", "--~extraK~", severity="additive"),
            Said("parameter-added", "main", detail="~extra~"),
        ),
        _of(
            "click default changed",
            (('"--workers", type=int, default=~small~', '"--workers", type=int, default=~big~'),),
            Said("flag-default-changed", "--workers", "~small~", "~big~", severity="behaviour"),
        ),
    ]


def _env() -> list[Case]:
    trace = 'TRACE_DIR = os.environ.get("ATLAS_TRACE_DIR", "/tmp/traces")\n'
    return [
        _of(
            "env added",
            ((trace, trace + '_DEBUG = os.environ.get("ATLAS_DEBUG_~NOUN~", "0") == "1"\n'),),
            Said("env-added", "ATLAS_DEBUG_~NOUN~", severity="additive"),
        ),
        _of(
            "env added in a function",
            (
                (
                    "    total = 0.0\n",
                    '    total = 0.0\n    if "ATLAS_FAST_~NOUN~" in os.environ:\n        return total\n',
                ),
            ),
            Said("env-added", "ATLAS_FAST_~NOUN~", severity="additive"),
        ),
        _of(
            "env removed",
            ((trace, ""),),
            Said("env-removed", "ATLAS_TRACE_DIR", severity="breaking"),
            Said("symbol-removed", "TRACE_DIR"),
        ),
        _of(
            "env renamed",
            (('"ATLAS_TRACE_DIR"', '"ATLAS_PROFILE_DIR"'),),
            Said("env-renamed", "ATLAS_PROFILE_DIR", "ATLAS_TRACE_DIR", "ATLAS_PROFILE_DIR", severity="breaking"),
        ),
        _of(
            "env default changed",
            (('"ATLAS_~NOUN~_WORKERS", "~small~"', '"ATLAS_~NOUN~_WORKERS", "~big~"'),),
            Said("env-default-changed", "ATLAS_~NOUN~_WORKERS", '"~small~"', '"~big~"', severity="behaviour"),
        ),
    ]


def _routes() -> list[Case]:
    fresh = '@app.get("/~noun~/stats")\nasync def stats() -> dict[str, int]:\n    return {}\n\n\n'
    flush = SERVER[SERVER.index('@app.post("/~noun~/flush")') : SERVER.index('@router.get("/models")')]
    return [
        _of(
            "route added",
            (('@router.get("/models")', fresh + '@router.get("/models")'),),
            Said("route-added", "/~noun~/stats", severity="additive"),
            Said("symbol-added", "stats"),
        ),
        _of(
            "route removed",
            ((flush, ""),),
            Said("route-removed", "/~noun~/flush", severity="breaking"),
            Said("symbol-removed", "flush"),
        ),
    ]


def _checks() -> list[Case]:
    positive = '    if ~opt~ < 1:\n        raise ValueError("~opt~ must be positive")\n'
    head = '    """Average the values."""\n'
    warn = '    warnings.warn("~fn3~ is deprecated, use statistics.mean", DeprecationWarning, stacklevel=2)\n'
    return [
        _of(
            "limit lowered",
            (("top_k <= ~small~,", "top_k <= ~n~,"),),
            Said("limit-changed", "top_k", "<= ~small~", "<= ~n~"),
        ),
        _of(
            "limit raised",
            (("len(tokens) > ~big~:", "len(tokens) > ~big~0:"), ("at most ~big~ tokens", "at most ~big~0 tokens")),
            Said("limit-changed", "len(tokens)", "> ~big~", "> ~big~0"),
            Said("error-changed", "ValueError"),
        ),
        _of(
            "error added",
            ((head, head + '    if not values:\n        raise ValueError("nothing to average")\n'),),
            Said("error-added", "ValueError"),
        ),
        _of(
            "assertion added",
            ((head, head + '    assert values, "nothing to average"\n'),),
            Said("error-added", "values"),
        ),
        _of("error removed", ((positive, ""),), Said("error-removed", "ValueError")),
        _of(
            "error type changed",
            (('raise ValueError("~opt~ must', 'raise TypeError("~opt~ must'),),
            Said("error-changed", "must be positive"),
        ),
        _of(
            "value exchanged",
            (('        backend = "~mode~"', '        backend = "~mode2~"'),),
            Said("code-changed", "choose", 'backend = "~mode~"', 'backend = "~mode2~"', severity="behaviour"),
        ),
        _of(
            "line of a function mended",
            (("    return total / max(len(values), 1)", "    return total / len(values) if values else total"),),
            Said(
                "code-changed",
                "~fn3~",
                "return total / max(len(values), 1)",
                "return total / len(values) if values else total",
                severity="behaviour",
            ),
        ),
        _of(
            "lines of a function mended",
            (
                (
                    "    for value in values:\n",
                    "    for value in values:\n        if value != value:\n            continue\n",
                ),
            ),
            Said("code-changed", "~fn3~", severity="behaviour"),
        ),
        _of("function deprecated by a warning", ((head, head + warn),), Said("deprecated", "~fn3~")),
        _of(
            "function deprecated by a decorator",
            (("def ~fn3~(", '@deprecated("use statistics.mean")\ndef ~fn3~('),),
            Said("deprecated", "~fn3~"),
        ),
    ]


def _registries() -> list[Case]:
    qwen = '    "qwen": "atlas.models.qwen:Qwen",\n'
    return [
        _of(
            "registry entry added",
            ((qwen, qwen + '    "gemma": "atlas.models.gemma:Gemma",\n'),),
            Said("registered", "gemma", severity="additive"),
        ),
        _of(
            "registry entry changed",
            ((qwen, qwen.replace("qwen:Qwen", "qwen2:Qwen2")),),
            Said("registration-changed", "qwen"),
        ),
        _of("registry entry removed", ((qwen, ""),), Said("unregistered", "qwen", severity="breaking")),
    ]
