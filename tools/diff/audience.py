"""Whether a user of the project meets a difference: where it stands, and what it is."""

import re

from agent.facts import COMMANDS, FactKind
from tools.diff.draft import Draft
from tools.diff.headers import HEADERS
from tools.diff.roles import Role, is_program, is_public_path, may_be_offered, role

OF_NO_USER = (Role.TEST, Role.BENCHMARK, Role.EXAMPLE, Role.SCRIPT, Role.CI, Role.DOCUMENT, Role.DATA)
FLAGS = (
    FactKind.FLAG_ADDED,
    FactKind.FLAG_REMOVED,
    FactKind.FLAG_RENAMED,
    FactKind.FLAG_DEFAULT,
    FactKind.FLAG_CHOICES,
)
_INSTALLED = (FactKind.DEPENDENCY_ADDED, FactKind.DEPENDENCY_REMOVED, FactKind.DEPENDENCY_CHANGED)
_FOR_DEVELOPERS = ("dev-dependencies", "devDependencies")
"""Lists of a manifest that nobody installs who only uses what is made."""
SCRIPT = (".sh", ".bash")
_REGISTERED = (FactKind.REGISTERED, FactKind.UNREGISTERED, FactKind.REGISTRATION_CHANGED)
_LAYOUT = re.compile(
    r"(?:SharedStorage|TensorStorage|PipelineStorage|TempStorage|KernelTraits|SmemLayout)\w*(?:\.\w+)+$"
    r"|(?:^|\.)(?:(?:Shared|Tensor|Pipeline)Storage\w*|\w*TempStorage)$"
)
"""What a kernel keeps where in its memory, and the numbers it derives for itself, are its own business."""
_TRAITS = re.compile(r"(?:^|[/_])[kK]ernel_?[tT]raits\.\w+$")
_HANDED_ON = re.compile(
    r"(?:^|\.)Collective\w*\.(?!(?:Params|Arguments)\.)\w+(?:Params|Arguments|Tensors|Inputs)\.\w+$"
)
"""What one function of a part of a kernel hands to the next."""
_COMPUTED = re.compile(r"<|\b(?:decltype|typename)\b")
"""What an alias is computed from follows the names that it is made of; those are told by themselves."""
_COMPILED = re.compile(r"static_assert|STATIC_ASSERT")
_HIDDEN = re.compile(r"(?:^|[._])(?:details?|internal|impl)(?:\.|$)")
"""What is checked while compiling is new to those who include a header; other words for it are not."""
_ASKED_ONCE = re.compile(r"[a-z_]\w* = (?:[\w.]+\.)?(?:is|has|get|can|supports)_\w+\(\)$")
"""What a module asked of the machine when it was imported is its own business."""
_PROTOCOL = re.compile(
    r"\.__(?!(?:init_subclass|class_getitem|post_init|set_name|length_hint|reduce_ex|getnewargs_ex|match_args"
    r"|mro_entries|torch_function|torch_dispatch)__)[a-z0-9]+_\w+__(?:\.|$)"
)
"""What the parts of a project hand to each other by names of their own: `__new_from_mlir_values__`."""
_FINISHES, _CALLED = ".__post_init__", ("parameter-", "signature-")
_COMMANDS = re.compile(
    r"(?:^|[/_])(?:cli|main|args?|arguments|launch\w*|serve\w*|server\w*|bench\w*|tools?|run\w*|options|config\w*|entrypoints?|router|cmd)(?:[/_.]|$)"
)
_PROGRAM = re.compile(r"(?:^|\.)_?(?:main|parse\w*|get_parser|\w*args|run|test\w*|demo)$")
_LOOKED_UP = re.compile(r"REGISTR|REGISTER|_TO_|MODELS$|PARSERS?|BACKENDS|LOADERS|DLL_EXPORT|LIBRARY", re.IGNORECASE)
_BYGONE = re.compile(r"PREVIOUS|UNSUPPORTED|REMOVED|DEPRECATED|LEGACY", re.IGNORECASE)

