"""Sentences of facts: names that people search for, lists that end, and each language in its own grammar."""

import pytest

from agent.facts import Fact, FactKind, Place, Severity
from agent.grouping import grouped
from agent.settings import Language
from agent.telling import told_groups
from agent.templates import params_of_several, sentence

K = FactKind
BREAKING = Severity.BREAKING


def fact(kind: FactKind, name: str, severity: Severity = BREAKING, **values: str) -> Fact:
    return Fact(kind=kind, severity=severity, name=name, **values)


def told(facts: list[Fact], predicate: str = "facts", lang: Language = "en") -> list[str | None]:
    return [sentence(predicate, params_of_several(group), lang) for group in grouped(facts)]


def test_what_an_image_is_built_with_comes_behind_what_users_set_and_depend_on() -> None:
    facts = [
        fact(K.CONFIG_REMOVED, "POOL_URL", Severity.BEHAVIOUR, old="x").model_copy(
            update={"places": (Place(file="docker/Dockerfile", line=1, lines=("-ARG POOL_URL=x",)),)}
        ),
        fact(K.CONFIG_REMOVED, "pool.url", Severity.BEHAVIOUR, old="y"),
        fact(K.DEPENDENCY_CHANGED, "flash", Severity.BEHAVIOUR, old="1", new="2"),
    ]
    assert [group[0].name for group in told_groups(facts)] == ["pool.url", "POOL_URL", "flash"]
    assert [group[0].name for group in told_groups([facts[2], facts[0]])] == ["flash", "POOL_URL"]


def test_variables_that_went_together_are_told_together_the_first_ones_by_name() -> None:
    gone = [fact(K.ENV_REMOVED, f"VAR_{letter}") for letter in "ABCDEFGH"]
    names = ", ".join(f"`VAR_{letter}`" for letter in "ABCDE")
    assert told(gone) == [f"The environment variables {names} and 3 more are no longer read."]
    assert told(gone[:1]) == ["The environment variable `VAR_A` is no longer read."]
    assert told(gone[:2], lang="zh") == ["不再读取环境变量 `VAR_A`、`VAR_B`。"]
    assert told(gone, "risks") == ["Setting `VAR_A`, `VAR_B` and 6 more has no effect any more."]


@pytest.mark.parametrize(
    ("words", "better"),
    [
        ("ATLAS_PIECE_SIZE", "`ATLAS_PIECE_SIZE`"),
        ("It is deprecated. Please use --host instead.", "`--host`"),
        ("deprecated; use PlanConfig or :class:`RaggedConfig` instead", "`PlanConfig`, `RaggedConfig`"),
        ("Deprecated since 1.2 in favor of plans.make().", "`plans.make`"),
        # No name, one that the advice depends on, or nothing that stands there yet.
        ("deprecated, please use the others instead", None),
        ("deprecated, use built-in instead", None),
        ("deprecated, use re_shape with an order", None),
        ("Deprecated, will be replaced by v0.8.0.", None),
        ("OLD is deprecated", None),
    ],
)
def test_what_is_deprecated_is_told_with_what_its_words_advise(words: str, better: str | None) -> None:
    facts = [fact(K.DEPRECATED, "OLD", Severity.BEHAVIOUR, new=words), fact(K.DEPRECATED, "LAST", Severity.BEHAVIOUR)]
    if better is None:
        assert told(facts) == ["`OLD`, `LAST` are deprecated."]
        assert told(facts, "advices", "zh") == ["请计划不再使用 `OLD`、`LAST`。"]
        return
    assert told(facts) == [f"`OLD` is deprecated in favour of {better}.", "`LAST` is deprecated."]
    assert told(facts, "advices") == [f"Plan to write {better} instead of `OLD`.", "Plan to move away from `LAST`."]


