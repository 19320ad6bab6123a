"""The types of the domain, without input or output."""
