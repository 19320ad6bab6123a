"""The parts of a report, repository by repository, and its stored form."""
