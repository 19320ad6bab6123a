use std::env;

fn root() -> String {
    env::var("ENGINE_CACHE").unwrap_or_default()
}
