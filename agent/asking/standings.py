"""How an issue or a pull request stands: open, fixed by what, in which release."""

import re
from datetime import timedelta

from agent.asking.draft import Draft, Item
from agent.asking.findings import Findings
from agent.asking.inquiry import Act
from agent.asking.names import is_person
from agent.asking.releases import release_ids, release_note
from agent.asking.telling import commit_item, shown_facts, whole_day
from agent.claims import Claim, Quote, Role
from agent.domain import Comment, Issue, PullRequest
from agent.linking.standing import Standing, standing
from agent.links import Link, Relation
from agent.speech import own_words
from agent.templates import sentence

_CLOSED = re.compile(
    r"\b(?:clos\w+|turn\w* down|reject\w*|declin\w*|refus\w*|abandon\w*|not merged)\b|关|拒|没合|不合", re.IGNORECASE
)
_REASON = re.compile(
    r"#\d|\b(?:because|duplicate|superseded|since|instead|not (?:planned|needed|reproduc)|stale|inactiv|won'?t|wontfix"
    r"|already|obsolete|out of scope)|因为|重复|由于|不再|已经|过期|改用",
    re.IGNORECASE,
)
_NEAR = timedelta(days=1)
_LONGEST = 300
_HEADS = {
    Standing.OPEN: "open",
    Standing.ADDRESSED: "addressed",
    Standing.LIKELY: "likely",
    Standing.FIXED: "fixed",
    Standing.UNDONE: "fix undone",
    Standing.REOPENED: "reopened",
    Standing.CLOSED: "closed",
    Standing.GIVEN_UP: "given up",
}


def status(found: Findings) -> Draft | None:
    """Tell how the thread stands that is asked for; None where the question means none."""
    drafts = [_pull(one, found) if isinstance(one, PullRequest) else _issue(one, found) for one in _asked(found)]
    if not drafts:
        return None
    first, *others = drafts
    return first.model_copy(
        update={
            "items": tuple(item for draft in drafts for item in draft.items),
            "cites": tuple(dict.fromkeys(cite for draft in drafts for cite in draft.cites)),
            "notes": (*first.notes, *(note for one in others for note in ((one.head, one.values), *one.notes))),
        }
    )


def by_issue(found: Findings) -> Draft | None:
    """Answer by the issue that speaks of what is asked, where commits do not, and by what fixes it; else None."""
    if Act.FIXED not in found.inquiry.acts and not found.inquiry.bug:
        return None
    people = found.inquiry.people
    fixing = [card for card in found.cards.values() if any(link.change == card.id for link in found.links)]
    if people and not any(is_person(name, card.author) for name in people for card in fixing):
        return None
    draft = status(found)
    return draft if draft is not None and any(item.cite in found.cards for item in draft.items) else None


def _asked(found: Findings) -> list[Issue | PullRequest]:
    """Give the threads that are named, in the order of the question, else the one that fits."""
    numbers = found.inquiry.numbers
    if not numbers:
        return list(found.threads.values())[:1]
    return [one for number in numbers for one in found.threads.values() if one.number == number]


def _issue(issue: Issue, found: Findings) -> Draft:
    links = [link for link in found.links if link.issue == issue.id]
    how = standing(issue, links, found.undone)
    fixes = [link for link in links if link.may_read_fixed or link.may_read_likely]
    items = [Item(cite=issue.id, claims=_closing_words(issue, found, how))]
    items += [_fix(link, issue, found, how) for link in fixes if link.change in found.cards]
    values = {"number": str(issue.number), "title": issue.title}
    notes = []
    if how in (Standing.FIXED, Standing.ADDRESSED, Standing.LIKELY) and len(items) > 1:
        notes.append(release_note([found.cards[item.cite] for item in items[1:]], found))
    unfixed = how in (Standing.OPEN, Standing.REOPENED, Standing.UNDONE, Standing.GIVEN_UP)
    if unfixed:
        named, told = _naming(issue, links, found)
        items += [item for item in named if item.cite not in {one.cite for one in items}]
        notes += told
    return Draft(
        head=_HEADS[how],
        values=values,
        # Whoever asks which commit fixed it, or when, takes for granted that one did.
        abstained=(unfixed and found.inquiry.which_fix and not (fixes and not found.inquiry.which_release))
        or _took_for_closed(issue, found),
        items=tuple(items),
        cites=tuple(item.cite for item in items) + tuple(release_ids(notes, issue.repo)),
        notes=tuple(notes),
    )


def _took_for_closed(issue: Issue, found: Findings) -> bool:
    """Tell whether a question asks for the day on which an issue was closed that is open."""
    return found.inquiry.when and not found.inquiry.opened and issue.state == "open"


