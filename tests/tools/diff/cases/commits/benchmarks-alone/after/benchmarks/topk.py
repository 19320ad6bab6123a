import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=64)
parser.add_argument("--warm-up", action="store_true", help="run once before measuring")
