"""Words of engineers that stand for one another: who asks says "hung", who mends writes "deadlock"."""

from functools import cache

from agent.asking.stems import stem

_GROUPS = """
hang hung stuck freeze frozen deadlock stall unresponsive
crash segfault abort panic die died dies
illegal invalid
incorrect inaccurate garbage garbled
leak oom
free release cleanup reclaim dispose
shm shared-memory
shutdown teardown
relax loosen
loosened relaxed
prefetch preload warm warmup
evict eviction discard
tear shut
inplace in-place
slow slowdown regression regress
fast faster speedup accelerate quicker
remove delete drop strip
compatible compatibility compat
config configuration settings
param parameter argument arg
env environment
doc docs documentation document documents
multi multiple many several
repo repository
dir directory folder
auth authentication authorization
perf performance
quant quantization quantize quantized
spec speculative
lib library
init initialize initialization
sync synchronize synchronization
async asynchronous
alloc allocate allocation allocator
impl implement implementation
kv kvcache
disagg disaggregation disaggregated pd
mm multimodal
rdma infiniband
vocab vocabulary
endpoint api route
timeout timeouts
ckpt checkpoint
eval evaluation
autotune autotuner autotuning
sampler sampling
tokenizer tokenization tokenize
detokenizer detokenize
img image
msg message
req request
conn connection
metric metrics
log logging logger
warn warning
err error
exc exception
cve vulnerability security hole exploit ssrf<
key keys
moe expert experts
rename renamed
flaky nondeterministic unstable
truncate cut clip trim
standalone independent separate dedicated
verbose noise noisy chatty
collide collision conflict clash
split divide partition
export expose emit report track
counter metric metrics
utilization usage
fallback degrade
swa sliding-window
reorganize reorganise reorg restructure rearrange shuffle reshuffle
hardware card cards gpu gpus device devices accelerator
interval seconds period
"""


@cache
def _table() -> dict[str, frozenset[str]]:
    table: dict[str, frozenset[str]] = {}
    for line in _GROUPS.strip().split("\n"):
        group = frozenset(word.rstrip("<") for word in line.split())
        for word in (one for one in line.split() if not one.endswith("<")):
            table[stem(word)] = table.get(stem(word), frozenset()) | group
    return table


def relatives(word: str) -> tuple[str, ...]:
    """Give the words that are as good as one; nothing where none is."""
    return tuple(sorted(_table().get(stem(word), frozenset()) - {word.lower()}))
