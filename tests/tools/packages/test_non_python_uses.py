"""Uses of packages of Go, Cargo and npm: a line fails only if it fitted the old version."""

from collections.abc import Mapping

import pytest

from agent.bumps.bump_report_model import SourceMapping, VersionCommit
from agent.bumps.pins import Bump, Ecosystem
from agent.domain.base import RepoId
from tests.made_repos import Work
from tools.packages.non_python_uses import LanguageUses, other_uses
from tools.packages.repository_trees import TreeReader


async def compared(
    work: Work,
    ecosystem: Ecosystem,
    name: str,
    versions: tuple[Mapping[str, str], Mapping[str, str]],
    own_files: Mapping[str, str],
) -> LanguageUses:
    commits = []
    for number, files in enumerate(versions):
        for path in work.git("ls-files").split():
            (work.path / path).unlink()
        sha = work.commit(f"Version {number}", dict(files))
        commits.append(VersionCommit(version=f"{number}.0", sha=sha))
    bump = Bump(ecosystem=ecosystem, name=name, old="0.0", new="1.0")
    repo = RepoId("ada/paint")
    mapping = SourceMapping(repo=repo, origin="configured", old=commits[0], new=commits[1])
    return await other_uses(await TreeReader.at(work.path), bump, mapping, own_files)


def rows(uses: LanguageUses) -> list[tuple[int, str, bool]]:
    return [(use.line, use.text, use.is_certain) for use in uses.broken]


GO_OLD = """\
package paint

type Canvas struct {
	Width, Height int
}

type Brush interface { Stroke(x int) }

func NewCanvas(width int) *Canvas { return nil }
func (c *Canvas) Line(from, to int) {}
func (c *Canvas) Fill(colours ...int) {}
func Dither(image int) int { return image }
func Blend(first, second int) int { return first }

const Black, White = 1, 2
"""
GO_OWN = """\
package main

import (
	"fmt"

	brush "github.com/ada/paint/v2/brush"
	"github.com/ada/paint/v2"
)

func main() {
	canvas := paint.NewCanvas(1)
	canvas.Line(1, 2)
	canvas.Fill(1)
	fmt.Println(paint.Dither(1), paint.Blend(1, 2), paint.White, brush.Soft)
	_ = paint.Canvas{Width: 1, Height: 2}
	paint.Blend(fmt.Sscan())
}

func other(paint Painter) {
	paint.Dither(1)
}
"""


async def go(work: Work, new: str, own_code: str = GO_OWN) -> list[tuple[int, str, bool]]:
    brush = {"brush/brush.go": "package brush\n\nvar Soft = 1\n"}
    manifest = {"go.mod": "module github.com/ada/paint/v2\n"}
    old_files = {"paint.go": GO_OLD, **manifest, **brush}
    new_files = {"paint.go": new, **manifest, **brush}
    return rows(
        await compared(
            work, "go", "github.com/ada/paint/v2", (old_files, new_files), {"main.go": own_code}
        )
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Dither", "Dithered", [(14, "`paint.Dither` is gone", True)]),
        ("Black, White", "Black, Grey", [(14, "`paint.White` is gone", True)]),
        (
            "Blend(first, second int)",
            "Blend(first, second, third int)",
            [(14, "`paint.Blend`: it takes 3 arguments, and 2 are given", True)],
        ),
        ("Width, Height int", "Width int", [(15, "`paint.Canvas.Height` is gone", True)]),
        (") Line(", ") Stroke(", [(12, "`paint.Canvas.Line` is gone", False)]),
        (
            "Line(from, to int)",
            "Line(from int)",
            [(12, "`paint.Canvas.Line`: it takes 1 argument, and 2 are given", False)],
        ),
        ("Fill(colours ...int)", "Fill(colour int, more ...int)", []),
        ("Width, Height int", "Width int\n\tShape", []),
        ("func Dither", "// A comment\nfunc Dither", []),
        (
            "func Dither",
            "// Dither is old.\n//\n// Deprecated: use Blend.\nfunc Dither",
            [(14, "`paint.Dither` is deprecated", True)],
        ),
        ("func Dither", "// Deprecated: use Blend.\n\nfunc Dither", []),
        (
            "func (c *Canvas) Line",
            "// Deprecated: use Fill.\nfunc (c *Canvas) Line",
            [(12, "`paint.Canvas.Line` is deprecated", True)],
        ),
    ],
)
async def test_go(work: Work, old: str, new: str, expected: list[tuple[int, str, bool]]) -> None:
    assert await go(work, GO_OLD.replace(old, new)) == expected


async def test_a_package_of_a_go_module_that_is_gone(work: Work) -> None:
    old = {"go.mod": "module x.y/z\n", "a/a.go": "package a\n\nvar A = 1\n"}
    new = {"go.mod": "module x.y/z\n"}
    own_files = {"main.go": 'package main\n\nimport "x.y/z/a"\n\nvar b = a.A\n'}
    uses = await compared(work, "go", "x.y/z", (old, new), own_files)
    assert rows(uses) == [(3, "`x.y/z/a` is gone", True)]
    assert uses.files_importing == 1


