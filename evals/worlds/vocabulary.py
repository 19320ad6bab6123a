"""The words and shapes from which new code is made up."""

from evals.worlds.dice import Dice
from evals.worlds.source import Constant, Env, Flag, Function, Language, Param

VERBS = (
    "plan",
    "run",
    "build",
    "merge",
    "split",
    "pack",
    "load",
    "check",
    "select",
    "append",
    "fuse",
    "align",
    "estimate",
)
NOUNS = (
    "prefill",
    "decode",
    "paged_kv",
    "rope",
    "sampling",
    "moe_gate",
    "fp8_gemm",
    "allreduce",
    "lora_delta",
    "draft_tokens",
    "cascade",
    "sliding_window",
    "prefix_tree",
    "block_table",
    "scale_factors",
    "expert_map",
    "kv_transfer",
    "vision_patch",
    "grammar_mask",
    "page_index",
    "swap_plan",
    "stream_state",
    "batch_shape",
    "token_budget",
    "mla_latent",
    "group_norm",
)
SUFFIXES = (
    "",
    "_fast",
    "_cached",
    "_batched",
    "_async",
    "_varlen",
    "_sm90",
    "_sm100",
    "_fp8",
    "_v2",
    "_inplace",
    "_ragged",
)

_PYTHON = (
    (
        (Param("states", "list[State]"), Param("limit", "int", "256")),
        "list[State]",
        "Give the first states that need {noun}.",
        (
            "ready = [state for state in states if state.needs_{noun}]",
            "ready.sort(key=lambda state: state.arrived_at)",
            "return ready[:limit]",
        ),
    ),
    (
        (Param("x", "torch.Tensor"), Param("scale", "float", "1.0"), Param("out", "torch.Tensor | None", "None")),
        "torch.Tensor",
        "Apply {noun} to a batch.",
        ("if out is None:", "    out = torch.empty_like(x)", "ops.{noun}(x, out, scale)", "return out"),
    ),
    (
        (Param("config", "ModelConfig"), Param("tp_size", "int", "1")),
        "int",
        "Count the bytes that {noun} needs on each rank.",
        (
            "heads = config.num_kv_heads // tp_size",
            "per_token = 2 * heads * config.head_dim * config.dtype.itemsize",
            "return per_token * config.max_model_len",
        ),
    ),
    (
        (Param("requests", "Iterable[Request]"), Param("timeout", "float", "30.0")),
        "dict[str, Request]",
        "Collect the requests that wait for {noun}, by id.",
        (
            "waiting: dict[str, Request] = {{}}",
            "for request in requests:",
            "    if request.age() > timeout:",
            '        logger.warning("%s gave up waiting for {noun}", request.id)',
            "        continue",
            "    waiting[request.id] = request",
            "return waiting",
        ),
    ),
)
_CUDA = (
    (
        (Param("in", "const DType*"), Param("out", "DType*"), Param("n", "int"), Param("alpha", "float", "1.f")),
        "void",
        "Scale {noun} element by element",
        (
            "const int i = blockIdx.x * blockDim.x + threadIdx.x;",
            "if (i < n) out[i] = static_cast<DType>(alpha * static_cast<float>(in[i]));",
        ),
        True,
    ),
    (
        (Param("ptr", "DType*"), Param("rows", "uint32_t"), Param("stream", "cudaStream_t", "nullptr")),
        "cudaError_t",
        "Launch {noun} for all rows",
        (
            "dim3 block(kThreads);",
            "dim3 grid(ceil_div(rows, block.x));",
            "void* args[] = {{&ptr, &rows}};",
            "FORGE_CUDA_CALL(cudaLaunchKernel((void*){noun}_kernel<DType>, grid, block, args, 0, stream));",
            "return cudaSuccess;",
        ),
        False,
    ),
    (
        (Param("smem", "DType*"), Param("gmem", "const DType*"), Param("bytes", "uint32_t")),
        "void",
        "Copy a tile of {noun} to shared memory",
        (
            "#pragma unroll",
            "for (uint32_t i = threadIdx.x * 16; i < bytes; i += blockDim.x * 16) {{",
            "  cp_async_128b(smem + i / sizeof(DType), gmem + i / sizeof(DType));",
            "}}",
            "cp_async_commit();",
        ),
        True,
    ),
)
_RUST = (
    (
        (Param("workers", "&[Worker]"), Param("tokens", "usize")),
        "Option<usize>",
        "Find the worker with room for {noun}.",
        (
            "workers",
            "    .iter()",
            "    .enumerate()",
            "    .filter(|(_, w)| w.free_tokens() >= tokens)",
            "    .min_by_key(|(_, w)| w.load())",
            "    .map(|(i, _)| i)",
        ),
    ),
    (
        (Param("body", "&Value"),),
        "Result<String, RouterError>",
        "Read the field that names {noun}.",
        (
            'let field = body.get("{noun}").ok_or(RouterError::Missing("{noun}"))?;',
            'field.as_str().map(str::to_owned).ok_or(RouterError::Type("{noun}"))',
        ),
    ),
    (
        (Param("pending", "&mut VecDeque<Job>"), Param("now", "Instant")),
        "usize",
        "Drop the jobs of {noun} that are too old.",
        (
            "let before = pending.len();",
            "pending.retain(|job| now.duration_since(job.since) < job.patience);",
            "before - pending.len()",
        ),
    ),
)