def test_an_operator_is_called_and_not_chosen() -> None:
    facts = [
        fact(K.REGISTERED, "ling3", Severity.ADDITIVE, detail="PARSERS"),
        *(fact(K.REGISTERED, name, Severity.ADDITIVE, detail="operators") for name in ("fused_gemm", "acme::topk")),
    ]
    assert told(facts) == ["`ling3` can be chosen by name now.", "New operators `fused_gemm`, `acme::topk`."]
    assert told(facts[2:], lang="zh") == ["新增算子 `acme::topk`。"]


def test_several_overloads_of_a_file_are_not_told_as_new_names() -> None:
    came = fact(K.SYMBOL_ADDED, "load, store", Severity.ADDITIVE, detail="2 overloads of include/a.h")
    assert told([came]) == ["New overloads `load`, `store`."]


def test_a_parameter_of_another_type_is_no_news_beside_new_ones() -> None:
    old, new = "(rows: torch.Tnesor, size: int)", "(rows: torch.Tensor, size: int, most: int = 0, least: int = 0)"
    changed = fact(K.SIGNATURE_CHANGED, "update", Severity.BEHAVIOUR, old=old, new=new)
    assert told([changed]) == ["`update` now takes `most: int = 0`, `least: int = 0` as well."]


def test_a_version_of_a_part_is_told_with_its_name() -> None:
    facts = [
        fact(K.VERSION_CHANGED, "__version__", Severity.BEHAVIOUR, old="1.2", new="1.3"),
        fact(K.VERSION_CHANGED, "ACME_PROTO_MAJOR", old="4", new="5"),
    ]
    assert told(facts) == ["The version goes from `1.2` to `1.3`.", "`ACME_PROTO_MAJOR` changes from `4` to `5`."]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "x.dim() == 2 and x.size(1) > 8",
            "x.dim() == 2",
            "check `x.dim() == 2 and x.size(1) > 8` becomes `x.dim() == 2`",
        ),
        ("kind in (A, B)", "kind in allowed", "check `kind in (A, B)` becomes `kind in allowed`"),
        ("mode is not known here", "mode is unknown", "error `mode is not known here` now reads `mode is unknown`"),
    ],
)
def test_what_a_check_asks_for_is_not_told_as_its_words(old: str, new: str, words: str) -> None:
    changed = fact(K.ERROR_CHANGED, "AssertionError", Severity.BEHAVIOUR, old=old, new=new, detail="plan")
    assert told([changed]) == [f"In `plan`, the {words}."]


def test_an_assertion_without_words_is_told_by_what_it_demands() -> None:
    demanded = fact(K.ERROR_ADDED, "AssertionError", Severity.BEHAVIOUR, new="issubclass(tier, Base)", detail="plan")
    assert told([demanded]) == ["In `plan`, a new check demands `issubclass(tier, Base)`."]
    assert told([demanded], lang="zh") == ["`plan` 中新增检查，要求 `issubclass(tier, Base)`。"]
    gone = fact(K.ERROR_REMOVED, "GGML_ASSERT", Severity.BEHAVIOUR, old="n < 8", detail="plan")
    assert told([gone]) == ["In `plan`, the check `n < 8` is gone."]
    assert told([gone], lang="zh") == ["`plan` 中移除检查 `n < 8`。"]
    two = demanded.model_copy(update={"new": "n < 8\nn in (1, 2)"})
    assert told([two]) == ["In `plan`, new checks demand `n < 8`, `n in (1, 2)`."]
    worded = demanded.model_copy(update={"name": "TORCH_CHECK", "new": "unsupported (fp8)"})
    assert told([worded]) == ["In `plan`, a new check raises `TORCH_CHECK`: `unsupported (fp8)`."]
    raised = demanded.model_copy(update={"name": "ValueError", "new": "n < 8"})
    assert told([raised]) == ["In `plan`, a new check raises `ValueError`: `n < 8`."]


