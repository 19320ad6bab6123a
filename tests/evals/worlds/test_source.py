import ast
from collections.abc import Callable

from evals.worlds.model import World

Git = Callable[..., bytes]


def test_python_files_parse_and_the_others_close_their_brackets(demo: World, full: World, git: Git) -> None:
    seen = set()
    for repo in (*demo.repos, full.repo(full.notes["squash repository"]), full.repo(full.notes["merge repository"])):
        names = git(repo, "ls-tree", "-r", "--name-only", "HEAD").decode().splitlines()
        for name in names:
            suffix = name.rpartition(".")[2]
            if suffix in ("py", "rs", "cuh"):
                text = git(repo, "show", f"HEAD:{name}").decode()
                seen.add(suffix)
                if suffix == "py":
                    ast.parse(text, name)
                for opening, closing in ("()", "{}", "[]"):
                    assert text.count(opening) == text.count(closing), (name, opening)
    assert seen == {"py", "rs", "cuh"}
