from engine.api import decode, load, plan, sample