def test_the_name_of_an_error_is_not_told_as_its_words() -> None:
    changed = fact(K.ERROR_CHANGED, "emitOpError", Severity.BEHAVIOUR, detail="verify")
    assert told([changed]) == ["In `verify`, the message of `emitOpError` changes."]
    assert told([changed], lang="zh") == ["`verify` 中报错 `emitOpError` 的措辞改变。"]


def test_functions_that_changed_alike_share_a_sentence_and_others_have_their_own() -> None:
    functions = "Base.match, Hi.match, Lo.match"
    facts = [
        fact(K.PARAMETER_ADDED, f"{functions}, Chunk.match", new="params: Params", detail="params"),
        fact(K.PARAMETER_REMOVED, "Hi.match, Lo.match", old="key: Key", detail="key"),
        fact(K.PARAMETER_REMOVED, "Base.match", old="key: Any", detail="key"),
        fact(K.PARAMETER_REMOVED, "Chunk.match", old="**rest", detail="rest"),
    ]
    assert told(facts) == [
        "`Base.match`, `Hi.match`, `Lo.match` take `params: Params` instead of `key`.",
        "`Chunk.match` takes `params: Params` instead of `rest`.",
    ]
    assert told(facts, "risks")[1] == "Calls of `Chunk.match` that pass `rest` fail."
    assert told(facts, lang="zh")[1] == "`Chunk.match` 改用参数 `params: Params`，不再接受 `rest`。"


def test_a_constructor_is_called_by_its_class_and_names_stay_apart() -> None:
    facts = [fact(K.PARAMETER_REQUIRED, "Router.__init__", old="0", detail="size")]
    assert told(facts) == ["`Router` must be given `size` now; its default was `0`."]
    runners = "ns.Gemm1.Runner.Runner, ns.Gemm2.Runner.Runner"
    assert told([fact(K.PARAMETER_REMOVED, runners, old="x: int", detail="x")]) == [
        "`Gemm1.Runner`, `Gemm2.Runner` no longer take `x`."
    ]


def test_advice_names_what_users_have_in_their_code() -> None:
    renamed = [fact(K.SYMBOL_RENAMED, "Attention.view", old="reshape", new="view", detail="method")]
    assert told(renamed) == ["The method `Attention.reshape` is now called `view`."]
    assert told(renamed, "advices") == ["Search your code for `Attention.reshape`; write `view` there."]
    assert told([fact(K.PARAMETER_RENAMED, "f", old="a", new="b", detail="b")], "risks") == [
        "Calls of `f` that pass `a` by name fail."
    ]


def test_members_and_fields_are_listed_by_name() -> None:
    members = [
        fact(K.MEMBER_REMOVED, "Kind", old=", ".join(f"M{n} = {n}" for n in range(9))),
        fact(K.MEMBER_ADDED, "Kind", Severity.ADDITIVE, new="New = 1"),
    ]
    assert told(members) == ["`Kind` loses `M0`, `M1`, `M2`, `M3`, `M4` and 4 more and gains `New`."]
    one = fact(K.FIELD_ADDED, "Args.depth", Severity.ADDITIVE, new="depth = None", detail="field")
    other = fact(K.FIELD_ADDED, "Options.depth", Severity.ADDITIVE, new="depth = 1", detail="field")
    assert told([one]) == ["`Args` gains the field `depth = None`."]
    assert told([one, other]) == ["`Args`, `Options` gain the field `depth`."]
    lost = fact(K.FIELD_REMOVED, "Args", old="a = 1, b = 2")
    assert told([lost]) == ["`Args` loses the fields `a`, `b`."]


