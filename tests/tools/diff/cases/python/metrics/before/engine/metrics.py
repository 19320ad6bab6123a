from prometheus_client import Counter, Gauge


class Metrics:
    def __init__(self, labels):
        self.running = Gauge(
            name="engine:running_requests",
            documentation="Requests that run.",
            labelnames=labels,
        )
        self.failed = Counter("engine:failed_requests", "Requests that failed.")