CONSTANTS: dict[Language, tuple[tuple[str, str, tuple[str, ...], str], ...]] = {
    "python": (
        ("MAX_BATCH_TOKENS", "int", ("8192", "16384", "4096", "2048"), "tokens in one step"),
        ("DEFAULT_BLOCK_SIZE", "int", ("16", "32", "64"), ""),
        ("MIN_TEMPERATURE", "float", ("1e-5", "1e-4", "1e-6"), "below this, greedy"),
        ("WATERMARK", "float", ("0.01", "0.02", "0.05"), "share of blocks kept free"),
        ("MAX_TOP_K", "int", ("22", "8", "64"), ""),
        ("HEARTBEAT_SECONDS", "float", ("5.0", "2.0", "10.0"), ""),
    ),
    "cuda": (
        ("kThreads", "int", ("128", "256", "512"), ""),
        ("kMaxTopK", "int", ("22", "8", "16", "32"), "limit of the routing kernel"),
        ("kStages", "int", ("2", "3", "4"), "depth of the copy pipeline"),
        ("kTileKv", "uint32_t", ("64", "96", "128"), ""),
        ("kSmemLimit", "size_t", ("99 * 1024", "163 * 1024", "227 * 1024"), "bytes of shared memory for a block"),
    ),
    "rust": (
        ("MAX_RETRIES", "usize", ("3", "5", "2"), "Attempts before the client sees an error."),
        ("HEALTH_INTERVAL_MS", "u64", ("10_000", "2_000", "5_000"), "Time between two health checks."),
        ("QUEUE_CAPACITY", "usize", ("1024", "4096", "512"), "Requests that may wait."),
        ("CACHE_THRESHOLD", "f32", ("0.5", "0.3", "0.8"), "Prefix share from which a worker counts as warm."),
    ),
}
FLAGS: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    ("max-num-seqs", "int", ("256", "512", "1024"), "sequences in one batch"),
    ("chunked-prefill-size", "int", ("8192", "4096", "2048"), "tokens of a prefill chunk"),
    ("schedule-policy", "str", ('"fcfs"', '"lpm"'), "order of waiting requests"),
    ("kv-cache-dtype", "str", ('"auto"', '"fp8_e4m3"'), "data type of the cache"),
    ("num-draft-tokens", "int", ("0", "3", "5"), "speculative tokens for each step"),
    ("gpu-memory-share", "float", ("0.9", "0.88", "0.92"), "share of memory to use"),
    ("watchdog-timeout", "float", ("300.0", "600.0", "120.0"), "seconds without progress before the server stops"),
    ("attention-backend", "str", ('"auto"', '"forge"', '"triton"'), "kernels for attention"),
    ("stream-interval", "int", ("1", "8", "4"), "tokens between two streamed chunks"),
)
ENVS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("LUMEN_LOG_LEVEL", ("info", "warning")),
    ("LUMEN_JIT_CACHE", ("~/.cache/lumen", "/var/cache/lumen")),
    ("LUMEN_DISABLE_CUDA_GRAPH", ("0", "1")),
    ("LUMEN_ALLREDUCE_BACKEND", ("nccl", "custom")),
    ("LUMEN_MAX_PREFIX_NODES", ("100000", "250000")),
    ("LUMEN_SPEC_V2", ("0", "1")),
    ("LUMEN_WARMUP_STEPS", ("3", "10")),
)


def new_function(language: Language, dice: Dice, taken: frozenset[str]) -> Function:
    """Make up a function whose name is still free."""
    while True:
        noun = dice.pick(NOUNS)
        name = f"{dice.pick(VERBS)}_{noun}{dice.pick(SUFFIXES)}"
        if name not in taken:
            return _shaped(language, dice, name, noun)


def _shaped(language: Language, dice: Dice, name: str, noun: str) -> Function:
    if language == "cuda":
        params, returns, doc, body, kernel = dice.pick(_CUDA)
    else:
        (params, returns, doc, body), kernel = dice.pick(_PYTHON if language == "python" else _RUST), False
    lines = tuple(line.format(noun=noun) for line in body)
    return Function(name, params, returns, doc.format(noun=noun), lines, kernel)


def new_constant(language: Language, dice: Dice) -> Constant:
    """Choose a constant with its usual value."""
    name, kind, values, comment = dice.pick(CONSTANTS[language])
    return Constant(name, kind, values[0], comment)


def new_flag(language: Language, dice: Dice) -> Flag:
    """Choose a command-line option with its usual default."""
    name, kind, values, text = dice.pick(FLAGS)
    if language == "python":
        return Flag(name, kind, values[0], text)
    types = {"int": "usize", "str": "String", "float": "f64"}
    return Flag(name, types[kind], values[0].strip('"'), text.capitalize() + ".")


def new_env(dice: Dice) -> Env:
    """Choose an environment variable with its usual default."""
    name, values = dice.pick(ENVS)
    return Env(name, values[0])
