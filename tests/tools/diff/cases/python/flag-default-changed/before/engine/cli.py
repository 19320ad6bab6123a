import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--max-num-seqs",
        type=int,
        default=256,
        help="How many sequences run at once.",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=(
            None  # drawn anew by every run
        ),
    )
