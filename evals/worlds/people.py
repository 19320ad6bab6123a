"""Who works on the made-up projects."""

from evals.worlds.model import User

MAINTAINERS = (
    User("mira-koenig", "Mira König", "mira@lumen.example"),
    User("zhanglei-gpu", "张磊", "zhanglei@lumen.example"),
    User("okafor", "Chidi Okafor", "chidi.okafor@lumen.example"),
    User("saanvi-r", "Saanvi Rao", "saanvi@lumen.example"),
)
CONTRIBUTORS = (
    User("hexagon42", "hexagon42", "hexagon42@users.noreply.example"),
    User("liu-yifan", "Liu Yifan", "yifan.liu@mail.example"),
    User("tbergstrom", "Tove Bergström", "tove@bergstrom.example"),
    User("j-ortega", "José Ortega", "j.ortega@mail.example"),
    User("chenxi0301", "陈曦", "chenxi0301@mail.example"),
    User("patrick-obrien", "Patrick O'Brien", "pob@mail.example"),
    User("nguyen-an", "Nguyễn An", "an.nguyen@mail.example"),
)
DEPENDENCY_BOT = User("dependency-bot[bot]", "dependency-bot[bot]", "dependency-bot@users.noreply.example", bot=True)
CI_BOT = User("forge-ci[bot]", "forge-ci[bot]", "forge-ci@users.noreply.example", bot=True)
WEB = User("web-flow", "GitHub", "noreply@github.com")
"""Who commits what is merged with the button on the web site."""
EVERYBODY = (*MAINTAINERS, *CONTRIBUTORS, DEPENDENCY_BOT, CI_BOT, WEB)
CHINESE = (MAINTAINERS[1], CONTRIBUTORS[1], CONTRIBUTORS[4])
"""Who writes in Chinese now and then."""
ZONES = {
    "mira-koenig": 1,
    "zhanglei-gpu": 8,
    "okafor": 1,
    "saanvi-r": 5.5,
    "hexagon42": -5,
    "liu-yifan": 8,
    "tbergstrom": 1,
    "j-ortega": -6,
    "chenxi0301": 8,
    "patrick-obrien": -8,
    "nguyen-an": 7,
}
"""Hours by which their clocks are ahead of UTC."""
