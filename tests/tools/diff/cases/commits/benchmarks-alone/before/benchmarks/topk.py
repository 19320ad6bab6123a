import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--rows", type=int, default=64)
