import click


@click.command()
@click.option("--seed", type=int, default=0)
def serve(seed: int, swap_space: int = 4) -> None:
    """Serve a model."""
