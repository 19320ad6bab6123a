from .attention import prefill, single_decode
