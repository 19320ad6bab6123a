"""Which lines of code read an environment variable, whatever their language and however it is asked for."""

import re
from collections.abc import Iterable
from functools import lru_cache

from tools.diff.roles import Role, role

_ELSEWHERE = (Role.TEST, Role.DOCUMENT, Role.CI, Role.BENCHMARK, Role.EXAMPLE, Role.DATA, Role.ASSET)
"""Roles of files that read variables of others, or for themselves alone."""


_FOREIGN = re.compile(
    r"CI|PATH|HOME|USER|USERNAME|USERPROFILE|LOGNAME|PWD|SHELL|TERM|LANG|LC_\w+|TMP|TEMP|TMPDIR|HOSTNAME|DISPLAY|EDITOR"
    r"|VIRTUAL_ENV|CONDA_PREFIX|PYTHONPATH|LD_LIBRARY_PATH|LD_PRELOAD|(?:LOCAL)?APPDATA|PROGRAMFILES|SYSTEMROOT"
    r"|GITHUB_(?!TOKEN$)\w+|RUNNER_\w+|BUILDKITE(?:_\w+)?|GITLAB_CI|CI_[A-Z]\w*|JENKINS_\w+|SLURM_\w+|XDG_\w+|SSH_\w+"
    r"|CUDA_(?:VISIBLE_DEVICES|HOME|PATH|DEVICE_\w+|LAUNCH_BLOCKING|MODULE_LOADING|CACHE_\w+)|NCCL_\w+|TORCHINDUCTOR_\w+"
    r"|(?:LOCAL_)?(?:RANK|WORLD_SIZE)|MASTER_(?:ADDR|PORT)|OMP_NUM_THREADS"
)


def is_foreign(name: str) -> bool:
    """Tell what the system, a shell, a scheduler, a driver or a build service sets: no project adds or removes it."""
    return _FOREIGN.fullmatch(name) is not None


def is_only_set(name: str, path: str, lines: Iterable[str]) -> bool:
    """Tell whether a script of CI sets a variable for what it runs, and does not ask whether somebody else has."""
    if role(path) is not Role.CI:
        return False
    named = [line[1:].strip() for line in lines if name in line]
    return bool(named) and all(line.startswith(f"export {name}=") and f"{{{name}" not in line for line in named)


def declares(name: str, lines: Iterable[str]) -> bool:
    """Tell whether a class of settings declares a variable, with its type and default: `X = EnvBool(False)`."""
    declared = re.compile(rf"^[+ ]\s*{re.escape(name)}\s*(?::[^=]+)?=\s*Env[A-Z]\w*\(")
    return any(name in line and declared.match(line) is not None for line in lines)


def asking(text: str) -> list[str]:
    """List the lines that may read a variable: whoever asks for one speaks of `env`, in some case."""
    lower = text.lower()
    if len(lower) != len(text):
        return [line for line in text.split("\n") if "env" in line.lower()]
    lines: list[str] = []
    at = lower.find("env")
    while at >= 0:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        lines.append(text[text.rfind("\n", 0, at) + 1 : end])
        at = lower.find("env", end)
    return lines


def reads(name: str, path: str, lines: Iterable[str]) -> bool:
    """Tell whether one of these lines of a file reads or declares a variable; setting it is not reading it."""
    if role(path) in _ELSEWHERE:
        return False
    pattern = _pattern(name)
    return any(name in line and pattern.search(line) is not None for line in lines)


@lru_cache(maxsize=1000)
def _pattern(name: str) -> re.Pattern[str]:
    word = re.escape(name)
    return re.compile(
        rf"""^(?!.?\s*(?:\#|//|\*)).*?(?:(?i:env).*["']{word}["'](?!\]\s*=[^=])|["']{word}["'].*\benviron\b"""
        rf"""|\benvs\.{word}\b(?!\.set)|\b{word}\b.*=\s*(?:Env[A-Z]|env_)\w*\()"""
    )
