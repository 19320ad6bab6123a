"""What the queries find in Rust, Go, JavaScript and TypeScript: small sources in, declarations out."""

import time

import pytest

from tools.diff.declarations import language_of, read_declarations


def declared(path: str, text: str, kinds: str) -> list[str]:
    """Write each declaration of some kinds as `kind path part=text …`."""
    language = language_of(path)
    assert language is not None
    found = read_declarations(text.encode(), language)
    return [
        " ".join([one.kind, one.path, *(f"{part}={value}" for part, value in sorted(one.parts.items()))])
        for one in found
        if one.kind in kinds.split()
    ]


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


def test_rust_flags_and_variables_of_clap() -> None:
    text = """
struct Args {
    #[arg(long, default_value_t = Mode::Fast, env = "APP_MODE")]
    #[serde(default)]
    mode: Mode,
    #[arg(short = 'p', long = "listen-port", default_value = "80")]
    port: u16,
    #[arg(short, long)]
    quiet: bool,
}
fn home() -> String { std::env::var("APP_HOME").unwrap_or_else(|_| "/".into()) }
"""
    assert declared("a.rs", text, "flag env") == entries("""
env Args.APP_MODE; flag Args.mode default=Fast; flag Args.listen-port default="80"; flag Args.quiet
env home.APP_HOME default=|_| "/".into()
""")


def test_rust_errors_routes_and_names_for_python() -> None:
    text = """
pub use policy::{Pool, load::{Mode as LoadMode}, *};
enum Failure { #[error("no worker {0}")] NoWorker(String) }
#[deprecated(since = "1", note = "use run_all")]
#[pyfunction]
#[pyo3(name = "run_one")]
fn run(n: u32) -> Result<()> {
    ensure!(n > 3, "too few");
    if n == 9 { return Err(Failure::NoWorker("x".into())); }
    if n == 8 { anyhow::bail!("eight") }
    app.route("/v1/x", get(read).post(write))
        .route("/v1/y", delete(drop))
}
#[get("/health")] async fn health() {}
"""
    assert declared("a.rs", text, "export error deprecation registration route") == entries("""
export Pool; export LoadMode; export *; error Failure.NoWorker message=no worker {0}
deprecation run message=use run_all; registration run table=pyfunction; registration run_one table=pyo3 value=run
error run.ensure condition=(n > 3, "too few"); error run.Failure::NoWorker condition=n == 9 message=x
error run.anyhow::bail condition=n == 8 message=eight; route run./v1/x method=get, post
route run./v1/y method=delete; route /health method=get
""")


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
    assert declared("a.go", text, "class field constant function parameter error deprecation") == entries("""
class Server; field Server.http.Handler type=http.Handler; field Server.Host type=string value=`json:"host"`
field Server.Port type=string value=`json:"host"`; class Runner; function Runner.Run returns=error
parameter Runner.Run.ctx type=context.Context; parameter Runner.Run.int type=int; constant Level value=int
constant Low type=Level value=iota; constant High; constant ErrClosed value=errors.New("closed")
error errors.New message=closed; deprecation Serve message=// Deprecated: use Run.
function Server.Serve returns=(int, error); parameter Server.Serve.addr type=string
parameter Server.Serve.more type=int; error Server.Serve.fmt.Errorf condition=addr == "" message=no address in %v
""")


def test_go_flags_variables_routes_and_commands() -> None:
    text = """package a
func main() {
	flag.Int("n", 3, "count")
	cmd.Flags().StringVarP(&host, "host", "H", "::1", "address")
	fs.BoolVar(&quiet, "quiet", false, "say less")
	home, ok := os.LookupEnv("APP_HOME")
	mux.HandleFunc("GET /health", health)
	r.POST("/v1/x", write)
	log.String("key", value)
	serve := &cobra.Command{Use: "serve", Short: "Serve"}
}
"""
    assert declared("a.go", text, "flag env route registration") == entries("""
flag main.n default=3 help=count; flag main.host default="::1" help=address
flag main.quiet default=false help=say less; env main.APP_HOME; route main.GET /health method=HandleFunc
route main./v1/x method=POST; registration main.serve table=cobra.Command
""")


SHARED = """
/** @deprecated use open */
export function start(port) { if (port < 1) { throw new RangeError("bad port"); } }
export const LIMIT = 3, stop = () => 1;
export { a, b as c } from "./x";
const home = process.env.APP_HOME || "/", level = process.env["LEVEL"], fs = require("fs");
app.get("/v1/x", read);
program.option("--host <h>", "address", "::1")
  .option("-q, --quiet");
"""


@pytest.mark.parametrize("path", ["a.js", "a.ts", "a.tsx"])
def test_what_javascript_and_typescript_share(path: str) -> None:
    kinds = "function constant export env error deprecation route flag parameter"
    assert declared(path, SHARED, kinds) == entries("""
deprecation start message=/** @deprecated use open */; function start public=export; parameter start.port
error start.RangeError condition=port < 1 message=bad port; constant LIMIT public=export value=3
function stop public=export; export a value="./x"; export c value="./x"
constant home value=process.env.APP_HOME || "/"; env APP_HOME default="/"; constant level value=process.env["LEVEL"]
env LEVEL; route /v1/x method=get; flag --host <h> default="::1" help=address; flag -q, --quiet
""")


def test_javascript_classes_have_no_types() -> None:
    text = "class A extends B { size = 1; run(a, b = 2, ...c) {} }\nmodule.exports = { A };\nA.make = function () {};\n"
    assert declared("a.js", text, "class field function parameter export") == entries("""
class A base=B; field A.size value=1; function A.run; parameter A.run.a; parameter A.run.b default=2
parameter A.run....c; export A; function A.make
""")


@pytest.mark.parametrize("path", ["a.ts", "a.tsx"])
def test_typescript_types(path: str) -> None:
    text = """
export interface Options extends Base { host?: string; open(port: number): void }
export type Level = "low" | "high";
type Point = { x: number };
export enum Mode { Off, On = 4 }
namespace net { export const PORT: number = 80 }
export abstract class Pool { private size: number = 1; pick(load: number[], seed?: string): Worker { return w } }
"""
    assert declared(path, text, "namespace class enum member field constant function parameter") == entries("""
class Options base=extends Base public=export; field Options.host type=string value=?
function Options.open returns=void; parameter Options.open.port type=number
constant Level public=export value="low" | "high"; class Point; field Point.x type=number; enum Mode public=export
member Mode.Off; member Mode.On value=4; namespace net; constant net.PORT public=export type=number value=80
class Pool public=export; field Pool.size type=number value=1; function Pool.pick returns=Worker
parameter Pool.pick.load type=number[]; parameter Pool.pick.seed default=? type=string
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
        ("a.rs", "struct A {\n" + "#[arg(long)]\n" * 500 + "#[arg(" + "long, default_value = 3, " * 500 + ")] x: u8 }"),
        ("a.go", "package a\n" + "// Deprecated: no\n" * 1_000 + "func F() {}\n"),
        ("a.ts", "a" + ".option('--x', 'y', 3)" * 300 + "\n" + "/** @deprecated */\n" * 1_000),
    ],
)
def test_long_lists_of_the_same_are_read_in_time(path: str, text: str) -> None:
    declared(path, "", "flag")
    begun = time.process_time()
    declared(path, text, "flag")
    assert time.process_time() - begun < 5
