"""Settings: what a file and the environment may say, and how a mistake is told."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from agent.domain.errors import ConfigError
from agent.settings.read import FILE_NAME, override, read_settings
from agent.settings.values import RepoSpec, Settings

TOKEN = "ghp_verysecret123"


def read(folder: Path, text: str | bytes, **environ: str) -> Settings:
    file = folder / FILE_NAME
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_settings(file, environ)


def refusal(folder: Path, text: str | bytes, **environ: str) -> str:
    with pytest.raises(ConfigError) as refused:
        read(folder, text, **environ)
    error_text = str(refused.value)
    assert len(error_text.splitlines()) == 1
    return error_text


def test_with_nothing_configured_everything_has_a_sensible_value() -> None:
    nothing = read_settings(None, {"PATH": "/bin", "GITZETTE_LANG": ""})
    assert nothing == Settings()
    assert (nothing.tz, nothing.lang, nothing.source, nothing.web) == (
        "UTC",
        "en",
        "both",
        "https://github.com",
    )
    assert not nothing.threads_wanted
    api = {"GITZETTE_GITHUB_URL": "https://git.corp.example/api/v3/"}
    assert read_settings(None, api).web == "https://git.corp.example"


def test_a_file_is_read_and_the_environment_overrides_it(tmp_path: Path) -> None:
    text = 'lang = "zh"\ntz = "Asia/Shanghai"\nrepos = ["a/b"]\nout = "~/pages"\n[budget]\napi_diffs = 7\n'
    settings = read(tmp_path, text, GITZETTE_TZ="UTC", GITZETTE_REPOS="c/d, e/f=/srv/f\ng/h")
    assert (settings.lang, settings.tz, settings.out, settings.budget.api_diffs) == (
        "zh",
        "UTC",
        Path.home() / "pages",
        7,
    )
    assert [(spec.name, spec.path) for spec in settings.repos] == [
        ("c/d", None),
        ("e/f", Path("/srv/f")),
        ("g/h", None),
    ]


def test_own_variables_win_over_those_of_the_system_in_either_order() -> None:
    system = {"HOME": "/home/ada", "LANG": "C", "TZ": "UTC", "OUT": "/elsewhere"}
    ours = {"GITZETTE_HOME": "/srv/memory", "GITZETTE_LANG": "zh", "GITZETTE_TZ": "Asia/Tokyo"}
    for environ in (system | ours, ours | system):
        settings = read_settings(None, environ)
        assert (settings.home, settings.lang, settings.tz) == (
            Path("/srv/memory"),
            "zh",
            "Asia/Tokyo",
        )
        assert settings.out == Settings().out


@pytest.mark.parametrize(
    ("text", "error_text"),
    [
        ('langg = "en"', "langg in gitzette.toml: unknown key; did you mean lang?"),
        ('[[repos]]\nname = "a/b"\nbranhc = "x"', "repos.0.branhc in gitzette.toml: unknown key"),
        ('[[repo]]\nname = "a/b"', "repo in gitzette.toml: unknown key; did you mean repos?"),
        (
            "answer_seconds = 900",
            "answer_seconds in gitzette.toml: unknown key; it belongs under [budget]",
        ),
        (
            "[budget]\nmodel_context = 9000",
            "budget.model_context in gitzette.toml: unknown key; it belongs above the first table",
        ),
        ('"a\\nb" = 1', "a?b in gitzette.toml: unknown key"),
        ('token = "x"', "a token is read from the variable GITHUB_TOKEN only"),
        ('tz = "Mars/Olympus"', "tz in gitzette.toml: unknown time zone 'Mars/Olympus'"),
        (
            'repos = ["vllm"]',
            "repos.0.name in gitzette.toml: 'vllm' is not a repository; write owner/name",
        ),
        ('repos = ["a/b", "A/B=x"]', "repos in gitzette.toml: A/B is named twice"),
        ("[budget]\nwait_seconds = nan", "budget.wait_seconds in gitzette.toml: "),
        (
            '[[repos]]\nname = "a/b"\ninclude = ["../x"]',
            "repos.0.include.0 in gitzette.toml: '../x' is not a pattern",
        ),
        (
            '[[repos]]\nname = "a/b"\nignore_authors = ["*"]',
            "repos.0.ignore_authors.0 in gitzette.toml: String",
        ),
        ('out = "a\\u0000b"', "out in gitzette.toml: a path cannot hold a zero byte"),
        ('home = "~no-such-user-here/x"', "home in gitzette.toml: Could not determine home"),
        ("lang =", "gitzette.toml is not valid TOML: "),
        ("x = " + "[" * 5000, "gitzette.toml is not valid TOML: "),
        (b"\xff\xfe", "gitzette.toml is not valid TOML: 'utf-8' codec"),
    ],
)
def test_a_mistake_in_the_file_is_told_in_one_line_that_names_it(
    tmp_path: Path, text: str | bytes, error_text: str
) -> None:
    assert refusal(tmp_path, text).startswith(error_text)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("GITZETTE_LNG", "zh", "GITZETTE_LNG: unknown key; did you mean lang?"),
        ("GITZETTE_A\nB", "3", "GITZETTE_A?B: unknown key"),
        ("GITZETTE_REPOS", "a/b nonsense", "GITZETTE_REPOS: 'nonsense' is not a repository"),
        ("GITZETTE_LANG", "fr", "GITZETTE_LANG: Input should be 'en' or 'zh'"),
    ],
)
def test_a_mistake_in_the_environment_names_the_variable(
    tmp_path: Path, name: str, value: str, message: str
) -> None:
    assert refusal(tmp_path, "", **{name: value}).startswith(message)


def test_repositories_can_be_names_addresses_paths_and_tables(tmp_path: Path) -> None:
    table = '{name = "g/h", path = "/srv/h", branch = "dev"}'
    text = f'repos = ["a/b", "https://github.com/c/d", "e/f=/srv/f", {table}]'
    assert read(tmp_path, text).repos == (
        RepoSpec.model_validate("a/b"),
        RepoSpec.model_validate("c/d"),
        RepoSpec.model_validate("e/f=/srv/f"),
        RepoSpec.model_validate({"name": "g/h", "path": "/srv/h", "branch": "dev"}),
    )


def test_a_file_that_cannot_be_read_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read"):
        read_settings(tmp_path / "missing.toml", {})


def test_the_other_name_of_the_token_is_read_where_the_first_is_not_set(tmp_path: Path) -> None:
    assert read(tmp_path, "", GH_TOKEN="second").token == SecretStr("second")
    assert read(tmp_path, "", GH_TOKEN="2", GITHUB_TOKEN="1").token == SecretStr("1")
    assert refusal(tmp_path, "", GH_TOKEN="a b").startswith("GH_TOKEN: ")


def test_a_token_is_never_shown(tmp_path: Path) -> None:
    settings = read(tmp_path, "", GITHUB_TOKEN=TOKEN)
    assert settings.token == SecretStr(TOKEN)
    assert settings.threads_wanted
    assert (
        TOKEN not in f"{settings} {settings!r} {settings.model_dump()} {settings.model_dump_json()}"
    )
    for text in ("lang = 3", "x = 1"):
        assert TOKEN not in refusal(tmp_path, text, GITHUB_TOKEN=TOKEN)
    assert TOKEN not in refusal(tmp_path, f'token = "{TOKEN}"')
    assert TOKEN not in refusal(tmp_path, "", GITZETTE_TOKEN=TOKEN)
    assert TOKEN not in refusal(tmp_path, f'github_url = "https://{TOKEN}@github.com"')
    assert TOKEN not in refusal(tmp_path, f'repos = ["https://x:{TOKEN}@github.com/a/b/c"]')


def test_a_token_keeps_nothing_of_the_file_it_was_pasted_from(tmp_path: Path) -> None:
    assert read(tmp_path, "", GITHUB_TOKEN=f" {TOKEN}\n").token == SecretStr(TOKEN)
    assert read(tmp_path, "", GITHUB_TOKEN=" \n").token is None
    error_text = refusal(tmp_path, "", GITHUB_TOKEN=f"{TOKEN}\n{TOKEN}")
    assert error_text == "GITHUB_TOKEN: it holds characters that no token has"


@pytest.mark.parametrize(
    "url", ["ftp://x", "https://", "https:///path", "//x", "https://x/a b", "https://x/(y)", "x"]
)
def test_an_address_that_could_not_be_linked_or_fetched_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match=r"^GITZETTE_WEB_URL: .* is not an http"):
        read_settings(None, {"GITZETTE_WEB_URL": url})


@pytest.mark.parametrize(
    "branch",
    ["", "-x", "--upload-pack=x", "a b", "a..b", "a:b", "HEAD~1", "a^", "a@{1}", "/a", "a/"],
)
def test_a_branch_that_git_would_read_as_something_else_is_refused(
    tmp_path: Path, branch: str
) -> None:
    error_text = refusal(tmp_path, f'repos = [{{name = "a/b", branch = "{branch}"}}]')
    assert error_text == "repos.0.branch in gitzette.toml: not a branch name"


def test_the_command_line_overrides_the_file_and_keeps_the_rest(tmp_path: Path) -> None:
    settings = override(
        read(tmp_path, 'lang = "zh"\nout = "x"', GITHUB_TOKEN=TOKEN),
        {"lang": "en", "tz": "Asia/Tokyo"},
    )
    assert (settings.lang, settings.tz, settings.out) == ("en", "Asia/Tokyo", Path("x"))
    assert settings.token is not None
    assert not override(Settings(), {}).threads_wanted


def test_a_repository_on_the_command_line_keeps_what_is_configured_for_it(tmp_path: Path) -> None:
    text = """
        [[repos]]
        name = "acme/engine"
        path = "/srv/engine"
        branch = "release"
        [[repos]]
        name = "acme/other"
        [[edition]]
        name = "others"
        repos = ["acme/other"]
    """
    configured = read(tmp_path, text)
    engine = configured.repos[0]
    elsewhere = engine.model_copy(update={"path": Path("/tmp/engine")})
    by_api = engine.model_copy(update={"path": None})
    new = RepoSpec.model_validate("acme/new")
    assert override(configured, {"repos": ["acme/engine"]}).repos == (engine,)
    assert override(configured, {"repos": ["ACME/Engine"]}).repos == (engine,)
    assert override(configured, {"repos": ["acme/engine=/tmp/engine"]}).repos == (elsewhere,)
    assert override(configured, {"repos": ["acme/new"]}).repos == (new,)
    # A request for the API does not mean the clone.
    assert override(configured, {"repos": ["acme/engine"], "source": "api"}).repos == (by_api,)
    assert override(configured, {"source": "api"}).repos[0] == by_api
    assert override(configured, {}) == configured


def test_a_mistake_on_the_command_line_names_the_option() -> None:
    with pytest.raises(ConfigError, match="--repo: a/B is named twice"):
        override(
            Settings(), {"repos": [RepoSpec.model_validate("a/b"), RepoSpec.model_validate("a/B")]}
        )


@settings(max_examples=60, derandomize=True, deadline=None)
@given(name=st.text(min_size=1, max_size=12), value=st.text(min_size=1, max_size=30))
def test_no_variable_whatever_ends_in_anything_but_one_line(name: str, value: str) -> None:
    for key in (
        f"GITZETTE_{name}",
        "GITZETTE_REPOS",
        "GITZETTE_TZ",
        "GITZETTE_GITHUB_URL",
        "GITHUB_TOKEN",
    ):
        try:
            read_settings(None, {key: value})
        except ConfigError as error:
            error_text = str(error)
        else:
            error_text = ""
        assert len(error_text.splitlines()) <= 1


def test_the_editor_looks_further_unless_a_file_or_a_variable_switches_it_off(
    tmp_path: Path,
) -> None:
    assert read(tmp_path, "").editor_tools
    assert not read(tmp_path, "editor_tools = false").editor_tools
    assert not read(tmp_path, "", GITZETTE_EDITOR_TOOLS="off").editor_tools
    assert read(tmp_path, "", GITZETTE_EDITOR_TOOLS="off").judge_tools
    assert "editor_tools" in refusal(tmp_path, "", GITZETTE_EDITOR_TOOLS="perhaps").lower()


def test_the_judge_looks_further_unless_a_file_or_a_variable_switches_it_off(
    tmp_path: Path,
) -> None:
    assert read(tmp_path, "").judge_tools
    assert not read(tmp_path, "judge_tools = false").judge_tools
    assert not read(tmp_path, "", GITZETTE_JUDGE_TOOLS="off").judge_tools
    assert "judge_tools" in refusal(tmp_path, "", GITZETTE_JUDGE_TOOLS="perhaps").lower()
