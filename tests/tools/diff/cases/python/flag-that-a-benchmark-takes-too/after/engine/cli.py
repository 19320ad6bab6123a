parser.add_argument("--heads", type=int)
