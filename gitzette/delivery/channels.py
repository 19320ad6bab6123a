"""The channels that reports are sent by, each opened from its settings and the environment."""

from collections.abc import Callable, Mapping

from agent.domain.errors import ConfigError, MissingPackages
from agent.settings.values import Delivery
from gitzette.delivery.apprise_channel import AppriseChannel
from gitzette.delivery.feishu_channel import FeishuChannel
from gitzette.delivery.mail_channel import MailChannel
from gitzette.delivery.slack_channel import SlackChannel
from gitzette.delivery.webhook_channel import WebhookChannel

_HTTP_CHANNELS: dict[str, type[SlackChannel | FeishuChannel | WebhookChannel]] = {
    "slack": SlackChannel,
    "feishu": FeishuChannel,
    "webhook": WebhookChannel,
}
Channel = MailChannel | SlackChannel | FeishuChannel | WebhookChannel | AppriseChannel


def channel_of(spec: Delivery, environ: Mapping[str, str], clock: Callable[[], float]) -> Channel:
    """Return a channel; an error names the variable that is wrong, never its value."""
    address = _variable(spec.address_env, environ)
    secret = _variable(spec.secret_env, environ)
    try:
        if spec.kind == "email":
            return MailChannel(address, spec.sender, spec.to)
        if spec.kind == "apprise":
            return AppriseChannel(address)
        return _HTTP_CHANNELS[spec.kind](address, secret, clock)
    except MissingPackages:
        raise
    except ConfigError as error:
        raise ConfigError(f"{spec.address_env}: {error}") from error


def _variable(name: str | None, environ: Mapping[str, str]) -> str:
    if not name:
        return ""
    value = environ.get(name, "").strip()
    if not value:
        raise ConfigError(f"the variable {name} is not set")
    return value
