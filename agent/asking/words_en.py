"""English words of the trade, and words that say the same."""

from agent.lists import listed

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