def test_of_long_lists_only_what_came_and_went_is_told() -> None:
    many = [f"Backend.{name}" for name in ("FLASHINFER_TRTLLM", "CPU", "XPU", "TPU", "OUT_OF_TREE", "TRITON_KERNELS")]
    old, new = f"[{', '.join(many)}]", f"[{', '.join(name for name in many if 'XPU' not in name)}]"
    changed = fact(K.CONSTANT_CHANGED, "UNSUPPORTED", Severity.BEHAVIOUR, old=old, new=new)
    assert told([changed]) == ["`UNSUPPORTED` no longer holds `Backend.XPU`."]
    choices = fact(K.FLAG_CHOICES, "--backend", old="auto, cudnn", new="auto, flashinfer_cudnn")
    assert told([choices]) == ["The flag `--backend` no longer accepts `cudnn`; it accepts `flashinfer_cudnn` now."]
    assert told([choices], "advices") == ["Give `--backend` one of `flashinfer_cudnn`."]


def test_of_a_list_that_a_function_sets_only_what_came_is_told() -> None:
    changed = fact(K.VALUE_CHANGED, "Args.adjust", old='["a", "b"]', new='["a", "b", "c"]', detail="backends")
    assert told([changed]) == ['In `Args.adjust`, `backends` now holds `"c"` as well.']
    assert told([changed], lang="zh") == ['`Args.adjust` 中的 `backends` 现在还包含 `"c"`。']


def test_a_check_is_told_with_its_place_and_its_words() -> None:
    message = "Overlap loading needs pinned memory, so the number of adapters must be at most twice that of a batch"
    check = fact(K.ERROR_ADDED, "AssertionError", Severity.BEHAVIOUR, new=message, detail="Args.check")
    assert told([check]) == [f"In `Args.check`, a new check raises `AssertionError`: `{message}`."]
    twice = fact(K.ERROR_ADDED, "ValueError", Severity.BEHAVIOUR, new="no", detail="Args.check, Request.check")
    assert told([twice]) == ["In `Args.check`, `Request.check`, a new check raises `ValueError`: `no`."]
    template = fact(K.ERROR_ADDED, "ValueError", Severity.BEHAVIOUR, new="no", detail="run<int, float>")
    assert told([template]) == ["In `run<int, float>`, a new check raises `ValueError`: `no`."]
    bare = fact(K.ERROR_ADDED, "ValueError", Severity.BEHAVIOUR, new="no")
    assert told([bare]) == ["A new check raises `ValueError`: `no`."]


def test_nothing_is_told_twice() -> None:
    facts = [
        fact(K.FLAG_ADDED, "--enable-overlap", Severity.ADDITIVE, new="Args.enable_overlap"),
        fact(K.FIELD_ADDED, "Args.enable_overlap", Severity.ADDITIVE, new="enable_overlap = None"),
        fact(K.REGISTERED, "m2", Severity.ADDITIVE, new="x"),
        fact(K.REGISTERED, "m2", Severity.ADDITIVE),
        fact(K.SYMBOL_REMOVED, "Kind", old="Kind = .core.Kind", detail="variable"),
        fact(K.SYMBOL_REMOVED, "Kind", old="Kind", detail="enum"),
    ]
    groups = told_groups(facts)
    assert [sentence("facts", params_of_several(group), "en") for group in groups] == [
        "The exported name `Kind` is removed.",
        "New flag `--enable-overlap`.",
        "`m2` can be chosen by name now.",
    ]


def test_what_users_set_comes_before_the_inside() -> None:
    facts = [
        fact(K.SYMBOL_REMOVED, "ns.deep.inner", old="inner()", detail="function"),
        fact(K.LIMIT_CHANGED, "topK", old="<= 22", new="<= 8"),
        fact(K.ERROR_ADDED, "ValueError", Severity.BEHAVIOUR, new="x"),
        fact(K.SYMBOL_ADDED, "helper", Severity.ADDITIVE, new="helper()", detail="function"),
    ]
    assert [group[0].name for group in told_groups(facts)] == ["topK", "ns.deep.inner", "helper", "ValueError"]


