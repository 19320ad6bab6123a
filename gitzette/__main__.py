"""Lets `python -m gitzette` be the command."""

import sys
from pathlib import Path

# `python -m` looks first into the folder one stands in, which may have an agent/ or tools/ of its own.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

if __name__ == "__main__":
    from gitzette.cli import main

    sys.exit(main())
