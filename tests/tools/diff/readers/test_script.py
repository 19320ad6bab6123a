import pytest

from tools.diff.readers.script import read
from tools.diff.reading import Param, Reading, Site, Source, Symbol


def whole(text: str, path: str = "src/a.ts") -> Reading:
    return read(Source(path, text.encode(), digest=True))


def fragment(text: str, heading: str, first_line: int = 1) -> Reading:
    return read(Source("src/a.ts", text.encode(), first_line, whole=False, heading=heading))


def named(reading: Reading, name: str) -> Symbol:
    (symbol,) = (symbol for symbol in reading.symbols if symbol.name == name)
    return symbol


def sites(reading: Reading, kind: str) -> list[tuple[str, str | None]]:
    return [(site.name, site.value) for site in reading.sites if site.kind == kind]


def test_a_function_has_parameters_with_types_and_defaults() -> None:
    run = named(
        whole("export function run(a: number, b = 5, c?: string, ...rest: string[]): Promise<void> {\n  go();\n}\n"),
        "run",
    )
    assert run.params == (
        Param("a", None, "number"),
        Param("b", "5"),
        Param("c", "undefined", "string"),
        Param("rest", None, "string[]", star="*"),
    )
    assert (run.returns, run.start, run.head, run.end, run.public) == ("Promise<void>", 1, 1, 3, True)


def test_what_is_exported_is_public_however_it_is_said() -> None:
    reading = whole(
        "export const MAX = 10;\nexport const arrow = async (a) => { work(); };\nconst hidden = 5;\n"
        "function late() {}\n"
        "function never() {}\nexport { late };\nexport default class Foo { private x = 1; #y = 2; z() {} }\n"
    )
    assert [(symbol.name, symbol.kind) for symbol in reading.symbols if symbol.public] == [
        ("MAX", "constant"),
        ("arrow", "function"),
        ("late", "function"),
        ("Foo", "class"),
        ("Foo.z", "method"),
    ]
    assert reading.exports == frozenset({"MAX", "arrow", "late", "Foo"})


def test_types_show_their_members() -> None:
    reading = whole(
        'export interface Opts extends Base {\n  host: string;\n  port?: number;\n}\nexport enum Mode { A, B = "b" }\n'
        "export type Alias = string | number;\n"
    )
    assert [(s.kind, s.name, s.annotation, s.value) for s in reading.symbols] == [
        ("trait", "Opts", None, None),
        ("field", "Opts.host", "string", None),
        ("field", "Opts.port", "?: number", None),
        ("enum", "Mode", None, None),
        ("member", "Mode.A", None, None),
        ("member", "Mode.B", None, '"b"'),
        ("type", "Alias", None, "string | number"),
    ]
    assert named(reading, "Opts").bases == ("Base",)


def test_variables_options_routes_errors_and_limits_are_sites() -> None:
    reading = whole(
        'function serve(a: number) {\n  const k = process.env.API_KEY ?? "none";\n'
        '  use(process.env["OTHER"], import.meta.env.VITE_X);\n'
        '  program.option("-p, --port <n>", "help", 8080);\n  app.get("/v1/x", handler);\n'
        '  client.get("/not-served");\n'
        "  if (a > 512) {\n    throw new RangeError(`too big ${a}`);\n  }\n}\n"
    )
    assert sites(reading, "env") == [("API_KEY", '"none"'), ("OTHER", None), ("VITE_X", None)]
    assert sites(reading, "flag") == [("--port", "8080")]
    assert sites(reading, "route") == [("GET /v1/x", None)]
    assert sites(reading, "error") == [("RangeError", "too big ${a}")]
    assert Site("limit", "a", 7, 7, value="> 512", scope="serve", rejects=True) in reading.sites


def test_a_doc_comment_that_says_deprecated_is_a_deprecation() -> None:
    reading = whole("/**\n * Old.\n * @deprecated use next\n */\nexport function old() {}\nconst s = '@deprecated';\n")
    assert sites(reading, "deprecation") == [("old", "use next")]


def test_javascript_and_tags_are_read_by_their_own_grammars() -> None:
    assert named(whole("class A extends B {\n  go(a, b = 2) {}\n}\n", "a.js"), "A.go").params == (
        Param("a"),
        Param("b", "2"),
    )
    page = "export const Page = ({ name }: Props) => {\n  return <p>Don't {name}</p>;\n};\n"
    assert named(whole(page, "a.tsx"), "Page").kind == "function"


def test_patterns_with_quotes_do_not_hide_what_follows() -> None:
    reading = whole("const re = /[\"'`]\\/*/g;\nconst k = process.env.REAL_KEY;\n")
    assert sites(reading, "env") == [("REAL_KEY", None)]


def test_comments_and_layout_do_not_change_the_digest() -> None:
    code = whole('call({ a: 1, b: "x//y" });\n').code
    assert whole('// why\ncall({\n  a: 1,\n  b: "x//y",\n});\n').code == code
    assert whole('call({ a: 1, b: "x/y" });\n').code != code


def test_fragments_are_read_in_what_their_heading_opens() -> None:
    field = named(fragment("  port?: number;\n}\n", "export interface Opts {", 40), "Opts.port")
    assert (field.start, field.public) == (40, True)
    body = fragment(
        '  const x = 5;\n  throw new Error("no");\n}\n\nexport function next(a) {}\n', "export function run() {", 7
    )
    assert [(symbol.name, symbol.start) for symbol in body.symbols] == [("next", 11)]
    assert body.sites == (Site("error", "Error", 8, 8, value="no", scope="run"),)


@pytest.mark.parametrize("path", ["a.ts", "a.tsx", "a.js"])
@pytest.mark.parametrize(
    "text",
    [
        b"class A {\n" * 900,
        b"(a=>" * 2_000,
        b"<a>" * 3_000,
        b"`${" * 2_000,
        b"'a" * 5_000,
        b"\xff\xfe",
        b"",
        b"= /a" * 2_000,
    ],
)
def test_hostile_text_neither_crashes_nor_hangs(text: bytes, path: str) -> None:
    read(Source(path, text))
    read(Source(path, text, 3, whole=False, heading="export class A {"))
    read(Source(path, text, 3, whole=False, heading="function f("))
