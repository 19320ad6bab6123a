import argparse

import engine

parser = argparse.ArgumentParser()
parser.add_argument("--prompt", default="hello")
engine.generate(parser.parse_args().prompt)
