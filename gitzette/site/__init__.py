"""The static site: pages, search and feed, made from the published reports and nothing else."""
