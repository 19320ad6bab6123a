"""Small repositories for tests, made by git with nothing of the machine's configuration."""

import os
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

CLEAN = {
    "PATH": os.environ["PATH"],
    "LC_ALL": "C",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    # Each commit would start two processes more to see that there is nothing to tidy up.
    "GIT_CONFIG_COUNT": "1",
    "GIT_CONFIG_KEY_0": "maintenance.auto",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_TEMPLATE_DIR": "",  # No samples of hooks in each repository
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Bob",
    "GIT_COMMITTER_EMAIL": "bob@example.org",
}
NOON = datetime(2026, 2, 4, 12, tzinfo=UTC)
Files = Mapping[str, str] | Mapping[str, bytes | None] | Mapping[bytes, bytes]


class Work:
    """A checkout in which a test makes history."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seconds = int(NOON.timestamp())
        path.mkdir(parents=True, exist_ok=True)
        if not (path / ".git").exists():
            self.git("init", "--quiet", "--initial-branch=main")

    def git(
        self, *arguments: str | bytes, stdin: bytes = b"", env: dict[str, str] | None = None
    ) -> str:
        """Run git here; its output, which must be text."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.path,
            env=CLEAN | (env or {}),
            input=stdin,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
        return done.stdout.decode("utf-8", "surrogateescape").strip()

    def write(self, path: str | bytes, content: bytes | str) -> None:
        """Write a file."""
        file = self.path / os.fsdecode(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(
        self,
        message: str | bytes = "change",
        files: Files | None = None,
        at: datetime | None = None,
        code: str = "UTF-8",
    ) -> str:
        """Commit everything and these files (None removes one), a minute after the last if not told; the hash."""
        for name, content in (files or {}).items():
            if content is None:
                (self.path / os.fsdecode(name)).unlink()
            else:
                self.write(name, content)
        raw = message if isinstance(message, bytes) else message.encode()
        options = [
            "--quiet",
            "--allow-empty",
            "--cleanup=verbatim",
            "--allow-empty-message",
            "-F",
            "-",
        ]
        self.git("add", "--all", "--force")
        self.git(
            "-c", f"i18n.commitEncoding={code}", "commit", *options, stdin=raw, env=self._time(at)
        )
        return self.head()

    def merge(self, branch: str, *, at: datetime | None = None) -> str:
        """Merge a branch with a commit of its own."""
        self.git("merge", "--quiet", "--no-ff", "--no-edit", branch, env=self._time(at))
        return self.head()

    def head(self) -> str:
        """The hash of the newest commit, as git has just written it."""
        ref = (self.path / ".git" / "HEAD").read_text().strip().removeprefix("ref: ")
        return (self.path / ".git" / ref).read_text().strip()

    def raw_commit(self, content: bytes) -> str:
        """Store a commit object byte for byte and let main point to it."""
        sha = self.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=content)
        self.git("update-ref", "refs/heads/main", sha)
        return sha

    def _time(self, at: datetime | None) -> dict[str, str]:
        self.seconds += 60
        seconds = int(at.timestamp()) if at else self.seconds
        return {"GIT_AUTHOR_DATE": f"@{seconds} +0100", "GIT_COMMITTER_DATE": f"@{seconds} -0500"}
