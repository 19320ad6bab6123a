"""Look-ups of tags: releases, what contains a commit or a copy of it, and what a release picks."""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, TypeVar

from agent.domain.base import RepoId
from agent.domain.commits import Commit, Headline
from agent.domain.references import pull_number, thread_numbers, without_pull_numbers
from agent.domain.revert_messages import read_lineage, read_title, reverts_in
from agent.domain.threads import Release
from agent.domain.versions import is_version, is_version_or_candidate, previous_release
from agent.ports import Pick, ReleaseRange
from tools.git.log import LATEST, Opened, read_commits

Key = TypeVar("Key")
TAG_NAMES = ("for-each-ref", "--format=%(refname:strip=2)", "refs/tags")
_TAG_DETAILS = (
    "--format=%(refname:strip=2) %(creatordate:unix) %(objectname) %(*objectname) %(*objecttype)"
)
_MAX_TAGS = 60
_WALKED_BEFORE = timedelta(days=60)
"""How much more of history is walked than was asked for: the next question goes back further."""
MIN_TITLE = 12  # Characters of a title that is enough to know a copy by
_PICKED = re.compile(r"^\(cherry picked from commit ([0-9a-f]{40})\)", re.MULTILINE)
"""The line that `git cherry-pick -x` adds to a message."""


class TaggedCommit(NamedTuple):
    """A tag as a release, and the commit that it names."""

    release: Release
    sha: str


class _ListedTag(NamedTuple):
    """A tag as git lists it, with the object that it names."""

    release: Release
    sha: str
    is_nested: bool
    """Whether it names another tag, as where a release is made by signing its last candidate."""


class _Tags(NamedTuple):
    """The tags of a repository while its references were in some state."""

    refs: str
    tagged: Sequence[TaggedCommit]


