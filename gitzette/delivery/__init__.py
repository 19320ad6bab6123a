"""Sends reports after a run: to Slack, Feishu, e-mail and webhooks."""
