import argparse


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--revision")
    parser.add_argument("--trust-remote-code", action="store_true")
