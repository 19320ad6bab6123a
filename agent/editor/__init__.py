"""The editor, a model or else the rules, gives every landed commit its place in the report."""
