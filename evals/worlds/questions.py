"""Issues that no commit answers: questions, wishes, duplicates, noise."""

from datetime import timedelta

from evals.worlds import people
from evals.worlds.dice import Dice
from evals.worlds.script import Ask, at
from evals.worlds.threads import Desk
from evals.worlds.vocabulary import NOUNS

_KERNELS = (
    (
        "[Question] Which head dims does the decode kernel support?",
        "I see 64, 128 and 256 in the docs, but 192 also seems to run. Is that on purpose?",
        ("question",),
    ),
    (
        "Feature: MXFP4 grouped GEMM for sm_120",
        "Consumer Blackwell has the instructions. Would you take a patch?\n\n- [ ] kernel\n- [ ] autotune\n- [ ] tests",
        ("feature request",),
    ),
    (
        "JIT compile takes 9 minutes on a fresh container",
        "Every pod start compiles everything again. "
        "`LUMEN_JIT_CACHE` on a shared volume gives "
        "lock errors.\n\n<!-- "
        "please fill in the version -->",
        (),
    ),
    ("请问支持 sm_89 的 FP8 吗", "4090 上跑 fp8 gemm 报 no kernel image，文档里没有写支持哪些架构。", ("question",)),
    (
        "Numbers in the README are from 2024",
        "The benchmark table lists v0.1. Could somebody with a B200 re-run it?",
        ("documentation", "good first issue"),
    ),
)
_SERVING = (
    (
        "[RFC] Disaggregated prefill: where does the router learn the cache state?",
        "Three options, from simple to "
        "right:\n\n1. "
        "polling\n2. events over ZMQ\n3. the "
        "scheduler tells it\n\nOpinions?",
        ("RFC",),
    ),
    (
        "Docker image is 14 GB",
        "Most of it is the CUDA toolkit that we only need for JIT. Could there be a slim tag?",
        (),
    ),
    (
        "[Bug]: OOM with gpu-memory-share 0.95 on 24 GB cards",
        "Weights fit, then the graph capture "
        "fails:\n\n```\ntorch.OutOfMemoryError: CUDA out of "
        "memory. Tried to allocate 1.2 "
        "GiB\n```\n\nWith 0.9 it starts.",
        ("bug",),
    ),
    ("多机部署有没有示例？", "两台 8 卡机器，想用 TP16，文档里只有单机的例子。谢谢！", ("question",)),
    ("Please ignore, wrong repository", "sorry", ()),
    (
        "Support for `response_format: json_schema` with `$ref`",
        "Schemas produced by pydantic use `$defs`. The grammar compiler says `unsupported keyword`.",
        ("feature request",),
    ),
)

_CARDS = ("A100", "H100", "H20", "B200", "RTX 4090", "RTX 5090", "MI300X", "L40S")
_WISHES = (
    (
        "[Bug]: {noun} is slower on {card} since the last release",
        "Measured with batch {n}: 12 % fewer tokens per second than before. Anything I should set?",
        ("bug",),
    ),
    (
        "Support {noun} on {card}",
        "We have a few of these cards and would like to use them. Happy to test patches.",
        ("feature request",),
    ),
    ("[Question] How large should {noun} be for {n} tokens?", "The docs give no rule. What do you use?", ("question",)),
    (
        "{noun}: wrong shape in the error message",
        "It says `expected {n}`, the tensor has exactly that. Probably prints the padded size.",
        ("bug", "good first issue"),
    ),
    ("[Docs] Describe {noun}", "There is a section title and nothing below it.", ("documentation",)),
    (
        "Crash in {noun} with CUDA graphs on {card}",
        "```\ncudaErrorStreamCaptureInvalidated"
        "\n```\nOnly with batch {n}. Eager mode is "
        "fine.\n\nVersion: main of this morning",
        ("bug",),
    ),
    (
        "[RFC] Make {noun} a plugin",
        "Out-of-tree hardware wants to bring its own. A registry with entry points would do.",
        ("RFC",),
    ),
    ("CI: the {noun} test is flaky", "Fails about once in {n} runs on {card}, passes on retry.", ("ci",)),
    (
        "Memory grows while {noun} is running",
        "RSS goes up by about {n} MB an hour. No growth with the feature turned off.",
        (),
    ),
    (
        "{card} 上 {noun} 性能不达预期",
        "batch {n} 的时候只有理论带宽的 60%，是不是没有走到优化的 kernel？",
        ("performance",),
    ),
    ("[Bug] 开启 {noun} 后输出重复", "{card} 单卡，长度超过 {n} 之后开始重复输出，关掉就正常。", ("bug",)),
    ("希望支持 {noun} 的在线调整", "现在改参数要重启服务，线上不太方便。", ("feature request",)),
    ("请教 {noun} 的原理", "看代码没有看懂 {n} 这个数字是怎么来的，有文档吗？", ("question",)),
)


