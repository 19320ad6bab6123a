"""Pages of replies to questions, as Markdown and JSON, and the evidence they cite as plain text."""

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from agent.browser_urls import Web
from agent.domain.base import Language, RepoId
from agent.domain.claims import Claim, Kind
from agent.domain.commits import Change
from agent.domain.errors import InputError
from agent.domain.evidence import Card, state_at
from agent.domain.evidence_id import EvidenceId
from agent.domain.threads import Issue, PullRequest, Release
from agent.domain.window import Window, zone
from agent.markdown import code, inline, link, visible
from agent.ports import RepositorySources
from agent.questions_and_replies import AnswerSection, Hit, Known, Reply
from agent.report_languages import catalogue
from agent.reports.absence import absence_text
from agent.reports.affected_text import affected_text
from agent.reports.report_json import claim_json
from agent.reports.shown_titles import shown_title
from agent.settings.values import RepoSpec
from gitzette.render.page_addresses import SHORT, named
from gitzette.render.templating import claim_text, filled, plain_environment

if TYPE_CHECKING:
    from graphs.ask_context import AskContext

_MAX_ROWS = 20  # Rows of a section that are listed
_MAX_NAMED_ROWS = 5  # Rows of a section about one name
_MAX_BEST = 5  # Pieces of evidence that are listed with the reasons why they fit best
_MAX_FITTING = 10  # Pieces of evidence that are listed because they fit
_MAX_LINE = 400  # Characters that are shown of a line of evidence
_MAX_EVIDENCE = 400_000  # Characters that are shown of a piece of evidence
_CODE_SPAN = re.compile(r"`([^`\n]{3,})`")
_HIDDEN_CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")
_ENDED = ("merged", "closed", "not_planned")


class FileLines(NamedTuple):
    """Lines of a file that an answer cites."""

    path: str
    first: int  # The number of the first line
    lines: tuple[str, ...]


