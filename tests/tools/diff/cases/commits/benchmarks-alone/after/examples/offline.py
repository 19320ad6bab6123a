import engine

engine.generate("hello")
