import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dtype", choices=["auto", "half"], default="auto")
    parser.add_argument("--device", choices=["cuda", "cpu", "xpu"])
