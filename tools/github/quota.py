"""How many requests are left, asked where asking is free."""

from datetime import UTC, datetime

from pydantic import AliasPath, BaseModel, ConfigDict, Field, TypeAdapter

from tools.github.client import GitHubClient


class Quota(BaseModel):
    """The primary limit of the account behind the token."""

    model_config = ConfigDict(frozen=True)

    limit: int = Field(validation_alias=AliasPath("resources", "core", "limit"))
    remaining: int = Field(validation_alias=AliasPath("resources", "core", "remaining"))
    reset: int = Field(validation_alias=AliasPath("resources", "core", "reset"))

    def skew(self, now: datetime) -> float:
        """Estimate how many seconds our clock is off: a limit is always renewed within the coming hour."""
        reset = datetime.fromtimestamp(self.reset, UTC)
        ahead = (reset - now).total_seconds()
        return -ahead if ahead < 0 else max(0.0, ahead - 3600)


_QUOTA = TypeAdapter(Quota)


async def quota(client: GitHubClient) -> Quota:
    """Ask for the limits."""
    return (await client.get("/rate_limit", _QUOTA)).value
