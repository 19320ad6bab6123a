"""How people, labels and repositories look in GitHub's JSON."""

import base64
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from urllib.parse import quote

from evals.github_server.hub import Hosted, Hub, number_of
from evals.github_server.wire import Json, Request, stamp
from evals.worlds.model import User

# Accounts that were deleted are all shown as this one.
GHOST = User("ghost", "Deleted user", "ghost@users.noreply.github.com")


@dataclass(frozen=True)
class Call:
    """One request to one endpoint, with what it is about."""

    request: Request
    hub: Hub
    hosted: Hosted
    api: str
    """The address under which this client reaches the API; every link leads back to it."""
    web: str
    tail: str
    """What follows the repository in the path, as the client wrote it."""
    args: dict[str, str]
    depth: int = 1000
    """How many items of a list of issues page numbers reach."""

    @property
    def here(self) -> str:
        """The repository's address in the API."""
        return f"{self.api}/repos/{self.hosted.full_name}"

    @property
    def there(self) -> str:
        """The repository's page."""
        return f"{self.web}/{self.hosted.full_name}"

    @property
    def address(self) -> str:
        """The request's own address in the form that Link headers use: by the repository's id, which never changes."""
        return f"{self.api}/repositories/{self.hosted.repo.id}{self.tail}"

    @cached_property
    def repository(self) -> Json:
        """The whole repository, shown once and used in every pull request of a list."""
        return repository(self)


def node_id(kind: str, name: object) -> str:
    """Make up the opaque id that GraphQL and REST share."""
    return base64.b64encode(f"{kind}:{name}".encode()).decode()


def user(call: Call, person: User) -> Json:
    """Show an account."""
    url = f"{call.api}/users/{quote(person.login)}"
    number = number_of(person.login)
    return {
        "login": person.login,
        "id": number,
        "node_id": node_id("User", number),
        "avatar_url": f"{call.web}/avatars/u/{number}?v=4",
        "gravatar_id": "",
        "url": url,
        "html_url": f"{call.web}/{quote(person.login)}",
        "followers_url": f"{url}/followers",
        "following_url": f"{url}/following{{/other_user}}",
        "gists_url": f"{url}/gists{{/gist_id}}",
        "starred_url": f"{url}/starred{{/owner}}{{/repo}}",
        "subscriptions_url": f"{url}/subscriptions",
        "organizations_url": f"{url}/orgs",
        "repos_url": f"{url}/repos",
        "events_url": f"{url}/events{{/privacy}}",
        "received_events_url": f"{url}/received_events",
        "type": "Bot" if person.bot else "User",
        "user_view_type": "public",
        "site_admin": False,
    }


def login(call: Call, name: str | None) -> Json:
    """Show the account with this login; a deleted one is the ghost."""
    return user(call, GHOST if name is None else call.hub.person(name))


def label(call: Call, name: str) -> Json:
    """Show a label; its colour follows from its name."""
    number = number_of(f"{call.hosted.full_name}:{name}")
    return {
        "id": number,
        "node_id": node_id("Label", number),
        "url": f"{call.here}/labels/{quote(name, safe='')}",
        "name": name,
        "color": label_colour(name),
        "default": name in ("bug", "documentation", "enhancement", "question"),
        "description": "",
    }


def label_colour(name: str) -> str:
    """Give a label its colour."""
    return f"{number_of(name) & 0xFFFFFF:06x}"


# What follows the repository's own address in each of its links.
_LINKS = {
    "forks_url": "/forks", "keys_url": "/keys{/key_id}", "collaborators_url": "/collaborators{/collaborator}",
    "teams_url": "/teams", "hooks_url": "/hooks", "issue_events_url": "/issues/events{/number}",
    "events_url": "/events",
    "assignees_url": "/assignees{/user}", "branches_url": "/branches{/branch}", "tags_url": "/tags",
    "blobs_url": "/git/blobs{/sha}", "git_tags_url": "/git/tags{/sha}", "git_refs_url": "/git/refs{/sha}",
    "trees_url": "/git/trees{/sha}", "statuses_url": "/statuses/{sha}", "languages_url": "/languages",
    "stargazers_url": "/stargazers", "contributors_url": "/contributors", "subscribers_url": "/subscribers",
    "subscription_url": "/subscription", "commits_url": "/commits{/sha}", "git_commits_url": "/git/commits{/sha}",
    "comments_url": "/comments{/number}", "issue_comment_url": "/issues/comments{/number}",
    "contents_url": "/contents/{+path}", "compare_url": "/compare/{base}...{head}", "merges_url": "/merges",
    "archive_url": "/{archive_format}{/ref}", "downloads_url": "/downloads", "issues_url": "/issues{/number}",
    "pulls_url": "/pulls{/number}", "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}", "labels_url": "/labels{/name}",
    "releases_url": "/releases{/id}", "deployments_url": "/deployments",
}  # fmt: skip

_SWITCHES = {
    "has_issues": True, "has_projects": False, "has_downloads": True, "has_wiki": False, "has_pages": False,
    "has_discussions": False, "archived": False, "disabled": False, "allow_forking": True, "is_template": False,
    "web_commit_signoff_required": False,
}  # fmt: skip


def repository_links(call: Call, full_name: str, identifier: int) -> Json:
    """Show a repository with nothing but its names and links; enough for a fork that is not served."""
    here, (owner, name) = f"{call.api}/repos/{full_name}", full_name.split("/")
    return {
        "id": identifier,
        "node_id": node_id("Repository", identifier),
        "name": name,
        "full_name": full_name,
        "private": False,
        "owner": login(call, owner),
        "html_url": f"{call.web}/{full_name}",
        "description": None,
        "fork": False,
        "url": here,
        **{key: here + tail for key, tail in _LINKS.items()},
    }


def repository(call: Call) -> Json:
    """Show the whole repository."""
    hosted, web = call.hosted, call.there
    open_threads = sum(thread.state == "open" for thread in hosted.living())
    return {
        **repository_links(call, hosted.full_name, hosted.repo.id),
        "created_at": stamp(first_day(hosted)),
        "updated_at": stamp(last_push(hosted)),
        "pushed_at": stamp(last_push(hosted)),
        "git_url": web.replace("http://", "git://") + ".git",
        "ssh_url": f"git@127.0.0.1:{hosted.full_name}.git",
        "clone_url": f"{web}.git",
        "svn_url": web,
        "homepage": None,
        "size": 1,
        "stargazers_count": 0,
        "watchers_count": 0,
        "language": None,
        **_SWITCHES,
        "forks_count": 0,
        "mirror_url": None,
        "open_issues_count": open_threads,
        "license": None,
        "topics": [],
        "visibility": "public",
        "forks": 0,
        "open_issues": open_threads,
        "watchers": 0,
        "default_branch": hosted.repo.default_branch,
    }


def last_push(hosted: Hosted) -> datetime:
    """Tell when the repository was last pushed to."""
    if hosted.push is not None:
        return hosted.repo.pushes[hosted.push].at
    tip = hosted.git.view.tip
    commit = hosted.git.commit(tip) if tip else None
    return commit.committer.at if commit else first_day(hosted)


def first_day(hosted: Hosted) -> datetime:
    """Tell a time before anything happened in the repository; GitHub's own first day if nothing did."""
    known = [push.at for push in hosted.repo.pushes] + [thread.created_at for thread in hosted.threads.values()]
    return min(known, default=datetime.fromisoformat("2008-04-10T00:00:00+00:00"))
