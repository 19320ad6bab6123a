"""Where a user wants reports to be sent: one value for each channel, with no secret in it."""

import re
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

_MAILBOX = re.compile(r"[\w.+-]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*", re.ASCII)


class Delivery(BaseModel):
    """A way on which reports are sent after a run; addresses are secrets, so only the names of variables stand here."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    kind: Literal["webhook", "slack", "feishu", "email"]
    address_env: str
    """The variable that holds the address: of a webhook, or `smtps://user:password@host:port`."""
    secret_env: str | None = None
    """The variable that holds the secret with which messages to a webhook or a Feishu bot are signed."""
    name: str | None = Field(default=None, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$")
    """What the channel is called; needed where there are two of one kind."""
    lang: Literal["en", "zh"] | None = None
    content: Literal["highlights", "full"] | None = None
    """By default people get the brief and the headlines, and programs behind a webhook the whole report."""
    sender: str = ""
    to: tuple[str, ...] = Field(default=(), strict=False)
    max_bytes: int | None = Field(default=None, ge=10_000, le=20_000_000)
    """The largest message to a webhook, or HTML of an e-mail."""

    @property
    def called(self) -> str:
        """The name under which it is told and remembered."""
        return self.name or self.kind

    @property
    def whole(self) -> bool:
        """Tell whether the whole report is sent."""
        return self.kind == "webhook" or self.content == "full"

    @field_validator("address_env", "secret_env")
    @classmethod
    def _variable(cls, value: str | None) -> str | None:
        if value is not None and (not re.fullmatch(r"[A-Z][A-Z0-9_]{0,79}", value) or value.startswith("GITZETTE_")):
            raise ValueError("give the name of a variable, in capital letters and not GITZETTE_…, never the value")
        return value

    @field_validator("sender", "to")
    @classmethod
    def _mailboxes(cls, value: str | tuple[str, ...]) -> str | tuple[str, ...]:
        for mailbox in (value,) if isinstance(value, str) else value:
            if mailbox and not _MAILBOX.fullmatch(mailbox):
                raise ValueError("write an e-mail address, as in: gazette@example.org")
        return value

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.kind == "email" and not (self.sender and self.to):
            raise ValueError("an e-mail needs a sender and to")
        if self.kind in ("slack", "feishu") and self.content == "full":
            raise ValueError("a chat gets highlights only; leave out content")
        if self.kind == "webhook" and self.content == "highlights":
            raise ValueError("a webhook gets the whole report; leave out content")
        return self