async def test_another_module_whose_name_begins_alike_is_not_looked_into(work: Work) -> None:
    old = {"go.mod": "module x.y/z\n", "a.go": "package z\n\nvar A = 1\n"}
    own_files = {"main.go": 'package main\n\nimport "x.y/z/v2"\nimport "x.y/zz"\n'}
    uses = await compared(work, "go", "x.y/z", (old, {"go.mod": "module x.y/z\n"}), own_files)
    assert uses == LanguageUses("x.y/z")


RUST_OLD = """\
pub mod canvas;
mod hidden;
pub use canvas::{Canvas, Canvas as Sheet};
pub use hidden::*;

#[macro_export]
macro_rules! dab { () => {} }

feature! {
#![feature = "extra"]
pub mod extra { pub fn glow() {} }
}
"""
RUST_FILES = {
    "Cargo.toml": '[package]\nname = "paint-box"\nversion = "1.0.0"\n',
    "src/lib.rs": RUST_OLD,
    "src/canvas.rs": (
        "pub struct Canvas { pub width: u8, pub height: u8 }\n"
        "pub enum Shade { Light, Dark(u8) }\n"
        "impl Canvas {\n    pub fn new(width: u8) -> Self { todo!() }\n"
        "    pub fn smear(&self) {}\n    pub fn fill(self) -> Self { self }\n}\n"
        "pub fn blend(a: u8, b: u8) {}\n"
    ),
    "src/hidden.rs": "pub fn dither() {}\n",
}
RUST_OWN = """\
use paint_box::canvas::{self, blend, Shade};
use paint_box::{dab, dither, Sheet};
use paint_box::extra::glow;

fn main() {
    let canvas = paint_box::Canvas::new(1);
    canvas.smear();
    blend(1, 2);
    canvas::blend(1, 2);
    let shade = Shade::Dark(1);
    let other = paint_box::Canvas { width: 1, height: 2 };
    dab!();
    glow();
    paint_box::Canvas::new(1).fill();
    other.smear_elsewhere();
}
"""


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("src/hidden.rs", "dither", "dithered", [(2, "`paint_box::dither` is gone", True)]),
        (
            "src/canvas.rs",
            "Dark(u8)",
            "Deep(u8)",
            [(10, "`paint_box::canvas::Shade::Dark` is gone", True)],
        ),
        (
            "src/canvas.rs",
            ", pub height: u8",
            "",
            [(11, "`paint_box::Canvas.height` is gone", True)],
        ),
        (
            "src/canvas.rs",
            "pub height: u8 }",
            "pub height: u8, pub depth: u8 }",
            [(11, "`paint_box::Canvas`: it needs the field `depth`", True)],
        ),
        (
            "src/canvas.rs",
            "blend(a: u8, b: u8)",
            "blend(a: u8)",
            [
                (8, "`paint_box::canvas::blend`: it takes 1 argument, and 2 are given", True),
                (9, "`paint_box::canvas::blend`: it takes 1 argument, and 2 are given", True),
            ],
        ),
        (
            "src/canvas.rs",
            "pub fn smear(&self) {}\n",
            "",
            [(7, "`.smear` is a method that the crate has no more", False)],
        ),
        (
            "src/canvas.rs",
            "Dark(u8)",
            "#[deprecated] Dark(u8)",
            [(10, "`paint_box::canvas::Shade::Dark` is deprecated", True)],
        ),
        (
            "src/canvas.rs",
            "    pub fn new(",
            "    #[deprecated]\n    pub fn new(",
            [(6, "`paint_box::Canvas::new` is deprecated", True)],
        ),
        (
            "src/canvas.rs",
            "    pub fn fill(self)",
            "    #[deprecated]\n    pub fn fill(self)",
            [(14, "`.fill` is deprecated", True)],
        ),
        (
            "src/canvas.rs",
            "pub fn fill(self) -> Self { self }\n}\n",
            "}\nimpl Shade { pub fn fill(self) {} }\n",
            [(14, "`.fill` is a method that `Canvas` has no more", False)],
        ),
        ("src/lib.rs", ", Canvas as Sheet", "", [(2, "`paint_box::Sheet` is gone", True)]),
        ("src/lib.rs", "! dab ", "! dot ", [(12, "`paint_box::dab!` is gone", True)]),
        ("src/lib.rs", "glow", "shine", [(3, "`paint_box::extra::glow` is gone", True)]),
        ("src/lib.rs", "pub use hidden::*;", "pub use hidden::*;\npub use elsewhere::*;", []),
        ("src/lib.rs", "pub use hidden::*;", "pub use elsewhere::*;", []),
        ("src/lib.rs", "mod hidden;", "make_modules!(hidden, dither);\nmod hidden;", []),
    ],
)
async def test_rust(
    work: Work, file: str, old: str, new: str, expected: list[tuple[int, str, bool]]
) -> None:
    new_files = RUST_FILES | {file: RUST_FILES[file].replace(old, new)}
    uses = await compared(
        work, "cargo", "paint-box", (RUST_FILES, new_files), {"src/main.rs": RUST_OWN}
    )
    assert rows(uses) == expected
    assert (uses.name, uses.files_importing) == ("paint_box", 1)


