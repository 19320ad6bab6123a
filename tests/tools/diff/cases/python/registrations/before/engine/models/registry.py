_MODELS = {
    "LlamaForCausalLM": ("llama", "LlamaForCausalLM"),
    "MptForCausalLM": ("mpt", "MptForCausalLM"),
}
