"""Reports on their way to where people are: webhooks, chat, e-mail."""
