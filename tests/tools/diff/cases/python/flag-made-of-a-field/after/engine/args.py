from dataclasses import dataclass
from typing import Annotated, Optional

from engine.options import Option, add_options


@dataclass
class EngineArgs:
    model_path: Annotated[str, Option(help="The model.", aliases=["--model"])]
    context_length: Annotated[Optional[int], "The longest context."] = None
    swap_space: int = 4

    @staticmethod
    def add_cli_args(parser):
        add_options(parser, EngineArgs)
