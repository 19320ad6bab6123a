"""Commits that touch nothing but one kind of thing, which code knows by counting, and the words people have for it."""

import re

from agent.facts import FactKind

ONLY = {
    FactKind.ONLY_TESTS: re.compile(r"test|测试|单测|用例", re.IGNORECASE),
    FactKind.ONLY_DOCS: re.compile(r"doc|readme|文档|说明|注释|comment", re.IGNORECASE),
    FactKind.ONLY_CI: re.compile(r"\bci\b|workflow|pipeline|流水线|工作流|持续集成|CI", re.IGNORECASE),
    FactKind.ONLY_FORMATTING: re.compile(r"format|style|whitespace|格式|排版", re.IGNORECASE),
    FactKind.ONLY_COMMENTS: re.compile(r"comment|docstring|注释", re.IGNORECASE),
}
