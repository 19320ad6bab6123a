"""What a user of a Python file sets, calls by name or runs into."""

from textwrap import dedent

import pytest

from tools.diff.readers.python import read
from tools.diff.reading import Site, SiteKind, Source


def sites(text: str, kind: SiteKind, path: str = "pkg/core.py") -> list[Site]:
    return [site for site in read(Source(path, dedent(text).encode())).sites if site.kind == kind]


def named(text: str, kind: SiteKind, path: str = "pkg/core.py") -> list[tuple[str, str | None]]:
    return [(site.name, site.value) for site in sites(text, kind, path)]


@pytest.mark.parametrize(
    ("call", "name", "value", "choices"),
    [
        ('p.add_argument("-l", "--max-len", "--len", type=int, default=2 ** 10)', "--max-len", "2 ** 10", None),
        ('group.add_argument("--eager", action="store_true", help="x")', "--eager", "False", None),
        ('p.add_argument("--no-cache", action="store_false")', "--no-cache", "True", None),
        ('p.add_argument("--fast", action=argparse.BooleanOptionalAction, default=True)', "--fast", "True", None),
        ('p.add_argument("--mode", choices=["a", "b"], required=True)', "--mode", None, ("a", "b")),
        ('p.add_argument("--mode", choices=MODES, default=Args.mode)', "--mode", "Args.mode", ("x", "y", "7")),
        ('p.add_argument("--kind", choices=list(KINDS.keys()))', "--kind", None, ("one", "two")),
        ('p.add_argument("--kind", choices=["auto"] + sorted(KINDS))', "--kind", None, ("auto", "one", "two")),
        ('p.add_argument("--kind", choices=[*MODES, "z"])', "--kind", None, ("x", "y", "7", "z")),
        ('p.add_argument("--lit", choices=get_args(Lit))', "--lit", None, ("p", "q")),
        ('p.add_argument("--kind", choices=[k.name for k in Kind])', "--kind", None, None),
        ('p.add_argument("--kind", choices=imported.CHOICES)', "--kind", None, None),
        ('p.add_argument("--x", **kwargs["x"])', "--x", None, None),
        ('click.option("--shout/--no-shout", default=False)', "--shout", "False", None),
        ('click.option("--hash", type=click.Choice(["md5", "sha1"]))', "--hash", None, ("md5", "sha1")),
        ('typer.Option("--port", default=80)', "--port", "80", None),
        ('flags.DEFINE_string("dir", "out", "Where.")', "--dir", '"out"', None),
        ('flags.DEFINE_enum("job", "run", ["run", "stop"], "What.")', "--job", '"run"', ("run", "stop")),
    ],
)
def test_a_flag_has_its_long_name_default_and_choices(
    call: str, name: str, value: str | None, choices: tuple[str, ...] | None
) -> None:
    constants = 'MODES = ("x", "y", 7)  # all\nKINDS = {"one": 1, "two": 2}\nLit = Literal["p", "q"]\n'
    text = f"{constants}def setup(p):\n    {call}\n"
    (flag,) = sites(text, "flag")
    assert (flag.name, flag.value, flag.choices, flag.scope, flag.start) == (name, value, choices, "setup", 5)


def test_a_decorated_command_has_its_options() -> None:
    text = '@click.command()\n@click.option("--count", default=1)\ndef main(count): ...\n'
    assert [(s.name, s.value, s.scope) for s in sites(text, "flag")] == [("--count", "1", "main")]


def test_arguments_without_a_long_name_are_no_flags() -> None:
    assert sites('p.add_argument("file")\np.add_argument("-v")\np.add_argument(name)\n', "flag") == []


def test_a_field_that_declares_a_flag_by_annotation_is_one() -> None:
    text = """
    BACKENDS = ["cutlass", "trtllm"]
    @dataclass
    class ServerArgs:
        tp_size: A[int, "How many.", NS("p")] = 1
        fp4_gemm_backend: A[str, Arg(help="x", choices=BACKENDS)] = "auto"
        hidden: A[str, Arg(help="x", no_cli=True)] = "auto"
        plain: int = 3
    """
    assert [(s.name, s.value, s.choices, s.scope) for s in sites(text, "flag")] == [
        ("--tp-size", "1", None, "ServerArgs"),
        ("--fp4-gemm-backend", '"auto"', ("cutlass", "trtllm"), "ServerArgs"),
    ]


