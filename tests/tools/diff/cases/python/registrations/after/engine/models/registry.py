_MODELS = {
    "LlamaForCausalLM": ("llama", "LlamaForCausalLM"),
    "QwenForCausalLM": ("qwen", "QwenForCausalLM"),
}


def model_of(name):
    return _MODELS[name]
