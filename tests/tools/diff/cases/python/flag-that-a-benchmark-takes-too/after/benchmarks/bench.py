parser.add_argument("--page-size", type=int, default=16)
