"""Changes of an action in a new version, and the workflows that they break."""

from collections.abc import Iterator, Mapping

from agent.bumps.bump_report_model import CodeUse, SourceMapping
from agent.bumps.github_action_files import ActionDefinition, ActionStep, action_steps, read_action
from agent.domain.base import Frozen
from tools.packages.repository_trees import TreeReader

_FILE_NAMES = ("action.yml", "action.yaml")


class ActionChanges(Frozen):
    """What changed of an action, and the lines of workflows that notice it."""

    changed_names: int = 0  # Inputs, outputs and the runtime
    files: int = 0  # Workflows that use the action
    uses: tuple[CodeUse, ...] = ()
    sentences: tuple[str, ...] = ()  # What changed for all users of the action
    problem: str = ""


async def action_changes(
    trees: TreeReader, mapping: SourceMapping, action: str, files: Mapping[str, str]
) -> ActionChanges:
    """Compare an action, named `owner/name` with a path, at two commits."""
    folder = "/".join(action.split("/")[2:])
    old = await _definition(trees, mapping.old.sha, folder)
    new = await _definition(trees, mapping.new.sha, folder)
    if old is None or new is None:
        return ActionChanges(problem="it has no action.yml at one of the two commits")
    uses: list[CodeUse] = []
    using = 0
    for file, text in files.items():
        is_workflow = file.endswith((".yml", ".yaml")) and f"{action}@" in text
        using += is_workflow
        for step in action_steps(text) if is_workflow else ():
            if step.action == action:
                uses += _uses_of(step, file, old, new)
    sentences = tuple(_sentences(old, new))
    return ActionChanges(
        changed_names=len(sentences), files=using, uses=tuple(uses), sentences=sentences
    )


async def _definition(trees: TreeReader, sha: str, folder: str) -> ActionDefinition | None:
    paths = [f"{folder}/{name}" if folder else name for name in _FILE_NAMES]
    texts = await trees.texts(sha, paths)
    for path in paths:
        if path in texts:
            return read_action(texts[path])
    return None


def _sentences(old: ActionDefinition, new: ActionDefinition) -> Iterator[str]:
    """Yield what changed of an action."""
    if old.runtime != new.runtime and old.runtime and new.runtime:
        yield f"It runs with `{new.runtime}` instead of `{old.runtime}`."
    needed = _needed_inputs(old, new)
    for name, given in old.inputs.items():
        if name not in new.inputs:
            yield f"The input `{name}` is gone; GitHub warns and ignores it."
        elif given.default != new.inputs[name].default and name not in needed:
            before, after = given.default, new.inputs[name].default
            yield f"The default of the input `{name}` is {_shown(after)} instead of {_shown(before)}."
    for name in needed:
        yield f"The input `{name}` is required now."
    for name in sorted(old.outputs - new.outputs):
        yield f"The output `{name}` is gone."


def _shown(default: str | None) -> str:
    return f"`{default}`" if default else "empty"


def _needed_inputs(old: ActionDefinition, new: ActionDefinition) -> list[str]:
    """Return the inputs without a default that a step must give now and need not give before."""
    needed: list[str] = []
    for name, declared in new.inputs.items():
        before = old.inputs.get(name)
        was_needed = before is not None and before.is_required and before.default is None
        if declared.is_required and declared.default is None and not was_needed:
            needed.append(name)
    return needed


def _uses_of(
    step: ActionStep, file: str, old: ActionDefinition, new: ActionDefinition
) -> Iterator[CodeUse]:
    """Yield the inputs of a step that are gone, and those that it lacks.

    GitHub itself runs a step without a required input; the action may fail then.
    """
    for name, line in step.input_lines.items():
        if name in old.inputs and name not in new.inputs:
            text = f"the input `{name}` is gone; GitHub warns and ignores it"
            yield CodeUse(file=file, line=line, name=name, effect="changed", text=text)
    for name in _needed_inputs(old, new):
        if name not in step.input_lines:
            text = f"the input `{name}` is required now, and this step does not give it"
            yield CodeUse(
                file=file, line=step.line, name=name, effect="argument", text=text, is_certain=False
            )
