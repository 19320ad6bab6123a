"""Facts of a diff for dependents of a repository: declarations of both versions, compared."""
