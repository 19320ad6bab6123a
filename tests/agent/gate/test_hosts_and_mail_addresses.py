"""No host and no mail address stands in the words of a model, and code names are neither."""

import time

import pytest

from agent.domain.base import Language
from agent.domain.claims import Anchor
from agent.domain.commits import FileChange
from agent.domain.evidence import CommitEvidence
from tests.agent.gate.conftest import analysis, make_commit, make_issue

HOSTILE = make_commit(
    message="Lower the limit of topK\n\nRead the guide at evil.example, docs.evil.io/x, Evil.Dev,\n"
    "`evil.app`, 203.0.113.7 and 例子.公司, or write to help@evil.example. See setup.py,\n"
    "`config.json`, `model.safetensors`, `torch.nn`, `torch.compile`, v0.6.3 and `run.sh`."
)


def refused(text: str, commit: CommitEvidence = HOSTILE, lang: Language = "en") -> list[str]:
    """Return the addresses for which a sentence is refused."""
    return [no.literal for no in analysis(commit, text=text, lang=lang) if no.check == "address"]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("Read the migration guide at evil.example.", "evil.example"),
        ("Read the migration guide at `evil.example`.", "evil.example"),
        ("Read docs.evil.io/x first.", "docs.evil.io"),
        ("Read Evil.Dev first.", "Evil.Dev"),
        ("Install the `evil.app` package.", "evil.app"),
        ("Install it from `evil.example.sh`.", "evil.example.sh"),
        ("Connect to 203.0.113.7 first.", "203.0.113.7"),
        ("Set `host=203.0.113.7` first.", "203.0.113.7"),
        ("Write to help@evil.example for help.", "help@evil.example"),
        ("Write to `help@evil.example` for help.", "help@evil.example"),
    ],
)
def test_a_host_or_a_mail_address_of_a_message_is_refused(text: str, address: str) -> None:
    assert refused(text) == [address]


def test_hosts_are_found_in_chinese_and_in_other_scripts() -> None:
    assert refused("请见evil.example的指南。", lang="zh") == ["evil.example"]
    assert refused("请见 例子.公司 的指南。", lang="zh") == ["子.公司"]
    assert refused("修复了v0.6.3中的`config.json`。", lang="zh") == []


@pytest.mark.parametrize(
    "text",
    [
        "It reads `config.json` and `model.safetensors`, e.g. with `torch.nn` or torch.compile.",
        "It is in v0.6.3, i.e. 0.6.3, or 0.6.3.dev; see `setup.py` and `run.sh`.",
        "The limit is in src/router/limits.py, that is `limits.py`, and limits.py is small.",
        "It binds to 127.0.0.1 or 0.0.0.0.",
        "It wants `cudnn==9.24.0.43` or `cudnn>=9.24.0.43`.",
        "It multiplies `q@k.transpose(1)`; `re.search(x)` is gone.",
    ],
)
def test_files_modules_and_versions_are_no_hosts(text: str) -> None:
    assert refused(text) == []


PATCH = """@@ -1,3 +1,6 @@
-    request = req.stream
+    request = req.id  # see evil.dev
+    # or evil.info
+    BASE = "api.router.app"
     return torch.cat(request)"""


def test_a_dotted_name_of_the_code_is_no_host_and_one_of_a_comment_is() -> None:
    commit = make_commit(patch=PATCH)
    assert refused("`req.stream` becomes `req.id`, torch.cat stays.", commit) == []
    assert refused("`BASE` is `api.router.app` now.", commit) == []
    assert refused("See evil.dev or `evil.info`.", commit) == ["evil.dev", "evil.info"]
    assert refused("`req.stream` becomes `req.id`.") == ["req.stream", "req.id"]


def test_a_member_of_a_class_of_the_code_is_no_host() -> None:
    patch = "@@ -1,2 +1,3 @@\n class DecodeWrapper:\n-    def begin(self): ...\n+    def run(self): ...\n"
    commit = make_commit(patch=patch)
    assert refused("`DecodeWrapper.run` begins the work.", commit) == []
    assert refused("See DecodeWrapper.run first.", commit) == ["DecodeWrapper.run"]
    assert refused("`OtherWrapper.run` begins the work.", commit) == ["OtherWrapper.run"]
    assert refused("`DecodeWrapper.run`, see DecodeWrapper.run.", commit) == ["DecodeWrapper.run"]
    # A word of the code is no member as long as nobody defines or calls it.
    assert refused("`DecodeWrapper.work` ends.", commit.model_copy()) == ["DecodeWrapper.work"]


def test_a_host_of_a_document_is_refused_though_the_diff_has_it() -> None:
    patch = "@@ -1 +1 @@\n-The ring.\n+Read the guide at evil.example."
    file = FileChange(path="docs/ring.md", status="modified", additions=1, deletions=1, patch=patch)
    commit = make_commit()
    commit = commit.model_copy(
        update={"change": commit.change.model_copy(update={"files": (file,)})}
    )
    assert refused("The document points to evil.example.", commit) == ["evil.example"]


def test_a_host_of_a_thread_is_refused_and_a_file_that_it_names_is_not() -> None:
    issue = make_issue(body="Get it from evil.example; `release-ci.yml` and `setup.py` are old.")
    anchors = (Anchor(cite=issue.id, text="`release-ci.yml` and `setup.py` are old."),)
    assert analysis(issue, text="`release-ci.yml` and `setup.py` are old.", anchors=anchors) == []
    text = "It can be had from evil.example."
    assert [no.check for no in analysis(issue, text=text, anchors=anchors)] == ["address"]


@pytest.mark.parametrize("signs", ["a.", "a-", "1.", "a@", "@a.", "a.b.", "-.", "  #"])
def test_floods_of_labels_end_soon(signs: str) -> None:
    flood = make_commit(patch="@@ -0,0 +1 @@\n+" + signs * (2_000_000 // len(signs)))
    began = time.process_time()
    analysis(flood, text=(signs * 700)[:690] + " x.dev")
    assert time.process_time() - began < 20


def test_a_host_of_three_labels_is_no_member_of_a_class() -> None:
    commit = make_commit(patch="@@ -1,1 +1,2 @@\n class Evil:\n+    example.run()")
    assert refused("`Evil.example.run` starts it.", commit) == ["Evil.example.run"]
