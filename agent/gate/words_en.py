"""English words that the gate knows: verbs with a direction, negations, absolutes, causes, and what needs no proof."""

from agent.gate.direction import Direction
from agent.gate.lists import listed

_D = Direction


def _forms(*verbs: str) -> frozenset[str]:
    """Give the forms in which a verb is written: adds, added, adding; a doubled or a silent letter included."""
    found: set[str] = set()
    for verb in verbs:
        stem = verb.removesuffix("e")
        found |= {verb, verb + "s", verb + "es", stem + "ed", stem + "ing", verb + "d"}
        found |= {verb + verb[-1] + "ed", verb + verb[-1] + "ing", verb + verb[-1] + "s"}
        if verb.endswith("y"):
            found |= {verb[:-1] + "ies", verb[:-1] + "ied"}
    return frozenset(found)


VERBS: dict[Direction, frozenset[str]] = {
    _D.ADD: _forms("add", "introduce", "create", "implement", "register", "expose", "gain", "provide", "include")
    | {"new", "addition", "introduction", "gains", "brings", "feat", "feature", "adds"},
    _D.REMOVE: _forms(
        "remove",
        "delete",
        "drop",
        "eliminate",
        "prune",
        "hide",
        "lose",
        "strip",
        "purge",
        "unregister",
        "retire",
        "hide",
        "lose",
        "disappear",
        "vanish",
        "stop",
    )
    | {"removal", "deletion", "discontinued", "gone", "discontinues"},
    _D.RENAME: _forms("rename") | {"rename"},
    _D.MOVE: _forms("move", "relocate", "migrate", "extract", "hoist"),
    _D.RAISE: _forms("rise", "raise", "increase", "upgrade", "grow", "extend", "widen", "double", "enlarge", "relax")
    | {"higher", "grew", "larger"},
    _D.LOWER: _forms(
        "lower", "decrease", "reduce", "downgrade", "shrink", "cut", "halve", "tighten", "shorten", "clamp"
    )
    | {"reduction", "smaller", "shrank", "fewer"},
    _D.CHANGE: _forms("change", "switch", "go", "set", "bump", "update", "default", "turn", "pin", "become")
    | {"became"},
    _D.REPLACE: _forms("replace", "substitute", "supersede", "swap") | {"replacement", "instead"},
    _D.DEPRECATE: _forms("deprecate") | {"deprecation"},
    _D.REVERT: _forms("revert", "undo", "backout") | {"undid", "undone", "undoes", "rollback", "reverts", "rolls"},
    _D.RELAND: _forms("reland", "re-land", "reapply", "re-apply", "reinstate", "reintroduce", "re-introduce"),
    _D.ENABLE: _forms("enable", "activate", "allow", "accept", "permit", "start", "resume"),
    _D.DISABLE: _forms("disable", "deactivate", "forbid", "reject", "skip", "disallow", "prohibit") | {"rejection"},
    _D.FIX: _forms("fix", "resolve", "repair", "correct", "address", "solve") | {"bugfix", "hotfix", "bug", "fixup"},
}
"""Verbs and their nouns by direction."""

DIRECTION_OF = {form: direction for direction, forms in VERBS.items() for form in forms}
NOMINAL = listed("addition introduction removal deletion deprecation replacement reduction renaming rejection")
ADJECTIVES = listed("new higher larger smaller fewer feature bug correct instead default set")
"""Forms that are often no verb: they count in the evidence, and in a claim only where a verb's place is."""
BE = listed("is are was were be been being gets got get has have had now")
BOUNDS = listed(
    "while but whereas which that when where because so after before if since although though then whose once unless"
)
PREPOSITIONS = listed(
    "from to in into on onto for with by at under via through of across as instead per over between using within "
    "inside against behind during toward towards without upon than around along beside besides"
)
LIGHT = listed(
    "support handling coverage test tests use usage check checks option options path paths alias aliases backend "
    "handler implementation version validation reference references reliance dependency guard fallback case cases "
    "kernel kernels number amount size set list series"
)
"""Nouns whose matter stands behind a preposition: support for X."""

NEGATIONS = listed("not no never without neither nor cannot none nothing nobody nowhere hardly barely unable")

