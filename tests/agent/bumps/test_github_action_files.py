"""The inputs of an action and those that workflows give it."""

from agent.bumps.github_action_files import (
    ActionDefinition,
    ActionInput,
    ActionStep,
    action_steps,
    read_action,
)

ACTION = """\
name: 'Set up'
inputs:
  token:
    description: 'a token: required'
    required: true
  "cache-dir": # where
    default: 'x'
outputs:
  path:
    description: none
runs:
  using: node20
"""
WORKFLOW = """\
jobs:
  a:
    steps:
      - name: One
        uses: "ada/set-up@v1" # the first
        with:
          token: ${{ secrets.T }}
          script: |
            with: nothing
        env:
          other: 1
      - uses: ada/other@v2
        with: { token: 1 }
      - run: echo
        with:
          token: 2
"""


def test_what_an_action_declares_is_read() -> None:
    inputs = {"token": ActionInput(is_required=True), "cache-dir": ActionInput(default="x")}
    assert read_action(ACTION) == ActionDefinition(inputs, frozenset({"path"}), "node20")


def test_what_a_step_gives_belongs_to_its_action() -> None:
    assert action_steps(WORKFLOW) == [
        ActionStep("ada/set-up", 5, {"token": 7, "script": 8}),
        ActionStep("ada/other", 12),
    ]


def test_odd_files_declare_nothing() -> None:
    for text in ("", "inputs: {a: 1}", "- " * 5_000, "\0", "inputs:\n\ta: 1\n", "  required: true"):
        assert read_action(text) == ActionDefinition({})
        assert action_steps(text) == []