class ReplyPage:
    """Writes replies as Markdown in which foreign text has no effect."""

    def __init__(self, web: Web, tz: str) -> None:
        self._web = web
        self._tz = tz

    def written(self, reply: Reply) -> Reply:
        """Return the reply with its Markdown."""
        listed_ids = _listed_in_sections(reply)
        unlisted = [hit for hit in reply.evidence if hit.id not in listed_ids]
        fitting = [hit for hit in unlisted if hit.fits]
        pulls = {cite for cite, item in reply.known.items() if isinstance(item, PullRequest)}

        def fact(claim: Claim, own: EvidenceId) -> str:
            return claim_text(claim, reply.lang, self._web, own=own)

        def affected(commit: EvidenceId) -> str:
            return affected_text(reply.affected[commit], reply.lang)

        answer = filled(
            "reply.md",
            reply.lang,
            self._web,
            reply=reply,
            say=catalogue(reply.lang)["ask"],
            described=partial(self._described, lang=reply.lang, window=reply.window),
            fact=fact,
            affected=affected,
            sentence=partial(self.sentence, lang=reply.lang, pulls=pulls),
            reasons=partial(self._reasons, reply),
            absent=partial(self._absent, reply),
            lines_link=self._lines_link,
            listed_ids=listed_ids,
            fitting=fitting[:_MAX_FITTING],
            rest=unlisted[:_MAX_FITTING],
            shown=_shown_hits(reply) or reply.evidence[:_MAX_FITTING],
            most=_MAX_ROWS,
            most_named=_MAX_NAMED_ROWS,
            most_best=_MAX_BEST,
        )
        return reply.model_copy(update={"answer": answer})

    def sentence(self, claim: Claim, lang: Language, pulls: Collection[EvidenceId] = ()) -> str:
        """Return a sentence of a model with its label and citations.

        `pulls` are the pull requests among the citations, which have addresses of their own.
        """
        words = catalogue(lang)["ask"]
        label = words[claim.kind.value] if claim.kind in (Kind.INFERRED, Kind.ADVICE) else ""
        author = words["attributed"] if claim.attributed else ""
        return f"{label}{author}{claim_text(claim, lang, self._web, pulls)}\n\n"

    def evidence_list(self, evidence: dict[str, Known], lang: Language) -> str:
        """Return a list of what a search found, for a reader who waits for the answer."""
        if not evidence:
            return ""
        rows = "\n".join(f"- {self._described(item, lang)}" for item in evidence.values())
        return f"{catalogue(lang)['ask']['best']}\n\n{rows}\n\n"

    def _described(
        self, item: Known, lang: Language, where: str = "", window: Window | None = None
    ) -> str:
        """Return a line about a piece of evidence: its day, link, title, author and state."""
        name, url = named(item.id, item.repo, self._web, pull=isinstance(item, PullRequest))
        if isinstance(item, Card):
            moment = item.at
            title = shown_title(item.title, lang)
            details = item.author
        elif isinstance(item, Release):
            moment = item.published_at
            title = item.name if item.name != item.tag else ""
            details = ""
        else:
            moment = item.created_at
            title = item.title
            details = self._thread_details(item, lang, window)
        day = moment.astimezone(zone(self._tz)).date()
        line = f"{day} {where}{link(code(name), url)} {inline(title)}".rstrip()
        return " · ".join(filter(None, (line, inline(details))))

    def _reasons(self, reply: Reply, hit: Hit, why: bool = False) -> str:
        """Return the first release with a commit and, with `why`, the reasons why a hit fits."""
        words = catalogue(reply.lang)["ask"]
        details = []
        if hit.id in reply.releases:
            release = reply.releases[hit.id]
            name, url = named(release, release.repo, self._web)
            details.append(words["released"].format(release=link(code(name), url)))
        if why and hit.first_with:
            commits = ", ".join(code(commit.sha[:SHORT]) for commit in hit.first_with)
            details.append(words["first_with"].format(commits=commits))
        found_by = [*map(code, hit.named), *map(inline, hit.words)]
        if why and found_by:
            details.append(words["why"].format(words=", ".join(dict.fromkeys(found_by))))
        elif why and hit.from_conversation:
            details.append(words["cited_before"])
        return "".join(f" · {detail}" for detail in details)

    def _lines_link(self, cite: EvidenceId) -> str:
        """Return a link to lines of a file at a commit."""
        name, url = named(cite, None, self._web)
        return link(code(name), url)

    def _absent(self, reply: Reply, section: AnswerSection) -> str:
        """Return that nothing that was read mentions a name, and what was read."""
        return absence_text(section.what[0], section.absence, reply.searched, reply.lang)

    def _thread_details(
        self, thread: Issue | PullRequest, lang: Language, window: Window | None
    ) -> str:
        """Return the author of a thread, and its state with the day on which it ended."""
        state = state_at(thread, window)
        state_words: str = catalogue(lang)["ask"][state]
        details = " · ".join(filter(None, (thread.author, state_words)))
        if thread.ended_at and state in _ENDED:
            details += f" {thread.ended_at.astimezone(zone(self._tz)).date()}"
        return details


def _listed_in_sections(reply: Reply) -> set[EvidenceId]:
    """Return what the sections of a reply list, which no other list repeats."""
    limit = _MAX_ROWS if reply.outcome == "filtered" else _MAX_NAMED_ROWS
    listed_ids: set[EvidenceId] = set()
    for section in reply.sections:
        listed_ids.update(hit.id for hit in section.hits[:limit])
    return listed_ids


def _shown_hits(reply: Reply) -> list[Hit]:
    """Return a hit for each piece of evidence that the model was shown."""
    hits = {hit.id: hit for hit in reply.evidence}
    hits_shown = []
    for cite in reply.shown:
        hits_shown.append(hits.get(cite) or Hit(id=cite, kind="", opened=""))
    return hits_shown


def reply_json(reply: Reply) -> dict[str, Any]:
    """Return a reply as data for other programs."""
    data = reply.model_dump(
        mode="json", include={"answer", "cites", "searched", "failures", "dropped"}
    )
    data["abstained"] = reply.abstained
    data["spent"] = reply.spent.model_dump(mode="json", include={"calls", "sent", "received"})
    data["claims"] = []
    for claim in reply.claims:
        data["claims"].append(claim_json(claim) | {"text": claim.text.get(reply.lang, "")})
    data["evidence"] = []
    for rank, hit in enumerate(reply.evidence, start=1):
        data["evidence"].append(_hit_json(hit, rank, reply))
    return data


def _hit_json(hit: Hit, rank: int, reply: Reply) -> dict[str, Any]:
    """Return a hit with its first release and the affected versions, where they are known."""
    words = [*hit.named, *hit.words]
    data: dict[str, Any] = {"id": hit.id, "rank": rank, "score": hit.score, "words": words}
    if hit.id in reply.releases:
        data["release"] = reply.releases[hit.id]
    if hit.id in reply.affected:
        data["affected"] = reply.affected[hit.id].model_dump(mode="json")
    return data


