from engine.utils import round_up
