from engine.rope import apply_rope as apply_rope
