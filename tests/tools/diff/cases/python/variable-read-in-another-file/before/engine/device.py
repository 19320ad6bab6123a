def device() -> str:
    return "cuda:0"
