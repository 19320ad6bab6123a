"""Tokens are estimated without a tokenizer."""

from agent.token_estimates import tokens_of


def test_tokens_are_estimated_on_the_safe_side() -> None:
    english = "The scheduler now keeps the prefix cache between requests. " * 20
    assert len(english) / 4.5 < tokens_of(english) < len(english) / 2.5
    assert tokens_of("调度器现在会保留前缀缓存") >= 12
