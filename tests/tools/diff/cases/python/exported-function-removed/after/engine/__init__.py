from .attention import prefill
