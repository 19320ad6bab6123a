"""What a writer is shown of a commit, and how its answers become claims with citations and anchors."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

from agent.domain.base import Language, RepoId
from agent.domain.claims import Anchor, Claim, Kind
from agent.domain.commits import Change, FileChange
from agent.domain.evidence import CommitEvidence, EvidenceSet, Material, Read, ThreadEvidence
from agent.domain.evidence_id import EvidenceId
from agent.domain.facts import Fact, FactLocation, FactSheet, Severity
from agent.domain.ledger import Triage
from agent.domain.links import Grade, Link, Relation
from agent.domain.release_notes import ReleaseEntry, ReleaseNotes
from agent.domain.report import ReleaseLine
from agent.domain.threads import Comment, Issue, PullRequest
from agent.domain.window import Window
from agent.gate.check import refusals
from agent.packets.commit_packet import NO_CONTEXT, CommitContext, commit_packet, pieces_of
from agent.packets.lines_supporting_claims import Focus, Passage
from agent.reports.release_sentences import claims_of_release
from agent.token_estimates import tokens_of
from agent.writing.model_sentences import analysis_shape, cited, summary_shape
from agent.writing.summary_target import SummaryTarget, summary_evidence
from agent.writing.targets import CommitTarget
from agent.writing.tasks import Task, summary_task
from tests.made_commits import NOON, made_commit

REPO = RepoId("octo/router")
ME = "octo/router@" + "a" * 40
MESSAGE = "Lower the limit (#41)\n\nLarger values overflow the buffer, see `grow()` and #12."


def file(path: str, *hunks: str, **more: Any) -> FileChange:
    """Change a file in hunks that are given by their lines."""
    patch = "\n".join(f"@@ -{n}0 +{n}0 @@\n{text}" for n, text in enumerate(hunks, start=1)) or None
    lines = "\n".join(hunks).splitlines()
    plus = sum(line.startswith("+") for line in lines)
    minus = sum(line.startswith("-") for line in lines)
    fields = {
        "path": path,
        "status": "modified",
        "additions": plus,
        "deletions": minus,
        "patch": patch,
    }
    return FileChange.model_validate(fields | more)


def read(files: Sequence[FileChange], message: str = MESSAGE, facts: Sequence[Fact] = ()) -> Read:
    sheet = FactSheet(facts=tuple(facts), route="hunks")
    commit = made_commit(message)
    evidence = CommitEvidence(
        change=Change(commit=commit, files=tuple(files)), sheet=sheet, pull=41
    )
    triage = Triage(sha=commit.sha, score=1.0, reasons=(), purpose=None)
    return Read(evidence=evidence, triage=triage, depth="deep")


def material(read_commit: Read) -> Material:
    """Put a commit beside its pull request, an issue that it names, a linked one and a stranger."""
    about = {
        "repo": REPO,
        "state": "closed",
        "author": "jo",
        "labels": (),
        "created_at": NOON,
        "updated_at": NOON,
    }
    pull = about | {"number": 41, "title": "Lower it", "body": "Use `topK = 8`.", "base": "main"}
    issue = about | {"state_reason": None, "closed_at": NOON, "comments": 1, "reactions": 0}
    named_pull, linked, stranger = (
        Issue.model_validate(issue | {"number": number, "title": title, "body": f"About {title}."})
        for number, title in ((12, "Overflow"), (13, "Crash"), (14, "Colours"))
    )
    comment = Comment(author="kim", body="It needs `--slow`.", created_at=NOON)
    return Material(
        repo=REPO,
        window=Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC"),
        reads=[read_commit],
        links=[
            Link(
                issue=linked.id,
                change=read_commit.evidence.id,
                relation=Relation.FIXES,
                grade=Grade.A,
            )
        ],
        issues=(named_pull, linked, stranger),
        pulls={
            41: PullRequest.model_validate(pull | {"merged_at": NOON, "merge_commit": "a" * 40})
        },
        threads={named_pull.id: ThreadEvidence(thread=named_pull, comments=(comment,))},
    )


# ---------------------------------------------------------------- what is shown


def lines(name: str, count: int) -> str:
    return "\n".join(f"+{name} line {number} of a long hunk" for number in range(count))


def test_messages_and_threads_are_shown_with_their_code_under_handles() -> None:
    commit_read = read([file("router.py", "-LIMIT = 22\n+LIMIT = 8")])
    text = commit_packet(commit_read, material(commit_read))
    for form in (
        "[c] commit by Mira, landed 2026-02-04, 1 files, +1 -1\nLower the limit (#41)\n\nLarger values",
        "[#41] pull request #41 of octo/router, opened 2026-02-04 by jo, merged: Lower it\nUse `topK = 8`.",
        "[#13] issue #13 of octo/router, opened 2026-02-04 by jo, closed: Crash\nAbout Crash.",
        "by jo, closed: Overflow\nAbout Overflow.\nkim: It needs `--slow`.",
    ):
        assert form in text
    assert list(pieces_of(commit_read.evidence, material(commit_read))) == [
        "c",
        "#41",
        "#13",
        "#12",
    ]
    assert "Colours" not in text


def lost(read_commit: Read) -> list[str]:
    """Give the files that are not shown any more, in the order in which they go when the room gets less."""
    lost_paths: dict[str, None] = {}
    for budget in range(4_000, 500, -50):
        text = commit_packet(read_commit, material(read_commit), budget)
        lost_paths |= dict.fromkeys(
            path for path in read_commit.evidence.paths if f"--- {path} " not in text
        )
    return list(lost_paths)


def test_where_room_lacks_tests_go_first_then_the_smallest_and_documents_and_facts_stay() -> None:
    location = FactLocation(file="any.py", line=1, lines=("+LIMIT = 8",))
    fact = Fact(
        kind="constant-changed",
        severity=Severity.BREAKING,
        name="LIMIT",
        new="8",
        places=(location,),
    )
    files = [
        file("tests/test_router.py", lines("test", 50)),
        file("src/small.py", lines("small", 20)),
        file("src/large.py", lines("large", 60)),
        file("src/proved.py", f"+LIMIT = 8\n{lines('proved', 10)}"),
        file("setup.cfg", lines("configured", 20)),
        file("docs/limits.md", lines("documented", 15)),
    ]
    commit_read = read(files, "Lower the limit", [fact])
    assert lost(commit_read)[:3] == ["tests/test_router.py", "src/small.py", "src/large.py"]
    assert {"setup.cfg", "docs/limits.md"}.isdisjoint(lost(commit_read))
    text = commit_packet(commit_read, material(commit_read))
    first, *others = commit_read.evidence.paths
    places = [text.index(f"--- {path} ") for path in (*others, first)]
    assert places == sorted(places), "what is shown keeps the order of the diff, tests last"


def test_a_packet_keeps_to_its_tokens_and_lists_files_that_lost_lines() -> None:
    commit_read = read(
        [
            *(file(f"src/m{n}.py", lines(f"m{n}", 200)) for n in range(9)),
            file("logo.png", unreadable="binary"),
        ]
    )
    for budget in (2_000, 6_000, 24_000):
        text, _, left_out = commit_packet(commit_read, material(commit_read), budget).partition(
            "\nNot shown, for lack of room:\n"
        )
        assert tokens_of(text) <= budget + 100
        assert "logo.png (binary, +0 -0)" in left_out
        assert ("src/m8.py (modified, +200 -0)" in left_out) == (budget < 24_000)


def test_no_line_that_was_shown_before_looking_is_missing_once_earlier_commits_are_known() -> None:
    hunks = [lines(f"step_{number}", 30) for number in range(12)]
    read_commit = read([file("src/router.py", *hunks)])
    earlier = read([file("src/begin.py", lines("begin", 200))], "Begin").evidence
    looking = CommitContext(leaves_room=True, keeps_earlier_room=True)
    writing = CommitContext(leaves_room=True, keeps_earlier_room=True, earlier={"p1": earlier})
    shown = [
        commit_packet(read_commit, material(read_commit), 3_000, context=context)
        for context in (looking, writing)
    ]
    before, after = ({line for line in text.split("\n") if "step_" in line} for text in shown)
    assert before
    assert before <= after


def test_hunks_with_a_name_of_the_focus_come_first_and_the_others_fill_the_room() -> None:
    files = [
        file("docs/limits.md", lines("documented", 40)),
        file("tests/test_router.py", f"+LIMIT = 8\n{lines('tested', 40)}"),
    ]
    commit_read = read(files)
    focus = Focus(names=("LIMIT", "nowhere"))
    roomy = commit_packet(commit_read, material(commit_read), focus=focus)
    assert "+LIMIT = 8" in roomy
    assert "+documented line 39" in roomy
    tight = commit_packet(commit_read, material(commit_read), 900, focus)
    assert "+LIMIT = 8" in tight
    assert "+documented line 39" not in tight
    assert "docs/limits.md (modified, +40 -0)" in tight
    assert "Larger values overflow" in tight


def test_what_a_sentence_rests_on_is_never_cut_away_and_the_lines_around_it_are_shown() -> None:
    long_hunk = "\n".join(f"+    step_{number}(value)" for number in range(600))
    body = "\n".join(f"Paragraph {number} tells about something else." for number in range(200))
    commit_read = read(
        [file("docs/limits.md", lines("documented", 300)), file("src/steps.py", long_hunk)],
        f"Lower the limit (#41)\n\n{body}\nLarger values overflow\nthe buffer.\n{body}",
    )
    focus = Focus(
        passages=(
            Passage("+    step_400(value)\n+    step_401(value)", "src/steps.py"),
            Passage("Larger values overflow the buffer."),
        )
    )
    for budget in (800, 2_000, 24_000):
        text = commit_packet(commit_read, material(commit_read), budget, focus)
        assert "+    step_400(value)\n+    step_401(value)\n+    step_402(value)" in text
        assert "Larger values overflow\nthe buffer." in text
        assert tokens_of(text) <= budget
    assert "+    step_392(value)" in commit_packet(commit_read, material(commit_read), 2_000, focus)
    assert "+    step_408(value)" in commit_packet(commit_read, material(commit_read), 2_000, focus)


# ---------------------------------------------------------------- what is said

# A commit that lowers a limit, and does something else in another hunk.
LIMITED = read(
    [file("router.py", "-LIMIT = 22\n+LIMIT = 8\n     grow(LIMIT)\n+    flush()", "+COLOUR = 3")]
)
SHOWN = pieces_of(LIMITED.evidence, material(LIMITED))
FOUND = {commit_read.id: commit_read for commit_read in SHOWN.values()}
KNOWN = EvidenceSet(by_id=FOUND, window=material(LIMITED).window, seen=frozenset(FOUND))


def claims(answer: dict[str, Any], *languages: Language) -> list[Claim]:
    """Turn an analysis of that commit into claims."""
    shared: dict[str, Any] = {
        "repo": REPO,
        "account": "",
        "languages": languages,
        "evidence_set": KNOWN,
        "about": ME,
    }
    task = Task(repo=REPO, about=ME)
    subject = CommitTarget(
        **shared,
        task=task,
        read=LIMITED,
        material=material(LIMITED),
        citable=SHOWN,
        context=NO_CONTEXT,
    )
    return subject.claims(analysis_shape(languages).model_validate(answer))


def spoken(text: str, anchor: str, **more: Any) -> Claim:
    (claim,) = claims({"sentences": [{"en": text, "anchor": anchor, "cites": ["c"]} | more]}, "en")
    return claim


def test_handles_become_citations_and_those_never_shown_are_refused() -> None:
    claim = spoken("`LIMIT` is `8`.", "+LIMIT = 8", cites=["c", "[#12]", "`#41`", "#99"])
    assert claim.cites == (ME, "octo/router#12", "octo/router#41", "#99")
    assert [no.verdict for no in refusals(claim, KNOWN, "en")] == ["malformed", "nonexistent"]
    fewer = spoken("`LIMIT` is `8`.", "+LIMIT = 8", cites=["[#12]"])
    assert (fewer.about, fewer.cites) == ((ME,), (ME, "octo/router#12"))
    assert refusals(fewer, KNOWN, "en") == []


def test_an_anchor_is_found_in_the_message_in_a_thread_or_in_a_file() -> None:
    for text, cite, path in (
        ("Larger values overflow the buffer", ME, None),
        ("It needs `--slow`.", "octo/router#12", None),
        ("Use `topK = 8`.", "octo/router#41", None),
        ("-LIMIT = 22\n+LIMIT = 8", ME, "router.py"),
        ("--- router.py (modified, +3 -1)", ME, None),
        ("kim: It needs `--slow`.", "octo/router#12", None),
        ("never written", ME, None),
    ):
        anchor = spoken("`LIMIT` `topK` `--slow` `8`.", text, cites=["c", "#12", "#41"]).anchors[0]
        assert anchor == Anchor(cite=cite, text=text, file=path)


def test_a_line_that_names_the_thing_is_put_beside_an_anchor_that_does_not() -> None:
    claim = spoken("`LIMIT` is `8` now.", "+    flush()")
    assert [anchor.text for anchor in claim.anchors] == ["+    flush()", "     grow(LIMIT)"]
    assert refusals(claim, KNOWN, "en") == []
    # A line of another hunk proves nothing.
    other = spoken("`COLOUR` is `3` now.", "+    flush()")
    assert len(other.anchors) == 1
    assert [no.check for no in refusals(other, KNOWN, "en")] == ["anchor"]


def test_what_rests_on_words_of_people_alone_is_their_account() -> None:
    for anchor in ("Larger values overflow the buffer", "It needs `--slow`.", "Lower it"):
        assert spoken("It overflows.", anchor, cites=["c", "#12", "#41"]).attributed
    for anchor in ("+LIMIT = 8", "--- router.py (modified, +3 -1)", "     grow(LIMIT)"):
        assert not spoken("It overflows.", anchor, cites=["c", "#12", "#41"]).attributed


def test_a_headline_rests_on_the_line_that_is_given_for_it_else_on_the_title() -> None:
    for given, anchor in (
        ("+LIMIT = 8", Anchor(cite=ME, text="+LIMIT = 8", file="router.py")),
        ("+LIMIT = 9", Anchor(cite=ME, text="Lower the limit (#41)")),
        ("", Anchor(cite=ME, text="Lower the limit (#41)")),
    ):
        (headline,) = claims({"headline_en": "Fewer fit", "headline_anchor": given}, "en")
        assert headline.anchors == (anchor,)
        checks = [no.check for no in refusals(headline, KNOWN, "en")]
        assert checks == ([] if anchor.file else ["ground"])


def test_advice_is_marked_by_its_writer_and_values_are_kept() -> None:
    claim = spoken("Set `LIMIT` to `8`.", "+LIMIT = 8", advice=True, old=" 22", new="8 ")
    assert (claim.kind, claim.role, claim.old, claim.new) == (Kind.ADVICE, "advice", "22", "8")
    assert spoken("`LIMIT` is `8`.", "+LIMIT = 8").kind is Kind.STATED
    assert spoken("`LIMIT` is `8`.", "").anchors == ()


def test_a_sentence_or_headline_that_lacks_a_language_is_dropped() -> None:
    both = {"en": "`LIMIT`  is `8`.", "zh": "`LIMIT` 为 `8`。"}
    half = {"en": "`LIMIT` is `8`.", "zh": " "}
    answer = {"headline_en": "Lower", "headline_zh": "", "sentences": [half, both]}
    (claim,) = claims(answer, "en", "zh")
    assert (claim.id, claim.text) == (
        f"{ME[:24]}.m2",
        {"en": "`LIMIT` is `8`.", "zh": "`LIMIT` 为 `8`。"},
    )
    headline, _ = claims(answer | {"headline_zh": "降低上限"}, "en", "zh")
    assert (headline.role, headline.anchors[0].text) == ("headline", "Lower the limit (#41)")


def test_a_summary_cites_the_commits_of_what_it_rests_on_and_nothing_else() -> None:
    shas = [f"octo/router@{letter * 40}" for letter in "abc"]
    rests: dict[str, Claim] = {}
    for number, sha in enumerate(shas, start=1):
        quoted_line = Anchor(cite=sha, text=f"+{number}")
        quoted_words = Anchor(cite="octo/router#12", text="said")
        rests[f"c{number}.1"] = Claim(
            id=sha,
            repo=None,
            role="effect",
            about=(sha,),
            cites=(sha, "octo/router#12"),
            anchors=(quoted_line, quoted_words),
            attributed=number == 3,
        )
    answers = [
        {"en": "Two belong together.", "rests_on": ["[c1.1]", "c3.1", "c9.9"]},
        {"en": "This rests on nothing that was published.", "rests_on": ["c9.9"]},
        {"en": "One stands alone.", "rests_on": ["c1.1"]},
        {"en": "", "rests_on": ["c2.1"]},
        {"en": "The author says so.", "rests_on": ["c3.1"]},
    ]
    task = Task(repo=None, rests=rests)
    evidence_set = summary_evidence(task)
    subject = SummaryTarget(
        repo=None, account="", languages=("en",), evidence_set=evidence_set, task=task
    )
    answer = summary_shape(("en",)).model_validate({"sentences": answers})
    claim, alone, authors_account = subject.claims(answer)
    assert (claim.attributed, alone.attributed) == (False, False)
    assert authors_account.attributed
    assert (claim.id, claim.role, claim.cites) == ("brief1", "brief", (shas[0], shas[2]))
    assert [anchor.text for anchor in claim.anchors] == ["+1", "+3"]


def test_a_summary_may_rest_on_lines_of_a_file_alone() -> None:
    commit = EvidenceId(ME)
    lines = EvidenceId.lines(REPO, commit.sha, "src/limits.py", 3, 9)
    words = "The limit counts where `CAP` is set."
    published = Claim(
        id="c1",
        repo=REPO,
        role="effect",
        about=(commit,),
        cites=(commit,),
        background=(lines,),
        text={"en": words, "zh": "设置 `CAP` 时才有上限。"},
        anchors=(Anchor(cite=lines, text="if CAP is not None:"),),
        kind=Kind.INFERRED,
    )
    task = Task(repo=REPO, rests={"c1.1": published}, titles={commit: "Lower the limit"})
    subject = SummaryTarget(
        repo=REPO,
        account="",
        languages=("en",),
        evidence_set=summary_evidence(task),
        task=task,
    )
    answer = {"sentences": [{"en": "The limit needs `CAP`.", "rests_on": ["c1.1"]}]}
    (claim,) = subject.claims(summary_shape(("en",)).model_validate(answer))
    assert subject.objections(claim, refusals) == ()
    assert (claim.cites, claim.background) == ((commit,), (lines,))
    # It is shown in the languages that are asked for, and in no other.
    assert subject.evidence((), 1_000).endswith(f"[c1.1] {words}")
    assert subject.required(claim) == [words]


def test_a_brief_may_tell_of_a_release_and_of_what_it_breaks() -> None:
    entry = ReleaseEntry(part="breaks", text={"en": "The flag `--fast` is removed."})
    notes = ReleaseNotes(previous="v1.0.0", commits=4, entries=(entry,))
    at = datetime(2026, 2, 4, tzinfo=UTC)
    release = ReleaseLine(tag="v1.1.0", name="", published_at=at, prerelease=False, notes=notes)
    release_claims = claims_of_release(REPO, release)
    commits = [EvidenceId.commit(REPO, letter * 40) for letter in "ab"]
    published = []
    for commit in commits:
        published.append(
            Claim(
                id=commit,
                repo=REPO,
                role="effect",
                about=(commit,),
                cites=(commit,),
                text={"en": "It is so."},
                kind=Kind.STATED,
            )
        )
    task = summary_task(None, published, {}, release_claims)
    assert task is not None
    subject = SummaryTarget(
        repo=None,
        account="",
        languages=("en",),
        evidence_set=summary_evidence(task),
        task=task,
    )
    assert "v1.1.0 is out: 1 breaking change." in subject.evidence((), 1_000)
    answer = {"sentences": [{"en": "`v1.1.0` removes `--fast`.", "rests_on": ["r1", "r2"]}]}
    (claim,) = subject.claims(summary_shape(("en",)).model_validate(answer))
    assert claim.cites == (release.id(REPO),)
    assert subject.objections(claim, refusals) == ()


def summary_objections(text: str) -> list[str]:
    """Return the parts of a summary that the gate refuses; it rests on one published sentence."""
    commit = EvidenceId(ME)
    words = "The limit is `8`, since larger values overflow the buffer."
    published = Claim(
        id="c1",
        repo=REPO,
        role="effect",
        about=(commit,),
        cites=(commit,),
        text={"en": words},
        anchors=(Anchor(cite=commit, text=words),),
        kind=Kind.STATED,
    )
    task = Task(repo=REPO, rests={"c1.1": published}, titles={commit: "Lower the limit"})
    evidence_set = summary_evidence(task)
    subject = SummaryTarget(
        repo=REPO, account="", languages=("en",), evidence_set=evidence_set, task=task
    )
    answer = {"sentences": [{"en": text, "rests_on": ["c1.1"]}]}
    (claim,) = subject.claims(summary_shape(("en",)).model_validate(answer))
    return [objection.literal for objection in subject.objections(claim, refusals)]


def test_a_summary_is_held_to_what_was_published_and_to_nothing_made_up_around_it() -> None:
    assert summary_objections("The limit is `8` now.") == []
    assert summary_objections(f"Commit {'a' * 9} lowers the limit to `8`.") == []
    assert summary_objections("The limit is `9` now.") == ["9"]
    assert summary_objections("The limit is `8` since 1970-01-01.") == ["1970-01-01"]


def test_the_start_of_a_hash_is_no_citation_if_it_is_short_or_fits_several_commits() -> None:
    engine = EvidenceId.commit(RepoId("ada/engine"), "c1" + "a" * 38)
    other = EvidenceId.commit(RepoId("ada/other"), "c1" + "a" * 37 + "b")
    handles = {"c1": other, "c2": engine}
    assert cited("c1", handles) == other
    assert cited(f"ada/engine@{engine.sha[:9]}", handles) == engine
    assert cited(engine.sha, handles) == engine
    alone = {"c2": engine}
    assert cited(engine.sha[:7], alone) == engine
    assert cited(engine.sha[:6], alone) != engine
    for unclear in ("ada/engine@c1", engine.sha[:9], "ada/third@" + engine.sha[:9]):
        assert cited(unclear, handles) not in handles.values(), unclear
