import pytest

from tools.diff.readers.rust import read
from tools.diff.reading import Param, Reading, Site, Source, Symbol


def whole(text: str) -> Reading:
    return read(Source("src/a.rs", text.encode(), digest=True))


def fragment(text: str, heading: str, first_line: int = 1) -> Reading:
    return read(Source("src/a.rs", text.encode(), first_line, whole=False, heading=heading))


def named(reading: Reading, name: str) -> Symbol:
    (symbol,) = (symbol for symbol in reading.symbols if symbol.name == name)
    return symbol


def sites(reading: Reading, kind: str) -> list[tuple[str, str | None]]:
    return [(site.name, site.value) for site in reading.sites if site.kind == kind]


def test_a_method_belongs_to_its_type_and_has_no_receiver() -> None:
    run = named(
        whole(
            "impl<T: Clone> Router<T> where T: Copy {\n"
            "    pub async fn run(&self, mut n: usize) -> u8 {\n        1\n    }\n}\n"
        ),
        "Router.run",
    )
    assert (run.kind, run.params, run.returns) == ("method", (Param("n", annotation="usize"),), "u8")
    assert (run.start, run.head, run.end, run.public) == (2, 2, 4, True)


def test_only_what_is_pub_for_everybody_is_public() -> None:
    reading = whole(
        "pub fn a() {}\nfn b() {}\npub(crate) fn c() {}\nmod inner { pub fn d() {} }\n"
        "impl Default for E { fn default() -> E { E } }\npub trait T { fn t(&self); }\n"
    )
    assert [symbol.name for symbol in reading.symbols if symbol.public] == ["a", "T", "T.t"]


def test_types_show_fields_variants_and_values() -> None:
    reading = whole(
        "#[derive(Debug)]\npub struct S {\n    pub a: u8,\n    b: Vec<u8>,\n}\npub enum E { A, B(u8) = 3 }\n"
        'pub const MAX: usize = 1 << 4;\nstatic NAME: &str = "x";\npub trait P: Send + Sync {}\npub type Alias = u8;\n'
    )
    assert named(reading, "S").decorators == ("#[derive(Debug)]",)
    assert [
        (s.name, s.kind, s.annotation, s.value) for s in reading.symbols if s.kind in ("field", "member", "constant")
    ] == [
        ("S.a", "field", "u8", None),
        ("S.b", "field", "Vec<u8>", None),
        ("E.A", "member", None, None),
        ("E.B", "member", "(u8)", "3"),
        ("MAX", "constant", "usize", "1 << 4"),
        ("NAME", "constant", "&str", '"x"'),
    ]
    assert (named(reading, "P").kind, named(reading, "P").bases, named(reading, "Alias").kind) == (
        "trait",
        ("Send", "Sync"),
        "type",
    )


def test_the_flags_of_a_command_are_found_in_both_styles() -> None:
    reading = whole(
        "#[derive(Parser)]\nstruct Args {\n"
        '    #[arg(long, default_value = "0.0.0.0", env = "SMG_HOST")]\n    host: String,\n'
        '    #[arg(long = "policy", value_parser = ["random", "round_robin"])]\n    p: String,\n'
        "    #[arg(short)]\n    q: u8,\n}\n"
        'fn cli() { Command::new("x").arg(Arg::new("w").long("workers").default_value("4"))'
        '.arg(Arg::new("v").long("verbose")); }\n'
    )
    assert sites(reading, "flag") == [
        ("--host", "0.0.0.0"),
        ("--policy", None),
        ("--verbose", None),
        ("--workers", "4"),
    ]
    assert [site.choices for site in reading.sites if site.name == "--policy"] == [("random", "round_robin")]
    assert sites(reading, "env") == [("SMG_HOST", "0.0.0.0")]


def test_variables_routes_and_deprecations_are_sites() -> None:
    reading = whole(
        'fn app() { let x = std::env::var("SMG_X"); Router::new().route("/v1/chat", post(chat).get(list)); }\n'
        '#[get("/health")]\nasync fn health() {}\n#[deprecated(note = "use y")]\npub fn x() {}\n// env::var("NOT_ME")\n'
    )
    assert sites(reading, "env") == [("SMG_X", None)]
    assert [name for name, _ in sites(reading, "route")] == ["GET /v1/chat", "POST /v1/chat", "GET /health"]
    assert sites(reading, "deprecation") == [("x", "use y")]


def test_a_variable_is_what_a_program_or_its_builder_may_be_given_not_what_a_build_sets() -> None:
    reading = whole(
        'pub const VERSION: &str = env!("SMG_VERSION");\nconst TAG: Option<&str> = option_env!("SMG_TAG");\n'
        'fn f() { set_env!("SMG_MODE", 1); let n = env_u64("SMG_BUDGET", 8); let h = parse_env("SMG_HOST"); }\n'
    )
    assert [name for name, _ in sites(reading, "env")] == ["SMG_TAG", "SMG_BUDGET", "SMG_HOST"]


def test_errors_and_limits_know_their_function_and_tests_do_not_count() -> None:
    reading = whole(
        "impl A {\n    fn f(&self, n: usize) -> Result<()> {\n        if n > 512 {\n"
        "            return Err(Error::TooBig(n));\n        }\n"
        '        ensure!(n <= MAX_N, "n is {n}");\n        bail!("no \\"way\\"");\n    }\n}\n'
        "#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() { assert!(a <= 5); }\n}\n"
    )
    assert [(s.kind, s.name, s.value, s.scope) for s in reading.sites] == [
        ("limit", "n", "> 512", "A.f"),
        ("error", "Error.TooBig", None, "A.f"),
        ("error", "ensure!", "n is {n}", "A.f"),
        ("limit", "n", "<= MAX_N", "A.f"),
        ("error", "bail!", 'no \\"way\\"', "A.f"),
    ]


