"""The live page: the site, and questions answered while one watches."""
