import pytest

from tools.diff.readers.go import read
from tools.diff.reading import Param, Reading, Site, Source, Symbol


def whole(text: str) -> Reading:
    return read(Source("a.go", text.encode(), digest=True))


def fragment(text: str, heading: str, first_line: int = 1) -> Reading:
    return read(Source("a.go", text.encode(), first_line, whole=False, heading=heading))


def named(reading: Reading, name: str) -> Symbol:
    (symbol,) = (symbol for symbol in reading.symbols if symbol.name == name)
    return symbol


def sites(reading: Reading, kind: str) -> list[tuple[str, str | None]]:
    return [(site.name, site.value) for site in reading.sites if site.kind == kind]


def test_a_function_has_parameters_and_results_and_is_public_by_its_capital() -> None:
    reading = whole(
        "package a\n\nfunc Run(a, b int, rest ...string) (int, error) {\n\treturn 1, nil\n}\n\nfunc helper() {}\n"
    )
    run = named(reading, "Run")
    assert run.params == (
        Param("a", annotation="int"),
        Param("b", annotation="int"),
        Param("rest", annotation="string", star="*"),
    )
    assert (run.returns, run.start, run.head, run.end, run.public) == ("(int, error)", 3, 3, 5, True)
    assert not named(reading, "helper").public


def test_methods_belong_to_their_receiver_and_interfaces_list_theirs() -> None:
    reading = whole(
        "package a\n\nfunc (c *Config) Run(ctx Ctx) error { return nil }\nfunc (s Set[T]) Add(v T) {}\n"
        "type Store interface {\n\tGet(key string) string\n}\n"
    )
    assert [(symbol.kind, symbol.name) for symbol in reading.symbols] == [
        ("method", "Config.Run"),
        ("method", "Set.Add"),
        ("trait", "Store"),
        ("method", "Store.Get"),
    ]


def test_structs_show_their_fields_and_typed_iota_groups_their_members() -> None:
    reading = whole(
        "package a\n\ntype Kind int\n\nconst (\n\tKindA Kind = iota\n\tKindB\n)\n\nconst Max, Min = 5, 3\n\n"
        'type Config struct {\n\tHost string `json:"host"`\n\tport int\n\t*Base\n}\n'
    )
    assert [(s.kind, s.name, s.value, s.public) for s in reading.symbols] == [
        ("type", "Kind", "int", True),
        ("member", "Kind.KindA", "iota", True),
        ("member", "Kind.KindB", None, True),
        ("constant", "Max", "5", True),
        ("constant", "Min", "3", True),
        ("struct", "Config", None, True),
        ("field", "Config.Host", None, True),
        ("field", "Config.port", None, False),
        ("field", "Config.Base", None, True),
    ]


def test_variables_flags_routes_errors_and_limits_are_sites() -> None:
    reading = whole(
        'package a\n\nfunc Serve(n int) error {\n\tx := os.Getenv("GO_X")\n\ty := getEnv("GO_Y", "def")\n'
        '\tflag.String("addr", ":8080", "listen")\n\tcmd.Flags().StringVarP(&x, "name", "n", "bob", "help")\n'
        '\thttp.HandleFunc("/v1/x", h)\n\tr.GET("/users/:id", f)\n\tr.HandleFunc("/m", f).Methods("POST")\n'
        '\tif n > 10 {\n\t\treturn fmt.Errorf("too big: %d", n)\n\t}\n\treturn errors.New("no")\n}\n'
    )
    assert sites(reading, "env") == [("GO_X", None), ("GO_Y", '"def"')]
    assert sites(reading, "flag") == [("--addr", ":8080"), ("--name", "bob")]
    assert [name for name, _ in sites(reading, "route")] == ["ANY /v1/x", "GET /users/:id", "POST /m"]
    assert sites(reading, "error") == [("fmt.Errorf", "too big: %d"), ("errors.New", "no")]
    assert Site("limit", "n", 11, 11, value="> 10", scope="Serve", rejects=True) in reading.sites


def test_a_comment_that_says_deprecated_is_a_deprecation() -> None:
    reading = whole("package a\n\n// Old works.\n//\n// Deprecated: use New.\nfunc Old() {}\n")
    assert sites(reading, "deprecation") == [("Old", "use New.")]


def test_comments_and_layout_do_not_change_the_digest() -> None:
    code = whole('package a\nfunc F() { g("a//b") }\n').code
    assert whole('package a\n\n// F.\nfunc F() {\n\tg("a//b")\n}\n').code == code
    assert whole('package a\nfunc F() { g("a/b") }\n').code != code


def test_fragments_are_read_in_what_their_heading_opens() -> None:
    assert [s.name for s in fragment("\tPort int\n}\n", "type Config struct {").symbols] == ["Config.Port"]
    body = fragment(
        '\tx := 5\n\treturn errors.New("no")\n}\n\nfunc Next(a int) {}\n', "func (c *Config) Run() error {", 7
    )
    assert [(symbol.name, symbol.start) for symbol in body.symbols] == [("Next", 11)]
    assert body.sites == (Site("error", "errors.New", 8, 8, value="no", scope="Config.Run"),)


@pytest.mark.parametrize(
    "text", [b"func a(" * 2_000, b"`a" * 5_000, b"type A struct {\n" * 900, b"\xff\xfe", b"", b"const (\n" * 999]
)
def test_hostile_text_neither_crashes_nor_hangs(text: bytes) -> None:
    read(Source("a.go", text))
    read(Source("a.go", text, 3, whole=False, heading="type A struct {"))
    read(Source("a.go", text, 3, whole=False, heading="func f("))