def test_a_projects_own_macro_that_bails_out_raises_an_error() -> None:
    text = 'fn f() -> Result<()> {\n    bail_bad_request!(param = "mode", "mode is not supported yet");\n}\n'
    assert [(site.name, site.value) for site in whole(text).sites] == [
        ("bail_bad_request!", "mode mode is not supported yet")
    ]


def test_an_error_that_is_nothing_but_its_words_is_one() -> None:
    text = 'fn f(c: u8) -> Result<(), String> {\n    if c > 3 {\n        return Err(format!("no color {c}"));\n    }\n'
    text += '    match g(c) {\n        Err(e) => h(e),\n        _ => Err("not now".to_string()),\n    }\n}\n'
    assert sites(whole(text), "error") == [("Err", "no color {c}"), ("Err", "not now")]


def test_what_is_given_on_or_to_python_out_of_a_module_goes_by_its_name() -> None:
    text = "mod python {{\n    {}fn fold(a: u8) -> u8 {{ a }}\n    pub struct S {{ pub n: u8 }}\n    fn own() {{}}\n"
    text += "    pub fn register(m: &M) {{ m.add_function(wrap_pyfunction!(fold, m)?) }}\n}}\n"
    text += '#[cfg(feature = "python")]\npub use python::{{register, S}};\n'
    found = {symbol.name: symbol.public for symbol in whole(text.format("#[pyfunction]\n    ")).symbols}
    assert found == {"fold": True, "S": True, "S.n": True, "python.own": False, "register": True}
    assert "python.fold" in {symbol.name for symbol in whole(text.format("")).symbols}


def test_what_python_calls_takes_what_python_gives() -> None:
    text = '#[pyfunction]\n#[pyo3(signature = (a, way="plain", most=None))]\n'
    text += "fn fold<'py>(py: Python<'py>, a: u8, way: &str, most: Option<u8>) {}\n"
    (symbol,) = whole(f"{text}fn add(m: &M) {{ m.add_function(wrap_pyfunction!(fold, m)?) }}\n").symbols[:1]
    assert [(param.name, param.default) for param in symbol.params or ()] == [
        ("a", None),
        ("way", '"plain"'),
        ("most", "None"),
    ]
    assert (symbol.public, symbol.decorators) == (True, ("#[pyfunction]",))


def test_layout_comments_and_closing_commas_do_not_change_the_digest() -> None:
    code = whole('fn f(a: u8, b: u8) -> char { g(\'"\', "x // y") }\n').code
    assert (
        whole('/// Doc.\nfn f(\n    a: u8,\n    b: u8,\n) -> char {\n    g(\'"\', "x // y") // why\n}\n').code == code
    )
    assert whole('fn f(a: u8, b: u8) -> char { g(\'"\', "x / y") }\n').code != code


def test_a_fragment_of_a_struct_shows_its_fields() -> None:
    reading = fragment("    #[serde(default)]\n    pub load_format: Option<String>,\n", "pub struct ServerArgs {", 72)
    field = named(reading, "ServerArgs.load_format")
    assert (field.start, field.annotation, field.public) == (72, "Option<String>", True)


def test_a_fragment_of_a_body_declares_nothing_and_shows_its_errors() -> None:
    reading = fragment('        let x = 5;\n        bail!("no");\n    }\n', "pub fn run(&self) -> Result<()> {", 9)
    assert (reading.symbols, reading.sites) == ((), (Site("error", "bail!", 10, 10, value="no", scope="run"),))


def test_a_fragment_of_a_signature_shows_the_parameters_in_sight() -> None:
    reading = fragment("    url: &str,\n    worker: &str,\n) -> Option<T> {\n    work();\n", "async fn fetch(")
    assert [param.name for param in named(reading, "fetch").params or ()] == ["url", "worker"]


def test_a_fragment_behind_a_function_shows_what_follows() -> None:
    assert [s.name for s in fragment("}\n\npub fn next(a: u8) {\n    work();\n", "fn before() {").symbols] == ["next"]


def test_a_fragment_between_two_methods_shows_the_second() -> None:
    text = "        work();\n    }\n\n    pub fn next(&self, a: u8) {\n        if a {\n"
    assert [(s.kind, s.name, s.start) for s in fragment(text, "pub fn before(&self) {", 5).symbols] == [
        ("method", "next", 8)
    ]


def test_a_fragment_of_tests_shows_no_helpers() -> None:
    text = "    #[tokio::test]\n    async fn t() {\n        assert!(a <= 5);\n    }\n\n    fn helper() {}\n"
    assert (fragment(text, "mod tests {").symbols, fragment(text, "mod tests {").sites) == ((), ())


@pytest.mark.parametrize(
    "text",
    [
        b"fn a(" * 2_000,
        b"impl A {\n" * 900,
        b'"a' * 5_000,
        b'r#"' * 2_000,
        b"#[a(" * 2_000,
        b"\xff\xfe'a 'b'",
        b"/*" * 99,
        b"",
    ],
)
def test_hostile_text_neither_crashes_nor_hangs(text: bytes) -> None:
    read(Source("a.rs", text))
    read(Source("a.rs", text, 3, whole=False, heading="impl<T: A<B> X for Y {"))
    read(Source("a.rs", text, 3, whole=False, heading="fn f("))
