"""The remaining quota of an account, asked for without spending any of it."""

from datetime import datetime

from pydantic import AliasPath, BaseModel, ConfigDict, Field, TypeAdapter

from tools.github.client import GitHubClient

_SECONDS_OF_A_LIMIT = 3600


class Quota(BaseModel):
    """The primary limit of the account behind the token."""

    model_config = ConfigDict(frozen=True)

    limit: int = Field(validation_alias=AliasPath("resources", "core", "limit"))
    remaining: int = Field(validation_alias=AliasPath("resources", "core", "remaining"))
    reset: int = Field(validation_alias=AliasPath("resources", "core", "reset"))

    def skew(self, now: datetime) -> float:
        """Estimate how many seconds our clock is off: a limit is renewed within the coming hour."""
        until_reset = self.reset - now.timestamp()
        if until_reset < 0:
            return -until_reset
        return max(0.0, until_reset - _SECONDS_OF_A_LIMIT)


_QUOTA = TypeAdapter(Quota)


async def fetch_quota(client: GitHubClient) -> Quota:
    """Fetch the limits."""
    page = await client.get("/rate_limit", _QUOTA)
    return page.value
