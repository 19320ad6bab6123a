"""What a release adds to the metadata of the package: `version`, or `urls ADDRESS`."""

import json
import sys
import tomllib
from pathlib import Path

PROJECT = Path("pyproject.toml")


def main(arguments: list[str]) -> None:
    """Print the version, or write the addresses of the project's pages into pyproject.toml."""
    text = PROJECT.read_text("utf-8")
    match arguments:
        case ["version"]:
            print(tomllib.loads(text)["project"]["version"])
        case ["urls", address] if address.startswith("https://"):
            PROJECT.write_text(with_urls(text, address), "utf-8")
        case _:
            sys.exit("release_metadata.py: use `version`, or `urls https://HOST/OWNER/NAME`")


def with_urls(text: str, address: str) -> str:
    """Return pyproject.toml with a table of addresses; there must be none yet."""
    if "urls" in tomllib.loads(text)["project"]:
        sys.exit("release_metadata.py: pyproject.toml has project.urls already")
    pages = {
        "Homepage": address,
        "Documentation": f"{address}/tree/main/docs",
        "Changelog": f"{address}/blob/main/CHANGELOG.md",
        "Issues": f"{address}/issues",
        "Source": address,
    }
    lines = [f"{name} = {json.dumps(page)}" for name, page in pages.items()]
    table = "\n".join(["[project.urls]", *lines])
    return text.replace("[project.scripts]", f"{table}\n\n[project.scripts]", 1)


if __name__ == "__main__":
    main(sys.argv[1:])
