"""Work around the source: documentation, workflows, containers, settings, tests."""

from collections.abc import Callable

from evals.worlds.dice import Dice
from evals.worlds.drafts import Draft, Maker, text_at
from evals.worlds.model import Edit
from evals.worlds.objects import Tree
from evals.worlds.touch import Touch, put

_PAGES = (
    ("Tuning", "Raise the batch size until the time to first token hurts.", "调优"),
    ("Profiling", "Run with `LUMEN_PROFILE=1` and open the trace.", "性能分析"),
    ("Known problems", "Graph capture needs 1.5 GB on top of the weights.", "已知问题"),
    ("Supported hardware", "sm_80, sm_89, sm_90, sm_100. Others may work.", "硬件支持"),
    ("Quantisation", "FP8 block scales are 128x128, MXFP4 uses groups of 32.", "量化"),
)
_SETTINGS = (
    ("num_warps", ("4", "8")),
    ("num_stages", ("2", "3", "4")),
    ("block_m", ("64", "128")),
    ("split_kv", ("auto", "8")),
)


def chore(dice: Dice) -> Maker:
    """Do something that touches no source."""

    def make(tree: Tree) -> Draft:
        tries: list[Callable[[Tree, Dice], Draft]] = [_page, _timeout, _image, _setting, _readme]
        return dice.pick(tries)(tree, dice)

    return make


def with_test(tree: Tree, area: str, dice: Dice) -> Touch:
    """Add a test for what was changed."""
    path = f"tests/test_{area}.py"
    before = text_at(tree, path) if tree.get(path.encode()) else "import pytest\n"
    sizes = ", ".join(str(2 ** dice.between(3, 12)) for _ in range(3))
    name = f"test_{area}_case_{before.count('def test_') + 1}"
    body = f'\n\n@pytest.mark.parametrize("size", [{sizes}])\ndef {name}(size):\n    assert size % 8 == 0\n'
    return put(path, before + body)


def _page(tree: Tree, dice: Dice) -> Draft:
    title, sentence, title_zh = dice.pick(_PAGES)
    path = f"docs/{title.lower().replace(' ', '-')}.md"
    if tree.get(path.encode()):
        before = text_at(tree, path)
        number = before.count("- ") + 1
        return _draft(
            path,
            "edit_text",
            before,
            before + f"- {sentence} ({number})\n",
            "docs",
            f"extend {title.lower()}",
            f"完善{title_zh}文档",
        )
    return _draft(
        path,
        "add_file",
        "",
        f"# {title}\n\n{sentence}\n\n",
        "docs",
        f"add a page on {title.lower()}",
        f"新增{title_zh}文档",
    )


def _timeout(tree: Tree, dice: Dice) -> Draft:
    path = ".github/workflows/ci.yml"
    before = text_at(tree, path)
    old = before.split("timeout-minutes: ")[1].split("\n")[0]
    new = dice.pick([value for value in ("30", "40", "60", "90") if value != old])
    after = before.replace(f"timeout-minutes: {old}", f"timeout-minutes: {new}")
    return _draft(
        path,
        "change_setting",
        before,
        after,
        "ci",
        f"set the job timeout to {new} minutes",
        f"CI 超时改为 {new} 分钟",
        (("key", "timeout-minutes"), ("old", old), ("new", new)),
    )


def _image(tree: Tree, dice: Dice) -> Draft:
    path = "docker/Dockerfile"
    before = text_at(tree, path)
    old = before.split("cuda:")[1].split("-devel")[0]
    new = dice.pick([value for value in ("12.8.1", "12.9.0", "13.0.1", "13.0.2") if value != old])
    after = before.replace(f"cuda:{old}-devel", f"cuda:{new}-devel")
    return _draft(
        path,
        "bump_image",
        before,
        after,
        "build",
        f"build the image on CUDA {new}",
        f"镜像升级到 CUDA {new}",
        (("old", old), ("new", new)),
    )


def _setting(tree: Tree, dice: Dice) -> Draft:
    path = "configs/tuning.yaml"
    before = text_at(tree, path) if tree.get(path.encode()) else "# Chosen by the autotuner.\n"
    key, values = dice.pick(_SETTINGS)
    if f"{key}: " not in before:
        return _draft(
            path,
            "add_setting",
            before,
            before + f"{key}: {values[0]}\n",
            "feat",
            f"tune {key}",
            f"新增调优项 {key}",
            (("key", key), ("new", values[0])),
        )
    old = before.split(f"{key}: ")[1].split("\n")[0]
    new = dice.pick([value for value in values if value != old])
    after = before.replace(f"{key}: {old}\n", f"{key}: {new}\n")
    return _draft(
        path,
        "change_setting",
        before,
        after,
        "perf",
        f"set {key} to {new}",
        f"{key} 由 {old} 调整为 {new}",
        (("key", key), ("old", old), ("new", new)),
    )


def _readme(tree: Tree, dice: Dice) -> Draft:
    before = text_at(tree, "README.md")
    line = (
        f"- {dice.pick(('Talk', 'Slides', 'Post', 'Paper'))}: {dice.pick(_PAGES)[0].lower()} in "
        f"practice, part {before.count('- ') + 1}\n"
    )
    return _draft("README.md", "edit_text", before, before + line, "docs", "link a talk", "README 增加链接")


def _draft(
    path: str,
    edit: str,
    before: str,
    after: str,
    kind: str,
    subject: str,
    subject_zh: str,
    params: tuple[tuple[str, str], ...] = (),
) -> Draft:
    assert before != after, f"{path}: nothing changed"
    area = path.rpartition("/")[2].partition(".")[0].lower()
    return Draft((put(path, after),), (Edit(edit, path, params),), kind, area, subject, subject_zh)
