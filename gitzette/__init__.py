"""Command line, rendering, site, server and delivery."""


def own_version() -> str:
    """Return the version, if installed; importlib.metadata is imported late, because it is slow."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("gitzette")
    except PackageNotFoundError:
        return "(from a checkout)"
