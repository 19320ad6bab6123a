"""Asks package registries which repository a package declares as its source."""

import hashlib
import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

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


class NotDeclared(Exception):
    """A registry proves no repository of a package; the message says why, as a clause."""


class RegistryDown(NotDeclared):
    """A registry did not answer as it should; later it may."""


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

    async def declared_source(self, bump: Bump) -> DeclaredSource:
        """Return the repository that both versions of a package declare.

        Raise NotDeclared where the registry declares none, where the versions differ, and where
        the registry is down.
        """
        old = await self._of_version(bump, bump.old)
        new = await self._of_version(bump, bump.new)
        old_path = _repository_path(old.url)
        new_path = _repository_path(new.url)
        if old_path != new_path:
            raise NotDeclared(
                f"{bump.old} and {bump.new} declare different repositories there:"
                f" {'/'.join(old_path)} and {'/'.join(new_path)}"
            )
        imports = tuple(dict.fromkeys((*old.imports, *new.imports)))
        return new.model_copy(update={"commits": old.commits | new.commits, "imports": imports})

    async def _of_version(self, bump: Bump, version: str) -> DeclaredSource:
        key = hashlib.sha256(f"{bump.key}@{version}".encode()).hexdigest()
        file = self.cache / f"{key}.json"
        cached = _read_cached(file)
        if cached is not None:
            return cached
        async with httpx.AsyncClient(timeout=_SECONDS, headers=_HEADERS) as client:
            declared = await self._ask(client, bump, version)
        _write_cached(file, declared)
        return declared

    async def _ask(self, client: httpx.AsyncClient, bump: Bump, version: str) -> DeclaredSource:
        name = quote(bump.name, safe="@")
        release = quote(version, safe="")
        if bump.ecosystem == "pypi":
            return await self._ask_pypi(client, name, release)
        if bump.ecosystem == "npm":
            address = f"{self.addresses.npm}/{name.replace('/', '%2F')}/{release}"
            return _npm_source(version, await _answer(client, address, "npm"))
        if bump.ecosystem == "cargo":
            address = f"{self.addresses.crates}/api/v1/crates/{name}"
            crate = table((await _answer(client, address, "crates.io")).get("crate"))
            url = text_of(crate.get("repository"))
            if not url:
                raise NotDeclared("crates.io has no repository for it")
            return DeclaredSource(url=url, origin="declared on crates.io")
        raise NotDeclared(f"no registry of {bump.ecosystem} packages is asked")

    async def _ask_pypi(self, client: httpx.AsyncClient, name: str, version: str) -> DeclaredSource:
        base = self.addresses.pypi
        answer = await _answer(client, f"{base}/pypi/{name}/{version}/json", "PyPI")
        source = await self._pypi_source(client, answer, f"{base}/integrity/{name}/{version}")
        if source is None:
            raise NotDeclared(
                f"PyPI has no address of the source for {unquote(version)}: no attestation, and no"
                " link that is called Source, Source Code, Repository or GitHub"
            )
        return source.model_copy(update={"imports": await _imports(client, answer)})

    async def _pypi_source(
        self, client: httpx.AsyncClient, answer: Mapping[str, Any], integrity: str
    ) -> DeclaredSource | None:
        for file in tables(answer.get("urls")):
            file_name = quote(text_of(file.get("filename")), safe="")
            address = f"{integrity}/{file_name}/provenance"
            attested = await _attested_repository(client, address)
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


async def _attested_repository(client: httpx.AsyncClient, address: str) -> str:
    """Return the repository that an attestation names; empty where there is none."""
    try:
        provenance = await _answer(client, address, "PyPI", accept=_PROVENANCE)
    except NotDeclared:
        return ""
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


def _npm_source(version: str, answer: Mapping[str, Any]) -> DeclaredSource:
    repository = answer.get("repository")
    url = text_of(repository) or text_of(table(repository).get("url"))
    if url.startswith("github:") or (url and "://" not in url and url.count("/") == 1):
        url = f"https://github.com/{url.removeprefix('github:')}"
    if not url:
        raise NotDeclared(f"npm has no repository for {version}")
    commit = text_of(answer.get("gitHead"))
    commits = {version: commit} if commit else {}
    url = url.removeprefix("git+")
    return DeclaredSource(url=url, origin="declared on npm", commits=commits)


async def _answer(
    client: httpx.AsyncClient, address: str, registry: str, *, accept: str = "application/json"
) -> dict[str, Any]:
    """Fetch a table of JSON; raise NotDeclared with what the registry did instead."""
    body = bytearray()
    try:
        async with client.stream("GET", address, headers={"Accept": accept}) as response:
            if response.status_code == httpx.codes.NOT_FOUND:
                raise NotDeclared(f"{registry} does not have this version")
            if response.status_code != httpx.codes.OK:
                raise RegistryDown(f"{registry} answered with status {response.status_code}")
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > _MAX_ANSWER_BYTES:
                    raise NotDeclared(
                        f"{registry} sent more than {_MAX_ANSWER_BYTES // 1_000_000} MB"
                    )
        answer = json.loads(body)
    except httpx.TimeoutException as error:
        raise RegistryDown(f"{registry} did not answer in {_SECONDS:.0f} seconds") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        _LOG.info("GET %s: %s", address, error)
        raise RegistryDown(f"{registry} could not be reached") from error
    except (ValueError, RecursionError) as error:
        raise RegistryDown(f"{registry} sent an answer that is not JSON") from error
    if not isinstance(answer, dict):
        raise NotDeclared(f"{registry} sent an answer that is not a JSON object")
    return answer


def _repository_path(url: str) -> list[str]:
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
