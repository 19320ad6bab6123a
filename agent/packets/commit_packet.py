"""The packet of a commit for writer and judge: words, facts, diff, and the code around it."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from textwrap import indent

from agent.domain.code_around_changes import NO_SURROUNDINGS, Definition, NameUses, Surroundings
from agent.domain.evidence import (
    CommitEvidence,
    Evidence,
    Material,
    Read,
    ReleaseEvidence,
    ThreadEvidence,
)
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact, Severity
from agent.domain.look_ups import LookUp
from agent.domain.references import thread_numbers
from agent.domain.threads import PullRequest
from agent.domain.window import Window
from agent.evidence_headings import comment_lines, fact_line, piece_heading, subject_heading
from agent.packets.boilerplate_in_messages import recurring_lines, without_boilerplate
from agent.packets.code_around_changes_text import definition_heading, use_text, uses_heading
from agent.packets.diff_text import shown_diff
from agent.packets.lines_already_shown import code_lines, without_shown_lines
from agent.packets.lines_in_budget import excerpt, folded, needed_tokens
from agent.packets.lines_supporting_claims import NO_FOCUS, Focus
from agent.packets.look_ups_text import printed_look_ups
from agent.packets.redundant_diff_lines import repeated_rows
from agent.packets.token_budgets import (
    AROUND_SHARE,
    BUDGET,
    EARLIER_SHARE,
    FACTS_SHARE,
    LOOKED_UP_SHARE,
    MIN_DIFF_TOKENS,
    MIN_EXCERPT_DIFF,
    MIN_THREAD_TOKENS,
    WORDS_SHARE,
)
from agent.reports.shown_titles import shown_title
from agent.stories.timeline import StoriesFound
from agent.token_estimates import tokens_of

_MAX_COMMENTS = 3
_MAX_THREADS = 4
_MAX_FACTS = 40
_MAX_EARLIER = 2  # Commits that one goes back to which are shown with it
_FACTS_HEADING = "Facts that a program found in the diff:"
_RELEASES_HEADING = "Releases, as the tags of the repository show them:"
_DEFINITIONS_HEADING = "Defined elsewhere, and deciding here:"
_USES_HEADING = "Lines elsewhere in the repository, after this commit, with names that it changes:"
_EARLIER_HEADING = "Earlier commits that this one goes back to:"
_NOT_REPEATED_HEADING = "Not repeated here, because the sentences do not speak of it:"
_LOOKED_UP_HEADING = "Looked up in the repository, as it is after this commit:"


@dataclass(frozen=True, kw_only=True)
class CommitContext:
    """The parts of a packet beside the commit's own words and diff."""

    surroundings: Surroundings = NO_SURROUNDINGS
    earlier: Mapping[str, CommitEvidence] = field(default_factory=dict)
    """The commits that it takes back, mends or goes on with, by their handles."""
    earlier_releases: tuple[str, ...] = ()  # Lines about the releases that have those commits
    look_ups: tuple[LookUp, ...] = ()  # What was looked up in the repository, the newest last
    leaves_room: bool = False
    """Whether tokens are kept for look-ups: a packet begins alike before and after them."""
    keeps_earlier_room: bool = False
    """Whether tokens are kept for earlier commits, too, whether or not there are any yet."""


NO_CONTEXT = CommitContext()


def commit_packet(
    read: Read,
    material: Material,
    budget: int = BUDGET,
    focus: Focus = NO_FOCUS,
    context: CommitContext = NO_CONTEXT,
) -> str:
    """Return the packet of a commit: messages, facts, diff, and the code around it.

    The passages of the focus are always in it, with the lines around them; then come parts of the
    diff that hold its names, then the others, the most informative first.
    """
    evidence = read.evidence
    pieces = pieces_of(evidence, material)
    recurring = recurring_lines(material)
    words = _words(evidence, pieces, int(budget * WORDS_SHARE), focus, recurring)
    facts = _shortened(fact_lines(evidence.facts), int(budget * FACTS_SHARE), focus)
    opening = f"{words}\n\n{_FACTS_HEADING}\n{facts or '(none)'}"
    if context.surroundings.releases:
        releases = "\n".join(context.surroundings.releases)
        opening += f"\n\n{_RELEASES_HEADING}\n{releases}"
    looked_up_budget = 0
    if context.leaves_room or context.look_ups:
        looked_up_budget = int(budget * LOOKED_UP_SHARE)
    around = _around_text(context, budget, focus)
    earlier = _earlier_section(context, budget, focus)
    earlier_tokens = tokens_of(earlier)
    if context.keeps_earlier_room:
        earlier_tokens = int(budget * EARLIER_SHARE)
    closing_tokens = tokens_of(around) + earlier_tokens + looked_up_budget
    diff_budget = budget - tokens_of(opening) - closing_tokens
    diff = shown_diff(evidence, diff_budget, focus, context.surroundings.passages)
    above = f"{opening}\n\nThe diff:\n{diff}{around}{earlier}"
    printed = printed_look_ups(context.look_ups)
    return above + _look_ups_text(printed, looked_up_budget, focus, above)