def test_a_deprecated_flag_says_so() -> None:
    text = 'p.add_argument("--old", action=DeprecatedAction, help="Use --new.")\n'
    assert named(text, "deprecation") == [("--old", "Use --new.")]


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ('x = os.environ.get("APP_X", "1")', "APP_X", '"1"'),
        ('x = os.environ["APP_X"]', "APP_X", None),
        ('x = os.getenv("app_x", default=None)', "app_x", "None"),
        ('x = os.getenv("APP_X") or "4"', "APP_X", '"4"'),
        ('x = os.environ.get("APP_X") or 4', "APP_X", "4"),
        ('x = os.getenv("APP_X") or other()', "APP_X", None),
        ('x = os.getenv("APP_X") and "4"', "APP_X", None),
        ('if "APP_X" in os.environ: pass', "APP_X", None),
        ('if "APP_X" not in environ: pass', "APP_X", None),
        ('os.environ.setdefault("APP_X", "2")', "APP_X", '"2"'),
        ('x = environ["APP_X"]', "APP_X", None),
        ('x = get_bool_env_var("APP_X", "false")', "APP_X", '"false"'),
        ('x = env_bool("APP_X", False)', "APP_X", "False"),
        ("class Envs:\n    APP_X = EnvBool(False)", "APP_X", "False"),
        ("class knobs:\n    x: bool = env_bool('APP_X')", "APP_X", None),
    ],
)
def test_a_variable_that_is_read_has_its_default(text: str, name: str, value: str | None) -> None:
    assert named(text, "env") == [(name, value)]


@pytest.mark.parametrize(
    "text",
    [
        'os.environ["APP_X"] = "1"',
        'del os.environ["APP_X"]',
        'os.environ.pop("APP_X")',
        'setenv("APP_X", "1")',
        "env(x)",
    ],
)
def test_a_variable_that_is_only_written_is_not_declared(text: str) -> None:
    assert named(text, "env") == []


def test_a_registry_of_variables_declares_its_keys_with_their_defaults() -> None:
    text = """
    if TYPE_CHECKING:
        APP_HOST: str = ""
        APP_RANK: int = 0
    environment_variables = {
        "APP_HOST": lambda: os.getenv("APP_HOST", "localhost"),
        "APP_RANK": lambda: compute(),
        "APP_KIND": env_with_choices("APP_KIND", None, ["a", "b"]),
    }
    """
    assert named(text, "env") == [("APP_HOST", '"localhost"'), ("APP_RANK", "0"), ("APP_KIND", "None")]
    assert sites(text, "env")[2].choices == ("a", "b")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('@app.post("/v1/chat")\nasync def f(): ...', ["POST /v1/chat"]),
        ('@router.get("/x", response_class=R)\ndef f(): ...', ["GET /x"]),
        ('@app.api_route("/x", methods=["GET", "POST"])\ndef f(): ...', ["GET /x", "POST /x"]),
        ('@app.route("/x")\ndef f(): ...', ["GET /x"]),
        ('app.add_api_route("/x", f, methods=["put"])', ["PUT /x"]),
        ('routes = [Route("/x", f)]', ["GET /x"]),
        ('@app.websocket("/ws")\ndef f(): ...', ["WEBSOCKET /ws"]),
        ('client.get("/x")', []),
        ('@cache.get("key")\ndef f(): ...', []),
    ],
)
def test_a_route_is_its_method_and_path(text: str, names: list[str]) -> None:
    assert [site.name for site in sites(text, "route")] == names


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ('def f():\n    warnings.warn("f is "\n        "old", DeprecationWarning)', "f", "f is old"),
        ('def f():\n    warnings.warn(f"{x} goes", category=FutureWarning)', "f", "{x} goes"),
        ('class A:\n    @deprecated("use g")\n    def f(self): ...', "A.f", "use g"),
        ('def f():\n    logger.warning_once("X is deprecated, use %s", y)', "f", "X is deprecated, use %s"),
        ('def f():\n    """Do.\n\n    .. deprecated:: 1.2\n        Use g.\n\n    More.\n    """', "f", "1.2 Use g."),
        ('logger.warning("this module is deprecated")', "core", "this module is deprecated"),
    ],
)
def test_a_deprecation_names_what_it_stands_in_and_keeps_the_message(text: str, name: str, value: str) -> None:
    assert named(text, "deprecation") == [(name, value)]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("`pace` is deprecated, pass `rate`.", "pace"),
        ("pace has been deprecated", "pace"),
        ("The 'pace' argument is deprecated", "pace"),
        ("Parameter pace will be deprecated", "pace"),
        ("APP_PACE is deprecated; use --pace", "APP_PACE"),
        ("`A.old=True` is deprecated", "A.old"),
        ("The environment variable APP_PACE is deprecated", "APP_PACE"),
        ("A.old() is deprecated", "A.old"),
        ("The second argument is deprecated", "A.run"),
        ("This is deprecated", "A.run"),
        ("Usage is deprecated", "A.run"),
        ("support is deprecated", "A.run"),
        ("`run` is deprecated", "A.run"),
        ("Passing `pace` is deprecated", "A.run"),
    ],
)
def test_a_deprecation_is_of_what_its_words_begin_with(words: str, name: str) -> None:
    text = f'class A:\n    def run(self, pace):\n        warnings.warn("{words}", DeprecationWarning)\n'
    assert named(text, "deprecation") == [(name, words)]


