from dataclasses import dataclass
from typing import Optional


@dataclass
class EngineArgs:
    model_path: str
    context_length: Optional[int] = None
    swap_space: int = 4

    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--model", type=str)
        parser.add_argument("--context-length", type=int, default=None)
        parser.add_argument("--swap-space", type=int, default=4)
