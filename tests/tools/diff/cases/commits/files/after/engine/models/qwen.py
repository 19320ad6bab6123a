class QwenForCausalLM:
    """A model."""

    def forward(self, tokens):
        return tokens
