use clap::Parser;

#[derive(Parser)]
struct Args {
    /// Where to listen.
    #[arg(long, default_value = "0.0.0.0")]
    host: String,
    #[arg(long, default_value_t = 3000)]
    port: u16,
    #[arg(long)]
    max_batch: Option<usize>,
}
