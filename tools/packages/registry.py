"""Asks package registries which repository a package declares as its source."""

import hashlib
import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
from pydantic import Field, ValidationError

from agent.bumps.pins import Bump
from agent.bumps.python_pin_readers import table, tables, text_of
from agent.domain.base import Frozen
from tools.packages.wheel_names import wheel_imports

_LOG = logging.getLogger(__name__)
_SOURCE_LABELS = ("source", "sourcecode", "repository", "github")
"""The labels of project URLs that mean the repository, by the specification of well-known labels.

A homepage, a sponsor or a link in a description can be anybody's."""
_MAX_ANSWER_BYTES = 20_000_000
_SECONDS = 20.0
_HEADERS = {"User-Agent": "gitzette", "Accept": "application/json"}
_PROVENANCE = "application/vnd.pypi.integrity.v1+json"


class DeclaredSource(Frozen):
    """The repository that a registry has for a package."""

    url: str
    origin: str  # Who says so, as a phrase
    commits: dict[str, str] = Field(default_factory=dict)
    """The commits that versions were built from, where the registry records them."""
    imports: tuple[str, ...] = ()  # What a wheel installs


@dataclass(frozen=True)
class RegistryAddresses:
    """The addresses of the registries."""

    pypi: str = "https://pypi.org"
    npm: str = "https://registry.npmjs.org"
    crates: str = "https://crates.io"


@dataclass
class Registries:
    """Looks packages up, each version once: what is published does not change."""

    cache: Path
    addresses: RegistryAddresses = field(default_factory=RegistryAddresses)

    async def declared_source(self, bump: Bump) -> DeclaredSource | None:
        """Return the repository that both versions of a package declare.

        None where the registry declares none, where the versions differ, and where it is down.
        """
        old = await self._of_version(bump, bump.old)
        new = await self._of_version(bump, bump.new)
        if old is None or new is None or _repository_path(old.url) != _repository_path(new.url):
            return None
        imports = tuple(dict.fromkeys((*old.imports, *new.imports)))
        return new.model_copy(update={"commits": old.commits | new.commits, "imports": imports})

    async def _of_version(self, bump: Bump, version: str) -> DeclaredSource | None:
        key = hashlib.sha256(f"{bump.key}@{version}".encode()).hexdigest()
        file = self.cache / f"{key}.json"
        cached = _read_cached(file)
        if cached is not None:
            return cached
        async with httpx.AsyncClient(timeout=_SECONDS, headers=_HEADERS) as client:
            declared = await self._ask(client, bump, version)
        if declared is not None:
            _write_cached(file, declared)
        return declared

    async def _ask(
        self, client: httpx.AsyncClient, bump: Bump, version: str
    ) -> DeclaredSource | None:
        name = quote(bump.name, safe="@")
        release = quote(version, safe="")
        if bump.ecosystem == "pypi":
            return await self._ask_pypi(client, name, release)
        if bump.ecosystem == "npm":
            address = f"{self.addresses.npm}/{name.replace('/', '%2F')}/{release}"
            return _npm_source(version, await _get(client, address))
        if bump.ecosystem == "cargo":
            address = f"{self.addresses.crates}/api/v1/crates/{name}"
            crate = table((await _get(client, address)).get("crate"))
            url = text_of(crate.get("repository"))
            return DeclaredSource(url=url, origin="declared on crates.io") if url else None
        return None

    async def _ask_pypi(
        self, client: httpx.AsyncClient, name: str, version: str
    ) -> DeclaredSource | None:
        base = self.addresses.pypi
        answer = await _get(client, f"{base}/pypi/{name}/{version}/json")
        source = await self._pypi_source(client, answer, f"{base}/integrity/{name}/{version}")
        if source is None:
            return None
        return source.model_copy(update={"imports": await _imports(client, answer)})

    async def _pypi_source(
        self, client: httpx.AsyncClient, answer: Mapping[str, Any], integrity: str
    ) -> DeclaredSource | None:
        for file in tables(answer.get("urls")):
            file_name = quote(text_of(file.get("filename")), safe="")
            address = f"{integrity}/{file_name}/provenance"
            attested = _attested_repository(await _get(client, address, accept=_PROVENANCE))
            if attested:
                url = f"https://github.com/{attested}"
                return DeclaredSource(url=url, origin="attested on PyPI")
            break  # A release is attested as a whole or not at all
        url = _labelled_url(table(table(answer.get("info")).get("project_urls")))
        return DeclaredSource(url=url, origin="declared on PyPI") if url else None


async def _imports(client: httpx.AsyncClient, answer: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what the first wheel of a release installs."""
    for file in tables(answer.get("urls")):
        if text_of(file.get("filename")).endswith(".whl") and text_of(file.get("url")):
            return await wheel_imports(client, text_of(file["url"]))
    return ()


def _attested_repository(provenance: Mapping[str, Any]) -> str:
    for bundle in tables(provenance.get("attestation_bundles")):
        publisher = table(bundle.get("publisher"))
        if publisher.get("kind") == "GitHub":
            return text_of(publisher.get("repository"))
    return ""


def _labelled_url(urls: Mapping[str, Any]) -> str:
    for label, url in urls.items():
        letters = "".join(character for character in label.lower() if character.isalnum())
        if letters in _SOURCE_LABELS:
            return text_of(url)
    return ""


def _npm_source(version: str, answer: Mapping[str, Any]) -> DeclaredSource | None:
    repository = answer.get("repository")
    url = text_of(repository) or text_of(table(repository).get("url"))
    if url.startswith("github:") or (url and "://" not in url and url.count("/") == 1):
        url = f"https://github.com/{url.removeprefix('github:')}"
    if not url:
        return None
    commit = text_of(answer.get("gitHead"))
    commits = {version: commit} if commit else {}
    url = url.removeprefix("git+")
    return DeclaredSource(url=url, origin="declared on npm", commits=commits)


async def _get(
    client: httpx.AsyncClient, address: str, *, accept: str = "application/json"
) -> dict[str, Any]:
    """Fetch JSON; anything else than a table of a bearable size counts as nothing."""
    body = bytearray()
    try:
        async with client.stream("GET", address, headers={"Accept": accept}) as response:
            if response.status_code != httpx.codes.OK:
                return {}
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > _MAX_ANSWER_BYTES:
                    return {}
        return table(json.loads(body))
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, RecursionError) as error:
        _LOG.info("GET %s: %s", address, error)
        return {}


def _repository_path(url: str) -> Iterable[str]:
    return urlsplit(url).path.lower().strip("/").removesuffix(".git").split("/")[:2]


def _read_cached(file: Path) -> DeclaredSource | None:
    try:
        return DeclaredSource.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        return None


def _write_cached(file: Path, declared: DeclaredSource) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(declared.model_dump_json(), "utf-8")
    except OSError as error:
        _LOG.info("%s: %s", file, error.strerror)
