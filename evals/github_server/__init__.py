"""A GitHub on loopback that serves worlds and mirrors."""
