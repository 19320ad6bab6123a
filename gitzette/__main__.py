"""Lets `python -m gitzette` be the command."""

import sys

from gitzette.cli import main

sys.exit(main())
