//! An engine.

pub const MAX_TOKENS: usize = 8192;

pub enum Mode {
    Eager,
    Graph,
    Compiled,
}

pub struct Engine;

impl Engine {
    pub fn run(&self) {}
}

pub fn tokenize(text: &str, special: bool) -> Vec<u32> {
    encode(text)
}

fn encode(text: &str) -> Vec<u32> {
    Vec::new()
}
