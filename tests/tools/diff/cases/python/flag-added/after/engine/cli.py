import argparse


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="engine")
    parser.add_argument("--host", default="127.0.0.1", help="Where to listen.")
    parser.add_argument("-p", "--port", type=int, default=8000, help="The port.")
    return parser