def test_a_whole_thing_comes_before_how_another_is_called_and_a_new_model_before_both() -> None:
    facts = [
        fact(K.PARAMETER_REMOVED, "ns.deep.call", old="x: int"),
        fact(K.SYMBOL_REMOVED, "ns.deep.inner", old="inner()", detail="function"),
        fact(K.DEPRECATED, "ATLAS_CHUNK", Severity.BEHAVIOUR),
        fact(K.FILE_ADDED, "models/inkling.py", Severity.ADDITIVE, new="Inkling", detail="model"),
    ]
    names = [group[0].name for group in told_groups(facts)]
    assert names == ["models/inkling.py", "ATLAS_CHUNK", "ns.deep.inner", "ns.deep.call"]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("predicate", ["facts", "risks", "advices"])
@pytest.mark.parametrize("kind", list(FactKind))
def test_every_kind_has_words_without_gaps_in_both_languages(kind: FactKind, predicate: str, lang: Language) -> None:
    whole = fact(kind, "a.b", old="one", new="two", detail="c")
    for one in (whole, whole.model_copy(update={"old": None}), whole.model_copy(update={"new": None})):
        text = sentence(predicate, params_of_several([one]), lang)
        assert text is None or not {"{", "}", "«", "»"} & set(text)
        assert predicate != "facts" or text


def test_an_enumeration_gains_a_member_under_its_own_name() -> None:
    came = fact(K.MEMBER_ADDED, "pkg.Backend.CPU", Severity.ADDITIVE, new="CPU = auto()", detail="member")
    gone = fact(K.MEMBER_REMOVED, "pkg.Backend.TPU", old="TPU = auto()", detail="member")
    assert told([came]) == ["`pkg.Backend` gains `CPU`."]
    assert told([came, gone]) == ["`pkg.Backend` loses `TPU` and gains `CPU`."]
    assert told([came], lang="zh") == ["`pkg.Backend` 新增成员 `CPU`。"]


def test_a_removed_constructor_is_told_as_one_and_not_as_its_class() -> None:
    gone = fact(K.SYMBOL_REMOVED, "Cache.__init__", detail="override")
    assert told([gone]) == ["The override `Cache.__init__` is removed."]


def test_a_template_with_two_arguments_is_one_name() -> None:
    came = fact(K.SYMBOL_ADDED, "ns.Traits<NoOp, Sigmoid>, ns.Sigmoid", Severity.ADDITIVE, detail="struct")
    assert told([came]) == ["New classes `ns.Traits<NoOp, Sigmoid>`, `ns.Sigmoid`."]


def test_a_path_with_a_list_in_it_is_one_name() -> None:
    path = "configs/N=256,block_shape=[128, 128].json"
    added = fact(K.FILE_ADDED, path, new=path, detail="device-config")
    assert told([added]) == [f"New configuration for a device: `{path}`."]


def test_a_dependency_of_the_same_version_is_told_by_its_condition() -> None:
    old, new = "any; os_name == 'nt'", "any; os_name == 'posix'"
    changed = fact(K.DEPENDENCY_CHANGED, "av", old=old, new=new, detail="dependencies")
    assert told([changed]) == ["The condition under which `av` is needed changes."]


def test_a_parameter_that_several_functions_take_in_different_forms_is_named_once() -> None:
    came = [
        fact(K.PARAMETER_ADDED, "Base.step", Severity.ADDITIVE, detail="count", new="count: int | None = None"),
        fact(K.PARAMETER_ADDED, "Own.step", Severity.ADDITIVE, detail="count", new="count = None"),
    ]
    assert told(came) == ["The parameters of `Base.step`, `Own.step` change: new `count`."]


def test_several_new_checks_are_told_each_with_its_own_message() -> None:
    messages = "\n".join(("a; b must fit", "x" * 400, "c is too large", "d is too small"))
    checks = fact(K.ERROR_ADDED, "ValueError, TypeError", Severity.BEHAVIOUR, new=messages, detail="run")
    said = "In `run`, new checks raise `ValueError`, `TypeError`: `a; b must fit`, `c is too large` and 2 more."
    assert told([checks]) == [said]
    assert told([checks], lang="zh") == [
        "`run` 中新增多项检查，不满足时报 `ValueError`、`TypeError`：`a; b must fit`、`c is too large` 及另外 2 个。"
    ]