_TAKEN = re.compile(
    r"^(?:[A-Za-z]\w*\.)*_?(?:[A-Z0-9]+_)*(?:SUPPORTED|ALLOWED|VALID|ACCEPTED)(?:_[A-Z0-9]+)*$"
    r"|^(?:[A-Za-z]\w*\.)*_?(?:[A-Z0-9]+_)+(?:TYPES|MODELS|FIELDS|BACKENDS|DTYPES|FORMATS|ARCHS|ARCHITECTURES)$"
)
_LISTED = re.compile(r"(?:(?:frozen)?set\()?[\[({]\s*[\w\"']")
"""Members that are written out, in whichever brackets."""
_MEMBERS = re.compile(r"[\"'][^\"']*[\"']|[\w.]+")


_TAKING = re.compile(r"(?:^|[ .])(?:supported|allowed|valid)_\w+\(\s*[\[({]\s*[\w\"']")
"""A decorator that says what the function below it takes: `@supported_compute_capability([90, 100])`."""


def symbol_is_met(draft: Draft, path: str, *, offered: bool = False) -> bool:
    """Tell of a symbol: its name is public, and users import or include the file, or it is a header that exports."""
    own = draft.detail == "variable" and draft.kind is FactKind.SYMBOL_REMOVED and _ASKED_ONCE.match(draft.old or "")
    made = draft.kind is FactKind.CONSTANT_CHANGED and draft.detail == "type" and _COMPUTED.search(draft.new or "")
    inner = _TRAITS.search(path) or any(own.search(draft.name) for own in (_PROTOCOL, _LAYOUT, _HANDED_ON))
    # Nobody calls it: a record that is made hands it some of its fields.
    inner = inner or (draft.name.endswith(_FINISHES) and draft.kind.startswith(_CALLED))
    met = (draft.public or _decides_what_is_taken(draft)) and not is_program(path)
    return met and not own and not made and not inner and (is_public_path(path) or (offered and may_be_offered(path)))


def _decides_what_is_taken(draft: Draft) -> bool:
    """Tell of a list that is the file's own and says what users may ask for: `_SUPPORTED_DTYPES = {…}`."""
    if draft.kind is FactKind.SIGNATURE_CHANGED and draft.detail == "decorators":
        return all(_TAKING.search(value or "") for value in (draft.old, draft.new))
    if draft.kind is not FactKind.CONSTANT_CHANGED or not _TAKEN.search(draft.name):
        return False
    # The same members in another order let the same through.
    old, new = (sorted(_MEMBERS.findall(value or "")) for value in (draft.old, draft.new))
    return old != new and all(_LISTED.match(value or "") for value in (draft.old, draft.new))


def site_is_met(draft: Draft, path: str) -> bool:
    """Tell of a site: it counts wherever it is run, but not in code that only the project itself runs."""
    what = role(path)
    if draft.kind is FactKind.DEPRECATED and what is Role.DOCUMENT:
        return True
    if not draft.public or what in OF_NO_USER or _PROTOCOL.search(draft.detail or ""):
        return False
    if _COMPILED.search(draft.name):
        met = draft.kind is FactKind.ERROR_ADDED and not _HIDDEN.search(draft.detail or "")
        return met and path.endswith(HEADERS) and is_public_path(path)
    if draft.kind in _INSTALLED and path.endswith(SCRIPT) and not draft.name.isupper():
        # What a script puts onto a machine, at whatever version, the package does not ask for.
        return False
    if draft.kind in _INSTALLED and draft.detail in _FOR_DEVELOPERS:
        return False
    if draft.kind in FLAGS:
        # A kernel's own little program is for those who tune the kernel.
        named = _COMMANDS.search(path.lower()) is not None or _is_at_root(path)
        own = path.endswith(".py") and (not draft.detail or _PROGRAM.search(draft.detail) is not None)
        return named or not (own or what in (Role.KERNEL, Role.OPERATOR, Role.MODEL))
    if draft.kind in _REGISTERED:
        table = draft.detail or ""
        if table == COMMANDS:
            return _COMMANDS.search(path.lower()) is not None
        private = table.startswith("_") and not _LOOKED_UP.search(table)
        return not private and not _BYGONE.search(table)
    return True


def _is_at_root(path: str) -> bool:
    """Tell whether a program lies where whoever has the repository looks first."""
    return "/" not in path and path.endswith(".py")
