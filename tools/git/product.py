"""Where the product code of a tree lies, as few paths as name it: git need not unpack the rest to search it."""

from collections.abc import Callable, Collection, Iterable

from agent.areas import Area, area
from tools.git.view import View

_UNREADABLE = (
    *(b".png", b".jpg", b".jpeg", b".gif", b".bmp", b".ico", b".webp", b".pdf", b".woff", b".woff2", b".ttf"),
    *(b".zip", b".gz", b".xz", b".zst", b".bz2", b".tar", b".whl", b".so", b".a", b".o", b".dll", b".lib", b".exe"),
    *(b".bin", b".bc", b".gguf", b".onnx", b".pt", b".safetensors", b".npy", b".npz", b".mp3", b".mp4", b".wav"),
)
"""How files end that have no lines of text; git finds that out only after unpacking them."""
_MOST = 1_000
"""More paths than that cost git more than what it leaves out."""


async def product_paths(
    view: View, sha: str, fits: Callable[[bytes], bool] = lambda _: True, *, examples: bool = False
) -> list[bytes]:
    """Name the files of product code in a tree that fit, by whole folders where all of a folder does.

    With `examples` also those of benchmarks, scripts and examples.
    """
    areas = (Area.PRODUCT, Area.BENCH) if examples else (Area.PRODUCT,)
    told = await view.run(["ls-tree", "-r", "-z", "--name-only", sha])
    every = [path for path in told.out.split(b"\0") if path]
    return _cover(every, {path for path in every if fits(path) and _is_of(areas, path)})


def _is_of(areas: Collection[Area], path: bytes) -> bool:
    return not path.lower().endswith(_UNREADABLE) and area(path.decode("utf-8", "replace")) in areas


def _cover(every: Iterable[bytes], wanted: set[bytes]) -> list[bytes]:
    """Name the largest folders of which everything is wanted, and the files of the others."""
    mixed: set[bytes] = set()
    for path in every:
        if path not in wanted:
            folder = path.rpartition(b"/")[0]
            while folder and folder not in mixed:
                mixed.add(folder)
                folder = folder.rpartition(b"/")[0]
    named = dict.fromkeys(_outermost(path, mixed) for path in sorted(wanted))
    if len(named) > _MOST:
        named = dict.fromkeys(path.partition(b"/")[0] for path in named)
    return list(named)


def _outermost(path: bytes, mixed: set[bytes]) -> bytes:
    """Name the outermost folder of a path that is not mixed, or the path itself."""
    end = path.find(b"/")
    while end >= 0 and path[:end] in mixed:
        end = path.find(b"/", end + 1)
    return path if end < 0 else path[:end]