def test_a_value_that_a_function_chooses_is_told_with_it_and_behind_what_users_set() -> None:
    value = fact(K.VALUE_CHANGED, "Args.check", Severity.BEHAVIOUR, old='"a"', new='"b"', detail="args.backend")
    assert told([value]) == ['In `Args.check`, `args.backend` changes from `"a"` to `"b"`.']
    assert told([value], lang="zh") == ['`Args.check` 中的 `args.backend` 由 `"a"` 改为 `"b"`。']
    anew = value.model_copy(update={"old": None})
    assert told([anew]) == ['In `Args.check`, `args.backend` can be `"b"` now.']
    assert told([anew], lang="zh") == ['`Args.check` 中的 `args.backend` 现在可以是 `"b"`。']
    case = value.model_copy(update={"old": "OP_ADD", "new": None, "detail": "case"})
    assert told([case]) == ["In `Args.check`, `case` `OP_ADD` is gone."]
    case = case.model_copy(update={"old": None, "new": "OP_ADD"})
    assert told([case]) == ["In `Args.check`, `case` `OP_ADD` is new."]
    constant = fact(K.CONSTANT_CHANGED, "LIMIT", Severity.BEHAVIOUR, old="1", new="2")
    assert [group[0].kind for group in told_groups([value, constant])] == [K.CONSTANT_CHANGED, K.VALUE_CHANGED]


def test_a_new_warning_is_told_with_its_words_before_errors() -> None:
    warning = fact(K.WARNING_ADDED, "warning", Severity.BEHAVIOUR, new="workers is ignored", detail="Args.check")
    assert told([warning]) == ["In `Args.check`, a new warning says `workers is ignored`."]
    assert told([warning], lang="zh") == ["`Args.check` 中新增警告：`workers is ignored`。"]
    several = warning.model_copy(update={"new": "a is ignored\nb is ignored"})
    assert told([several]) == ["In `Args.check`, new warnings say `a is ignored`, `b is ignored`."]
    check = fact(K.ERROR_ADDED, "ValueError", Severity.BEHAVIOUR, new="x", detail="Args.check")
    assert [group[0].kind for group in told_groups([check, warning])] == [K.WARNING_ADDED, K.ERROR_ADDED]


def test_a_check_whose_message_cannot_be_shown_is_not_told() -> None:
    assert told_groups([fact(K.ERROR_ADDED, "ValueError", Severity.BEHAVIOUR, new="x" * 400, detail="run")]) == []


def test_a_check_of_an_expression_is_not_called_a_limit() -> None:
    checked = fact(K.LIMIT_CHANGED, "arch // 10", Severity.BEHAVIOUR, old="in [8, 9]", new="in [8, 9, 10]")
    assert told([checked]) == ["The check on `arch // 10` changes from `in [8, 9]` to `in [8, 9, 10]`."]
    assert told([checked], lang="zh") == ["对 `arch // 10` 的检查由 `in [8, 9]` 改为 `in [8, 9, 10]`。"]


@pytest.mark.parametrize(
    ("name", "detail", "risk", "advice"),
    [
        ("fastlib", "", "What is pinned to `fastlib` `1.2` no longer matches.", "Upgrade `fastlib` to `1.3` together"),
        ("third_party/fastlib", "submodule", None, "Update the submodule `third_party/fastlib` when you pull."),
        ("FASTLIB_VERSION", "", None, "Set `FASTLIB_VERSION` to `1.3` where you set it yourself."),
    ],
)
def test_a_package_a_submodule_and_a_build_variable_ask_for_different_things(
    name: str, detail: str, risk: str | None, advice: str
) -> None:
    moved = fact(K.DEPENDENCY_CHANGED, name, Severity.BEHAVIOUR, old="1.2", new="1.3", detail=detail)
    assert told([moved], "risks") == [risk]
    [said] = told([moved], "advices")
    assert said is not None
    assert said.startswith(advice)


