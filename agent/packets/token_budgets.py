"""The budgets of tokens of each packet of evidence, and how its parts share them."""

# Packets of a whole question
BUDGET = 24_000  # Evidence in one question, where the model has room for it
COMMIT_BUDGET = 16_000  # The packet of one commit, for those who write about it
JUDGED_BUDGET = 16_000  # The same for those who judge sentences: what these speak of comes first
MINOR_PACKET = 2_500  # The packet of a commit that gets one sentence
REPAIR_BUDGET = 5_000  # What is shown again of a commit for a few of its sentences
SECOND_READING_BUDGET = 8_000  # What the second reading is shown for all of them
HANDLE_TOKENS = 8  # A handle before a packet

# Parts of the packet of a commit
WORDS_SHARE = 0.3  # For texts of people
FACTS_SHARE = 0.15
AROUND_SHARE = 0.2  # For definitions and uses elsewhere in the repository
EARLIER_SHARE = 0.12  # For the earlier commits that this one goes back to
LOOKED_UP_SHARE = 0.3  # For what was looked up
MIN_THREAD_TOKENS = 100
MIN_DIFF_TOKENS = 200  # Below this a diff shows nothing
MIN_EXCERPT_DIFF = 1_500  # What the diff of an excerpt has at least

# Parts of a diff
LEFT_OUT_SHARE = 0.1  # For the list of files that are not shown whole
CHANGES_SHARE = 0.7  # For changed lines before any hunk is shown whole

# Packets of an answer
OVERVIEW_TOKENS = 4_500  # The evidence with which a question begins
OVERVIEW_TITLE_TOKENS = 40  # A piece that an overview shows by its title
ANSWER_EVIDENCE_TOKENS = 6_000  # What the sentences of an answer cite, for their judge
ANSWER_PIECES_SHARE = 0.6  # For all pieces in short; the rest is for diffs of the first ones
MIN_ANSWER_DIFF = 500  # Below this no diff is shown

# Packets of a commit and what it may be related to
RELATIONS_READ_TOKENS = 14_000  # Both sides, for a reader
RELATIONS_JUDGED_TOKENS = 12_000
"""Both sides, for a judge: what the claims rest on is always in it."""
RELATED_COMMIT_SHARE = 0.55  # For the commit; the others share the rest
MIN_OTHER_TOKENS = 120  # With fewer, another side shows nothing
OTHER_MESSAGE_SHARE = 0.3  # For the message and facts of another commit
OTHER_PULL_SHARE = 0.25  # For the text of its pull request; the diff has the rest
