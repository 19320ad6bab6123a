"""How people on the made-up projects write: subjects, pull requests, remarks."""

from evals.worlds.dice import Dice
from evals.worlds.drafts import Draft

_TAGS = {
    "feat": "Feature",
    "fix": "Bugfix",
    "perf": "Perf",
    "refactor": "Refactor",
    "docs": "Doc",
    "test": "Test",
    "ci": "CI",
    "chore": "Misc",
    "build": "Build",
}

WHY = {
    "add_function": (
        "The callers had three copies of this; one place is enough. No behaviour changes for existing users.",
        "Needed by the follow-up that moves the "
        "planner off the hot path. I kept it separate so "
        "that the review stays small.",
        "Split out of the larger branch. Benchmarks on one H100 show no difference, as expected.",
    ),
    "remove_function": (
        "Nothing calls it since the last release; grep over both repositories agrees.",
        "Dead code, and it confused two people this month.",
    ),
    "rename_function": (
        "The old name promised something the function does not do.",
        "Naming was discussed in the sync last week; this is the result. Downstream users need to follow.",
    ),
    "add_parameter": (
        "Default keeps the old behaviour.",
        "Asked for by the serving team; the default is what was hard-coded.",
    ),
    "change_default": (
        "Measured on A100, H100 and B200: the new value is never worse and up to 7 % better for long prompts.",
        "The old default was tuned for a model nobody runs any more.",
    ),
    "change_constant": (
        "The former limit was a guess. With the new one the nightly stress test passes.",
        "Larger values spill registers on sm_90, see the numbers in the thread.",
    ),
    "add_constant": ("Magic number gets a name. No functional change.",),
    "add_flag": (
        "Opt-in for now. I will flip the default once it has been in one release.",
        "Several users asked how to set this without patching the source.",
    ),
    "remove_flag": (
        "It has been a no-op since v0.3 and prints a warning. **This breaks scripts that still pass it.**",
    ),
    "change_flag_default": (
        "Matches what everybody sets by hand anyway.",
        "Breaking for people who rely on the default, so it needs a line in the release notes.",
    ),
    "add_env": ("Handy in containers where the command line is not ours.",),
    "fix_bug": (
        "Found the cause with the reproducer from "
        "the report. Added the line, ran the unit tests "
        "and the reproducer: passes.",
        "The condition was the wrong way round for this case. Verified on one node with 8 GPUs.",
        "One-line fix. I could not think of a cheap unit test, ideas welcome.",
    ),
    "bump_dependency": (
        "Bumps the pinned version. Upstream's notes mention fixes only.",
        "Routine update; nothing in the changelog touches us as far as I can see.",
    ),
    "bump_version": ("Time for a release. The notes are drafted, I will publish them after the wheels are up.",),
    "bump_image": ("Needed for the new compiler. The image builds and the smoke test passes.",),
    "change_setting": ("Chosen by measurement, not by taste.", "The old value bit us twice this week."),
    "add_file": ("There was nothing about this so far.",),
    "edit_text": ("Found while onboarding a colleague.", "Typos and a missing sentence."),
    "reword_doc": ("Only a comment.", "Somebody asked in the chat what this means, so I wrote it down."),
}
WHY_ZH = {
    "bump_version": ("发版。更新日志见 release 页面。",),
    "bump_image": ("新镜像在内部集群跑了一周，没有发现问题。",),
    "fix_bug": ("按 issue 里的步骤可以稳定复现，改完之后回归测试通过。", "定位到是边界条件写反了，单机 8 卡验证通过。"),
    "change_default": ("在 H100 和 B200 上测过，新默认值不会变差，长 prompt 提升约 5%。",),
    "add_function": ("把几处重复的代码收敛到一个地方，行为不变。",),
    "": ("小改动，不影响现有用户。", "内部讨论过，先合入，后续再补文档。"),
}
_PLAIN = ("Small clean-up.", "Housekeeping, no functional change intended.", "See the diff, it is short.")

