use std::env;

fn root() -> String {
    env::var("ENGINE_HOME").unwrap_or_default()
}

fn unused(one: u32) -> u32 {
    let two = one + 1;
    two + 2
}
