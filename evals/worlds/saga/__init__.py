"""The world of stories: work that goes on over days and repositories."""
