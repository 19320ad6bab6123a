"""How facts become sentences of templates."""
