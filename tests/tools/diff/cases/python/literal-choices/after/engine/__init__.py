from engine.core import Backend, attend
