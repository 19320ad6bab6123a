"""Functions with a flaw, what a user sees of it, and the line that mends it."""

from dataclasses import dataclass

from evals.worlds.source import Function, Language, Param


@dataclass(frozen=True)
class Bug:
    """A flaw and its story, in both languages; `wrong` stands in the function until `right` replaces it."""

    key: str
    language: Language
    function: Function
    wrong: str
    right: tuple[str, ...]
    fix: tuple[str, str]
    """The subject of the fix: English, Chinese."""
    report: tuple[str, str]
    """An English user's issue: title and body."""
    report_zh: tuple[str, str]
    """A Chinese user's issue about the same."""


PYTHON = (
    Bug(
        "scheduler-hang",
        "python",
        Function(
            "can_admit",
            (Param("request", "Request"), Param("free_blocks", "int"), Param("watermark", "float", "0.01")),
            "bool",
            "Say whether a waiting request fits into the cache.",
            (
                "required = cdiv(request.num_tokens, request.block_size)",
                "reserve = int(watermark * request.total_blocks)",
                "if free_blocks - required < reserve:",
                "    return False",
                "return request.arrival_order == 0 or not request.is_blocked",
            ),
        ),
        "if free_blocks - required < reserve:",
        ("if free_blocks - required < min(reserve, free_blocks):",),
        (
            "let a request in when the whole cache is below the watermark",
            "修复小显存下水位线导致请求永远无法调度的问题",
        ),
        (
            "[Bug]: server hangs forever with a small KV cache override",
            "Started with `--num-blocks-override 8` to "
            "reproduce an OOM of a customer. The first "
            "request is accepted by the "
            "HTTP layer and then nothing: no tokens, no "
            "error, GPU at 0 %. `py-spy` shows the loop "
            "spinning in `schedule()`.\n\n"
            "Same command with 64 blocks is fine. Expected: either it runs, or it refuses to start.",
        ),
        (
            "[Bug] block 数很小的时候服务卡死",
            "复现：`--num-blocks-override 8` 启动，发一个 200 token 的请求，永远没有返回，也没有报错。\n\n"
            "看了下 py-spy，一直在 schedule 里面空转。block 数调到 64 就正常了。",
        ),
    ),
    Bug(
        "stop-token",
        "python",
        Function(
            "strip_stop",
            (Param("text", "str"), Param("stop", "Sequence[str]"), Param("include_stop", "bool", "False")),
            "str",
            "Cut the text at the first stop string.",
            (
                "hits = [text.find(word) for word in stop]",
                "cut = min(hits, default=-1)",
                "if cut < 0:",
                "    return text",
                "return text[: cut + (len(stop[0]) if include_stop else 0)]",
            ),
        ),
        "hits = [text.find(word) for word in stop]",
        ("hits = [at for word in stop if (at := text.find(word)) >= 0]",),
        (
            "ignore stop strings that do not occur when cutting the output",
            "多个 stop 字符串时只要有一个未命中就不截断，已修正",
        ),
        (
            "Stop strings ignored as soon as one of them is absent",
            'With `stop=["</s>", "User:"]` the answer '
            'runs on past "User:" unless "</s>" is in it as '
            "well. One stop string alone "
            "works. Looks like the -1 of `str.find` wins the `min`.",
        ),
        (
            "多个 stop 字符串不生效",
            '请求里带 `stop=["</s>", "User:"]`，输出里出现了 "User:" 但没有被截断。'
            "只传一个 stop 的时候没问题。版本 0.4.2。",
        ),
    ),
    Bug(
        "lora-leak",
        "python",
        Function(
            "evict_adapter",
            (Param("cache", "OrderedDict[str, Adapter]"), Param("budget", "int")),
            "list[str]",
            "Drop the adapters that were used longest ago until the budget holds.",
            (
                "dropped: list[str] = []",
                "used = sum(adapter.nbytes for adapter in cache.values())",
                "while used > budget and cache:",
                "    name, adapter = cache.popitem()",
                "    used -= adapter.nbytes",
                "    dropped.append(name)",
                "return dropped",
            ),
        ),
        "    name, adapter = cache.popitem()",
        ("    name, adapter = cache.popitem(last=False)",),
        ("evict the oldest LoRA adapter instead of the newest", "LoRA 适配器按 LRU 淘汰，之前误删了最近使用的"),
        (
            "LoRA: adapter is reloaded on every request once the cache is full",
            "We rotate over 12 adapters with "
            "`max_loras=8`. After "
            "warm-up each request pays about "
            "900 ms for loading, always the "
            "adapter that was used a moment ago. I "
            "would expect LRU.\n\nLogs attached in the gist; "
            "`adapter_load_total` goes up by one per request.",
        ),
        (
            "LoRA 缓存满了之后每个请求都重新加载",
            "12 个 adapter 轮流用，缓存 8 个。满了以后刚刚用过的那个总是被踢出去，"
            "每次都要重新 load，延迟多 900ms 左右。",
        ),
    ),
    Bug(
        "logprob-nan",
        "python",
        Function(
            "scale_logits",
            (Param("logits", "torch.Tensor"), Param("temperature", "float", "1.0")),
            "torch.Tensor",
            "Divide by the temperature; zero means greedy.",
            (
                "if temperature == 0:",
                "    return logits",
                "scaled = logits / temperature",
                "return scaled - scaled.logsumexp(dim=-1, keepdim=True)",
            ),
        ),
        "if temperature == 0:",
        ("if temperature < MIN_TEMPERATURE:",),
        (
            "treat tiny temperatures as greedy to keep logprobs finite",
            "温度极小时按 greedy 处理，避免 logprobs 出现 NaN",
        ),
        (
            "NaN logprobs with temperature=1e-8",
            "A client of ours sends `temperature: 1e-8` instead of 0. Every logprob comes back as "
            "`null` (NaN on the server). bf16, H100.",
        ),
        (
            "temperature 设成 1e-8 返回的 logprobs 全是 NaN",
            "有的客户端不传 0 而是传一个很小的数，bf16 下直接溢出。希望和 temperature=0 一样处理。",
        ),
    ),
    Bug(
        "tokenizer-race",
        "python",
        Function(
            "detokenize",
            (Param("ids", "list[int]"), Param("state", "StreamState"), Param("flush", "bool", "False")),
            "str",
            "Turn new ids into text without splitting a character.",
            (
                "text = state.decoder.decode(ids[state.offset :])",
                "if text.endswith(REPLACEMENT) and flush:",
                '    return ""',
                "state.offset = len(ids)",
                "return text",
            ),
        ),
        "if text.endswith(REPLACEMENT) and flush:",
        ("if text.endswith(REPLACEMENT) and not flush:",),
        ("hold back incomplete UTF-8 while streaming, not at the end", "流式输出时不再提前吐出半个汉字"),
        (
            "Streaming returns `\ufffd` in the middle of CJK text",
            "Only with `stream=true`. About one in "
            "thirty chunks carries a replacement character, "
            "and the character is lost for good. "
            "Non-streaming output is correct.",
        ),
        (
            "流式返回中文偶尔出现乱码 \ufffd",
            "stream=true 的时候，中文输出里偶尔会有一个 \ufffd，后面的字也丢了。非流式没有这个问题。emoji 也一样。",
        ),
    ),
    Bug(
        "metrics-double",
        "python",
        Function(
            "observe_request",
            (Param("metrics", "Metrics"), Param("output", "RequestOutput")),
            "None",
            "Count a finished request.",
            (
                "if output.finished or output.aborted:",
                "    metrics.requests.inc()",
                "metrics.tokens.inc(len(output.token_ids))",
                "metrics.ttft.observe(output.first_token_at - output.arrived_at)",
            ),
        ),
        "metrics.ttft.observe(output.first_token_at - output.arrived_at)",
        ("if output.is_first_chunk:", "    metrics.ttft.observe(output.first_token_at - output.arrived_at)"),
        ("observe time to first token once for each request", "TTFT 指标每个请求只统计一次"),
        (
            "time_to_first_token histogram counts every chunk",
            "`ttft_seconds_count` grows with the number "
            "of streamed chunks, not with the number of "
            "requests, so the percentiles are "
            "dominated by long answers. Prometheus screenshot below.",
        ),
        (
            "TTFT 监控数据不对",
            "ttft_seconds_count 比请求数大几十倍，看起来是每个 chunk 都 observe 了一次。",
        ),
    ),
)

