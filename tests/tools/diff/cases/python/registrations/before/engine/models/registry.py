_MODELS = {
    "LlamaForCausalLM": ("llama", "LlamaForCausalLM"),
    "MptForCausalLM": ("mpt", "MptForCausalLM"),
}


def model_of(name):
    return _MODELS[name]