class Releases(Opened):
    """Finds tags by name and time, and which of them contain a commit."""

    _branch: str | None
    _containment: "_Containment | None" = None
    _tags: "_Tags | None" = None

    async def tagged(self, names: Sequence[str]) -> Release | None:
        """Return the first of these tags that exists, as a release of its day."""
        release_by_tag = {tagged.release.tag: tagged.release for tagged in await self._releases()}
        for name in names:
            if name in release_by_tag:
                return release_by_tag[name]
        return None

    async def tags_made(self, start: datetime, end: datetime) -> tuple[Release, ...]:
        """List the tags made between two moments as releases, without nightly ones."""
        releases: list[Release] = []
        for tagged in await self._releases():
            is_between = start <= tagged.release.published_at < end
            if is_between and not _is_nightly(tagged.release.tag):
                releases.append(tagged.release)
        return tuple(releases)

    async def first_tags(
        self, heads: Sequence[Headline], *, until: datetime, candidates: bool = False
    ) -> Mapping[str, Release]:
        """Return by hash the first release before a moment that has a landed commit or its copy.

        With `candidates`, tags of release candidates count as well.
        """
        first: dict[str, Release] = {}
        for sha, releases in (await self.releases_with(heads, until=until)).items():
            counted = [release for release in releases if candidates or _is_final(release.tag)]
            if counted:
                first[sha] = counted[0]
        return first

    async def releases_with(
        self, heads: Sequence[Headline], *, until: datetime
    ) -> Mapping[str, tuple[Release, ...]]:
        """Return by hash the releases before a moment that have a landed commit or a copy of it.

        Candidates are among them; the oldest come first. It takes two walks over the tags.
        """
        if not heads:
            return {}
        since = min(headline.at for headline in heads)
        containment = await self._read_containment(since, until)
        releases: dict[str, tuple[Release, ...]] = {}
        for headline in heads:
            containing = containment.releases_with(headline)
            if containing:
                releases[headline.sha] = containing
        return releases

    async def release_range(self, tag: str) -> ReleaseRange | None:
        """Return what a version is compared with, and the commits that its branch alone has.

        None where the repository has no such version, or none before it.
        """
        tags = {tagged.release.tag: tagged for tagged in await self._releases()}
        if tag not in tags or not is_version(tag):
            return None
        release = tags[tag].release
        previous = previous_release(release, [tagged.release for tagged in tags.values()])
        if previous is None:
            return None
        tip = await self._tip()
        picks: tuple[Pick, ...] = ()
        if tip:
            selection = ["--first-parent", tags[tag].sha, f"^{tags[previous.tag].sha}"]
            released = await read_commits(await self._view(), self.repo, selection)
            picks = tuple(_picks(released, await self._headlines([tip])))
            picks = await self._with_titles_of_merges(picks)
        return ReleaseRange(previous=previous.tag, picks=picks)

    async def _with_titles_of_merges(self, picks: Sequence[Pick]) -> tuple[Pick, ...]:
        """Return picks of which originals that are merges have the titles of what was merged."""
        originals: dict[str, None] = {}
        for pick in picks:
            originals |= dict.fromkeys(original.sha for original in pick.originals)
        if not originals:
            return tuple(picks)
        selection = ["--no-walk=unsorted", "--stdin"]
        stdin = "\n".join(originals).encode("ascii")
        commits = await read_commits(await self._view(), self.repo, selection, stdin=stdin)
        titles = {commit.sha: commit.title for commit in commits}
        named: list[Pick] = []
        for pick in picks:
            entitled = [
                original.model_copy(update={"title": titles[original.sha]})
                for original in pick.originals
            ]
            named.append(pick.model_copy(update={"originals": tuple(entitled)}))
        return tuple(named)

    async def _read_containment(self, since: datetime, until: datetime) -> "_Containment":
        """Find which releases have the commits since a moment; the last answer is kept."""
        tags: list[TaggedCommit] = []
        for tagged in await self._versions():
            if tagged.release.published_at < until:
                tags.append(tagged)
        tags.sort(key=lambda tagged: (tagged.release.published_at, tagged.release.tag))
        tip = await self._tip()
        kept = self._containment
        if kept is not None and kept.is_of(tags, tip) and kept.since <= since:
            return kept
        if any(tagged.release.published_at >= since for tagged in tags):
            containment = _Containment(tags, tip, since - _WALKED_BEFORE)
            await self._read_ancestors(containment)
            await self._read_copies(containment)
            await self._read_merged_copies(containment)
        else:
            # No release can have these commits, and nothing was learnt about older ones.
            containment = _Containment(tags, tip, since)
        self._containment = containment
        return containment

    async def _headlines(self, selection: Sequence[str]) -> list[Headline]:
        """Return the commits of a first-parent line by their titles, the newest first."""
        view = await self._view()
        command = ["log", "-z", "--first-parent", "--format=%H%n%ct%n%an%n%s", *selection]
        headlines: list[Headline] = []
        for record in (await view.read(command)).decode("utf-8", "replace").split("\0"):
            sha, _, rest = record.partition("\n")
            moment, _, rest = rest.partition("\n")
            author, _, title = rest.partition("\n")
            if not moment.isdigit() or int(moment) > LATEST:
                continue
            headline = Headline(
                sha=sha,
                at=datetime.fromtimestamp(int(moment), UTC),
                author=author,
                title=title,
                pull=pull_number(title),
            )
            headlines.append(headline)
        return headlines

    async def refs(self) -> str:
        """Return a hash of what HEAD, all branches and all tags point at."""
        repository = await self._open()
        state = f"{self._branch}\n{repository.refs_digest()}"
        return hashlib.sha256(state.encode("utf-8", "surrogatepass")).hexdigest()

    async def _tip(self) -> str:
        repository = await self._open()
        return (await repository.tip(self._branch)).sha or ""

    async def _read_ancestors(self, containment: "_Containment") -> None:
        since = since_option(containment.since)
        command = ["log", "-z", "--topo-order", "--format=%H %P", since, "--stdin"]
        view = await self._view()
        output = await view.read(command, stdin=containment.tagged_shas)
        for record in output.split(b"\0"):
            containment.hand_down(record.decode("ascii").split())

    async def _read_copies(self, containment: "_Containment") -> None:
        """Read the commits that the default branch lacks: those of release branches are copies."""
        since = since_option(containment.since)
        # Oldest first: what was picked, taken out and picked again is there.
        command = ["log", "-z", "--reverse", "--topo-order", "--format=%H%n%B", since, "--stdin"]
        excluded = f"\n^{containment.tip}\n".encode("ascii") if containment.tip else b""
        view = await self._view()
        output = await view.read(command, stdin=containment.tagged_shas + excluded)
        for record in output.split(b"\0"):
            sha, _, message = record.decode("utf-8", "replace").partition("\n")
            containment.note_copy(sha, message)

    async def _read_merged_copies(self, containment: "_Containment") -> None:
        """Read the commits of release branches that were merged back into the default branch."""
        view = await self._view()
        landed: set[str] = set()
        if containment.tip:
            since = since_option(containment.since)
            command = ["rev-list", "--first-parent", since, containment.tip]
            landed.update((await view.read(command)).decode("ascii").split())
        shas = containment.branch_commits(landed)
        if not shas:
            return
        command = ["log", "-z", "--no-walk=unsorted", "--format=%H%n%B", "--stdin"]
        output = await view.read(command, stdin="\n".join(shas).encode("ascii"))
        for record in output.split(b"\0"):
            sha, _, message = record.decode("utf-8", "replace").partition("\n")
            containment.note_copy(sha, message)

    async def _versions(self) -> Sequence[TaggedCommit]:
        """Return the tags that are versions or candidates; where there are none, all tags."""
        tags = await self._releases()
        versions = [tagged for tagged in tags if is_version_or_candidate(tagged.release.tag)]
        return versions or tags

    async def _releases(self) -> Sequence[TaggedCommit]:
        """Return all tags; they are listed once while references stay."""
        refs = (await self._open()).refs_digest()
        if self._tags is None or self._tags.refs != refs:
            self._tags = _Tags(refs, await self._list_releases())
        return self._tags.tagged

    async def _list_releases(self) -> list[TaggedCommit]:
        repository = await self._open()
        output = await repository.ask(["for-each-ref", _TAG_DETAILS, "refs/tags"])
        tags = list(_listed_tags(output, self.repo))
        commits = await self._commits_of([tag.sha for tag in tags if tag.is_nested])
        tagged: list[TaggedCommit] = []
        for tag in tags:
            sha = commits.get(tag.sha, "") if tag.is_nested else tag.sha
            if sha:
                tagged.append(TaggedCommit(tag.release, sha))
        return tagged

    async def _commits_of(self, tags: Sequence[str]) -> dict[str, str]:
        """Return the commits of tag objects by their hashes; git lists no deeper than one level."""
        view = await self._view()
        names = [f"{sha}^{{commit}}".encode("ascii") for sha in tags]
        commits: dict[str, str] = {}
        for sha, commit in zip(tags, await view.objects.known(names), strict=True):
            if commit is not None:
                commits[sha] = commit.sha.decode("ascii")
        return commits