CUDA = (
    Bug(
        "paged-overflow",
        "cuda",
        Function(
            "paged_kv_offset",
            (Param("indices", "const int32_t*"), Param("page", "int32_t"), Param("stride", "int32_t")),
            "size_t",
            "Where a page starts in the pool",
            ("const int32_t slot = indices[page];", "return slot * stride;"),
        ),
        "return slot * stride;",
        ("return static_cast<size_t>(slot) * stride;",),
        ("compute page offsets in 64 bits", "页偏移改用 64 位计算，修复大显存下的非法访存"),
        (
            "Illegal memory access with more than 2^31 elements in the KV pool",
            "B200 with 180 GB, page_size 64, 8 kv "
            "heads, head_dim 128. As soon as the pool passes "
            "2^31 elements the decode kernel dies:\n\n"
            "```\nCUDA error: an illegal memory access "
            "was encountered\n```\n\ncompute-sanitizer "
            "points to `paged_kv_offset`.",
        ),
        (
            "显存池超过 2^31 个元素后 illegal memory access",
            "B200 180GB，kv pool 开满就会挂，compute-sanitizer 定位到 paged_kv_offset，感觉是 int32 溢出。",
        ),
    ),
    Bug(
        "smem-race",
        "cuda",
        Function(
            "reduce_row_max",
            (Param("scores", "const float*"), Param("row_max", "float*"), Param("cols", "int")),
            "void",
            "Find the largest score of each row",
            (
                "__shared__ float warp_max[32];",
                "float best = -INFINITY;",
                "for (int i = threadIdx.x; i < cols; "
                "i += blockDim.x) best = fmaxf(best, "
                "scores[blockIdx.x * cols + i]);",
                "best = warp_reduce_max(best);",
                "if (threadIdx.x % 32 == 0) warp_max[threadIdx.x / 32] = best;",
                "__syncwarp();",
                "if (threadIdx.x < 32) row_max[blockIdx.x] = warp_reduce_max(warp_max[threadIdx.x]);",
            ),
            kernel=True,
        ),
        "__syncwarp();",
        ("__syncthreads();",),
        ("synchronise the whole block before reading warp maxima", "reduce_row_max 改为块级同步，修复偶发结果错误"),
        (
            "Attention output differs from run to run for long rows",
            "Same input, same seed, `cols` > 4096: "
            "about 1 of 500 rows has a wrong max, and the "
            "softmax of that row is garbage. "
            "`compute-sanitizer --tool racecheck` reports a hazard on `warp_max`.",
        ),
        (
            "长序列下 attention 结果不稳定",
            "同样的输入跑多次，cols 大于 4096 时偶尔有一行结果不对，racecheck 报 warp_max 有竞争。",
        ),
    ),
    Bug(
        "mask-tail",
        "cuda",
        Function(
            "apply_causal_mask",
            (Param("scores", "float*"), Param("q_len", "int"), Param("kv_len", "int"), Param("window", "int", "-1")),
            "void",
            "Hide the keys that a query must not see",
            (
                "const int q = blockIdx.y * blockDim.y + threadIdx.y;",
                "const int k = blockIdx.x * blockDim.x + threadIdx.x;",
                "if (q >= q_len || k >= kv_len) return;",
                "const bool hidden = k > q;",
                "if (hidden || (window >= 0 && q - k > window)) scores[q * kv_len + k] = -INFINITY;",
            ),
            kernel=True,
        ),
        "const bool hidden = k > q;",
        ("const bool hidden = k > q + (kv_len - q_len);",),
        ("align the causal mask to the end when kv is longer than q", "kv 长于 q 时因果掩码按末尾对齐"),
        (
            "Wrong results for chunked prefill (kv_len > qo_len)",
            "With a cached prefix the causal mask "
            "starts at the wrong key: everything after the "
            "first `q_len` keys is hidden. "
            "A reference in plain PyTorch differs by up to 3e-1. Works when there is no prefix.",
        ),
        (
            "chunked prefill 结果与 PyTorch 参考实现不一致",
            "有 prefix cache 时（kv_len > q_len）误差到 0.3，没有 prefix 时正常，怀疑 causal mask 的对齐方式不对。",
        ),
    ),
    Bug(
        "topk-limit",
        "cuda",
        Function(
            "route_topk",
            (
                Param("gate", "const DType*"),
                Param("ids", "int32_t*"),
                Param("experts", "int"),
                Param("topk", "int", "8"),
            ),
            "cudaError_t",
            "Choose the experts of each token",
            (
                "if (topk > kMaxTopK) return cudaErrorInvalidValue;",
                "const int tokens_per_block = kThreads / 32;",
                "dim3 grid(ceil_div(experts, kThreads));",
                "select_experts<DType><<<grid, kThreads>>>(gate, ids, experts, topk);",
                "return cudaGetLastError();",
            ),
        ),
        "dim3 grid(ceil_div(experts, kThreads));",
        ("dim3 grid(ceil_div(experts, tokens_per_block));",),
        ("launch one warp for each token in MoE routing", "MoE 路由按 token 启动 warp，修复专家数较多时漏选"),
        (
            "MoE routing leaves experts unassigned for 384 experts",
            "`ids` contains uninitialised values behind "
            "the first 256 entries. 256 experts are fine, "
            "384 are not. Found while bringing "
            "up a new model; a debug build aborts in the grouped GEMM that follows.",
        ),
        (
            "384 个专家时 route_topk 输出有脏数据",
            "256 专家正常，384 专家时 ids 后面一段是未初始化的值，后面的 grouped gemm 会挂。",
        ),
    ),
)

