"""C++ and CUDA: kernels, launchers, structures, checks."""

from evals.worlds.factbook.case import Case, Said, change
from evals.worlds.factbook.cuda_code import HEADER


def cases() -> list[Case]:
    """List the changes."""
    return [*_symbols(), *_parameters(), *_data(), *_checks()]


def _of(title: str, swaps: tuple[tuple[str, str], ...], *said: Said) -> Case:
    return change(f"cuda {title}", f"include/atlas/{title.replace(' ', '_')}_~v~.cuh", HEADER, swaps, *said)


def _symbols() -> list[Case]:
    aligned = HEADER[HEADER.index("inline bool is_aligned") : HEADER.index("}  // namespace")]
    fresh = "inline int round_up(int value, int step) {\n  return (value + step - 1) / step * step;\n}\n\n"
    reset = "  void Reset() { used_ = 0; }\n"
    return [
        _of(
            "function added",
            ((aligned, aligned + fresh),),
            Said("symbol-added", "round_up", severity="additive"),
        ),
        _of("function removed", ((aligned, ""),), Said("symbol-removed", "is_aligned", severity="breaking")),
        _of(
            "function renamed",
            (("is_aligned", "is_aligned_to"),),
            Said("symbol-renamed", "is_aligned_to", "is_aligned", "is_aligned_to", severity="breaking"),
        ),
        _of("method added", ((reset, reset + "  int used() const { return used_; }\n"),), Said("symbol-added", "used")),
        _of("method removed", ((reset, ""),), Said("symbol-removed", "Reset", severity="breaking")),
        _of(
            "base changed",
            (("class ~Cls~ : public Base~Noun~", "class ~Cls~ : public Timed~Noun~"),),
            Said("base-changed", "~Cls~"),
        ),
        _of(
            "comment changed",
            (("Rows are scaled by the warp that loads them.", "Each warp scales the rows it loads."),),
            Said("only-comments", ""),
        ),
    ]


def _parameters() -> list[Case]:
    head = "inline int ~fn3~(int num_heads, int group_size) {"
    return [
        _of(
            "parameter added",
            (("cudaStream_t stream = nullptr)", "cudaStream_t stream = nullptr, bool enable_pdl = false)"),),
            Said("parameter-added", "~fn2~", detail="enable_pdl", severity="additive"),
        ),
        _of(
            "required parameter added",
            ((head, "inline int ~fn3~(int num_heads, int group_size, int num_sms) {"),),
            Said("parameter-added", "~fn3~", detail="num_sms", severity="breaking"),
        ),
        _of(
            "parameter removed",
            (("int ~fnP~(int64_t rid, int tokens)", "int ~fnP~(int tokens)"), ("rid % capacity_", "used_ % capacity_")),
            Said("parameter-removed", "~fnP~", detail="rid", severity="breaking"),
        ),
        _of(
            "parameter renamed",
            (
                ("const void* ptr, size_t bytes)", "const void* ptr, size_t alignment)"),
                ("(ptr) % bytes", "(ptr) % alignment"),
            ),
            Said("parameter-renamed", "is_aligned", "bytes", "alignment"),
        ),
        _of(
            "default changed",
            (("float scale = 1.0f,", "float scale = 0.5f,"),),
            Said("parameter-default-changed", "~fn2~", "1.0f", "0.5f", detail="scale", severity="behaviour"),
        ),
        _of(
            "parameters reordered",
            ((head, "inline int ~fn3~(int group_size, int num_heads) {"),),
            Said("parameter-reordered", "~fn3~", severity="breaking"),
        ),
        _of(
            "parameter type changed",
            ((head, "inline int ~fn3~(int64_t num_heads, int group_size) {"),),
            Said("signature-changed", "~fn3~"),
        ),
    ]


