from engine.numbers import round_up
