import argparse


def add_model_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--revision")