def test_the_commit_of_a_submodule_is_written_short() -> None:
    moved = fact(K.DEPENDENCY_CHANGED, "dep", Severity.BEHAVIOUR, old="ab" * 20, new="cd" * 20, detail="submodule")
    assert told([moved]) == ["The dependency `dep` goes from `abababababab` to `cdcdcdcdcdcd`."]


def test_a_signature_that_changed_in_several_places_tells_only_what_went_and_what_came() -> None:
    old, new = (
        "(layer: int, size: int, pages: list[int] | None)",
        "(layer: int, sizes: Tensor, pages: list[int] | None)",
    )
    changed = [fact(K.SIGNATURE_CHANGED, "Pool.read", old=old, new=new)]
    assert told(changed) == ["`Pool.read` takes `sizes: Tensor` instead of `size: int`."]
    assert told(changed, lang="zh") == ["`Pool.read` 的参数由 `size: int` 改为 `sizes: Tensor`。"]


def test_nobody_is_told_to_type_an_expression_of_the_program() -> None:
    behaviour = Severity.BEHAVIOUR
    literal = [fact(K.FLAG_DEFAULT, "--frames", behaviour, old="8", new="16")]
    assert told(literal, "advices") == ["Set `--frames` to `8` to keep what you have."]
    inner = [fact(K.FLAG_DEFAULT, "--frames", behaviour, old="SamplingParams.frames", new="16")]
    assert told(inner, "advices") == told(inner, "risks") == [None]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("size, kind", "*, size, kind", "`Plan` takes `size`, `kind` by keyword only now."),
        ("5 parameters", "800 parameters", "The parameters of `Plan` change from `5 parameters` to `800 parameters`."),
    ],
)
def test_a_signature_that_changed_as_a_whole_has_a_subject(old: str, new: str, words: str) -> None:
    assert told([fact(K.SIGNATURE_CHANGED, "Plan.__init__", old=old, new=new, detail="")]) == [words]


def test_defaults_that_differ_are_not_told_of_each_other_s_functions() -> None:
    silu = [fact(K.PARAMETER_DEFAULT, name, old='"silu"', new="Act.SILU", detail="activation") for name in ("f", "g")]
    other = fact(K.PARAMETER_DEFAULT, "h", old='"silu"', new="Act.SWIGLU", detail="activation")
    assert [len(group) for group in told_groups([*silu, other])] == [2, 1]


def test_who_must_give_a_new_parameter_is_told_apart_from_who_may_leave_it_out() -> None:
    optional = fact(K.PARAMETER_ADDED, "launch", new="tie: int = 0", detail="tie", severity=Severity.BREAKING)
    required = fact(K.PARAMETER_ADDED, "choose", new="tie: int", detail="tie", severity=Severity.BREAKING)
    assert told([optional, required], "risks") == [
        "Calls of `launch` that pass arguments by position may mean something else.",
        "Calls of `choose` without `tie` fail.",
    ]


def test_a_call_is_said_to_fail_only_without_what_has_to_be_given() -> None:
    rest = fact(K.PARAMETER_ADDED, "choose", new="**kwargs", detail="kwargs", severity=Severity.ADDITIVE)
    needed = fact(K.PARAMETER_ADDED, "choose", new="tie: int", detail="tie", severity=Severity.BREAKING)
    assert told([rest, needed], "risks") == ["Calls of `choose` without `tie` fail."]


def test_a_field_is_searched_for_by_its_class() -> None:
    gone = fact(K.FIELD_REMOVED, "Div.m", old="m", severity=Severity.BREAKING)
    renamed = fact(K.FIELD_RENAMED, "Div.d_", old="d", new="d_", severity=Severity.BREAKING)
    assert told([gone], "advices") == ["Search your code for `m` of `Div`."]
    assert told([renamed], "advices") == ["Search your code for `d` of `Div`; write `d_` there."]
    assert told([renamed], "risks") == ["Code that uses `d` of `Div` stops working."]


