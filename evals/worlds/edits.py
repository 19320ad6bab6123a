"""Changes of a source file that have a name, the old value and the new one."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from evals.worlds.bugs.bug import Bug
from evals.worlds.bugs.catalogue import BUGS
from evals.worlds.dice import Dice
from evals.worlds.model import Edit
from evals.worlds.source import Constant, Env, Flag, Function, Param, Unit
from evals.worlds.vocabulary import CONSTANTS, ENVS, FLAGS, VERBS, new_constant, new_env, new_flag, new_function


@dataclass(frozen=True)
class Done:
    """A file after an edit, what was done, and how its author would put it in English and in Chinese."""

    unit: Unit
    edit: Edit
    subject: str
    subject_zh: str


def add_function(path: str, unit: Unit, function: Function) -> Done:
    """Add a public function."""
    edit = Edit("add_function", path, (("function", function.name),))
    after = replace(unit, functions=(*unit.functions, function))
    return Done(after, edit, f"add {function.name}", f"新增 {function.name}")


def remove_function(path: str, unit: Unit, name: str) -> Done:
    """Remove a public function."""
    after = replace(unit, functions=tuple(f for f in unit.functions if f.name != name))
    edit = Edit("remove_function", path, (("function", name),))
    return Done(after, edit, f"remove unused {name}", f"删除不再使用的 {name}")


def rename_function(path: str, unit: Unit, old: str, new: str) -> Done:
    """Rename a public function."""
    edit = Edit("rename_function", path, (("old", old), ("new", new)))
    after = _with_function(unit, old, replace(unit.function(old), name=new))
    return Done(after, edit, f"rename {old} to {new}", f"将 {old} 重命名为 {new}")


def add_parameter(path: str, unit: Unit, function: str, param: Param) -> Done:
    """Add a parameter at the end."""
    old = unit.function(function)
    edit = Edit(
        "add_parameter", path, (("function", function), ("parameter", param.name), ("default", param.default or ""))
    )
    after = _with_function(unit, function, replace(old, params=(*old.params, param)))
    return Done(after, edit, f"support {param.name} in {function}", f"{function} 支持 {param.name} 参数")


def change_default(path: str, unit: Unit, function: str, param: str, new: str) -> Done:
    """Change the default of a parameter."""
    old = unit.function(function)
    before = next(p.default for p in old.params if p.name == param) or ""
    params = tuple(replace(p, default=new) if p.name == param else p for p in old.params)
    details = (("function", function), ("parameter", param), ("old", before), ("new", new))
    after = _with_function(unit, function, replace(old, params=params))
    subject, zh = f"default {param} of {function} to {new}", f"{function} 的 {param} 默认值改为 {new}"
    return Done(after, Edit("change_default", path, details), subject, zh)


def change_constant(path: str, unit: Unit, name: str, new: str) -> Done:
    """Give a constant another value."""
    old = next(c.value for c in unit.constants if c.name == name)
    after = replace(unit, constants=tuple(replace(c, value=new) if c.name == name else c for c in unit.constants))
    edit = Edit("change_constant", path, (("constant", name), ("old", old), ("new", new)))
    return Done(after, edit, f"set {name} to {new}", f"{name} 由 {old} 调整为 {new}")


def add_constant(path: str, unit: Unit, constant: Constant) -> Done:
    """Add a named value."""
    after = replace(unit, constants=(*unit.constants, constant))
    edit = Edit("add_constant", path, (("constant", constant.name), ("value", constant.value)))
    return Done(after, edit, f"name the limit {constant.name}", f"提取常量 {constant.name}")


def add_flag(path: str, unit: Unit, flag: Flag) -> Done:
    """Add a command-line option."""
    after = replace(unit, flags=(*unit.flags, flag))
    edit = Edit("add_flag", path, (("flag", f"--{flag.name}"), ("default", flag.default)))
    return Done(after, edit, f"add --{flag.name}", f"新增启动参数 --{flag.name}")


def remove_flag(path: str, unit: Unit, name: str) -> Done:
    """Remove a command-line option."""
    after = replace(unit, flags=tuple(f for f in unit.flags if f.name != name))
    edit = Edit("remove_flag", path, (("flag", f"--{name}"),))
    return Done(after, edit, f"remove --{name}", f"移除启动参数 --{name}")


def change_flag_default(path: str, unit: Unit, name: str, new: str) -> Done:
    """Change the default of a command-line option."""
    old = next(f.default for f in unit.flags if f.name == name)
    after = replace(unit, flags=tuple(replace(f, default=new) if f.name == name else f for f in unit.flags))
    edit = Edit("change_flag_default", path, (("flag", f"--{name}"), ("old", old), ("new", new)))
    return Done(after, edit, f"default --{name} to {new}", f"--{name} 默认值改为 {new}")


def add_env(path: str, unit: Unit, env: Env) -> Done:
    """Read another environment variable."""
    after = replace(unit, envs=(*unit.envs, env))
    edit = Edit("add_env", path, (("variable", env.name), ("default", env.default)))
    return Done(after, edit, f"read {env.name}", f"支持环境变量 {env.name}")


def fix_bug(path: str, unit: Unit, bug: Bug) -> Done:
    """Replace the flawed line."""
    old = unit.function(bug.function.name)
    at = old.body.index(bug.wrong)
    body = old.body[:at] + bug.right + old.body[at + 1 :]
    edit = Edit(
        "fix_bug", path, (("bug", bug.key), ("function", old.name), ("old", bug.wrong), ("new", "\n".join(bug.right)))
    )
    return Done(_with_function(unit, old.name, replace(old, body=body)), edit, bug.fix[0], bug.fix[1])


def reword_doc(path: str, unit: Unit, function: str) -> Done:
    """Change a comment and nothing else."""
    old = unit.function(function)
    doc = old.doc.rstrip(".") + "; see the design notes."
    edit = Edit("reword_doc", path, (("function", function), ("old", old.doc), ("new", doc)))
    return Done(
        _with_function(unit, function, replace(old, doc=doc)),
        edit,
        f"clarify the comment of {function}",
        f"完善 {function} 的注释",
    )


def any_edit(path: str, unit: Unit, dice: Dice) -> Done:
    """Do something that fits the file, chosen by chance."""
    tries: list[Callable[[str, Unit, Dice], Done | None]] = [
        _some_function,
        _some_function,
        _some_default,
        _some_constant,
        _some_flag,
        _some_env,
        _some_rename,
        _some_doc,
        _some_parameter,
    ]
    for attempt in dice.shuffled(tries):
        if done := attempt(path, unit, dice):
            return done
    return add_function(path, unit, new_function(unit.language, dice, _names(unit)))


def _some_function(path: str, unit: Unit, dice: Dice) -> Done | None:
    plain = [f.name for f in _plain(unit)]
    if len(plain) > 9:
        return remove_function(path, unit, dice.pick(plain))
    return add_function(path, unit, new_function(unit.language, dice, _names(unit)))


def _some_default(path: str, unit: Unit, dice: Dice) -> Done | None:
    other = {
        "256": "512",
        "512": "256",
        "1.0": "0.5",
        "0.5": "1.0",
        "30.0": "60.0",
        "60.0": "30.0",
        "1.f": "0.5f",
        "0.5f": "1.f",
    }
    rows = [(f.name, p) for f in unit.functions for p in f.params if p.default in other]
    if not rows or unit.language == "rust":
        return None
    function, param = dice.pick(rows)
    return change_default(path, unit, function, param.name, other[param.default or ""])


def _some_constant(path: str, unit: Unit, dice: Dice) -> Done | None:
    constant = new_constant(unit.language, dice)
    values = next(row[2] for row in CONSTANTS[unit.language] if row[0] == constant.name)
    for known in unit.constants:
        if known.name == constant.name:
            return change_constant(path, unit, known.name, dice.pick([v for v in values if v != known.value]))
    return add_constant(path, unit, constant)


def _some_flag(path: str, unit: Unit, dice: Dice) -> Done | None:
    if not unit.flags:
        return None
    flag = new_flag(unit.language, dice)
    values = [v if unit.language == "python" else v.strip('"') for v in next(r[2] for r in FLAGS if r[0] == flag.name)]
    for known in unit.flags:
        if known.name == flag.name:
            if len(unit.flags) > 6 and dice.chance(0.3):
                return remove_flag(path, unit, known.name)
            return change_flag_default(path, unit, known.name, dice.pick([v for v in values if v != known.default]))
    return add_flag(path, unit, flag)


def _some_env(path: str, unit: Unit, dice: Dice) -> Done | None:
    env = new_env(dice)
    if unit.language == "cuda" or len(unit.envs) > 2 or env.name in {known.name for known in unit.envs}:
        return None
    return add_env(
        path, unit, replace(env, default=dice.pick(next(values for name, values in ENVS if name == env.name)))
    )


def _some_rename(path: str, unit: Unit, dice: Dice) -> Done | None:
    plain = [f.name for f in _plain(unit)]
    if len(plain) < 3:
        return None
    old = dice.pick(plain)
    new = f"{dice.pick(VERBS)}_{old.partition('_')[2]}"
    return None if new in _names(unit) else rename_function(path, unit, old, new)


def _some_doc(path: str, unit: Unit, dice: Dice) -> Done | None:
    plain = [f.name for f in unit.functions if "design notes" not in f.doc]
    return reword_doc(path, unit, dice.pick(plain)) if plain else None


def _some_parameter(path: str, unit: Unit, dice: Dice) -> Done | None:
    extra = {
        "python": (Param("dry_run", "bool", "False"), Param("device", "str", '"cuda"')),
        "cuda": (Param("enable_pdl", "bool", "false"), Param("sm_count", "int", "0")),
        "rust": (Param("deadline", "Duration"),),
    }
    param = dice.pick(extra[unit.language])
    rows = [f.name for f in unit.functions if not f.kernel and param.name not in {p.name for p in f.params}]
    return add_parameter(path, unit, dice.pick(rows), param) if rows else None


def _plain(unit: Unit) -> list[Function]:
    """List the functions that no bug is waiting in: those keep their name until they are mended."""
    flawed = {bug.function.name for bug in BUGS[unit.language]}
    return [function for function in unit.functions if function.name not in flawed]


def _names(unit: Unit) -> frozenset[str]:
    return frozenset(function.name for function in unit.functions)


def _with_function(unit: Unit, name: str, function: Function) -> Unit:
    return replace(unit, functions=tuple(function if f.name == name else f for f in unit.functions))