def _data() -> list[Case]:
    scale = "  float sm_scale;\n"
    return [
        _of("enum member added", (("  kRagged = 2,\n", "  kRagged = 2,\n  kSparse = 3,\n"),), _came("kSparse")),
        _of(
            "enum member removed",
            (("  kRagged = 2,\n", ""),),
            Said("enum-member-removed", "~Noun~Kind.kRagged", severity="breaking"),
        ),
        _of(
            "enum member renamed",
            (("  kPaged = 1,\n", "  kBlocked = 1,\n"),),
            Said("enum-member-renamed", "~Noun~Kind.kBlocked", "kPaged", "kBlocked", severity="breaking"),
        ),
        _of(
            "enum value changed",
            (("  kRagged = 2,\n", "  kRagged = 4,\n"),),
            Said("enum-member-changed", "~Noun~Kind.kRagged", "2", "4"),
        ),
        _of("field added", ((scale, scale + "  int32_t window_left = -1;\n"),), Said("field-added", "window_left")),
        _of("field removed", ((scale, ""),), Said("field-removed", "~Noun~Params.sm_scale", severity="breaking")),
        _of(
            "field renamed",
            ((scale, "  float softmax_scale;\n"),),
            Said("field-renamed", "~Noun~Params.softmax_scale", "sm_scale", "softmax_scale", severity="breaking"),
        ),
        _of(
            "field type changed",
            (("  int32_t num_heads;\n", "  int64_t num_heads;\n"),),
            Said("field-changed", "~Noun~Params.num_heads"),
        ),
        _of(
            "constant changed",
            (("kMax~Noun~s = ~big~;", "kMax~Noun~s = ~small~;"),),
            Said("constant-changed", "kMax~Noun~s", "~big~", "~small~", severity="behaviour"),
        ),
        _of(
            "macro changed",
            (("_TILE ~small~\n", "_TILE ~big~\n"),),
            Said("constant-changed", "ATLAS_~NOUN~_TILE", "~small~", "~big~", severity="behaviour"),
        ),
    ]


def _checks() -> list[Case]:
    check = '  ATLAS_CHECK(cols <= ~big~, "cols is too large");\n'
    division = "  return (num_heads + group_size - 1) / group_size;\n"
    return [
        _of(
            "limit lowered",
            (("cols <= ~big~,", "cols <= ~small~,"),),
            Said("limit-changed", "cols", "<= ~big~", "<= ~small~", severity="breaking"),
        ),
        _of("check added", ((check, check + '  ATLAS_CHECK(rows > 0, "no rows");\n'),), Said("error-added", "rows")),
        _of("check removed", ((check, ""),), Said("error-removed", "cols")),
        _of(
            "throw added",
            ((division, '  if (group_size == 0) throw std::invalid_argument("group_size is zero");\n' + division),),
            Said("error-added", "invalid_argument"),
        ),
        _of(
            "line of a function mended",
            ((division, "  return (num_heads + group_size / 2) / group_size;\n"),),
            Said(
                "code-changed",
                "~fn3~",
                "return (num_heads + group_size - 1) / group_size;",
                "return (num_heads + group_size / 2) / group_size;",
                severity="behaviour",
            ),
        ),
        _of(
            "env added",
            ((division, '  if (std::getenv("ATLAS_NO_~NOUN~") != nullptr) return 1;\n' + division),),
            Said("env-added", "ATLAS_NO_~NOUN~", severity="additive"),
        ),
        _of(
            "env renamed",
            (('"ATLAS_~NOUN~_SPLITS"', '"ATLAS_NUM_SPLITS"'),),
            Said("env-renamed", "ATLAS_NUM_SPLITS", "ATLAS_~NOUN~_SPLITS", "ATLAS_NUM_SPLITS", severity="breaking"),
        ),
        _of(
            "function deprecated",
            (("inline bool is_aligned", '[[deprecated("use cute::is_aligned")]] inline bool is_aligned'),),
            Said("deprecated", "is_aligned"),
        ),
    ]


def _came(member: str) -> Said:
    return Said("enum-member-added", f"~Noun~Kind.{member}", severity="additive")