def commit_excerpt(
    read: Read, material: Material, focus: Focus, context: CommitContext, budget: int
) -> str:
    """Return of a commit what the focus speaks of, and the names of everything else.

    Parts of the diff come with the functions around them. The message, the facts and the releases
    are short and always in it; threads, definitions, uses, earlier commits and look-ups are shown
    if the focus has a passage or a name in them, and are else listed.
    """
    left_out: list[str] = []
    opening = _excerpt_opening(read, material, focus, budget, left_out)
    if context.surroundings.releases:
        releases = "\n".join(context.surroundings.releases)
        opening += f"\n\n{_RELEASES_HEADING}\n{releases}"
    touched = _touched_context(context, focus, left_out)
    closing = _around_text(touched, budget, focus) + _earlier_section(touched, budget, focus)
    diff_budget = budget - tokens_of(opening) - tokens_of(closing)
    diff = shown_diff(
        read.evidence,
        max(diff_budget, MIN_EXCERPT_DIFF),
        focus,
        context.surroundings.passages,
        only_named=True,
    )
    above = f"{opening}\n\nThe diff:\n{diff}{closing}"
    look_ups = _touched_look_ups(context.look_ups, focus, left_out)
    text = above + _look_ups_text(look_ups, int(budget * LOOKED_UP_SHARE), focus, above)
    if left_out:
        listed = "\n".join(left_out)
        text += f"\n\n{_NOT_REPEATED_HEADING}\n{listed}"
    return text


def _excerpt_opening(
    read: Read, material: Material, focus: Focus, budget: int, left_out: list[str]
) -> str:
    """Return the message, the threads that the focus speaks of, and the facts."""
    evidence = read.evidence
    pieces: dict[str, Evidence] = {}
    for handle, piece in pieces_of(evidence, material).items():
        if piece is evidence or focus.touches(piece_text(handle, piece, budget, None, focus)):
            pieces[handle] = piece
        else:
            left_out.append(f"[{handle}] {piece_heading(piece, None)}")
    words_budget = int(budget * WORDS_SHARE)
    words = _words(evidence, pieces, words_budget, focus, recurring_lines(material))
    facts = _shortened(fact_lines(evidence.facts), int(budget * FACTS_SHARE), focus)
    return f"{words}\n\n{_FACTS_HEADING}\n{facts or '(none)'}"


def _touched_context(context: CommitContext, focus: Focus, left_out: list[str]) -> CommitContext:
    """Return the context that the focus touches; headings of the rest go to `left_out`."""
    definitions: list[Definition] = []
    for definition in context.surroundings.definitions:
        if definition.name in focus.names or focus.touches("\n".join(definition.passage.lines)):
            definitions.append(definition)
        else:
            left_out.append(f"the definition in {definition_heading(definition.passage)}")
    uses: list[NameUses] = []
    for name_uses in context.surroundings.uses:
        if focus.touches("\n".join(map(use_text, name_uses.uses))):
            uses.append(name_uses)
        else:
            left_out.append(f"uses of {name_uses.name}")
    earlier: dict[str, CommitEvidence] = {}
    for handle, evidence in context.earlier.items():
        texts = [evidence.change.commit.message]
        texts += [file.patch for file in evidence.change.files if file.patch]
        if any(map(focus.touches, texts)):
            earlier[handle] = evidence
        else:
            left_out.append(f"[{handle}] {piece_heading(evidence, None)}")
    surroundings = context.surroundings.model_copy(
        update={"definitions": tuple(definitions), "uses": tuple(uses)}
    )
    return replace(context, surroundings=surroundings, earlier=earlier)


def _touched_look_ups(look_ups: Sequence[LookUp], focus: Focus, left_out: list[str]) -> list[str]:
    """Return, as they are printed, the look-ups of the judge and those that the focus speaks of."""
    touched: list[str] = []
    for look_up, printed in zip(look_ups, printed_look_ups(look_ups), strict=True):
        if look_up.by_judge or focus.touches(printed):
            touched.append(printed)
        else:
            left_out.append(printed.partition("\n")[0])
    return touched