@pytest.mark.parametrize(
    ("detail", "old", "new", "words"),
    [
        ("returns", "Spec", "Spec | None", "`Plan.make` returns `Spec | None` instead of `Spec`."),
        ("decorators", "cache", "lru_cache(8)", "The decorators of `Plan.make` change from `cache` to `lru_cache(8)`."),
        ("kind", "struct", "= Other<int>", "`Plan.make` changes from `struct` to `= Other<int>`."),
        (
            "kind_of",
            "kind_of: Backend",
            "kind_of: type[Backend]",
            "The type of the parameter `kind_of` of `Plan.make` changes from `Backend` to `type[Backend]`.",
        ),
    ],
)
def test_another_type_is_told_by_what_has_it(detail: str, old: str, new: str, words: str) -> None:
    changed = fact(K.SIGNATURE_CHANGED, "Plan.make", Severity.BEHAVIOUR, old=old, new=new, detail=detail)
    assert told([changed]) == [words]


def test_what_a_new_function_refuses_is_told_as_its_own_and_once_for_a_commit() -> None:
    words = "\n".join(("n must be a multiple of 16", "only 128 heads are supported", "x is too large", "and 3 more"))
    came = fact(K.SYMBOL_ADDED, "fold", Severity.ADDITIVE, new="fold(n)", detail="function")
    refused = fact(K.ERROR_ADDED, "ValueError", Severity.ADDITIVE, new=words, detail="fold")
    other = refused.model_copy(update={"detail": "pkg/take.py", "new": "n must be even", "name": "TypeError"})
    assert told([refused, other]) == [
        "What is new in `fold` refuses some input (`ValueError`): `n must be a multiple of 16`, "
        "`only 128 heads are supported` and 4 more.",
        "What is new in `pkg/take.py` refuses some input (`TypeError`): `n must be even`.",
    ]
    assert told([refused], lang="zh") == [
        "`fold` 中新增的内容会拒绝部分输入（`ValueError`）：`n must be a multiple of 16`、"
        "`only 128 heads are supported` 及另外 4 个。"
    ]
    assert told_groups([refused, other, came]) == [(came,), (refused,)]


def test_metrics_and_subcommands_are_told_as_what_they_are() -> None:
    facts = [
        fact(K.REGISTERED, "app:queued, app:running", Severity.ADDITIVE, new="gauge", detail="metrics"),
        fact(K.REGISTERED, "m2", Severity.ADDITIVE, new="x", detail="_MODELS"),
        fact(K.REGISTERED, "version", Severity.ADDITIVE, detail="commands"),
        fact(K.UNREGISTERED, "app:waiting", old="gauge", detail="metrics"),
        fact(K.SYMBOL_RENAMED, "app:held", old="app:kept", new="app:held", detail="metrics"),
        fact(K.REGISTRATION_CHANGED, "app:time", Severity.BEHAVIOUR, old="gauge", new="histogram", detail="metrics"),
    ]
    assert told(facts) == [
        "New metrics `app:queued`, `app:running`.",
        "`m2` can be chosen by name now.",
        "New subcommand `version`.",
        "The metric `app:waiting` is no longer exported.",
        "The metric `app:kept` is now called `app:held`.",
        "The metric `app:time` is a `histogram` now instead of a `gauge`.",
    ]
    assert told(facts, "risks")[3:5] == [
        "Dashboards and alerts that read `app:waiting` get no data.",
        "Dashboards and alerts that read `app:kept` get no data.",
    ]
    assert told(facts, "advices")[3] == "Search your dashboards and alerts for `app:waiting`."
    assert told(facts, lang="zh")[:3] == [
        "新增指标 `app:queued`、`app:running`。",
        "现在可以按名称选用 `m2`。",
        "新增子命令 `version`。",
    ]