class CitedEvidence:
    """Finds and writes the evidence that answers cite."""

    def __init__(self, context: "AskContext", specs: Sequence[RepoSpec], web: Web, tz: str) -> None:
        self._repositories = context.repositories
        self._memory = context.memory
        self._specs = {spec.name: spec for spec in specs}
        self._web = web
        self._tz = tz

    def addresses(self, cite: EvidenceId) -> list[str]:
        """Return the addresses under which an answer may link a piece of evidence."""
        _, thread_url = named(cite, None, self._web, pull=False)
        _, pull_url = named(cite, None, self._web, pull=True)
        return [thread_url, pull_url]

    def citations(self, reply: Reply) -> dict[str, Any]:
        """Return what a reply cites, with the lines that it quotes and the code that it names."""
        quotes: dict[str, list[str]] = {}
        words: dict[str, list[str]] = {}
        for claim in reply.claims:
            for quote in (*claim.quotes, *claim.anchors):
                quotes.setdefault(quote.cite, []).extend(quote.text.splitlines())
            code_spans: list[str] = []
            for text in claim.text.values():
                code_spans.extend(_CODE_SPAN.findall(text))
            for cite in claim.sources:
                words.setdefault(cite, []).extend(code_spans)
        cites = [self._entry(cite) for cite in reply.cites]
        return {"abstained": reply.abstained, "cites": cites, "quotes": quotes, "words": words}

    def _entry(self, cite: EvidenceId) -> dict[str, str]:
        item = self._memory.get(cite)
        name, url = named(cite, None, self._web, pull=isinstance(item, PullRequest))
        title = shown_title(item.title) if isinstance(item, Card) else getattr(item, "title", "")
        return {"id": cite, "title": visible(f"{name} {title}"), "url": url}

    async def lines(self, cite: EvidenceId) -> list[str]:
        """Return the full text of a piece of evidence, as lines that are safe to show."""
        item = await self._read(cite)
        state = state_at(item, None) if isinstance(item, Issue | PullRequest) else ""
        template = plain_environment().get_template("evidence.txt")
        kind = type(item).__name__
        text = template.render(cite=cite, one=item, kind=kind, state=state, tz=self._tz)
        lines = text[:_MAX_EVIDENCE].rstrip("\n").split("\n")
        return [_safe(line.removesuffix("\r")) for line in lines]

    async def _read(self, cite: EvidenceId) -> Known | Change | FileLines | None:
        """Return a thread or a release from memory, or else from the repository.

        A commit is returned whole, and of a file the lines that are cited.
        """
        item = self._memory.get(cite)
        if cite.kind == "lines":
            return await self._file_lines(cite)
        if cite.number is not None and item is None:
            sources = await self._sources(cite.repo)
            return await sources.threads.issue(cite.number)
        if not isinstance(item, Card) and not cite.is_commit:
            return item
        sources = await self._sources(cite.repo)
        async for change in sources.code.changes([cite.sha]):
            return change
        raise InputError(f"{cite.shortened()} cannot be read any more")

    async def _file_lines(self, cite: EvidenceId) -> FileLines:
        """Return the lines of a file that are cited."""
        assert cite.first_line is not None
        assert cite.last_line is not None
        code_source = (await self._sources(cite.repo)).code
        text = await code_source.file(cite.sha, cite.path)
        if text is None:
            raise InputError(f"{cite.shortened()} cannot be read any more")
        lines = text.split("\n")[cite.first_line - 1 : cite.last_line]
        return FileLines(path=cite.path, first=cite.first_line, lines=tuple(lines))

    async def _sources(self, repo: RepoId) -> RepositorySources:
        if repo not in self._specs:
            raise InputError(f"{repo} is not at hand; begin the conversation with --repo {repo}")
        return await self._repositories.open(self._specs[repo])


def _safe(text: str) -> str:
    """Return a line, shortened, with invisible characters shown by their code points."""
    characters = []
    for character in text[:_MAX_LINE]:
        if character != "\t" and unicodedata.category(character) in _HIDDEN_CATEGORIES:
            characters.append(f"<U+{ord(character):04X}>")
        else:
            characters.append(character)
    if len(text) > _MAX_LINE:
        characters.append(" …")
    return "".join(characters)
