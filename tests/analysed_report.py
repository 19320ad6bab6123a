"""A report with analysis in both languages, about commits that nobody made."""

from datetime import UTC, date, datetime
from typing import Any

from agent.domain.accounts import Account, Fallback, Judging, Spent
from agent.domain.base import Language, RepoId
from agent.domain.claims import Anchor, Claim, Judgement, Kind, Quote, Role, Verdict
from agent.domain.commits import Coverage
from agent.domain.facts import Fact, FactKind, Severity
from agent.domain.ledger import Depth, LedgerRow, Noise, Purpose, Tier
from agent.domain.report import Drop, Report, RepoSection, ThreadLine
from agent.domain.window import Window
from agent.telling import params_of, sentence

ROUTER, CACHE = RepoId("octo/router"), RepoId("octo/cache")
LIMIT, HANG, PLAIN, SMALL, BOT, EVICT = ("1a" * 20, "2b" * 20, "3c" * 20, "4d" * 20, "5e" * 20, "6f" * 20)
LANGUAGES: tuple[Language, ...] = ("en", "zh")
AT = datetime(2026, 2, 4, 9, 30, tzinfo=UTC)
_PASSED = Judgement(verdict=Verdict.SUPPORTED)
TOP_K = Fact(kind=FactKind.FLAG_DEFAULT, severity=Severity.BREAKING, name="topK", old="22", new="8")
FLAG = Fact(kind=FactKind.FLAG_REMOVED, severity=Severity.BREAKING, name="--router-legacy")
CONSTANT = Fact(kind=FactKind.CONSTANT_CHANGED, severity=Severity.BEHAVIOUR, name="MaxExperts", old="22", new="8")
LINES = "-  check(topK <= 22)\n+  check(topK <= 8)"


def row(repo: RepoId, sha: str, title: str, tier: Tier, **more: Any) -> LedgerRow:
    """Make a row of the ledger; what is not said is ordinary."""
    values: dict[str, Any] = {
        "repo": repo,
        "sha": sha,
        "depth": Depth.DEEP,
        "reason": "weight",
        "late": False,
        "subject": title,
        "title": title,
        "author": "Mira König",
        "landed_at": AT,
        "members": 0,
        "files": 3,
        "additions": 14,
        "deletions": 31,
        "places": ("csrc/routing.cu", "router/cli.py"),
        "tier": tier,
    }
    return LedgerRow.model_validate(values | more)


def fact(name: str, sha: str, what: Fact, role: Role = Role.CHANGE, predicate: str = "fact", **more: Any) -> Claim:
    """Make a claim that code writes from a fact."""
    me = f"{ROUTER}@{sha}"
    text = {lang: sentence(predicate, params_of(what), lang) for lang in LANGUAGES}
    values = {"id": name, "repo": ROUTER, "role": role, "about": (me,), "cites": (me,), "text": text}
    more = {"predicate": predicate, "params": params_of(what), "judgement": _PASSED} | more
    return Claim.model_validate(values | more)


def said(name: str, sha: str | None, english: str, chinese: str, repo: RepoId | None = ROUTER, **more: Any) -> Claim:
    """Make a sentence of analysis; without `sha` it speaks of a day."""
    me = (f"{repo}@{sha}",) if sha else ()
    values: dict[str, Any] = {
        "id": name,
        "repo": repo,
        "role": Role.EFFECT,
        "about": me,
        "cites": me,
        "kind": Kind.STATED,
    }
    values |= {"text": {"en": english, "zh": chinese}, "judged_by": "strict-judge", "judgement": _PASSED}
    return Claim.model_validate(values | more)


def anchor(cite: str, text: str, file: str | None = None) -> Anchor:
    """Make an anchor."""
    return Anchor(cite=cite, text=text, file=file)


def _limit_claims() -> list[Claim]:
    me, pull = f"{ROUTER}@{LIMIT}", f"{ROUTER}#12"
    words = "The shared buffer holds 8 entries, and larger values wrote past its end."
    return [
        said(
            "l1",
            LIMIT,
            "The router accepts a `topK` of at most 8; until now it was 22.",
            "路由器接受的 `topK` 上限由 22 降为 8。",
            anchors=(anchor(me, LINES, "csrc/routing.cu"),),
        ),
        said(
            "l2",
            LIMIT,
            "The shared buffer holds 8 entries, so larger values wrote past its end.",
            "共享缓冲区只有 8 项，更大的取值会写越界。",
            cites=(me, pull),
            anchors=(anchor(pull, words),),
        ),
        said(
            "l3",
            LIMIT,
            "Models that route a token to more than 8 experts no longer start.",
            "每个 token 选用超过 8 个专家的模型将无法启动。",
            kind=Kind.INFERRED,
            anchors=(anchor(me, "+  check(topK <= 8)", "csrc/routing.cu"),),
        ),
        said(
            "l4",
            LIMIT,
            "Lower `topK` to 8 before upgrading.",
            "升级前请将 `topK` 调到 8。",
            role=Role.ADVICE,
            kind=Kind.ADVICE,
            anchors=(anchor(me, "+  check(topK <= 8)", "csrc/routing.cu"),),
        ),
        said("lh", LIMIT, "Routing refuses more than 8 experts", "路由不再接受超过 8 个专家", role=Role.HEADLINE),
        fact("f1", LIMIT, TOP_K, quotes=(Quote(cite=me, text=LINES, file="csrc/routing.cu"),)),
        fact("f2", LIMIT, FLAG),
        fact("f3", LIMIT, CONSTANT),
    ]