TEMPLATES = {
    "description": (
        "<!-- .github/pull_request_template.md "
        "-->\n\n## Description\n\n<!-- What does this PR "
        "do? Write e.g. Fixes #1 to close an issue. -->\n\n{why}\n\n"
        "## Related Issues\n\n{related}\n\n## "
        "Checklist\n\n- [{a}] I have installed and run "
        "`pre-commit`\n- [{b}] Tests "
        "have been added or updated\n\n"
        "## Reviewer Notes\n\n{notes}\n"
    ),
    "motivation": (
        "## Motivation\n\n{why}\n\n## "
        "Modifications\n\n{notes}"
        "\n\n{related}\n\n## Checklist\n\n- "
        "[{a}] Format your code\n- [{b}] Add unit tests\n- [ ] Update documentation\n"
    ),
    "short": "{why}\n\n{related}\n\n{notes}\n",
}
NOTES = (
    "",
    "Please look at the second hunk first.",
    "I am not sure about the name, suggestions welcome.",
    "Before: 41.2 tok/s\nAfter: 44.0 tok/s\n(8x H100, batch 32, input 1024, output 256)",
    "cc @mira-koenig",
)
NOTES_ZH = ("", "命名如果不合适请指出。", "测试环境：8 卡 H800，CUDA 12.8。")
RELATED_LEAD = ("", "", "Context: ", "See ")
KEYWORDS = (
    "Fixes {}",
    "fixes {}",
    "Closes {}",
    "Closes: {}",
    "Resolves {}",
    "fix {}",
    "FIXED {}",
    "This resolves {}.",
    "close {}",
)
REMARKS = (
    "LGTM, thanks!",
    "Nice catch.",
    "Could you rebase? CI was red because of main.",
    "Let us merge this before the release.",
    "I ran it on my box: works.",
    "Do we want a test for that?",
    "Looks good, one nit below.",
    "/ok-to-test",
)
REMARKS_ZH = (
    "看起来没问题，辛苦了！",
    "这个我们内部也遇到过，合入之后我再测一下。",
    "麻烦补一个单测。",
    "已经在线上验证，可以合。",
)
BOT_REMARKS = (
    "**CI report**\n\n| job | result "
    "|\n|---|---|\n| lint | "
    ":white_check_mark: |\n| unit "
    "(H100) | :white_check_mark: |\n| unit "
    "(B200) | :hourglass: "
    "|\n\n<!-- forge-ci:report -->",
    "Benchmark finished: no regression above 2 %.\n\n<!-- forge-ci:bench -->",
)


def subject(style: str, draft: Draft, chinese: bool) -> str:
    """Write a commit's subject the way the project does."""
    said = draft.subject_zh if chinese else draft.subject
    if style == "conventional":
        return (
            f"{draft.kind}({draft.area}): {said}"
            if draft.area not in ("deps", "release", "misc")
            else f"{draft.kind}: {said}"
        )
    if style == "tag":
        return f"[{_TAGS[draft.kind]}][{draft.area}] {said[:1].upper()}{said[1:]}"
    return said[:1].upper() + said[1:]


def why(draft: Draft, dice: Dice, chinese: bool) -> str:
    """Say what a change is for."""
    kind = draft.edits[0].kind if draft.edits else ""
    if chinese:
        return dice.pick(WHY_ZH.get(kind, WHY_ZH[""]))
    return dice.pick(WHY.get(kind, _PLAIN))


def pull_body(template: str, reason: str, related: str, dice: Dice, chinese: bool) -> str:
    """Fill the project's template as people do: some boxes stay empty."""
    marks = {"a": "x" if dice.chance(0.8) else " ", "b": "x" if dice.chance(0.4) else " "}
    notes = dice.pick(NOTES_ZH if chinese else NOTES)
    return TEMPLATES[template].format(why=reason, related=related, notes=notes, **marks).replace("\n\n\n\n", "\n\n")
