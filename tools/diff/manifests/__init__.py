"""Readers of files that say which versions a project asks for, and which it has itself."""
