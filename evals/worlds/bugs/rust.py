"""Flaws of the router."""

from evals.worlds.bugs.bug import Bug
from evals.worlds.source import Function, Param

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
