"""Command line, rendering, site, server and delivery."""


def own_version() -> str:
    """Give the version, or say that this is a checkout; importing what knows it takes a moment."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("gitzette")
    except PackageNotFoundError:
        return "(from a checkout)"
