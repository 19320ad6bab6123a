"""What a difference means for those who depend on the project: how severe its fact is."""