def _around_text(context: CommitContext, budget: int, focus: Focus) -> str:
    """Return the code around the change: definitions, and uses of what it changes."""
    around_budget = int(budget * AROUND_SHARE)
    definitions = _definitions_text(context.surroundings.definitions, around_budget, focus)
    uses_budget = around_budget - tokens_of(definitions)
    uses = _uses_text(context.surroundings.uses, uses_budget, focus)
    return _section(_DEFINITIONS_HEADING, definitions) + _section(_USES_HEADING, uses)


def _earlier_section(context: CommitContext, budget: int, focus: Focus) -> str:
    """Return the earlier commits and what released them.

    Tokens are kept for all of it, so that the diff is shown alike before these commits are known.
    """
    releases = "\n".join(context.earlier_releases)
    earlier_budget = int(budget * EARLIER_SHARE) - tokens_of(releases)
    earlier = _earlier_text(context.earlier, earlier_budget, focus)
    return _section(_EARLIER_HEADING, f"{earlier}\n\n{releases}".strip())


def _section(heading: str, text: str) -> str:
    return f"\n\n{heading}\n{text}" if text else ""


def _look_ups_text(look_ups: Sequence[str], budget: int, focus: Focus, above: str) -> str:
    """Return printed look-ups, each in its share of what is left, without what stands above."""
    if not look_ups:
        return ""
    texts: list[str] = []
    tokens_left = budget
    for number, printed in enumerate(look_ups):
        share = tokens_left // (len(look_ups) - number)
        lines_above = code_lines("\n".join((above, *texts)))
        text = cut_text(without_shown_lines(printed, lines_above), share, focus)
        texts.append(text)
        tokens_left -= tokens_of(text)
    joined = "\n\n".join(texts)
    return f"\n\n{_LOOKED_UP_HEADING}\n{joined}"


def _definitions_text(definitions: Sequence[Definition], budget: int, focus: Focus) -> str:
    """Return definitions one after the other, each in its share of what is left."""
    texts: list[str] = []
    tokens_left = budget
    for number, definition in enumerate(definitions):
        share = tokens_left // (len(definitions) - number)
        text = definition_text(definition, share, focus)
        texts.append(text)
        tokens_left -= tokens_of(text)
    return "\n".join(texts)


def definition_text(definition: Definition, budget: int, focus: Focus) -> str:
    """Return a definition below its heading; what decides is its code, not its documentation."""
    passage = definition.passage
    lines = [definition_heading(passage)]
    lines += [line[1:] for line in passage.lines]
    kept = [*focus.passage_lines(lines), 0]
    documentation = [position + 1 for position in definition.documentation]
    code_first = sorted(range(len(lines)), key=lambda position: position in documentation)
    part = excerpt(lines, max(budget, needed_tokens(lines, kept)), kept, code_first, documentation)
    return part.text


def _uses_text(all_uses: Sequence[NameUses], budget: int, focus: Focus) -> str:
    lines: list[str] = []
    for uses in all_uses:
        lines.append(uses_heading(uses))
        lines += [indent(use_text(use), "  ") for use in uses.uses]
    return _shortened(lines, budget, focus) if lines else ""


