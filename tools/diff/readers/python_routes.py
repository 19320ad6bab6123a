"""The paths that a Python file answers to: FastAPI, Flask, Starlette, with what a router puts before them."""

import re
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from tools.diff.readers.python_syntax import Code
from tools.diff.reading import Site

PREFIX: Final = re.compile(rb"\b(?:url_)?prefix\s*=\s*[\"'](/[\w./{}-]*?)/?[\"']")


def routes_of(code: Code, call: Node, scope: str, verb: str | None = None) -> Iterator[Site]:
    """Read the path of a call, once for each method that it is asked by."""
    positional, named = code.arguments(call)
    path = code.string(positional[0] if positional else named.get("path") or named.get("rule"))
    if path is None or not path.startswith("/"):
        return
    listed = named.get("methods")
    verbs = [code.string(node) or "" for node in listed.named_children] if listed is not None else []
    lines = code.line(call), code.last_line(call)
    path = f"{_prefix(code, call)}{path}"
    for method in [verb] if verb else [word for word in verbs if word] or ["GET"]:
        yield Site("route", f"{method.upper()} {path}", *lines, scope=scope)


def _prefix(code: Code, call: Node) -> str:
    """Give what a router puts before its paths: `APIRouter(prefix="/v1")`, `Blueprint(…, url_prefix="/v1")`."""
    function = call.child_by_field_name("function")
    router = function.child_by_field_name("object") if function is not None else None
    if router is None or router.type != "identifier" or b"prefix" not in code.text:
        return ""
    word = re.escape(code.raw(router))
    made = re.search(rb"^%b\s*(?::[^=\n]*)?=\s*[\w.]+\(([^()]*)\)" % word, code.text, re.MULTILINE)
    taken_in = re.search(rb"\.(?:include_router|register_blueprint)\(\s*%b\s*,([^()]*)\)" % word, code.text)
    given = [PREFIX.search(found[1]) for found in (taken_in, made) if found is not None]
    return "".join(found[1].decode("utf-8", "replace") for found in given if found is not None)