def since_option(since: datetime) -> str:
    """Return git's option that leaves out what was committed before a moment."""
    return f"--since=@{int(since.timestamp())} +0000"


def _is_nightly(tag: str) -> bool:
    """Return True for a build of every night, which is no release that anybody waits for."""
    return "nightly" in tag.lower()


def _is_final(tag: str) -> bool:
    """Return True for every tag but a candidate: some projects do not number their releases."""
    return is_version(tag) or not is_version_or_candidate(tag)


class _Containment:
    """Which releases have a commit, or a copy of it.

    A release branch has copies of commits, under other hashes. A set of releases is a number
    with a bit for each, the oldest release being the lowest bit.
    """

    def __init__(self, tags: Sequence[TaggedCommit], tip: str, since: datetime) -> None:
        self.tip = tip
        self.since = since  # Nothing is known of what was committed before
        self._tags = list(tags)
        self._releases = [tagged.release for tagged in tags]
        self.tagged_shas = "\n".join(tagged.sha for tagged in tags).encode("ascii")
        self._by_sha: dict[str, int] = {}
        self._first_parents: dict[str, str] = {}
        self._copies: dict[str | int, int] = {}  # By hash, pull request or title of the original
        self._taken_out: dict[str | int, int] = {}  # Releases whose branch takes a commit back
        self._names_by_copy: dict[str, tuple[str | int, ...]] = {}
        for number, tagged in enumerate(tags):
            _add(self._by_sha, tagged.sha, 1 << number)

    def is_of(self, tags: Sequence[TaggedCommit], tip: str) -> bool:
        """Return True if nothing was tagged or landed since this was read."""
        return self._tags == list(tags) and self.tip == tip

    def hand_down(self, shas: Sequence[str]) -> None:
        """Hand the releases of a commit down to its parents; children must come before parents."""
        if not shas:
            return
        releases = self._by_sha.get(shas[0], 0)
        for parent in shas[1:]:
            _add(self._by_sha, parent, releases)
        if len(shas) > 1:
            self._first_parents[shas[0]] = shas[1]

    def branch_commits(self, landed: Set[str]) -> list[str]:
        """Return the commits of release branches that were not noted yet, the oldest first.

        They lead from a tag along first parents to what landed.
        """
        commits: dict[str, None] = {}
        for tagged in self._tags:
            line: list[str] = []
            sha = tagged.sha
            while sha in self._first_parents and sha not in landed and sha not in commits:
                if sha not in self._names_by_copy:
                    line.append(sha)
                sha = self._first_parents[sha]
            commits |= dict.fromkeys(reversed(line))
        return list(commits)

    def note_copy(self, sha: str, message: str) -> None:
        """Note what a commit beside the default branch is a copy of, or takes back; oldest first."""
        releases = self._by_sha.get(sha, 0)
        targets = list(targets_of_revert(message))
        for target in targets:
            for name in self._names_of(target):
                if target.again:
                    self._bring_back(name, releases)
                else:
                    _add(self._taken_out, name, releases)
        title = message.partition("\n")[0]
        names: tuple[str | int, ...] = (
            *picked_originals(message),
            *copied_pulls(title),
            without_pull_numbers(title).strip(),
        )
        for name in names:
            _add(self._copies, name, releases)
            if not targets:
                self._bring_back(name, releases)
        self._names_by_copy[sha] = names

    def _names_of(self, target: "RevertTarget") -> list[str | int]:
        """Return all names of what a revert names: a copy has those of its original."""
        names = list(target.names)
        for name in target.names:
            names += self._names_by_copy.get(str(name), ())
        return names

    def _bring_back(self, name: str | int, releases: int) -> None:
        self._taken_out[name] = self._taken_out.get(name, 0) & ~releases

    def releases_with(self, headline: Headline) -> tuple[Release, ...]:
        """Return the releases that have a commit or a copy of it, the oldest first.

        Those whose branch takes it back have it no more.
        """
        names: list[str | int] = [headline.sha]
        if headline.pull:
            names.append(headline.pull)
        title = without_pull_numbers(headline.title).strip()
        if len(title) >= MIN_TITLE:
            names.append(title)
        releases = self._by_sha.get(headline.sha, 0)
        taken_out = 0
        for name in names:
            releases |= self._copies.get(name, 0)
            taken_out |= self._taken_out.get(name, 0)
        if not reverts_in(headline.title):  # A pick of a revert names it, and does not take it back
            releases &= ~taken_out
        containing: list[Release] = []
        for number, release in enumerate(self._releases):
            if releases >> number & 1:
                containing.append(release)
        return tuple(containing)


