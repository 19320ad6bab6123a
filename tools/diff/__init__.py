"""What a diff changes for those who depend on a repository: declarations of both versions, compared."""