async def test_a_name_that_another_crate_of_the_repository_gives_on(work: Work) -> None:
    inner = {
        "core/Cargo.toml": '[package]\nname = "paint-core"\n',
        "core/src/lib.rs": "pub struct Canvas;\n",
    }
    old = RUST_FILES | inner | {"src/lib.rs": "pub use paint_core::*;\n"}
    own_files = {"src/main.rs": "use paint_box::Canvas;\n"}
    for source, expected in (("pub struct Canvas;\n", []), ("pub struct Sheet;\n", [1])):
        new = old | {"core/src/lib.rs": source}
        uses = await compared(work, "cargo", "paint-box", (old, new), own_files)
        assert [use.line for use in uses.broken] == expected


NPM_OLD = """\
export * from "./filters.js";
export { Canvas } from "./canvas.js";
export default function paint(width: number, height = 1) {}
export const blend = (first: number, second?: number) => first;
"""
NPM_FILES = {
    "package.json": '{"name": "@ada/paint", "version": "1.0.0", "main": "dist/index.js"}',
    "src/index.ts": NPM_OLD,
    "src/canvas.ts": "export class Canvas {}\n",
    "src/filters.ts": "export function dither(image: number) {}\nexport type Mode = 1;\n",
}
NPM_OWN = """\
import paint, { blend, Canvas as Sheet } from "@ada/paint";
import * as all from "@ada/paint";
import type { Mode } from "@ada/paint";
const { dither } = require("@ada/paint");

paint(1);
blend(1, 2);
all.dither(1);
export { Canvas } from "@ada/paint";
"""


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("src/filters.ts", "function dither", "function dot", [(4, "`@ada/paint.dither` is gone")]),
        (
            "src/filters.ts",
            "export function",
            "/** @deprecated Use blend. */\nexport function",
            [(4, "`@ada/paint.dither` is deprecated")],
        ),
        ("src/filters.ts", "type Mode", "type Kind", [(3, "`@ada/paint.Mode` is gone")]),
        ("src/index.ts", "export default ", "", [(1, "`@ada/paint.default` is gone")]),
        (
            "src/index.ts",
            "first: number, second?: number",
            "first: number",
            [(7, "`@ada/paint.blend`: it takes 1 argument, and 2 are given")],
        ),
        ("src/index.ts", "{ Canvas }", "{ Canvas as Old }", [(1, "`@ada/paint.Canvas` is gone")]),
        ("src/index.ts", 'export { Canvas } from "./canvas.js"', 'export * from "elsewhere"', []),
        ("src/filters.ts", "image: number", "image: number, more?: number", []),
        (
            "package.json",
            '"main"',
            '"exports": {"./all": "./x.js"}, "main"',
            [
                (1, "`@ada/paint` is not among the paths that the package exports"),
            ],
        ),
        (
            "package.json",
            '"main"',
            '"type": "module", "main"',
            [
                (
                    4,
                    "`@ada/paint` is only an ES module now, which `require` loads from Node 22.12 on",
                )
            ],
        ),
    ],
)
async def test_npm(
    work: Work, file: str, old: str, new: str, expected: list[tuple[int, str]]
) -> None:
    new_files = NPM_FILES | {file: NPM_FILES[file].replace(old, new)}
    uses = await compared(work, "npm", "@ada/paint", (NPM_FILES, new_files), {"app.ts": NPM_OWN})
    assert [(use.line, use.text) for use in uses.broken] == expected
    assert uses.files_importing == 1


@pytest.mark.parametrize(
    ("old", "new", "own_code", "expected"),
    [
        (
            "exports.a = 1;\nexports.b = 2;",
            "exports.a = 1;",
            "const p = require('paint');\np.b();",
            [2],
        ),
        (
            "module.exports = { a, b };",
            "module.exports = { a };",
            "const { b } = require('paint')",
            [1],
        ),
        ("module.exports = { a, b };", "module.exports = make();", "require('paint').b()", []),
        ("module.exports = { a, b };", "module.exports = { a };", "require('paint').b()", [1]),
        ("module.exports = { a, b };", "module.exports = { ...c };", "require('paint').b()", []),
        ("exports.b = 1;", "exports.a = 1;", "import { b } from 'painter';", []),
    ],
)
async def test_common_modules_of_npm(
    work: Work, old: str, new: str, own_code: str, expected: list[int]
) -> None:
    manifest = {"package.json": '{"name": "paint"}'}
    versions = ({"index.js": old, **manifest}, {"index.js": new, **manifest})
    uses = await compared(work, "npm", "paint", versions, {"app.js": own_code})
    assert [use.line for use in uses.broken] == expected


async def test_what_is_built_elsewhere_could_not_be_read(work: Work) -> None:
    files = {"package.json": '{"name": "paint", "main": "dist/out.js"}'}
    uses = await compared(work, "npm", "paint", (files, files), {"app.js": "require('paint')"})
    assert "the source of its entry point was not found" in uses.problem
    uses = await compared(work, "cargo", "paint", (files, files), {"app.rs": "use paint::A;"})
    assert "its library was not found" in uses.problem
