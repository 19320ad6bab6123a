from engine.numbers import cdiv as cdiv
