//! An engine.

pub const MAX_TOKENS: usize = 4096;

pub enum Mode {
    Eager,
    Graph,
}

pub struct Engine;

impl Engine {
    pub fn run(&self) {}

    fn step(&self) {}
}

pub fn tokenize(text: &str) -> Vec<u32> {
    encode(text)
}

pub fn detokenize(tokens: &[u32]) -> String {
    decode(tokens)
}

fn encode(text: &str) -> Vec<u32> {
    Vec::new()
}
