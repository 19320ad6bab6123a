"""The imports of the fork server of `eval`: each process that it forks starts with them.

Importing the product takes three seconds, and compiling the queries for C++ another one.
"""

import gc

from gitzette.commands import evaluate
from tools.diff.declaration_reader import language_of

__all__ = ["evaluate"]

for path in ("file.py", "file.cpp"):
    language = language_of(path)
    assert language is not None
    _ = language.query
# Forked processes leave these objects alone, and share the memory that holds them.
gc.freeze()
