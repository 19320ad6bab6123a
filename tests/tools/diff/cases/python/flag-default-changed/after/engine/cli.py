import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--max-num-seqs",
        type=int,
        default=1024,
        help="How many sequences run at once.",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=(
            None  # one of the operating system
        ),
    )
