"""Prints the line that ties a lock file to the dependencies it was made from."""

import hashlib
import json
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))
inputs = [
    project["project"]["requires-python"],
    project["project"]["dependencies"],
    project["project"].get("optional-dependencies"),
    project["dependency-groups"],
]
print(f"# inputs: sha256:{hashlib.sha256(json.dumps(inputs).encode()).hexdigest()}")
