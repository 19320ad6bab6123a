"""The words of the live page."""

from dataclasses import dataclass

from agent.settings import Language


@dataclass(frozen=True)
class Wording:
    """One language's words; they go to the script as data."""

    ask: str
    title: str
    lead: str
    question: str
    hint: str
    send: str
    stop: str
    stopped: str
    thread: str
    new_thread: str
    reading: str
    answer: str
    evidence: str
    choose: str
    open_there: str
    abstained: str
    waiting: str
    failed: str
    runs: str
    no_runs: str
    no_script: str


_EN = Wording(
    ask="Ask",
    title="Ask about recent changes",
    lead="Every statement is checked against the commit it cites; choose a citation to see the lines that show it.",
    question="Your question",
    hint="what changed in the scheduler this week?",
    send="Ask",
    stop="Stop",
    stopped="Stopped.",
    thread="Conversation",
    new_thread="New conversation",
    reading="What is being read",
    answer="Answers",
    evidence="Evidence",
    choose="Choose a citation of an answer.",
    open_there="Open at its origin",
    abstained="This is no answer: it is the evidence that comes nearest.",
    waiting="Waiting; place in the queue:",
    failed="It did not work:",
    runs="Runs",
    no_runs="No runs yet.",
    no_script="Asking needs JavaScript; gitzette ask and gitzette chat do not.",
)
_ZH = Wording(
    ask="提问",
    title="询问近期的变更",
    lead="每一句话都对照其引用的提交核对过；点击引用即可查看相应的代码行。",
    question="您的问题",
    hint="这周调度器有什么变化？",
    send="提问",
    stop="停止",
    stopped="已停止。",
    thread="对话",
    new_thread="新对话",
    reading="正在读取",
    answer="回答",
    evidence="证据",
    choose="请点击回答中的引用。",
    open_there="打开原处",
    abstained="这不是回答，而是最接近的证据。",
    waiting="正在排队，位置：",
    failed="出错了：",
    runs="运行",
    no_runs="还没有运行过。",
    no_script="提问需要 JavaScript；gitzette ask 和 gitzette chat 则不需要。",
)


def wording(lang: Language) -> Wording:
    """Choose the words of a language."""
    return {"en": _EN, "zh": _ZH}[lang]
