"""What a run spent: requests sent, answered for free, sent again, and seconds waited, by host."""

from dataclasses import dataclass, field


@dataclass
class HostUsage:
    """What was spent on one host."""

    sent: int = 0
    free: int = 0
    """Answers that cost nothing of the limit: 304 to a client with a token."""
    retried: int = 0
    waited: float = 0.0
    remembered: int = 0
    """Questions that were not asked, because the stored answer still holds."""


@dataclass
class Usage:
    """A counter that lives as long as its client; the run shows it at the end."""

    hosts: dict[str, HostUsage] = field(default_factory=dict)

    def host(self, name: str) -> HostUsage:
        """Find the counter of a host."""
        return self.hosts.setdefault(name, HostUsage())

    @property
    def sent(self) -> int:
        """Requests over all hosts."""
        return sum(host.sent for host in self.hosts.values())

    @property
    def free(self) -> int:
        """Free answers over all hosts."""
        return sum(host.free for host in self.hosts.values())

    def __str__(self) -> str:
        return "; ".join(
            f"{name}: {host.sent} requests, {host.free} free, {host.retried} retried, {host.waited:.0f} s waited"
            for name, host in sorted(self.hosts.items())
        )
