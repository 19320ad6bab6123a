"""The endpoints for releases."""

from urllib.parse import quote

from evals.github_server import paging
from evals.github_server.shapes import Call, login, node_id
from evals.github_server.wire import Answer, Json, maybe_stamp, not_found, stamp
from evals.worlds.model import Release


def release(call: Call, found: Release) -> Json:
    """Show a release."""
    url = f"{call.here}/releases/{found.id}"
    return {
        "url": url,
        "assets_url": f"{url}/assets",
        "upload_url": f"{url}/assets{{?name,label}}",
        "html_url": f"{call.there}/releases/tag/{quote(found.tag)}",
        "id": found.id,
        "author": login(call, found.author),
        "node_id": node_id("Release", found.id),
        "tag_name": found.tag,
        "target_commitish": call.hosted.repo.default_branch,
        "name": found.name,
        "draft": found.draft,
        "immutable": False,
        "prerelease": found.prerelease,
        "created_at": stamp(found.created_at),
        "updated_at": stamp(found.published_at or found.created_at),
        "published_at": maybe_stamp(found.published_at),
        "assets": [],
        "tarball_url": f"{call.here}/tarball/{quote(found.tag)}",
        "zipball_url": f"{call.here}/zipball/{quote(found.tag)}",
        "body": found.body,
    }


def list_releases(call: Call) -> Answer:
    """`GET releases`: published ones only; tags without a release are not listed."""
    part, headers = paging.listed(call.request, call.address, call.hosted.releases())
    return Answer.json([release(call, found) for found in part], headers=headers)


def get_latest(call: Call) -> Answer:
    """`GET releases/latest`: the newest that is neither draft nor pre-release."""
    if (found := call.hosted.latest_release()) is None:
        raise not_found()
    return Answer.json(release(call, found))


def get_by_tag(call: Call) -> Answer:
    """`GET releases/tags/{tag}`: the release of a tag."""
    for found in call.hosted.releases():
        if found.tag == call.args["tag"]:
            return Answer.json(release(call, found))
    raise not_found()
