from engine.types import Mode
