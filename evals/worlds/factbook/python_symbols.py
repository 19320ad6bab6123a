"""Python: functions, classes, constants and parameters."""

from evals.worlds.factbook.case import Case, Said, change
from evals.worlds.factbook.python_code import MODULE


def cases() -> list[Case]:
    """List the changes."""
    return [*_symbols(), *_parameters()]


def _of(title: str, swaps: tuple[tuple[str, str], ...], *said: Said) -> Case:
    return change(f"python {title}", f"atlas/core/{title.replace(' ', '_')}_~v~.py", MODULE, swaps, *said)


def _symbols() -> list[Case]:
    added = '''

def drain_~noun~s(pools: list[~Cls~], deadline: float = 5.0) -> int:
    """Wait until all are empty and say how many were not."""
    left = 0
    for pool in pools:
        left += len(pool)
    return left
'''
    tail = "    return sum(len(pool) for pool in pools)\n"
    method = "\n    def reset(self) -> None:\n        self._free = list(range(self.size))\n"
    body = MODULE[MODULE.index("def count_~noun~s") :]
    release = MODULE[MODULE.index("    def release(") : MODULE.index("    def _pin(")]
    return [
        _of("function added", ((tail, tail + added),), Said("symbol-added", "drain_~noun~s", severity="additive")),
        _of("function removed", (("\n\n" + body, ""),), Said("symbol-removed", "count_~noun~s", severity="breaking")),
        _of(
            "function renamed",
            (("def ~fn3~(", "def ~fn3~_unique("),),
            Said("symbol-renamed", "~fn3~_unique", "~fn3~", "~fn3~_unique", severity="breaking"),
        ),
        _of(
            "method added",
            (("    def _pin(", method[1:] + "\n    def _pin("),),
            Said("symbol-added", "~Cls~.reset", severity="additive"),
        ),
        _of("method removed", ((release, ""),), Said("symbol-removed", "~Cls~.release", severity="breaking")),
        _of(
            "method renamed",
            (("def release(self", "def give_back(self"),),
            Said("symbol-renamed", "~Cls~.give_back", "release", "give_back", severity="breaking"),
        ),
        _of(
            "class renamed",
            (("class ~Cls~(Base", "class Paged~Cls~(Base"), ("pools: list[~Cls~]", "pools: list[Paged~Cls~]")),
            Said("symbol-renamed", "Paged~Cls~", "~Cls~", "Paged~Cls~", severity="breaking"),
        ),
        _of(
            "class removed",
            (('class Traced~Noun~(Base~Noun~):\n    """The same, with a trace."""\n\n\n', ""),),
            Said("symbol-removed", "Traced~Noun~", severity="breaking"),
        ),
        _of(
            "base changed",
            (("class ~Cls~(Base~Noun~):", "class ~Cls~(Traced~Noun~):"),),
            Said("base-changed", "~Cls~", "Base~Noun~", "Traced~Noun~"),
        ),
        _of(
            "constant changed",
            (("MAX_~NOUN~S = ~big~\n", "MAX_~NOUN~S = ~small~\n"),),
            Said("constant-changed", "MAX_~NOUN~S", "~big~", "~small~", severity="behaviour"),
        ),
        _of(
            "text constant changed",
            (('DEFAULT_DTYPE = "bfloat16"\n', 'DEFAULT_DTYPE = "float16"\n'),),
            Said("constant-changed", "DEFAULT_DTYPE", '"bfloat16"', '"float16"', severity="behaviour"),
        ),
        _of("comment changed", (("Find a place for a request.", "Find a place, or -1."),), Said("only-comments", "")),
    ]


def _parameters() -> list[Case]:
    head, method = "    scale: float = 1.0,\n", "def ~fn~(self, rid: str, ~opt~: int, pinned: bool = False)"
    rest = "requests: list[Any], limit: int, key: str"
    return [
        _of(
            "parameter added",
            ((head, head + "    ~extra~: str | None = None,\n"),),
            Said("parameter-added", "~fn2~", detail="~extra~"),
        ),
        _of(
            "parameter appended",
            (("out: torch.Tensor | None = None,\n", "out: torch.Tensor | None = None,\n    ~extra~: bool = False,\n"),),
            Said("parameter-added", "~fn2~", detail="~extra~", severity="additive"),
        ),
        _of(
            "required parameter added",
            ((rest, "requests: list[Any], limit: int, ~extra~: str, key: str"),),
            Said("parameter-added", "~fn3~", detail="~extra~", severity="breaking"),
        ),
        _of("parameter removed", ((head, ""), (", scale, out=", ", 1.0, out=")), _gone("~fn2~", "scale")),
        _of(
            "method parameter removed",
            (
                (method, "def ~fn~(self, rid: str, ~opt~: int)"),
                ("        if pinned:\n            self._pin(slot)\n", ""),
            ),
            _gone("~Cls~.~fn~", "pinned"),
        ),
        _of(
            "parameter renamed",
            (("requests: list[Any], limit", "waiting: list[Any], limit"), ("in requests:", "in waiting:")),
            Said("parameter-renamed", "~fn3~", "requests", "waiting", severity="breaking"),
        ),
        _of(
            "parameters reordered",
            ((rest, "limit: int, requests: list[Any], key: str"),),
            Said("parameter-reordered", "~fn3~", severity="breaking"),
        ),
        _of(
            "default changed",
            (("    ~opt~: int = ~small~,\n", "    ~opt~: int = ~big~,\n"),),
            Said("parameter-default-changed", "~fn2~", "~small~", "~big~", detail="~opt~", severity="behaviour"),
        ),
        _of(
            "constructor default changed",
            (('device: str = "cuda")', 'device: str = "cpu")'),),
            Said(
                "parameter-default-changed",
                "~Cls~.__init__",
                '"cuda"',
                '"cpu"',
                detail="device",
                severity="behaviour",
            ),
        ),
        _of(
            "parameter required",
            (('key: str = "rid"', "key: str"),),
            Said("parameter-required", "~fn3~", detail="key", severity="breaking"),
        ),
        _of(
            "parameters made keyword only",
            (("limit: int, key: str", "limit: int, *, key: str"),),
            Said("signature-changed", "~fn3~", severity="breaking"),
        ),
        _of(
            "signature changed",
            ((rest, "batch: Any, key: str"), ("in requests:", "in batch.requests:"), (">= limit:", ">= batch.limit:")),
            Said("signature-changed", "~fn3~", severity="breaking"),
        ),
    ]


def _gone(function: str, parameter: str) -> Said:
    return Said("parameter-removed", function, detail=parameter, severity="breaking")
