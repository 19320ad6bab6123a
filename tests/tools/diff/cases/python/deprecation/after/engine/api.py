import warnings

from typing_extensions import deprecated


@deprecated("use complete instead")
def generate(prompt):
    return run(prompt)


def beam_search(prompt):
    warnings.warn("beam_search goes with 2.0", DeprecationWarning, stacklevel=2)
    return run(prompt)


def add_arguments(parser):
    parser.add_argument(
        "--beam",
        action=DeprecatedAliasAction,
        help="Use --search "
        "beam.",
    )
