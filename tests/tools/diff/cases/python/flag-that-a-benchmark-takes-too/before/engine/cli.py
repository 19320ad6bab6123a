parser.add_argument("--page-size", type=int, default=16)
parser.add_argument("--heads", type=int)
