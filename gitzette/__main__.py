"""Lets `python -m gitzette` be the command."""

import sys
from pathlib import Path

# `python -m` searches the current folder first, which may have its own agent/ or tools/.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if __name__ == "__main__":
    from gitzette.cli import main

    sys.exit(main())
