def add(parser):
    parser.add_argument("--mode", default="slow")


def check(args):
    return args
