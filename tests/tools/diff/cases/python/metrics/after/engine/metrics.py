from prometheus_client import Counter, Gauge


class Metrics:
    def __init__(self, labels):
        self.running = Gauge(
            name="engine:active_requests",
            documentation="Requests that run.",
            labelnames=labels,
        )
        self.failed = Counter("engine:aborted_requests", "Requests that were aborted by their users.")
