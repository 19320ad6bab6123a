"""Python: enumerations and the fields of records."""

from evals.worlds.factbook.case import Case, Said, change
from evals.worlds.factbook.python_code import MODULE


def cases() -> list[Case]:
    """List the changes."""
    return [*_members(), *_fields()]


def _of(title: str, swaps: tuple[tuple[str, str], ...], *said: Said) -> Case:
    return change(f"python {title}", f"atlas/core/{title.replace(' ', '_')}_~v~.py", MODULE, swaps, *said)


def _members() -> list[Case]:
    return [
        _of(
            "enum member added",
            (('    PREEMPTED = "preempted"\n', '    PREEMPTED = "preempted"\n    SWAPPED = "swapped"\n'),),
            Said("enum-member-added", "~Noun~State.SWAPPED", severity="additive"),
        ),
        _of(
            "enum member removed",
            (('    PREEMPTED = "preempted"\n', ""),),
            Said("enum-member-removed", "~Noun~State.PREEMPTED", severity="breaking"),
        ),
        _of(
            "enum member renamed",
            (("    NORMAL = 5\n", "    DEFAULT = 5\n"),),
            Said("enum-member-renamed", "~Noun~Priority.DEFAULT", "NORMAL", "DEFAULT", severity="breaking"),
        ),
        _of(
            "enum value changed",
            (("    HIGH = 9\n", "    HIGH = 10\n"),),
            Said("enum-member-changed", "~Noun~Priority.HIGH", "9", "10"),
        ),
    ]


def _fields() -> list[Case]:
    graph, temperature = "    enable_graph: bool = True\n", "    temperature: float = 1.0\n"
    return [
        _of(
            "dataclass field added",
            ((graph, graph + "    ~extra~: str | None = None\n"),),
            Said("field-added", "~Noun~Options.~extra~", severity="additive"),
        ),
        _of(
            "dataclass field removed",
            ((graph, ""),),
            Said("field-removed", "~Noun~Options.enable_graph", severity="breaking"),
        ),
        _of(
            "dataclass field renamed",
            ((graph, graph.replace("enable_graph", "use_cuda_graph")),),
            Said("field-renamed", "~Noun~Options.use_cuda_graph", "enable_graph", "use_cuda_graph"),
        ),
        _of(
            "dataclass default changed",
            ((graph, graph.replace("True", "False")),),
            Said("field-changed", "~Noun~Options.enable_graph", severity="behaviour"),
        ),
        _of(
            "pydantic field added",
            ((temperature, temperature + "    top_p: float = 1.0\n"),),
            Said("field-added", "~Noun~Payload.top_p", severity="additive"),
        ),
        _of(
            "pydantic required field added",
            (("    rid: str\n", "    rid: str\n    tenant: str\n"),),
            Said("field-added", "~Noun~Payload.tenant", severity="breaking"),
        ),
        _of(
            "pydantic field removed",
            (("    text: str | None = None\n", ""),),
            Said("field-removed", "~Noun~Payload.text", severity="breaking"),
        ),
        _of(
            "pydantic type changed",
            (("    logprobs: bool = False\n", "    logprobs: int | None = None\n"),),
            Said("field-changed", "~Noun~Payload.logprobs"),
        ),
    ]
