"""The names that a wheel installs, from the list of its files; nothing of it is unpacked."""

import io
import logging
import zipfile

import httpx

_LOG = logging.getLogger(__name__)
_TAIL_BYTES = 262_144  # The list of the files of an archive is at its end
_MAX_NAMES = 50
_NO_MODULES = (".dist-info", ".data", ".libs")
_MODULE_SUFFIXES = (".py", ".pyi", ".so", ".pyd")


async def wheel_imports(client: httpx.AsyncClient, address: str) -> tuple[str, ...]:
    """Return the top-level names of a wheel; empty where its list of files cannot be had."""
    tail = await _end_of(client, address)
    try:
        with zipfile.ZipFile(io.BytesIO(tail)) as archive:
            files = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        _LOG.info("%s: %s", address, error)
        return ()
    return top_level_names(files)


def top_level_names(files: list[str]) -> tuple[str, ...]:
    """Return what the files of a wheel can be imported as: folders with modules, and modules."""
    names: dict[str, None] = {}
    for file in files:
        first, separator, _ = file.partition("/")
        if not file.endswith(_MODULE_SUFFIXES) or first.endswith(_NO_MODULES):
            continue
        name = first if separator else first.partition(".")[0]
        if name.isidentifier():
            names[name] = None
    return tuple(sorted(names)[:_MAX_NAMES])


async def _end_of(client: httpx.AsyncClient, address: str) -> bytes:
    """Fetch the end of a file; nothing from a server that would send all of a large one."""
    headers = {"Range": f"bytes=-{_TAIL_BYTES}", "Accept": "*/*"}
    body = bytearray()
    try:
        async with client.stream("GET", address, headers=headers) as response:
            if response.status_code not in (httpx.codes.OK, httpx.codes.PARTIAL_CONTENT):
                return b""
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > _TAIL_BYTES:
                    return b""
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        _LOG.info("GET %s: %s", address, error)
        return b""
    return bytes(body)
