"""What speaks for a guess, in values that a reader can look up on both sides."""

from agent.linking.guesser import Guess, Guesser
from agent.linking.terms import bare_title, is_file, shared_parts, words_of

_SHOWN, _LONG = 3, 60
_RUN = 8
_SOON = 0.6
_COMMON = 2.0
"""A name that more than one text in eight has tells nothing."""


def reasons(guesser: Guesser, guess: Guess) -> tuple[str, ...]:
    """Name the shared message of an error, names, files and words of the titles, then time and person."""
    issue = next(one for one in guesser.issues if one.id == guess.issue)
    change = guesser.changes[guess.sha]
    found: list[str] = []
    if change.sketch:
        if shared := sorted(change.sketch.alarms.intersection(issue.alarms)):
            found.append(f"error: {_longest(shared)}")
        names = sorted(change.sketch.names.intersection(issue.names), key=lambda one: (-guesser.rare_names[one], one))
        rare = [name for name in names if guesser.rare_names[name] >= _COMMON and len(name) <= _LONG]
        found += [f"name: {name}" for name in rare if not is_file(name) and not name.endswith("error")][:_SHOWN]
        found += [f"file: {name}" for name in rare if is_file(name)][:_SHOWN]
    both = {*change.side.title}
    words = [part for word in words_of(bare_title(issue.title)) for part in shared_parts(word, both)]
    found += [f"word: {word}" for word in dict.fromkeys(words[:_RUN]) if len(word) <= _LONG]
    if guess.features["closed"] >= _SOON:
        found.append("closed: soon after it landed")
    if guess.features["reporter"]:
        found.append("reporter: the author of the change")
    return tuple(found)


def _longest(runs: list[str]) -> str:
    """Join runs that overlap to the longest stretch of the message."""
    following = {run.rpartition(" ")[0]: run for run in runs if run.count(" ") == 2}
    best = ""
    for start in runs:
        words, seen = start.split(" "), {start}
        while len(words) < _RUN and (nxt := following.get(" ".join(words[-2:]))) and nxt not in seen:
            seen.add(nxt)
            words.append(nxt.rpartition(" ")[2])
        best = max(best, " ".join(words), key=len)
    return best
