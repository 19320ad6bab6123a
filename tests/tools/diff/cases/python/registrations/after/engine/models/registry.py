_MODELS = {
    "LlamaForCausalLM": ("llama", "LlamaForCausalLM"),
    "QwenForCausalLM": ("qwen", "QwenForCausalLM"),
}
