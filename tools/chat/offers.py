"""Whether an endpoint that speaks OpenAI's protocol is there, and which models it offers."""

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from agent.domain.base import UpstreamError
from tools.github.address import trust

_LARGEST = 4_000_000
_SECONDS = 5.0


class _Meta(BaseModel):
    model_config = ConfigDict(frozen=True)

    n_ctx: int | None = None
    n_ctx_train: int | None = None


class _Model(BaseModel):
    """One model of a list; servers name its context in their own ways: vLLM, OpenRouter, Groq, llama.cpp."""

    model_config = ConfigDict(frozen=True)

    id: str
    max_model_len: int | None = None
    context_length: int | None = None
    context_window: int | None = None
    meta: _Meta | None = None

    @property
    def context(self) -> int | None:
        """How many tokens it takes, where that is told."""
        own = self.max_model_len or self.context_length or self.context_window
        return own or (self.meta.n_ctx or self.meta.n_ctx_train if self.meta else None)


class _Listing(BaseModel):
    model_config = ConfigDict(frozen=True)

    data: tuple[_Model, ...]


async def list_models(url: str, key: str | None, *, seconds: float = _SECONDS) -> tuple[str, ...]:
    """Ask for the names of the models."""
    return tuple(model.id for model in await _listed(url, key, seconds))


async def context_of(url: str, key: str | None, name: str, *, seconds: float = _SECONDS) -> int | None:
    """Ask how many tokens a model takes; None where the server does not say, or has no list."""
    try:
        offered = await _listed(url, key, seconds)
    except UpstreamError:
        return None
    return next((model.context for model in offered if model.id == name), None)


async def _listed(url: str, key: str | None, seconds: float) -> tuple[_Model, ...]:
    """Ask for the models; the one request is short, and the key goes to that address alone."""
    headers = {"authorization": f"Bearer {key}"} if key else {}
    place = f"{url.rstrip('/')}/models"
    try:
        async with (
            httpx.AsyncClient(timeout=seconds, follow_redirects=False, verify=trust(place)) as client,
            client.stream("GET", place, headers=headers) as response,
        ):
            body = b""
            async for part in response.aiter_bytes():
                body += part
                if len(body) > _LARGEST:
                    raise UpstreamError(f"{place} sends more than a list of models", retryable=False)
    except httpx.TimeoutException as error:
        raise UpstreamError(f"{place} does not answer within {seconds:g} s", retryable=True) from error
    # A header or an address that cannot be sent is no HTTPError.
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeEncodeError) as error:
        raise UpstreamError(f"{place}: {error or type(error).__name__}", retryable=True) from error
    if response.status_code in (401, 403):
        raise UpstreamError(f"{place} refuses the key (HTTP {response.status_code})", retryable=False)
    if response.status_code != httpx.codes.OK:
        raise UpstreamError(f"{place}: HTTP {response.status_code}", retryable=response.is_server_error)
    try:
        return _Listing.model_validate_json(body).data
    except ValidationError as error:
        raise UpstreamError(f"{place} does not answer with a list of models", retryable=False) from error
