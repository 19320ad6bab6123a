"""What GitHub says of a repository itself: its name of today and its default branch."""

from agent.errors import NotFound
from agent.ids import RepoId
from tools.github.address import repo_path
from tools.github.client import GitHubClient
from tools.github.shapes import REPOSITORY, RepositoryShape


async def about(client: GitHubClient, repo: RepoId) -> RepositoryShape:
    """Ask for a repository; GitHub does not tell one that is missing from one that may not be seen."""
    try:
        return (await client.get(repo_path(repo), REPOSITORY)).value
    except NotFound as error:
        hint = "this token may not see it" if client.has_token else "it is private and needs GITHUB_TOKEN"
        raise NotFound(f"{client.address.host} has no repository {repo}, or {hint}") from error
