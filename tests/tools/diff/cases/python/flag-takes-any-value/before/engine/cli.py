import argparse


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", choices=["flash", "torch"])
    return parser