def for_kernels(dice: Dice) -> list[Ask]:
    """Ask what users of kernels ask."""
    return _spread(_KERNELS, dice)


def for_serving(dice: Dice) -> list[Ask]:
    """Ask what people who run servers ask."""
    return _spread(_SERVING, dice)


def settle(desk: Desk) -> None:
    """Answer some of them."""
    start = at("2026-02-04", "09:00")
    desk.comment("ask-0", start, people.MAINTAINERS[1].login, "Not tested, but it should work. 可以先试试。")
    desk.close("ask-0", start + timedelta(hours=3), people.MAINTAINERS[1].login)
    desk.comment("ask-1", start + timedelta(hours=1), people.CONTRIBUTORS[0].login, "+1, we would use this.")
    desk.close("ask-4", start + timedelta(hours=2), people.MAINTAINERS[0].login, reason="not_planned")
    desk.close("ask-2", start + timedelta(hours=4), people.CONTRIBUTORS[3].login)
    desk.reopen("ask-2", start + timedelta(hours=6), people.CONTRIBUTORS[2].login)
    desk.comment(
        "ask-2", start + timedelta(hours=6), people.CONTRIBUTORS[2].login, "Still there for me on v0.4.2, reopening."
    )


def _spread(rows: tuple[tuple[str, str, tuple[str, ...]], ...], dice: Dice) -> list[Ask]:
    asks = []
    for i, (title, body, labels) in enumerate(rows):
        when = at("2026-01-31", "06:00") + timedelta(hours=17 * i, minutes=dice.below(600))
        author = None if i == 3 else dice.pick(people.CONTRIBUTORS)
        asks.append(Ask(f"ask-{i}", when, author, title, body, labels, reactions=dice.below(9)))
    return asks


def wishes(dice: Dice, count: int) -> list[Ask]:
    """Make up issues that have nothing to do with anything that lands: what a large project always has open."""
    asks = []
    for i in range(count):
        title, body, labels = dice.pick(_WISHES)
        slots = {
            "noun": dice.pick(NOUNS).replace("_", " "),
            "card": dice.pick(_CARDS),
            "n": str(2 ** dice.between(2, 14)),
        }
        when = at("2026-02-03", "01:00") + timedelta(minutes=dice.below(56 * 24 * 60))
        author = dice.pick(people.CONTRIBUTORS)
        asks.append(Ask(f"wish-{i}", when, author, title.format(**slots), body.format(**slots), labels, dice.below(5)))
    return asks


def grow_stale(desk: Desk, dice: Dice, count: int) -> None:
    """Let a bot or a maintainer close some of the wishes, weeks later."""
    for i in range(0, count, 5):
        when = at("2026-03-31", "10:00") + timedelta(minutes=i)
        key = f"wish-{i}"
        if dice.chance(0.5):
            desk.comment(key, when, people.CI_BOT.login, "No activity for 30 days. Reopen if it still matters.")
            desk.close(key, when + timedelta(seconds=5), people.CI_BOT.login, reason="not_planned")
        else:
            desk.comment(key, when, people.MAINTAINERS[2].login, "Works with the current main as far as I can see.")
            desk.close(key, when + timedelta(minutes=1), people.MAINTAINERS[2].login)
