import click


@click.command()
@click.option("--swap-space", type=int, default=4, help="Space on the disk.")
@click.option("--seed", type=int, default=0)
def serve(seed: int, swap_space: int = 4) -> None:
    """Serve a model."""