def _add(releases_by_key: dict[Key, int], key: Key, releases: int) -> None:
    releases_by_key[key] = releases_by_key.get(key, 0) | releases


def _picks(released: Sequence[Commit], landed: Sequence[Headline]) -> Iterator[Pick]:
    """Yield the commits of a release that did not land, each with the landed ones it copies.

    The newest come first. What a later commit of the release takes back by its number is left out.
    """
    landed_shas = {headline.sha for headline in landed}
    by_pull = {headline.pull: headline for headline in landed if headline.pull}
    taken_back: set[str | int] = set()
    for commit in released:
        targets = list(targets_of_revert(commit.message))
        for target in targets:
            if not target.again:
                taken_back.update(target.names)
        if commit.sha in landed_shas:
            continue
        numbers = dict.fromkeys(copied_pulls(commit.title))
        copied = [by_pull[number] for number in numbers if number in by_pull]
        originals = tuple(original for original in copied if original.pull not in taken_back)
        if copied and not originals and not targets:
            continue
        yield Pick(sha=commit.sha, title=commit.title, originals=originals)


class RevertTarget(NamedTuple):
    """The commit that another one takes back, or brings back: its hash, pull request and title."""

    names: tuple[str | int, ...]
    again: bool = False


def targets_of_revert(message: str) -> Iterator[RevertTarget]:
    """Yield what a commit takes back or brings back, as git, GitHub and titles name it.

    A title such as `revert(moe): revert #12` names what it takes back by numbers.
    """
    found = False
    for lineage in read_lineage(message):
        if lineage.kind == "cherry-pick" or lineage.repo or lineage.part:
            continue
        numbers = (lineage.number,) if lineage.number else ()
        names = tuple(filter(None, (lineage.sha, lineage.subject)))
        yield RevertTarget((*names, *numbers), again=lineage.kind == "reland")
        found = True
    title = message.partition("\n")[0]
    revert = read_title(title)
    if found or revert is None or revert.part or revert.kind != "revert":
        return
    own_number = pull_number(title)
    for number in thread_numbers(title):
        if number != own_number:
            yield RevertTarget((number,))


def picked_originals(message: str) -> list[str]:
    """Return the hashes of the commits that a message says it was picked from."""
    return _PICKED.findall(message)


def copied_pulls(title: str) -> list[int]:
    """Return the pull requests that a commit brings in: its own, and those that its title names.

    A pick for a release branch has a pull request of its own and names the one that it picks. What
    a revert names is what it takes out; behind the title that a picked revert quotes, it is the revert.
    """
    revert = read_title(title)
    if revert is None or not revert.reverts:
        return thread_numbers(title)
    if revert.tagged and revert.quotations:
        return thread_numbers(revert.behind_quotation)
    own_number = pull_number(title)
    return [own_number] if own_number else []


def _listed_tags(output: str, repo: RepoId) -> Iterator["_ListedTag"]:
    for line in output.split("\n"):
        name, created, *objects = line.split() or ["", ""]
        if not created.isdigit() or not objects:
            continue
        release = Release(
            repo=repo,
            tag=name,
            name=name,
            body="",
            published_at=datetime.fromtimestamp(int(created), UTC),
            prerelease=False,
        )
        # Of an annotated tag, its own object comes first, then what it names and the kind of that.
        sha, kind = objects[1:] if len(objects) > 1 else (objects[0], "")
        yield _ListedTag(release, sha, is_nested=kind == "tag")
