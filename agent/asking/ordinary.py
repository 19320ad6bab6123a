"""Words of everyday English: in a question they are more often a manner of speaking than the topic."""

import re
from functools import cache

from agent.asking.glossary_zh import glossary
from agent.asking.lexicon_en import NOUNS, OTHERS, VERBS
from agent.asking.stems import stem
from agent.asking.synonyms import relatives
from agent.asking.words_en import SYNONYMS, TRADE
from agent.lists import listed

_WORDS = listed(
    "able above accept accepted accepts accident accidentally accordingly account accurate achieve active actual "
    "additional adopt adopted affect afterwards against ago agree ahead alive allow allowed allows almost alone along "
    "alongside alter although altogether always amid among amount ancient announce annoying anyhow anyway anywhere "
    "apart apparently appear appeared appears apply approach appropriate approximately argue arrival arrive arrives "
    "article asap aside ask asked asking associated assume assuming attempt avoid await aware awful axe axed backed "
    "bad badly bare barely basic basically bear because begin beginning behavior behaviour behind belong below "
    "beneath beside besides bet beyond bigger biggest birthday blame boring boss both bother bottom bought box brand "
    "brief briefly brilliant bring brings brought btw bunch buy calling calls care carefully carry case cases casual "
    "cause cease certain certainly chance cheers chief choice choose chose chosen circumstances claim claimed claims "
    "clarify clear clearly clever coincide colleague colleagues collect combine comes coming common commonly complain "
    "complained completely concern concerned concerns conclude condition confirm confirmed confused connection "
    "consider considered considering consist constantly consult continue continued contribute contributor "
    "conversation convince correct correctly corresponding cost couple course cover covering crazy create created "
    "creates creating credit cure cured curious current customer daily deal dealing deals dear decent decide decided "
    "decision deep definite definitely deliver delivered demand deny depend depending describe described describing "
    "deserve desire despite destroy determine determined devote differ difficult dig directly disagree disappear "
    "discover discuss discussed discussion dismiss distinct distinguish disturb ditch ditched doubt drew dull during "
    "eager earlier earliest early easier easily easy edit edits effect effectively effort eight eighth either "
    "elsewhere emerge emphasize encounter encourage ended ending ends engage enjoy enough ensure enter entire "
    "entirely entitle enumerate escape especially essential essentially establish etc eventually everybody everyone "
    "everywhere evident evidently exact exactly examine example except exceptional exciting exclude excuse exhibit "
    "exist expand expect expected experience explained explanation explore express extremely faced fact facts fair "
    "fairly fall fallen familiar fancy far favour fear feel feels fell felt fifth figure fill final finally fine "
    "finish finished five flip flipped fly folks follow followed follows for force forget forgot forgotten formally "
    "former found four fourth frankly frequently fresh friday friend front fully fun funny further furthermore future "
    "fyi gain gather gave general generally gentle gentleman genuine gets getting gist given gives giving glad gladly "
    "go goes gone good govern grab grand grant great greatly greet ground grow grown guarantee guess guide guilty guy "
    "guys half hand handed handled handy happening happily hard hardly hate hear heard heavy held hell help helped "
    "helpful helps hence herself hesitate hide higher highest himself hint hire hit hitherto hits hold holding holds "
    "home honest honestly honour hope hopefully hoping horrible hour however huge human hunt hurry hurt idea ideas "
    "identify ignore illustrate imagine immediately impact imply important impress improve improved inclined included "
    "includes including incorrect increase incredible indeed indicate individual info inform information initial "
    "initially inside insist inspire instance instead intend intended intention interact interest interested "
    "interesting interestingly internal interpret introduced invent invest investigate invite job join joined judge "
    "judging jump jumped justify keen keep keeping keeps kept kick kicked kill kind kindly knew knock knowing known "
    "knows lack lady laid landing lands laptop large largely larger largest late lately later latter lay lazy lead "
    "leading leads lean learn leave leaves leaving led left lend let letting lie life lifted liked likely link listed "
    "listing lists literally little long longer look looked love luck lucky mad main mainly maintain major majority "
    "making man manage managed manager manner marked matter maybe mean meaning means meant meanwhile meet mental "
    "mention mere merely mess messy met mid middle mind mine minor minus minute misleading miss missed missing "
    "mistake moment monday morning mostly motivate motivated moves moving multiple mystery nail naive name narrow "
    "nasty nature near nearby nearly neat necessarily necessary needed needs neglect neither never nevertheless newer "
    "newest newly news nice night nine nobody noisy none nope normally notable note noted notes notice noticed "
    "nowadays nuke nuked numbered obtain obvious obviously occasion occupy occur occurred occurs odd offered "
    "officially oh okay older oldest ongoing onto opinion opposite ordinary original originally otherwise ought ours "
    "outcome outside overall overcome overnight owe page paid participate party passed passes pay people per perfect "
    "perfectly perhaps period permanent permanently person personally persons persuade pick picking picture pieces "
    "ping place placed places plain plan planned planning played pleasant please plus point pointed pointing points "
    "polite poor pop popped popular possess possible possibly practice praise precise precisely predict prefer "
    "premature presence presumably pretend pretty previously primarily prior probably proceed prod produce produced "
    "produces production promise proper properly propose proposed proud prove proved provide provided provides "
    "published pull pulled pulls purely purpose push pushed put puts putting qualify quarter quickly quiet quietly "
    "quit quite raise raises rare rarely rather reach reached reaches react read reads ready real realise realize "
    "really reason reasonable recall received recognise recognize recommend recover refer referred refers reflect "
    "regard regards regret regular regularly reinstate reinstated rejected relate relates relation relatively rely "
    "remain remained remaining remains remark remarkable remember remembered remind render repair repaired repeat "
    "replace replaced replaces replacing reply request require required requires rescue resist respect respectively "
    "respond responsible rest restore restored restoring result results resurrect resurrected retain retire retired "
    "retiring reveal ride rip ripped rise rising rob role roll rolled rolling rough roughly round rub ruin run "
    "rundown running runs rush sad sake sans sat satisfy saturday saw saying scare scene scold scrap scrapped second "
    "seeing seek seem seemed seen seize sell send sense sent sentence separately series serious seriously settle "
    "settled seven severe shake sharp shine shiny shipping ships shocking short shorter shortly should shout showed "
    "showing shows shut shy sick sign signed significant silly similar similarly simple simply since sing sink sit "
    "situation six sleep slight slightly slim slip slipped smaller smallest smart smell smile smooth sneak social "
    "sole solid solve somebody's somehow sometime sometimes somewhat somewhere soon sooner sorry sort sought sound "
    "spare special specific specifically specified specify spell spend spent spill splendid spoil spoke spot spotted "
    "spread squeeze stand standing stands stare start started starting starts stay stayed steady steal stick sticking "
    "stir stood store straight strange strict strike strong struggle stuck study stuff stupid subject substantially "
    "succeed success sudden suddenly suffer suggest suggested suit suitable sum sunday super superb supersede "
    "superseded supersedes supply support supported supports suppose supposed sure surely surprise surprised "
    "surprising surround survive suspect swear sweep sweet swim sympathise takes taking talk talked talking talks "
    "tally task teach team teams tease tell telling tells tempt ten tend term terms terribly thank thanked themselves "
    "thereafter thereby therefore thereupon thick thing think thinking thinks third thought thousand threaten three "
    "threw throughout throw thrown thus tidy tie tiny tire tldr together told tomorrow tons too top toss tossed "
    "totally touching tough toward towards town transition translate travel treat treated tremble tremendous trick "
    "tried tries trouble true truly trust truth try trying tumble turn turning turns tweak tweaked twice typical "
    "typically ugly ultimately unclear underlying understand understood undertake unexpected unfortunately unhappy "
    "unite unless unlike unlikely until unusual upcoming upper upset urge user's uses usual usually vague variety "
    "vary vast versus via visit wait waited waiting wake walk walked wander wanted wanting wants warn warned wash "
    "waste watch wear weigh weird welcome western whatsoever whereby wherein wherever whine whisper whoever whole "
    "wild willing win wipe wise wish won wonder wondered wonderful wondering word wording words world worried worry "
    "worse worst worth wreck writes writing wrong wrote yank yanked yeah yell yep yield yourself "
    "culprit cut taught caught dug hid sold stole tore woke wore slept spun swung fed fled lent lost lived "
)
_EVERYWHERE = frozenset(("AI", "API", "CLI", "CPU", "GPU", "HTTP", "HTTPS", "JSON", "LLM", "OS", "PR", "UI", "URL"))
"""Capitals that name no one thing: half of all changes could be said to have to do with them."""
_ENDINGS = ("s", "es", "ed", "d", "ing", "ly")
_DERIVED = re.compile(
    r"[a-z]{3,}(?:ness|ment|tion|sion|able|ible|less|ful|ship|hood|ward|wise|like|free|only|ance|ence|ient|ancy|ency|ity|ive"
    r"|ous|ical|ize|ise|ify|ing|ed|ly|out|off|up|down)s?"
)
"""Words that are made of others, as names hardly ever are."""


def is_ordinary(word: str) -> bool:
    """Tell whether a word is one that people use whatever they speak of."""
    return word in _WORDS or any(word.removesuffix(end) in _WORDS for end in _ENDINGS)


@cache
def _stems() -> frozenset[str]:
    """Give the stems of all English words that are known from anywhere: everyday ones, and those of the trade."""
    known = {stem(word) for words in (_WORDS, VERBS, NOUNS, OTHERS, TRADE) for word in words}
    return frozenset(known.union(*glossary().values(), (one for group in SYNONYMS for one in group)))


def is_english(word: str) -> bool:
    """Tell a word that somebody else may have said in other words from the name of something: `readiness`, `gemini`."""
    if word.upper() in _EVERYWHERE:
        return True
    if not (word.isalpha() and word.islower()):
        return False
    return stem(word) in _stems() or bool(relatives(word)) or _DERIVED.fullmatch(word) is not None
