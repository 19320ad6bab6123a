"""The memory in a SQLite file; sqlite-utils makes its tables and searches their texts."""