def _hang_claims() -> list[Claim]:
    me, issue = f"{ROUTER}@{HANG}", f"{ROUTER}#9"
    return [
        said("hh", HANG, "Two workers no longer wait for one another", "两个工作进程不再互相等待", role=Role.HEADLINE),
        said(
            "h1",
            HANG,
            "`Pool.stop` gives the lock back before it joins the workers.",
            "`Pool.stop` 在等待工作进程结束之前先释放锁。",
            anchors=(anchor(me, "+    self._lock.release()", "router/pool.py"),),
        ),
        said(
            "h2",
            HANG,
            "With two GPUs the server hung on every restart.",
            "使用两块 GPU 时，服务每次重启都会卡住。",
            cites=(me, issue),
            anchors=(anchor(issue, "With two GPUs it hangs on every restart."),),
        ),
        Claim(
            id="h3",
            repo=ROUTER,
            role=Role.EFFECT,
            about=(me, issue),
            predicate="fixes",
            cites=(me, issue),
            text={lang: sentence("fixes", {}, lang) or "" for lang in LANGUAGES},
            judgement=_PASSED,
        ),
        Claim(
            id="h4",
            repo=ROUTER,
            role=Role.CHANGE,
            about=(me,),
            cites=(me,),
            quotes=(Quote(cite=me, text="Release the lock first, see @mira."),),
            speech=True,
            kind=Kind.QUOTATION,
            judgement=_PASSED,
        ),
    ]


def _other_claims() -> list[Claim]:
    both = (f"{ROUTER}@{LIMIT}", f"{CACHE}@{EVICT}")
    return [
        said(
            "b1",
            None,
            "The router refuses more than 8 experts, and the cache evicts whole sequences.",
            "路由器不再接受超过 8 个专家，缓存改为整段淘汰序列。",
            repo=None,
            role=Role.BRIEF,
            cites=both,
        ),
        said(
            "b2",
            None,
            "Whoever sets `topK` above 8 must act before upgrading.",
            "`topK` 设得高于 8 的用户须在升级前处理。",
            repo=None,
            role=Role.BRIEF,
            kind=Kind.INFERRED,
            cites=both[:1],
        ),
        said(
            "s1",
            None,
            "The day of the router is about limits and a deadlock.",
            "路由器这一天的改动围绕上限与一处死锁。",
            role=Role.SUMMARY,
            cites=(f"{ROUTER}@{LIMIT}", f"{ROUTER}@{HANG}"),
        ),
        said(
            "s2",
            None,
            "Only the limit can break a configuration.",
            "只有上限的改动会使现有配置失效。",
            role=Role.SUMMARY,
            kind=Kind.INFERRED,
            cites=both[:1],
        ),
        fact("p1", PLAIN, CONSTANT.model_copy(update={"name": "kBlockSize", "old": "64", "new": "128"})),
        said("mh", SMALL, "Start-up messages name the port", "启动信息写明端口", role=Role.HEADLINE),
        said(
            "m1",
            SMALL,
            "The first line of the log says on which port the server listens.",
            "日志第一行写明服务监听的端口。",
            anchors=(anchor(f"{ROUTER}@{SMALL}", '+    log.info("listening on %d", port)', "router/cli.py"),),
        ),
        said("eh", EVICT, "The cache evicts whole sequences", "缓存改为整段淘汰序列", repo=CACHE, role=Role.HEADLINE),
        said(
            "e1",
            EVICT,
            "`evict` drops all blocks of a sequence at once.",
            "`evict` 一次丢弃一个序列的全部块。",
            repo=CACHE,
            anchors=(anchor(f"{CACHE}@{EVICT}", "+    blocks.drop_all(sequence)", "cache/evict.py"),),
        ),
    ]


def analysed_report() -> Report:
    """Make the day: two repositories, a commit of each tier, and one that the model could not explain."""
    issue = ThreadLine(number=9, title="It hangs on restart", author="o", event="closed", at=AT, labels=("bug",))
    fallbacks = (Fallback(part="judging", reason="the judge did not answer", about=f"{ROUTER}@{PLAIN}"),)
    account = Account(
        fallbacks=fallbacks,
        judging=Judging(controls=6, caught=6),
        spent=Spent(calls=9, sent=41_200, received=3_100),
    )
    own = RepoSection(repo=ROUTER, branch="main", tip=LIMIT, coverage=Coverage.READ, issues=(issue,), account=account)
    other = Account(judging=Judging(controls=2, caught=2))
    return Report(
        window=Window.days(date(2026, 2, 4), date(2026, 2, 4), "UTC"),
        repos=(ROUTER, CACHE),
        sections=(
            own,
            RepoSection(repo=CACHE, branch="main", tip=EVICT, coverage=Coverage.READ, account=other),
        ),
        ledger=(
            row(ROUTER, LIMIT, "fix(moe): cap topK (#12)", Tier.HIGH, weight=9.0, pull=12, purpose=Purpose.FIX),
            row(ROUTER, HANG, "Mend the deadlock (#13)", Tier.MID, weight=4.0, pull=13, purpose=Purpose.FIX),
            row(ROUTER, PLAIN, "Tune the block size", Tier.MID, weight=3.0),
            row(ROUTER, SMALL, "log: add port", Tier.LOW, weight=1.0),
            row(ROUTER, BOT, "Bump", Tier.LOW, noise=Noise.BOT, depth=Depth.GROUP),
            row(CACHE, EVICT, "Evict by sequence", Tier.MID, weight=3.5),
        ),
        claims=(*_limit_claims(), *_hang_claims(), *_other_claims()),
        drops=(Drop(repo=ROUTER, verdict=Verdict.UNSUPPORTED, check="judge", free=True),),
        analyst="model analyst-1",
    )
