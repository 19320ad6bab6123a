"""What one repository takes in of another one of the report: told when all of them are read."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from agent.claims import Claim, Role
from agent.domain import Frozen
from agent.dossier import Dossier
from agent.errors import AppError
from agent.evidence import CommitEvidence, ReleaseEvidence
from agent.gate.judge import judge
from agent.ids import RepoId
from agent.report import Drop
from agent.settings import Language, RepoSpec
from agent.sources import CodeSource, FindsTags, LooksBack
from agent.stories import Act, Step, Story, StoryKind
from agent.templates import sentence
from agent.weaving.bumps import Taken, tags_of, upstream_of, version_pattern, version_set_by
from agent.weaving.claims import short_text
from agent.weaving.headlines import evidence_of, headline
from agent.weaving.wanted import FAR
from agent.weaving.weave import with_memory
from agent.window import Window
from graphs.desk import Deps

_LANGUAGES: tuple[Language, ...] = ("en", "zh")
_MOST = 40
_CLOCKS_APART = timedelta(hours=1)

Upstream = CommitEvidence | ReleaseEvidence
"""What a dependency now stands at."""


class Connected(Frozen):
    """What is said over several repositories; it is handed on as a note."""

    claims: tuple[Claim, ...] = ()
    stories: tuple[Story, ...] = ()
    drops: tuple[Drop, ...] = ()


async def connected(
    moved: Mapping[RepoId, Sequence[Taken]],
    specs: Sequence[RepoSpec],
    tips: Mapping[RepoId, str],
    window: Window,
    deps: Deps,
) -> Connected:
    """Find for each dependency that was moved the change of the repository it comes from."""
    desks = {spec.name: spec for spec in specs}
    claims: list[Claim] = []
    stories: list[Story] = []
    drops: list[Drop] = []
    for repo, some in moved.items():
        for one in some[:_MOST]:
            source = upstream_of(one.package, tips, repo)
            if source is None or any(story.steps[-1] == one.commit and source in story.steps[0] for story in stories):
                continue
            found = await _open_upstream(one, desks[source], tips[source], window, deps)
            if found is None:
                continue
            claim = _claim(one, repo, found, window)
            dossier = await _dossier(one, desks[repo], found, window, deps)
            judgements = [judge(claim, dossier, lang) for lang in _LANGUAGES]
            worst = next((judgement for judgement in judgements if not judgement.passed), judgements[0])
            if not worst.passed:
                drops.append(Drop(repo=repo, verdict=worst.verdict, check=worst.check, about=claim.about))
                continue
            claims.append(claim.model_copy(update={"judgement": worst}))
            stories.append(_story(one, repo, found, claims[-1], dossier, deps, window))
    return Connected(claims=tuple(claims), stories=tuple(stories), drops=tuple(drops))


async def _open_upstream(one: Taken, spec: RepoSpec, tip: str, window: Window, deps: Deps) -> Upstream | None:
    try:
        return await upstream(one, (await deps.desks.open(spec)).code, tip, window)
    except AppError:
        return None


async def upstream(one: Taken, code: CodeSource, tip: str, window: Window) -> Upstream | None:
    """Find what a dependency now stands at: a commit, the tag of its version, else the commit that set the version."""
    if one.sha:
        return evidence_of(code.repo, headline(await code.resolve(one.sha)))
    release = await code.tagged(tags_of(one.version)) if isinstance(code, FindsTags) else None
    if release and release.published_at <= one.at + _CLOCKS_APART:
        return ReleaseEvidence(release=release)
    if not isinstance(code, LooksBack):
        return None
    past = await code.headed(version_pattern(one.version), upto=tip, since=window.start - FAR)
    head = version_set_by(past.found, one.version, one.at + _CLOCKS_APART) if past else None
    return evidence_of(code.repo, head) if head else None


async def _dossier(one: Taken, spec: RepoSpec, found: Upstream, window: Window, deps: Deps) -> Dossier:
    code = (await deps.desks.open(spec)).code
    sha = one.commit.partition("@")[2]
    own = deps.library.get(one.commit) or next(iter([read async for read in deps.library.skim(code, [sha])]), None)
    both = {found.id: found} | ({own.id: own} if own else {})
    late = frozenset({one.commit}) if own and own.at not in window else frozenset()
    return Dossier(found=both, window=window, seen=frozenset(both), late=late)


def _claim(one: Taken, repo: RepoId, found: Upstream, window: Window) -> Claim:
    fresh = found.at in window
    params = {"package": one.package} | ({"version": one.version} if one.version else {})
    sha = one.commit.partition("@")[2]
    return Claim(
        id=f"{repo}@{sha[:12]}.u{found.id.partition('@')[2][:7]}",
        repo=None,
        role=Role.CHANGE,
        about=(one.commit,),
        predicate="takes in",
        params=params,
        cites=(one.commit, found.id) if fresh else (one.commit,),
        background=() if fresh else (found.id,),
        text={lang: sentence("takes in", {}, lang) or "" for lang in _LANGUAGES},
    )


def _story(
    one: Taken, repo: RepoId, found: Upstream, claim: Claim, dossier: Dossier, deps: Deps, window: Window
) -> Story:
    own = dossier.found[one.commit]
    title = own.change.commit.title if isinstance(own, CommitEvidence) else ""
    source = found.change.commit.title if isinstance(found, CommitEvidence) else ""
    timeline = (
        Step(cite=found.id, at=found.at, act=Act.UPSTREAM, title=source),
        Step(cite=one.commit, at=one.at, act=Act.TAKEN_IN, title=title),
    )
    story = Story(
        kind=StoryKind.BUMP,
        repo=repo,
        steps=(found.id, one.commit),
        timeline=timeline,
        news=(one.commit,),
        text={lang: short_text(claim, lang) for lang in _LANGUAGES},
    )
    return with_memory(story, deps.stories.known(window, [found.id, one.commit]))
