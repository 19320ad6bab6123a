import warnings


def generate(prompt):
    return run(prompt)


def beam_search(prompt):
    return run(prompt)


def add_arguments(parser):
    parser.add_argument(
        "--beam",
        help="Use --search "
        "beam.",
    )
