"""A cache of compiled templates, kept beside them as Python keeps compiled modules."""

import sys
from contextlib import suppress
from pathlib import Path

import jinja2
from jinja2.bccache import Bucket, BytecodeCache, FileSystemBytecodeCache


def template_cache(folder: Path, environment: str) -> BytecodeCache | None:
    """Return a cache for templates of an environment, or None where Python writes none either.

    What a template is compiled to depends on the environment, and on the version of Jinja.
    """
    if sys.dont_write_bytecode or sys.pycache_prefix is not None:
        return None
    pattern = f"{environment}-jinja-{jinja2.__version__}-%s.cache"
    return _TemplateCache(str(folder / "__pycache__"), pattern)


class _TemplateCache(FileSystemBytecodeCache):
    """Does without, where the folder cannot be written."""

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().load_bytecode(bucket)

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            Path(self.directory).mkdir(exist_ok=True)
            super().dump_bytecode(bucket)
