"""The inputs of an action and those that workflows give it."""

from agent.bumps.action_inputs import ActionInput, GivenInput, action_inputs, given_inputs

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


def test_inputs_are_read_with_what_they_need() -> None:
    assert action_inputs(ACTION) == {
        "token": ActionInput(is_required=True),
        "cache-dir": ActionInput(),
    }


def test_what_a_step_gives_belongs_to_its_action() -> None:
    assert list(given_inputs(WORKFLOW)) == [
        GivenInput("ada/set-up", "token", 7),
        GivenInput("ada/set-up", "script", 8),
    ]


def test_odd_files_have_no_inputs() -> None:
    for text in ("", "inputs: {a: 1}", "- " * 5_000, "\0", "inputs:\n\ta: 1\n", "  required: true"):
        assert action_inputs(text) == {}
        assert list(given_inputs(text)) == []