def _naming(issue: Issue, links: list[Link], found: Findings) -> tuple[list[Item], list[tuple[str, dict[str, str]]]]:
    """Show what names an issue that is not fixed: pull requests, and commits that only mention it."""
    pulls = found.attempts.get(issue.id, ())
    items = [Item(cite=pull.id) for pull in pulls]
    notes = [
        (
            "attempt merged" if pull.merged_at else f"attempt {pull.state}",
            {"number": str(pull.number), "base": pull.base},
        )
        for pull in pulls
    ]
    landed = [link.change for link in links if link.relation is not Relation.FIXES and link.change in found.cards]
    if landed:
        items += [commit_item(found.cards[name], (), found) for name in landed[:2]]
        notes.append(("only named", {"number": str(issue.number)}))
    return items, notes


def named_by(found: Findings) -> Draft | None:
    """Show what names an issue that nobody could read; None where every number is known or nothing names it."""
    if not found.naming:
        return None
    number, cards = next(iter(found.naming.items()))
    items = [commit_item(card, shown_facts(card.facts, 1), found) for card in cards[:3]]
    cites = tuple(card.id for card in cards[:3])
    return Draft(head="named by", values={"number": str(number)}, items=tuple(items), cites=cites)


def closed_why(found: Findings) -> Draft | None:
    """Say why a thread was closed, in the words of whoever closed it; None where a fix tells it."""
    threads = [one for one in _asked(found) if one.state == "closed"] if found.inquiry.numbers else []
    if not threads or not _CLOSED.search(found.inquiry.text):
        return None
    thread = threads[0]
    merged = isinstance(thread, PullRequest) and thread.merged_at is not None
    if merged or any(link.issue == thread.id and link.may_read_fixed for link in found.links):
        return None
    words = _last_words(thread, found.comments.get(thread.id, ()))
    if words is None:
        return Draft(head="why unsaid", items=(Item(cite=thread.id),), cites=(thread.id,), abstained=True)
    item = Item(cite=thread.id, claims=(_quoted(thread, words),))
    return Draft(head="closed because", values={"number": str(thread.number)}, items=(item,), cites=(thread.id,))


def _closing_words(issue: Issue, found: Findings, how: Standing) -> tuple[Claim, ...]:
    """Quote what was said when an issue was given up or came back, where its comments were read."""
    if how not in (Standing.GIVEN_UP, Standing.REOPENED, Standing.CLOSED):
        return ()
    comments = found.comments.get(issue.id, ())
    words = _last_words(issue, comments)
    if words is None and how is Standing.REOPENED and comments:
        words = comments[-1].body.strip().split("\n")[0].strip()[:_LONGEST]
    return (_quoted(issue, words),) if words else ()


def _quoted(thread: Issue | PullRequest, words: str) -> Claim:
    return Claim(
        id=f"{thread.id}.closed",
        repo=thread.repo,
        role=Role.CHANGE,
        about=(thread.id,),
        cites=(thread.id,),
        quotes=(Quote(cite=thread.id, text=words),),
        speech=True,
    )


def _last_words(thread: Issue | PullRequest, comments: tuple[Comment, ...]) -> str | None:
    """Find what was said when a thread was closed."""
    closed = thread.closed_at if isinstance(thread, Issue) else None
    around = [one for one in comments if closed is None or abs(one.created_at - closed) <= _NEAR]
    for comment in reversed(around):
        first = comment.body.strip().split("\n")[0].strip()
        if words := own_words(comment.body, "") or (first if _REASON.search(first) else None):
            return words
    return None


def _fix(link: Link, issue: Issue, found: Findings, how: Standing) -> Item:
    """Show the commit that fixes the issue, with the claim that it does."""
    item = commit_item(found.cards[link.change], (), found)
    evidence = found.evidence.get(link.change)
    if evidence is None or how not in (Standing.FIXED, Standing.LIKELY):
        return item
    predicate = "fixes" if link.may_read_fixed else "likely fixes"
    claim = Claim(
        id=f"{link.change[:-28]}.fix",
        repo=issue.repo,
        role=Role.EFFECT,
        about=(link.change, issue.id),
        predicate=predicate,
        params={"issue": issue.id},
        cites=(link.change, issue.id),
        text={"en": sentence(predicate, {}, "en") or "", "zh": sentence(predicate, {}, "zh") or ""},
    )
    return item.model_copy(update={"claims": (*item.claims, claim)})


def _pull(pull: PullRequest, found: Findings) -> Draft:
    cards = [card for card in found.cards.values() if card.pull == pull.number and card.repo == pull.repo]
    head = "merged" if pull.merged_at else "pull open" if pull.state == "open" else "pull closed"
    items = [Item(cite=pull.id), *(commit_item(card, (), found) for card in cards[:2])]
    values = {"number": str(pull.number), "title": pull.title}
    notes = []
    if pull.merged_at:
        values["day"] = whole_day(pull.merged_at, found.window.tz)
        notes = [release_note(cards, found)] if cards else []
    cites = tuple(item.cite for item in items) + tuple(release_ids(notes, pull.repo))
    return Draft(head=head, values=values, items=tuple(items), cites=cites, notes=tuple(notes))
