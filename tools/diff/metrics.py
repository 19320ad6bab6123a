"""By what name dashboards know a metric: clients of Prometheus write the end of a counter's name themselves."""

import re

COUNTER = "counter"
_TOTAL = "_total"


def stem(counter: str) -> str:
    """Write the name of a counter without its end: `requests` and `requests_total` are exported as one."""
    return counter.removesuffix(_TOTAL)


def spellings(metric: str) -> tuple[str, str]:
    """Write a metric as code may spell it."""
    return stem(metric), stem(metric) + _TOTAL


def quoted(name: str) -> re.Pattern[str]:
    """Find a metric or command in code: its name in quotes, with or without a counter's end, or behind a prefix."""
    own = stem(name)
    tail = re.split("[:_]", own, maxsplit=1)[-1]
    return re.compile(rf"""(?:["']{re.escape(own)}|\}}[:_]?{re.escape(tail)})(?:{_TOTAL})?["']""")
