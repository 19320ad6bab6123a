"""The queries of each language, one folder a language; docs/facts.md says how they are read."""
