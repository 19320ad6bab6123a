from engine.utils import cdiv
