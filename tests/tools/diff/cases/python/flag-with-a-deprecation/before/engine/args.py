import warnings


def add(parser):
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--mode", default="slow")


def check(args):
    if args.fast:
        warnings.warn("--fast is deprecated, pass --mode", DeprecationWarning)
