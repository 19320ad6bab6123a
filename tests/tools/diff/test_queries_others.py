"""What the queries find in Rust, Go, JavaScript and TypeScript: small sources in, declarations out."""

import time

import pytest

from tools.diff.declaration_reader import language_of, read_declarations


def declared(path: str, text: str, kinds: str) -> list[str]:
    """Write each declaration of some kinds as `kind path part=text …`."""
    language = language_of(path)
    assert language is not None
    lines: list[str] = []
    for declaration in read_declarations(text.encode(), language):
        if declaration.kind in kinds.split():
            parts = [f"{part}={value}" for part, value in sorted(declaration.parts.items())]
            lines.append(" ".join([declaration.kind, declaration.path, *parts]))
    return lines


def entries(text: str) -> list[str]:
    """Read what is expected: entries with a semicolon or a line between them."""
    return [entry for line in text.strip().splitlines() for entry in line.split("; ")]


def test_rust_methods_belong_to_the_type_of_their_impl() -> None:
    text = """
pub mod net { pub(crate) struct Hidden; }
pub struct Pool<T> { pub size: usize, inner: T }
pub trait Policy: Send { fn pick(&self, load: &[u32]) -> usize; }
impl<T> Policy for Pool<T> { const LIMIT: u8 = 4; pub fn pick(&self, load: &[u32]) -> usize { 0 } }
pub enum Mode { Fast = 1, Named(String) }
pub static PORT: u16 = 80;
"""
    assert declared("a.rs", text, "namespace class field enum member constant function") == entries("""
namespace net public=pub; class net.Hidden; class Pool public=pub; field Pool.size public=pub type=usize
field Pool.inner type=T; class Policy base=Send public=pub; function Policy.pick returns=usize
constant Pool.LIMIT type=u8 value=4; function Pool.pick public=pub returns=usize; enum Mode public=pub
member Mode.Fast value=1; member Mode.Named type=(String); constant PORT public=pub type=u16 value=80
""")
    assert declared("a.rs", text, "parameter")[:2] == [
        "parameter Policy.pick.&self",
        "parameter Policy.pick.load type=&[u32]",
    ]


def test_go_declarations() -> None:
    text = """package a
type Server struct {
	http.Handler
	Host, Port string `json:"host"`
}
type Runner interface { Run(ctx context.Context, int) error }
type Level int
const (
	Low Level = iota
	High
)
var ErrClosed = errors.New("closed")
// Deprecated: use Run.
func (s *Server) Serve(addr string, more ...int) (int, error) {
	if addr == "" { return 0, fmt.Errorf("no address in %v", more) }
	return 0, nil
}
"""
    assert declared(
        "a.go", text, "class field constant function parameter error deprecation"
    ) == entries("""
class Server; field Server.http.Handler type=http.Handler; field Server.Host type=string value=`json:"host"`
field Server.Port type=string value=`json:"host"`; class Runner; function Runner.Run returns=error
parameter Runner.Run.ctx type=context.Context; parameter Runner.Run.int type=int; constant Level value=int
constant Low type=Level value=iota; constant High; constant ErrClosed value=errors.New("closed")
error errors.New message=closed; deprecation Serve message=// Deprecated: use Run.
function Server.Serve returns=(int, error); parameter Server.Serve.addr type=string
parameter Server.Serve.more type=int; error Server.Serve.fmt.Errorf condition=addr == "" message=no address in %v
""")


@pytest.mark.parametrize(
    ("path", "fragment"),
    [
        ("a.rs", '    size: usize,\n}\n\nfn home() { std::env::var("A"); }\nfn cut('),
        ("a.go", '\tSize int\n}\n\nfunc home() {\n\tos.Getenv("A")\n'),
        ("a.js", "    }\n  }\n}\nfunction home() { process.env.A }\nif ("),
        ("a.ts", "  size: number;\n}\nfunction home() { return process.env.A }\n"),
    ],
)
def test_a_fragment_begins_in_the_middle_of_something(path: str, fragment: str) -> None:
    assert declared(path, fragment, "function env") == ["function home", "env home.A"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "a.rs",
            "struct A {\n"
            + "#[arg(long)]\n" * 500
            + "#[arg("
            + "long, default_value = 3, " * 500
            + ")] x: u8 }",
        ),
        ("a.go", "package a\n" + "// Deprecated: no\n" * 1_000 + "func F() {}\n"),
        ("a.ts", "a" + ".option('--x', 'y', 3)" * 300 + "\n" + "/** @deprecated */\n" * 1_000),
    ],
)
def test_long_lists_of_the_same_are_read_in_time(path: str, text: str) -> None:
    declared(path, "", "flag")
    begun = time.process_time()
    declared(path, text, "flag")
    assert time.process_time() - begun < 5
