"""An OpenAI-compatible server on loopback that answers by a script, and misbehaves on request."""
