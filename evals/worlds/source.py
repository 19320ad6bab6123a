"""Source files as data, rendered to Python, CUDA or Rust, so that an edit is a change of data with a name."""

from dataclasses import dataclass
from typing import Literal

Language = Literal["python", "cuda", "rust"]
SUFFIX: dict[Language, str] = {"python": ".py", "cuda": ".cuh", "rust": ".rs"}


@dataclass(frozen=True)
class Param:
    """A parameter; only Python and C++ have defaults."""

    name: str
    type: str
    default: str | None = None


@dataclass(frozen=True)
class Function:
    """A function; the body's lines are indented from its own margin."""

    name: str
    params: tuple[Param, ...]
    returns: str
    doc: str
    body: tuple[str, ...]
    kernel: bool = False
    """Runs on the device (CUDA)."""


@dataclass(frozen=True)
class Constant:
    """A named value at the top of a file."""

    name: str
    type: str
    value: str
    comment: str = ""


@dataclass(frozen=True)
class Flag:
    """A command-line option."""

    name: str
    type: str
    default: str
    help: str


@dataclass(frozen=True)
class Env:
    """An environment variable that the file reads."""

    name: str
    default: str


@dataclass(frozen=True)
class Unit:
    """One source file."""

    language: Language
    title: str
    imports: tuple[str, ...] = ()
    constants: tuple[Constant, ...] = ()
    envs: tuple[Env, ...] = ()
    flags: tuple[Flag, ...] = ()
    functions: tuple[Function, ...] = ()

    def function(self, name: str) -> Function:
        """Find a function by name."""
        return next(function for function in self.functions if function.name == name)


def render(unit: Unit) -> str:
    """Write the file."""
    return {"python": _python, "cuda": _cuda, "rust": _rust}[unit.language](unit)


def _python(unit: Unit) -> str:
    used = {*unit.imports, *(["import os"] if unit.envs else []), *(["import argparse"] if unit.flags else [])}
    groups = [[line for line in used if _group(line) == i] for i in range(3)]
    blocks = [f'"""{unit.title}"""\n\nfrom __future__ import annotations\n']
    blocks += [
        "\n".join(sorted(group, key=lambda line: (line.startswith("from"), line))) + "\n" for group in groups if group
    ]
    blocks += ["logger = logging.getLogger(__name__)\n"] if "import logging" in used else []
    values = [f"{c.name} = {c.value}" + (f"  # {c.comment}" if c.comment else "") for c in unit.constants]
    values += [f'{_constant(e)} = os.environ.get("{e.name}", "{e.default}")' for e in unit.envs]
    blocks += ["\n".join(values) + "\n"] if values else []
    if unit.flags:
        lines = ["\ndef add_arguments(parser: argparse.ArgumentParser) -> None:", '    """Declare the command line."""']
        for flag in unit.flags:
            lines.append("    parser.add_argument(")
            lines.append(f'        "--{flag.name}", type={flag.type}, default={flag.default}, help="{flag.help}"')
            lines.append("    )")
        blocks.append("\n".join(lines) + "\n")
    blocks += [_python_function(function) for function in unit.functions]
    return "\n".join(blocks)


def _python_function(function: Function) -> str:
    params = [f"{p.name}: {p.type}" + (f" = {p.default}" if p.default is not None else "") for p in function.params]
    head = f"def {function.name}({', '.join(params)}) -> {function.returns}:"
    if len(head) > 100:
        head = f"def {function.name}(\n" + "".join(f"    {p},\n" for p in params) + f") -> {function.returns}:"
    return "\n".join(["", head, f'    """{function.doc}"""', *_indented(function.body)]) + "\n"


def _cuda(unit: Unit) -> str:
    blocks = [f"// {unit.title}\n#pragma once\n", "\n".join(unit.imports) + "\n" if unit.imports else ""]
    blocks.append("namespace forge {\n")
    values = [
        f"constexpr {c.type} {c.name} = {c.value};" + (f"  // {c.comment}" if c.comment else "") for c in unit.constants
    ]
    values += [
        f'inline const char* {_constant(e).lower()}() {{ return env_or("{e.name}", "{e.default}"); }}'
        for e in unit.envs
    ]
    blocks += ["\n".join(values) + "\n"] if values else []
    for function in unit.functions:
        params = ", ".join(f"{p.type} {p.name}" + (f" = {p.default}" if p.default else "") for p in function.params)
        mark = "__global__ " if function.kernel else "inline "
        head = (
            f"/*! \\brief {function.doc} */\ntemplate "
            f"<typename DType>\n{mark}{function.returns} "
            f"{function.name}({params}) {{"
        )
        blocks.append("\n".join([head, *_indented(function.body, 2), "}"]) + "\n")
    blocks.append("}  // namespace forge\n")
    return "\n".join(block for block in blocks if block)


def _rust(unit: Unit) -> str:
    blocks = [f"//! {unit.title}\n", "\n".join(unit.imports) + "\n" if unit.imports else ""]
    values = []
    for constant in unit.constants:
        values += [f"/// {constant.comment}"] if constant.comment else []
        values.append(f"pub const {constant.name}: {constant.type} = {constant.value};")
    blocks += ["\n".join(values) + "\n"] if values else []
    for env in unit.envs:
        name = _constant(env).lower()
        lines = [
            f"pub fn {name}() -> String {{",
            f'    std::env::var("{env.name}").unwrap_or_else(|_| "{env.default}".into())',
            "}",
        ]
        blocks.append("\n".join(lines) + "\n")
    if unit.flags:
        lines = ["#[derive(Debug, Clone, clap::Parser)]", "pub struct Args {"]
        for flag in unit.flags:
            lines += [f"    /// {flag.help}", f'    #[arg(long = "{flag.name}", default_value = "{flag.default}")]']
            lines.append(f"    pub {flag.name.replace('-', '_')}: {flag.type},")
        blocks.append("\n".join([*lines, "}"]) + "\n")
    for function in unit.functions:
        params = ", ".join(f"{p.name}: {p.type}" for p in function.params)
        head = f"/// {function.doc}\npub fn {function.name}({params}) -> {function.returns} {{"
        blocks.append("\n".join([head, *_indented(function.body), "}"]) + "\n")
    return "\n".join(block for block in blocks if block)


def _group(line: str) -> int:
    """Sort an import: the standard library, what is installed, the project itself."""
    return 2 if line.startswith("from .") else 1 if "torch" in line else 0


def _constant(env: Env) -> str:
    return "_" + env.name.partition("_")[2]


def _indented(lines: tuple[str, ...], width: int = 4) -> list[str]:
    return [" " * width + line if line else "" for line in lines]