CAUSES = listed(
    "leading because therefore thus hence consequently thereby owing thanks caused causes causing cause leads led "
    "resulted results resulting reason due stems stemmed triggered"
)

EFFECTS = listed(
    "makes means removes lets speeds improves avoids prevents eliminates saves reduces keeps helps gives cuts lowers "
    "raises doubles halves boosts ensures guarantees solves fixes frees stops breaks affects"
)
"""Verbs behind `which` that tell what comes of a change."""

FUNCTION = listed(
    "a an the this that these those it its they them their there here and or but nor so yet as at by for from in "
    "into of on onto to with within via per than then too also just now still already again more most less least "
    "other another such same own both each either while when where which who whose what how why whether if is are "
    "was were be been being am do does did done has have had having can could may might must s t d ll re ve eg ie "
    "etc vs not no without only one two three four five six seven eight nine ten first second third last next new "
    "old existing previous previously former formerly current currently after before during between under over "
    "through across about around up down out off along because since due thus therefore hence instead rather even "
    "well all any every some many few several various multiple single double upon against toward towards like "
    "unlike alongside besides beyond inside outside behind above below near we our us you your i he she his her "
    "him me my itself themselves longer much very quite so-called never always will would should shall"
)
TRADE = listed(
    "join joins arrive arrives among claim claims lists query belong turns points look looks keeps kept held "
    "brings brought leave leaves left lie lies stand stands sit fall puts grow carries offer offers want wants "
    "know known learn find found choose chosen pick picks select selects called named spell spelled mark marked "
    "label labelled told read reads write writes written send sends sent shown try tries tried attempt again "
    "afterwards meanwhile otherwise elsewhere whenever wherever whereby wherein counterpart remainder rest half "
    "whole portion majority amongst amid beyond beneath former latter above-mentioned aforementioned mainly "
    "mostly largely partly chiefly primarily purely simply merely easily cleanly quietly silently separately "
    "jointly individually globally locally internally externally implicitly convenient convenience useful helpful "
    "handy ready complete began started continue continues works worked working job behave behaves act acts "
    "serves served lets gives gave given gets got lands landed ship ships shipped merged reviewer follow-up "
    "followup pure plain ordinary usual normal typical regular certain sure clear obvious straightforward wording "
    "phrase sentence paragraph section heading remark comment description explanation summary now currently "
    "anymore yet already still once twice beside top bottom front back middle beginning ending edge concerns "
    "concerned regard regarding respect terms context situation scenario circumstance condition conditions "
    "behaviors behaviours practice manner fashion style approach technique means measure things stuff items "
    "element elements pieces unit units chunk corrected accurate rightly wrongly incorrect makes made making "
    "taken taking uses applies applied applying larger smaller bigger longer shorter higher fewer greater lesser "
    "deeper wider narrower newer older enough sufficient insufficient another others time times moment stage "
    "phase steps round passes places placed location position spot home room space sets setting settings setup "
    "configure configured configuration configurable ways route forms shape kinds sorts variety variant variants "
    "affected touched involved linked tied bound attached instead likewise similarly equally hence thereby "
    "therefore thus consequently object matter topic area region domain scope range extent degree checked verify "
    "verifies verified tested tester everyone developers engineer engineers operator operators possibility "
    "ability capable necessary required requirement optional options choice choices single multiple many few "
    "various numerous couple pair "
    "title subject message body according describe go went gone rise appear disappear take takes user users "
    "commit change patch pull request pr merge land code codebase repository repo project file line function "
    "method class parameter argument arg option flag variable constant value default field attribute type name "
    "symbol module package library import export call caller user developer maintainer author contributor people "
    "reader team downstream upstream implement implementation work behavior behaviour logic path case way place "
    "part piece step thing set number amount bit example detail side end begin start finish keep make take give "
    "get put let see show tell say mean use usage used using need require involve concern affect touch cover "
    "apply happen occur become remain stay contain include hold carry introduce provide support handle update "
    "modify adjust rework refactor refactoring rewrite simplify clean cleanup tidy improve improvement enhance "
    "enhancement extend extension expand allow enable ensure help serve run execute invoke pass return receive "
    "accept define declare specify describe document note mention explain report issue bug problem fix error "
    "feature functionality capability component interface api internal external public private corresponding "
    "respective related relevant specific particular general common shared separate dedicated additional extra "
    "further accordingly respectively alike together directly explicitly previously originally initially finally "
    "subsequently later earlier today yesterday day week release version test testing tests check checks checking "
    "based relate accompany follow come go rely depend dependent add remove delete create build rename move "
    "replace switch bump turn drop deprecate revert undo restore reland raise lower increase decrease reduce "
    "disable resolve correct addition removal introduction part-of newly so-called form kind sort entry level "
    "item list group small minor large big short long simple purpose goal aim intent effect impact result "
    "consequence response order view point state status available able possible original same different similar "
    "equal true false none null yes exist exists existing actual actually correctly properly appropriately proper "
    "appropriate right wrong expected intended needed several series bring along accompanied plus minus via "
    "itself"
)
PROVED = listed("breaking breaks break incompatible incompatibility")
"""Words that a check of their own looks up."""
PRODUCTS = listed(
    "github git api apis json yaml toml http https url ci pr prs llm llms ai ml sdk cli doc docs readme os id ids ui io"
)
SYNONYMS: tuple[frozenset[str], ...] = tuple(
    frozenset(group.split())
    for group in (
        "fast faster speed speedup accelerat perf perform quick throughput latenc optimiz optim",
        "slow slower regress latenc",
        "crash segfault abort fault panic",
        "hang stall deadlock livelock freez stuck",
        "doc document readm docstr guid",
        "test unittest coverag testcas",
        "config configur conf set setting",
        "param argument arg kwarg paramet",
        "env environ variabl",
        "dep depend requir",
        "func function method def",
        "init initial initialis initializ",
        "norm normal normaliz normalis",
        "quant quantiz quantis quantizat",
        "spec specul speculat",
        "attn attent attention",
        "mm multimod multimodal multi-mod",
        "dist distribut",
        "async asynchron",
        "mem memor",
        "seq sequenc",
        "alloc allocat",
        "len length",
        "max maximum maxim upper ceil cap limit",
        "min minimum minim lower floor",
        "num number count",
        "err error except",
        "exception error rais except",
        "impl implement",
        "valid validat check verif assert",
        "check verif valid guard assert ensur",
        "reject refus rais error invalid disallow unsupport",
        "fall fallback",
        "msg messag",
        "req request",
        "resp respons",
        "stat statist metric",
        "prof profil",
        "bench benchmark",
        "comm communicat",
        "gen generat",
        "tok token tokeniz",
        "arch architectur",
        "hw hardwar",
        "ver version",
        "perf perform",
        "opt optim optimiz option",
        "compil build jit",
        "avoid prevent skip without",
        "prevent avoid guard",
        "wrong incorrect invalid bad mistak",
        "incorrect wrong invalid",
        "broken break broke fail",
        "fail failur broken break error",
        "miss lack absent without",
        "duplicat repeat twice redundant",
        "redundant unnecessar duplicat unus",
        "unus dead unnecessar redundant obsolet",
        "obsolet legac old dead stale",
        "legac old obsolet deprecat",
        "lint ruff format pre-commit precommit mypy",
        "type typ mypy annotat",
        "pin lock",
        "workflow ci action pipelin job github",
        "pipelin ci workflow",
        "contain docker imag dockerfil",
        "imag docker contain dockerfil",
        "script sh bash",
        "startup start boot launch",
        "launch start",
        "weight checkpoint",
        "cach cache",
        "support enabl allow handl accept feat",
        "accept support allow",
        "reus share",
        "consolidat unif merg combin union",
        "unif consolidat",
        "rout dispatch",
        "correct fix accura right",
        "restor revert back fix",
        "stabil flak deflak stable",
        "flak stabil unstabl",
        "log warn print",
        "warn log deprecat",
        "owner codeown",
        "review codeown",
        "grow increas rais larger",
        "custom customiz",
        "hidden hide",
        "experiment draft preview",
        "batch bs",
        "flash fa fa2 fa3 fa4",
        "illegal ima invalid",
        "dodg avoid prevent workaround",
        "accurac accur score gsm8k",
    )
)
"""Words that may stand for one another; the first of a group is the one in the claim."""