def _earlier_text(earlier: Mapping[str, CommitEvidence], budget: int, focus: Focus) -> str:
    """Return earlier commits with their messages and diffs, in equal shares."""
    texts: list[str] = []
    for handle, evidence in earlier.items():
        share = budget // len(earlier)
        text = piece_text(handle, evidence, share // 2, None, focus)
        diff_budget = share - tokens_of(text)
        if _has_diff(evidence) and diff_budget >= MIN_DIFF_TOKENS:
            diff = shown_diff(evidence, diff_budget, focus)
            text += f"\nIts diff:\n{diff}"
        texts.append(text)
    return "\n\n".join(texts)


def pieces_of(evidence: CommitEvidence, material: Material) -> dict[str, Evidence]:
    """Return a commit, its pull request, and the issues that they name or are linked to, by handle."""
    pull = material.pulls.get(evidence.pull or 0)
    threads = {issue.id: ThreadEvidence(thread=issue) for issue in material.issues}
    if pull:
        threads[pull.id] = ThreadEvidence(thread=pull)
    threads |= dict(material.threads)
    thread_ids: list[EvidenceId] = []
    texts = [evidence.change.commit.message]
    if pull:
        thread_ids.append(pull.id)
        texts.append(pull.body)
    thread_ids += [link.issue for link in material.links if link.change == evidence.id]
    for text in texts:
        for number in thread_numbers(text):
            thread_ids.append(EvidenceId.thread(evidence.repo, number))
    read_ids = [thread_id for thread_id in dict.fromkeys(thread_ids) if thread_id in threads]
    pieces: dict[str, Evidence] = {"c": evidence}
    for thread_id in read_ids[:_MAX_THREADS]:
        piece = threads[thread_id]
        pieces[f"#{piece.thread.number}"] = piece
    return pieces


def earlier_commits(
    change: EvidenceId, stories: StoriesFound, material: Material
) -> dict[str, CommitEvidence]:
    """Return the commits that a change takes back, mends or goes on with, by handles p1, p2."""
    ids: dict[EvidenceId, None] = {}
    for story in stories.stories:
        if change in story.steps:
            ids.update(dict.fromkeys(reversed(story.steps)))
    ids.pop(change, None)
    same_day = {read.evidence.id: read.evidence for read in material.reads}
    readable = {**same_day, **material.background}
    earlier = [readable[commit_id] for commit_id in ids if commit_id in readable]
    chosen = earlier[:_MAX_EARLIER]
    return {f"p{number}": commit for number, commit in enumerate(chosen, start=1)}


def _has_diff(commit: CommitEvidence) -> bool:
    return any(file.patch for file in commit.change.files)


def _words(
    evidence: CommitEvidence,
    pieces: Mapping[str, Evidence],
    budget: int,
    focus: Focus,
    recurring: frozenset[str],
) -> str:
    """Return the message of a commit, then its threads, which share what it leaves."""
    threads = {handle: piece for handle, piece in pieces.items() if piece is not evidence}
    message_budget = budget // 2 if threads else budget
    commit = evidence.change.commit
    message = f"{commit.title}\n\n{without_boilerplate(commit.body, recurring)}".strip()
    message = cut_text(message, message_budget, focus)
    texts = [f"[c] {subject_heading(evidence)}\n{message}"]
    each = (budget - tokens_of(message)) // max(1, len(threads))
    for handle, piece in threads.items():
        thread = _plain_thread(piece, recurring)
        texts.append(piece_text(handle, thread, max(MIN_THREAD_TOKENS, each), None, focus))
    return "\n\n".join(texts)


def _plain_thread(piece: Evidence, recurring: frozenset[str]) -> Evidence:
    """Return a pull request without the form that its author filled in; anything else as it is."""
    if not isinstance(piece, ThreadEvidence) or not isinstance(piece.thread, PullRequest):
        return piece
    body = without_boilerplate(piece.thread.body, recurring)
    thread = piece.thread.model_copy(update={"body": body})
    return piece.model_copy(update={"thread": thread})


def piece_text(
    handle: str, piece: Evidence, budget: int, window: Window | None, focus: Focus = NO_FOCUS
) -> str:
    """Return a piece of evidence in short: its heading, what people wrote, and what code found."""
    heading = f"[{handle}] {piece_heading(piece, window)}"
    if isinstance(piece, ReleaseEvidence):
        body = cut_text(piece.release.body.strip(), budget, focus)
        return f"{heading}: {piece.release.name}\n{body}".rstrip()
    if isinstance(piece, ThreadEvidence):
        comments = list(comment_lines(piece))[-_MAX_COMMENTS:]
        body = cut_text("\n".join([piece.thread.body.strip(), *comments]), budget, focus)
        return f"{heading}: {piece.thread.title}\n{body}".rstrip()
    commit = piece.change.commit
    message = cut_text(commit.body.strip(), budget // 2, focus)
    text = f"{heading}: {shown_title(commit.title)}\n{message}"
    facts = _shortened(fact_lines(piece.facts), budget // 2, focus)
    if facts:
        text += f"\n{_FACTS_HEADING}\n{facts}"
    return text.replace("\n\n\n", "\n").rstrip()


def fact_lines(facts: Sequence[Fact]) -> Iterator[str]:
    """Yield the facts in words, those that users can notice before the others."""
    noticeable = [fact for fact in facts if fact.severity is not Severity.INTERNAL]
    for fact in (noticeable or facts)[:_MAX_FACTS]:
        yield fact_line(fact)


def cut_text(text: str, budget: int, focus: Focus = NO_FOCUS) -> str:
    """Cut a text that people wrote to a budget; passages of the focus always stay."""
    lines = text.splitlines()
    plain = repeated_rows(lines)
    if not plain and tokens_of(text) <= budget:
        return text
    if tokens_of(text) > budget:
        lines = folded(text)
        plain = repeated_rows(lines)
    return _shortened(lines, budget, focus, plain)


def _shortened(lines: Iterable[str], budget: int, focus: Focus, plain: Collection[int] = ()) -> str:
    lines = list(lines)
    passages = focus.passage_lines(lines)
    names = focus.name_lines(lines)
    allowed = max(budget, needed_tokens(lines, passages))
    return excerpt(lines, allowed, [*passages, *names], plain=plain).text
