from engine.rope import apply_rotary as apply_rotary
