"""What a report is made of, repository by repository, and how it is stored."""
