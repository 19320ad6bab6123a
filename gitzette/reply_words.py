"""The fixed words of replies, in both languages; values are made safe before they are filled in."""

from collections.abc import Mapping

from agent.settings import Language

WORDS: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "nothing": "Nothing that was read says this.",
        "nearest": "Nearest evidence:",
        "evidence": "Evidence:",
        "best": "Evidence that fits best, ranked by words and not judged:",
        "none": "Nothing was found for these words.",
        "newest": "The newest of what was read:",
        "named": "{what}: {count} found by name, newest first.",
        "unknown": "{what}: not found by name in what was read.",
        "filtered": "{count} found for {what}, newest first.",
        "more": "and {count} more",
        "why": "found by: {words}",
        "inferred": "Inferred: ",
        "advice": "Advice: ",
        "refused": "{count} sentences of the model did not pass the checks and are left out.",
        "failed": "The model did not answer ({why}); this is what the search found.",
        "no model": "No model is configured, so nothing is concluded: set GITZETTE_ANALYST=model, GITZETTE_MODEL"
        " and GITZETTE_MODEL_URL to have questions answered.",
        "searched": "Searched {repo} from {start} to {end} ({tz}): {commits} commits, {threads}.",
        "read": "with issues and pull requests",
        "unread": "without issues and pull requests",
        "capped": "Of {repo} {count} older commits were not read: a question reads no more than {most}.",
        "merged": "merged",
        "closed": "closed",
        "open": "open",
        "reopened": "open (reopened)",
        "not_planned": "closed (not planned)",
    },
    "zh": {
        "nothing": "读到的内容里没有这样说的。",
        "nearest": "最接近的证据：",
        "evidence": "证据：",
        "best": "最相符的证据，按字词排序，未经判断：",
        "none": "这些字词没有找到任何内容。",
        "newest": "读到的最新内容：",
        "named": "{what}：按名称找到 {count} 项，新的在前。",
        "unknown": "{what}：在读到的内容里没有按名称找到。",
        "filtered": "符合 {what} 的有 {count} 项，新的在前。",
        "more": "另有 {count} 项",
        "why": "匹配：{words}",
        "inferred": "推断：",
        "advice": "建议：",
        "refused": "模型有 {count} 句话没有通过核对，未列出。",
        "failed": "模型没有回答（{why}）；以下是搜索到的内容。",
        "no model": "没有配置模型，因此不作结论：设置 GITZETTE_ANALYST=model、GITZETTE_MODEL 和"
        " GITZETTE_MODEL_URL 即可得到回答。",
        "searched": "已搜索 {repo}，{start} 至 {end}（{tz}）：{commits} 个提交，{threads}。",
        "read": "包括议题和合并请求",
        "unread": "不包括议题和合并请求",
        "capped": "{repo} 另有 {count} 个较早的提交没有读取：一个问题最多读取 {most} 个。",
        "merged": "已合并",
        "closed": "已关闭",
        "open": "未关闭（open）",
        "reopened": "重新打开（open）",
        "not_planned": "已关闭（不计划处理）",
    },
}
