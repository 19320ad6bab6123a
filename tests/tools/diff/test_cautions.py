"""Warnings that say of a setting that it is not done as asked, and those that are nobody's business."""

from typing import TYPE_CHECKING

import pytest

from agent.facts import FactKind, Severity
from tools.diff.cautions import cautions, may_caution

if TYPE_CHECKING:
    from agent.facts import Fact
    from tests.tools.diff.conftest import FactsOf

ROUTES = pytest.mark.parametrize("route", ["blobs", "hunks"])
RUN = "from log import logger, warnings\n\n\ndef run(rows, fast):\n{}    return launch(rows, fast)\n"
CPP = "void run(Tensor q, Params p) {{\n{}  launch(q, p);\n}}\n"
WORDS = "fast is not supported for these rows and will be ignored"
WARNED = f'    if fast:\n        logger.warning("{WORDS}")\n'


async def _told(
    facts_of: "FactsOf", old: str, new: str, route: str, path: str = "pkg/run.py", text: str = RUN
) -> "list[Fact]":
    facts = await facts_of({path: text.format(old)}, {path: text.format(new)}, route)
    return [fact for fact in facts if fact.kind is FactKind.WARNING_ADDED]


@pytest.mark.parametrize(
    "message",
    [
        "Detected an eager backend, disabling ahead-of-time compilation.",
        "loading_workers is currently not supported and will be ignored.",
        "Kernel A doesn't support head_dim=%d; falling back to kernel B.",
        "Only two layouts are supported, changing page_size from {a} to 64.",
        "Mode 'full' is incompatible with this build. Overriding mode to 'part'.",
        "The page size is unset. Setting page_size=1 for this model.",
        "The runner needs a compiler; using the plain runner instead.",
        "--resident-layers has no effect without --offload. Use --offload to set it.",
        "Disable fused kernels for this model family",
        "Fused path not supported here, please rebuild the extension",
    ],
)
def test_a_message_says_that_something_is_not_done_as_asked(message: str) -> None:
    assert cautions(message)
    assert may_caution(f'warn("{message}")')


@pytest.mark.parametrize(
    "message",
    [
        None,
        "%s is disabled: %s",
        "Some weights are not initialised from the checkpoint: %s",
        "The following message of the compiler can be ignored.",
        "Using a slow tokenizer. Consider using a fast tokenizer instead.",
        "Startup may hang here. Please try disabling chunked prefill",
        "The cache is large on this machine. Disable it unless you need it.",
        "Failed to read the memory of the device, falling back to the driver.",
        "Missing probabilities for request %s; falling back to the old sampler.",
        "No execution code found, falling back to the graph as it stands.",
        "Ignoring stale message of worker number %d",
    ],
)
def test_other_warnings_are_nobodys_business(message: str | None) -> None:
    assert not cautions(message)


@ROUTES
@pytest.mark.parametrize("warner", ["logger.warning", "logger.warning_once", "log.warn", "warnings.warn"])
async def test_a_new_warning_that_a_setting_is_ignored_is_told(warner: str, route: str, facts_of: "FactsOf") -> None:
    (fact,) = await _told(facts_of, "", WARNED.replace("logger.warning", warner), route)
    assert (fact.severity, fact.new, fact.detail) == (Severity.BEHAVIOUR, WORDS, "run")
    assert fact.name == warner.partition(".")[2]


@ROUTES
@pytest.mark.parametrize(
    "call",
    [
        'TORCH_WARN("fast is not supported, ", "falling back");',
        'LOG_WRN("%s: fast is not supported, falling back\\n", __func__);',
        'spdlog::warn("fast is not supported, falling back");',
        'LOG(WARNING) << "fast is not supported" << p.rows << ", falling back";',
    ],
)
async def test_warnings_of_c_are_told(call: str, route: str, facts_of: "FactsOf") -> None:
    (fact,) = await _told(facts_of, "", f"  if (p.fast) {call}\n", route, "csrc/run.cu", CPP)
    assert (fact.severity, fact.detail) == (Severity.BEHAVIOUR, "run")
    assert "fast is not supported" in (fact.new or "")


@ROUTES
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (WARNED, WARNED.replace("warning(", "warning_once(")),
        (WARNED, WARNED.replace("for these rows", "for such rows")),
        (WARNED.replace("logger.warning", "logger.info"), WARNED),
        (WARNED.replace("logger.warning", "raise ValueError"), WARNED),
        (
            WARNED.replace(f'logger.warning("{WORDS}")', 'raise ValueError("fast is not supported for the rows")'),
            WARNED,
        ),
        (WARNED, ""),
        ("", WARNED.replace(WORDS, "fast is slow for rows such as these")),
        ("", WARNED.replace(WORDS, f"fast is deprecated: {WORDS}")),
    ],
)
async def test_what_was_said_before_or_is_said_of_nothing_is_no_new_warning(
    old: str, new: str, route: str, facts_of: "FactsOf"
) -> None:
    assert await _told(facts_of, old, new, route) == []


@ROUTES
async def test_an_error_that_became_a_warning_is_told_once(route: str, facts_of: "FactsOf") -> None:
    refused = WARNED.replace("logger.warning", "raise ValueError")
    facts = await facts_of({"pkg/run.py": RUN.format(refused)}, {"pkg/run.py": RUN.format(WARNED)}, route)
    assert [fact.kind for fact in facts] == [FactKind.ERROR_REMOVED]


@ROUTES
@pytest.mark.parametrize("path", ["tests/test_run.py", "benchmarks/run.py", "examples/run.py", "scripts/run.py"])
async def test_what_no_user_runs_warns_nobody(path: str, route: str, facts_of: "FactsOf") -> None:
    assert await _told(facts_of, "", WARNED, route, path) == []


@ROUTES
async def test_a_warning_comes_with_its_new_function(route: str, facts_of: "FactsOf") -> None:
    after = RUN.format("") + "\n\n" + RUN.format(WARNED).partition("\n\n\n")[2].replace("run(", "walk(")
    facts = await facts_of({"pkg/run.py": RUN.format("")}, {"pkg/run.py": after}, route)
    assert [fact.kind for fact in facts] == [FactKind.SYMBOL_ADDED]


@ROUTES
async def test_a_warning_that_another_file_gives_now_is_not_new(route: str, facts_of: "FactsOf") -> None:
    before = {"pkg/run.py": RUN.format(WARNED), "pkg/walk.py": RUN.format("").replace("run(", "walk(")}
    after = {"pkg/run.py": RUN.format(""), "pkg/walk.py": RUN.format(WARNED).replace("run(", "walk(")}
    assert FactKind.WARNING_ADDED not in {fact.kind for fact in await facts_of(before, after, route)}


@ROUTES
async def test_a_warning_about_something_that_went_wrong_is_not_told(route: str, facts_of: "FactsOf") -> None:
    tried = "    try:\n        rows = read(rows)\n    except OSError:\n        {}\n"
    new = tried.format(f'logger.warning("{WORDS}")')
    assert await _told(facts_of, tried.format("rows = 0"), new, route) == []


@ROUTES
async def test_a_function_has_one_fact_for_its_warnings(route: str, facts_of: "FactsOf") -> None:
    other = "rows are forced to an even number by this kernel"
    (fact,) = await _told(facts_of, "", WARNED + WARNED.replace(WORDS, other), route)
    assert fact.new == f"{WORDS}\n{other}"
