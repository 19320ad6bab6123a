"""Changes of an action in a new version, and the workflows that they break."""

from collections.abc import Mapping

from agent.bumps.action_inputs import ActionInput, action_inputs, given_inputs
from agent.bumps.bump_report import CodeUse, SourceMapping
from agent.domain.base import Frozen
from tools.packages.repository_trees import TreeReader

_FILE_NAMES = ("action.yml", "action.yaml")


class ActionChanges(Frozen):
    """The inputs of an action that changed, and the lines that give them."""

    changed_inputs: int = 0
    files: int = 0  # Workflows that use the action
    uses: tuple[CodeUse, ...] = ()
    problem: str = ""


async def action_changes(
    trees: TreeReader, mapping: SourceMapping, action: str, files: Mapping[str, str]
) -> ActionChanges:
    """Compare the inputs of an action, named `owner/name` with a path, at two commits."""
    folder = "/".join(action.split("/")[2:])
    old = await _inputs(trees, mapping.old.sha, folder)
    new = await _inputs(trees, mapping.new.sha, folder)
    if old is None or new is None:
        return ActionChanges(problem="it has no action.yml at one of the two commits")
    changed = {name: _change(name, old.get(name), new.get(name)) for name in {**old, **new}}
    sentences = {name: sentence for name, sentence in changed.items() if sentence}
    uses: list[CodeUse] = []
    using = 0
    for file, text in files.items():
        is_workflow = file.endswith((".yml", ".yaml")) and f"{action}@" in text
        using += is_workflow
        for given in given_inputs(text) if is_workflow else ():
            if given.action == action and given.name in sentences:
                uses.append(
                    CodeUse(
                        file=file,
                        line=given.line,
                        name=given.name,
                        effect="changed",
                        text=sentences[given.name],
                    )
                )
    return ActionChanges(changed_inputs=len(sentences), files=using, uses=tuple(uses))


async def _inputs(trees: TreeReader, sha: str, folder: str) -> dict[str, ActionInput] | None:
    paths = [f"{folder}/{name}" if folder else name for name in _FILE_NAMES]
    texts = await trees.texts(sha, paths)
    for path in paths:
        if path in texts:
            return action_inputs(texts[path])
    return None


def _change(name: str, old: ActionInput | None, new: ActionInput | None) -> str:
    """Return what happened to an input, as a clause; empty where nothing did."""
    if new is None:
        return f"the input `{name}` is gone; GitHub warns and ignores it"
    if old is None:
        return f"the input `{name}` is new and required" if new.is_required else ""
    if new.is_required and not old.is_required:
        return f"the input `{name}` is required now"
    return ""
