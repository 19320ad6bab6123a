"""Flaws of the serving engine and of the sampling code."""

from evals.worlds.bugs.bug import Bug
from evals.worlds.source import Function, Param

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
