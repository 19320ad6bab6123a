"""Registries are asked which repository a package declares, by labels that mean its source."""

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from agent.bumps.pins import Bump, Ecosystem
from evals.loopback import Loopback
from tools.packages.registry import (
    DeclaredSource,
    NotDeclared,
    Registries,
    RegistryAddresses,
)

SOURCE = "https://github.com/ada/paint"
ELSEWHERE = "https://github.com/mallory/paint"


class Registry:
    """PyPI, npm and crates.io on loopback: answers by path."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.asked: list[str] = []
        self._loopback = Loopback()
        self.url = self._loopback.url

    def __enter__(self) -> "Registry":
        self._loopback.start(Starlette(routes=[Route("/{path:path}", self._answer)]))
        return self

    def __exit__(self, *_: object) -> None:
        self._loopback.stop()

    async def _answer(self, request: Request) -> Response:
        path = request.url.path
        self.asked.append(path)
        answer = self.answers.get(path)
        if isinstance(answer, int):
            return Response(status_code=answer)
        if isinstance(answer, bytes):
            return Response(answer)
        return Response(status_code=404) if answer is None else JSONResponse(answer)

    def release(self, version: str, urls: dict[str, str], **info: Any) -> None:
        files = [{"filename": f"paint-{version}.whl", "url": f"{self.url}/files/{version}.whl"}]
        answer = {"info": {"project_urls": urls} | info, "urls": files}
        self.answers[f"/pypi/paint/{version}/json"] = answer


@pytest.fixture
def registry() -> Iterator[Registry]:
    with Registry() as server:
        yield server


def bumped(ecosystem: Ecosystem = "pypi", name: str = "paint") -> Bump:
    return Bump(ecosystem=ecosystem, name=name, old="1.0", new="2.0")


async def declared(registry: Registry, folder: Path, bump: Bump) -> DeclaredSource:
    addresses = RegistryAddresses(registry.url, registry.url, registry.url)
    return await Registries(folder, addresses).declared_source(bump)


@pytest.mark.parametrize("label", ["Source", "Source Code", "Repository", "GitHub", "source-code"])
async def test_a_label_that_means_the_source_counts(
    registry: Registry, tmp_path: Path, label: str
) -> None:
    for version in ("1.0", "2.0"):
        registry.release(version, {"Homepage": ELSEWHERE, label: SOURCE})
    source = await declared(registry, tmp_path, bumped())
    assert (source.url, source.origin) == (SOURCE, "declared on PyPI")


@pytest.mark.parametrize("label", ["Homepage", "Funding", "Sponsor", "Documentation", "Fork me"])
async def test_other_labels_and_descriptions_do_not_count(
    registry: Registry, tmp_path: Path, label: str
) -> None:
    for version in ("1.0", "2.0"):
        registry.release(
            version, {label: ELSEWHERE}, home_page=ELSEWHERE, description=f"Source: {ELSEWHERE}"
        )
    with pytest.raises(NotDeclared, match=r"PyPI has no address of the source for 1\.0: no att"):
        await declared(registry, tmp_path, bumped())


async def test_an_attestation_goes_before_a_declared_address(
    registry: Registry, tmp_path: Path
) -> None:
    bundle = {"publisher": {"kind": "GitHub", "repository": "ada/paint"}}
    for version in ("1.0", "2.0"):
        registry.release(version, {"Source": ELSEWHERE})
        path = f"/integrity/paint/{version}/paint-{version}.whl/provenance"
        registry.answers[path] = {"attestation_bundles": [bundle]}
    source = await declared(registry, tmp_path, bumped())
    assert (source.url, source.origin) == (SOURCE, "attested on PyPI")


async def test_versions_that_declare_different_repositories_prove_nothing(
    registry: Registry, tmp_path: Path
) -> None:
    registry.release("1.0", {"Source": SOURCE})
    registry.release("2.0", {"Source": ELSEWHERE})
    reason = "1.0 and 2.0 declare different repositories there: ada/paint and mallory/paint"
    with pytest.raises(NotDeclared, match=re.escape(reason)):
        await declared(registry, tmp_path, bumped())


async def test_npm_has_the_commits_as_well(registry: Registry, tmp_path: Path) -> None:
    for version in ("1.0", "2.0"):
        repository = {"type": "git", "url": f"git+{SOURCE}.git"}
        answer = {"repository": repository, "gitHead": version[0] * 40}
        registry.answers[f"/@ada/paint/{version}"] = answer
    source = await declared(registry, tmp_path, bumped("npm", "@ada/paint"))
    assert (source.url, source.commits["2.0"]) == (f"{SOURCE}.git", "2" * 40)


async def test_crates_declare_their_repository(registry: Registry, tmp_path: Path) -> None:
    registry.answers["/api/v1/crates/paint"] = {"crate": {"repository": SOURCE}}
    source = await declared(registry, tmp_path, bumped("cargo"))
    assert source.url == SOURCE


async def test_a_version_is_asked_for_once(registry: Registry, tmp_path: Path) -> None:
    for version in ("1.0", "2.0"):
        registry.release(version, {"Source": SOURCE})
    first = await declared(registry, tmp_path, bumped())
    request_count = len(registry.asked)
    assert await declared(registry, tmp_path, bumped()) == first
    assert len(registry.asked) == request_count


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (b"", "PyPI sent an answer that is not JSON"),
        (b"[]", "PyPI sent an answer that is not a JSON object"),
        (b"<html>", "PyPI sent an answer that is not JSON"),
        (b"[" * 100_000, "PyPI sent an answer that is not JSON"),
        (b'{"info": 3}', "PyPI has no address of the source for 1.0"),
        (None, "PyPI does not have this version"),
        (503, "PyPI answered with status 503"),
    ],
)
async def test_an_answer_that_is_none_proves_nothing_and_is_named(
    registry: Registry, tmp_path: Path, answer: bytes | int | None, reason: str
) -> None:
    registry.answers["/pypi/paint/1.0/json"] = registry.answers["/pypi/paint/2.0/json"] = answer
    with pytest.raises(NotDeclared, match=f"^{re.escape(reason)}"):
        await declared(registry, tmp_path, bumped())


async def test_a_registry_out_of_reach_is_named(tmp_path: Path) -> None:
    addresses = RegistryAddresses(crates="http://127.0.0.1:9")
    with pytest.raises(NotDeclared, match=r"^crates\.io could not be reached$"):
        await Registries(tmp_path, addresses).declared_source(bumped("cargo"))


async def test_a_name_cannot_leave_its_place_in_the_address(
    registry: Registry, tmp_path: Path
) -> None:
    with pytest.raises(NotDeclared):
        await declared(registry, tmp_path, bumped(name="../../evil?x=#"))
    assert registry.asked
    assert all(path.startswith("/pypi/") for path in registry.asked)


def wheel(*files: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for file in files:
            archive.writestr(file, "")
    return content.getvalue()


async def test_what_a_wheel_installs_is_what_code_imports(
    registry: Registry, tmp_path: Path
) -> None:
    for version in ("1.0", "2.0"):
        registry.release(version, {"Source": SOURCE})
    registry.answers["/files/1.0.whl"] = wheel(
        "PIL/Image.py", "six.py", "_fast.cpython-311.so", "paint-1.0.dist-info/RECORD", "docs/x.md"
    )
    registry.answers["/files/2.0.whl"] = b"no archive"
    source = await declared(registry, tmp_path, bumped())
    assert source.imports == ("PIL", "_fast", "six")