def test_an_ordinary_warning_is_no_deprecation() -> None:
    assert sites('warnings.warn("slow", UserWarning)\nlogger.warning("slow")', "deprecation") == []


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("def f():\n    raise ValueError(f'bad {x!r}'\n        ' thing')", "ValueError", "bad {x!r} thing"),
        ("def f():\n    raise errors.Bad('no %s' % x) from e", "Bad", "no %s"),
        ("def f():\n    raise KeyError('no {}'.format(x))", "KeyError", "no {}"),
        ("def f():\n    raise NotImplementedError", "NotImplementedError", None),
        ("def f():\n    assert x, 'must be ' + y", "AssertionError", "must be "),
    ],
)
def test_an_error_has_its_class_and_message(text: str, name: str, value: str | None) -> None:
    (error,) = sites(text, "error")
    assert (error.name, (error.value or "").strip() or None, error.scope) == (name, (value or "").strip() or None, "f")


def test_an_error_that_is_only_passed_on_is_none() -> None:
    assert sites("try: f()\nexcept E as error:\n    raise\ndef g(error):\n    raise error\n", "error") == []


@pytest.mark.parametrize(
    ("check", "limits"),
    [
        ("assert top_k <= 22", [("top_k", "<= 22")]),
        ("assert 0 < self.k <= MAX_K, 'no'", [("self.k", "> 0"), ("self.k", "<= MAX_K")]),
        (
            "if x.shape[0] > 1024 or (n % 8 != 0):\n        raise ValueError",
            [("x.shape[0]", "> 1024"), ("n % 8", "!= 0")],
        ),
        ("if 3 > x:\n        raise ValueError", [("x", "< 3")]),
        ("assert head_dim in [64, 128]", [("head_dim", "in [64, 128]")]),
        ("assert x > -1.5", [("x", "> -1.5")]),
        ("if x > 3:\n        log()", []),
        ("assert x is not None", []),
        ("assert a == b", []),
        ("assert kind == Kind.LEFT", []),
    ],
)
def test_a_bound_that_is_checked_is_a_limit(check: str, limits: list[tuple[str, str]]) -> None:
    found = sites(f"def f(x):\n    {check}\n", "limit")
    assert [(site.name, site.value) for site in found] == limits
    assert {site.scope for site in found} <= {"f"}


def test_registries_and_registering_calls_are_registrations() -> None:
    text = """
    _TEXT_GENERATION_MODELS = {
        "LlamaForCausalLM": ("llama", "LlamaForCausalLM"),
        **more,
    }
    COLORS = {"red": 1}
    @register_op("ns::gemm", mutates_args=())
    def gemm(): ...
    @MODELS.register("bert")
    class Bert:
        def __init__(self):
            self.register_buffer("inv_freq", x)
    direct_register_custom_op(op_name="moe", op_func=f)
    atexit.register(close)
    """
    assert [(s.name, s.value, s.scope) for s in sites(text, "registration")] == [
        ("LlamaForCausalLM", '("llama", "LlamaForCausalLM")', "_TEXT_GENERATION_MODELS"),
        ("ns::gemm", None, "operators"),
        ("bert", None, "Bert"),
        ("moe", None, "operators"),
    ]


@pytest.mark.parametrize("call", ["torch.library.register_fake", "register_cpu_compile_fake", "lib.register_buffer"])
def test_what_stands_in_for_an_operator_while_a_graph_is_traced_is_no_registration(call: str) -> None:
    assert sites(f'{call}("ns::op", f)\n', "registration") == []


def test_the_version_of_a_module_is_a_version() -> None:
    assert named('__version__ = "1.2.3"\n', "version") == [("__version__", "1.2.3")]
    assert named("__version__ = compute()\n", "version") == []


def test_names_registered_by_a_list_are_registrations() -> None:
    text = """
        register_configs(
            config=Config,
            model_paths=["acme/first", "acme/second"],
            detectors=["x"],
        )
        replace_or_register("weight", value)
    """
    assert [(site.name, site.scope) for site in sites(text, "registration")] == [
        ("acme/first", "model_paths"),
        ("acme/second", "model_paths"),
    ]


def test_a_table_of_a_registry_is_one_whatever_it_is_called() -> None:
    text = '_TYPE_TO_TEMPLATE: dict[str, Path] = {"first": DIR / "a.jinja", "second": DIR / "b.jinja"}\n'
    code = Source("pkg/templates/registry.py", text.encode()), Source("pkg/templates/paths.py", text.encode())
    found = [[site.name for site in read(source).sites if site.kind == "registration"] for source in code]
    assert found == [["first", "second"], []]
