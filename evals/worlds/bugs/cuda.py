"""Flaws of the kernels."""

from evals.worlds.bugs.bug import Bug
from evals.worlds.source import Function, Param

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
