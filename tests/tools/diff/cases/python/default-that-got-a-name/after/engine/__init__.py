from engine.api import generate