RUST = (
    Bug(
        "retry-storm",
        "rust",
        Function(
            "next_worker",
            (Param("workers", "&[Worker]"), Param("last", "usize")),
            "Option<usize>",
            "Choose the next healthy worker, round robin.",
            (
                "let n = workers.len();",
                "(0..n)",
                "    .map(|step| (last + step) % n)",
                "    .find(|&i| workers[i].healthy.load(Ordering::Relaxed))",
            ),
        ),
        "    .map(|step| (last + step) % n)",
        ("    .map(|step| (last + 1 + step) % n)",),
        ("start the round robin behind the last worker", "轮询从下一个 worker 开始，避免一直打到同一台"),
        (
            "Router sends every retry to the worker that just failed",
            "Two workers, one returns 503. All retries "
            "go to the same one until the health check "
            "marks it down (10 s), and the client "
            "sees errors although the other worker is idle.",
        ),
        (
            "router 重试总是打到同一个 worker",
            "两台 worker，一台 503，重试每次都还是它，直到健康检查把它摘掉。另一台完全空闲。",
        ),
    ),
    Bug(
        "sse-split",
        "rust",
        Function(
            "split_events",
            (Param("buffer", "&mut BytesMut"),),
            "Vec<Bytes>",
            "Take the complete events out of a stream buffer.",
            (
                "let mut events = Vec::new();",
                'while let Some(end) = find(buffer, b"\\n") {',
                "    events.push(buffer.split_to(end + 2).freeze());",
                "}",
                "events",
            ),
        ),
        'while let Some(end) = find(buffer, b"\\n") {',
        ('while let Some(end) = find(buffer, b"\\n\\n") {',),
        ("split server-sent events at the blank line", "SSE 事件按空行切分，修复代理转发时 JSON 被截断"),
        (
            "Router breaks streaming answers that contain several data lines",
            "Clients get `Unterminated string in "
            "JSON` now and then. A capture shows the router "
            "forwards half an event when the backend "
            "sends two `data:` lines in one. Direct connection to the worker is fine.",
        ),
        (
            "经过 router 的流式请求偶发 JSON 解析失败",
            "直连 worker 没问题，走 router 就偶尔报 Unterminated string。抓包看是一个 event 被拆成了两个。",
        ),
    ),
    Bug(
        "queue-underflow",
        "rust",
        Function(
            "release",
            (Param("queue", "&Queue"), Param("tokens", "usize")),
            "usize",
            "Give tokens back to the admission queue.",
            (
                "let before = queue.in_flight.load(Ordering::Acquire);",
                "let after = before - tokens;",
                "queue.in_flight.store(after, Ordering::Release);",
                "after",
            ),
        ),
        "let after = before - tokens;",
        ("let after = before.saturating_sub(tokens);",),
        ("never let the in-flight counter underflow", "修复 in_flight 计数下溢导致的 panic"),
        (
            "thread 'worker' panicked: attempt to subtract with overflow",
            "Happens when a client disconnects while "
            "its request is being cancelled; then the whole "
            "router stops accepting requests "
            "(release build: it accepts without "
            "limit).\n\n```\nthread 'worker' panicked at "
            "src/queue.rs: attempt to subtract with overflow\n```",
        ),
        (
            "客户端断开时 router panic: attempt to subtract with overflow",
            "请求取消和连接断开同时发生就会触发，之后整个 router 不再接受请求。release 模式下不会 panic，但限流失效。",
        ),
    ),
)

BUGS: dict[Language, tuple[Bug, ...]] = {"python": PYTHON, "cuda": CUDA, "rust": RUST}
