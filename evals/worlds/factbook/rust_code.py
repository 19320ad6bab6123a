"""A Rust module of a router, to be changed."""

CRATE = """\
//! Routes a ~noun~ to the worker that has its prefix.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::{bail, Result};
use axum::{routing::get, routing::post, Router};
use clap::Parser;

/// Never keep more than this.
pub const MAX_~NOUN~S: usize = ~big~;
const RETRY_DELAY: Duration = Duration::from_millis(~small~);

/// Where a ~noun~ is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ~Noun~State {
    Waiting,
    Running,
    Preempted,
    Finished,
}

/// What a caller may choose.
#[derive(Debug, Clone)]
pub struct ~Noun~Options {
    pub model: String,
    pub ~opt~: usize,
    pub dtype: String,
    pub enable_graph: bool,
}

#[derive(Debug, Parser)]
pub struct Args {
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1")]
    pub host: String,

    /// How many may be in flight.
    #[arg(long = "max-~noun~s", default_value_t = ~small~)]
    pub max_~noun~s: usize,

    /// Say more.
    #[arg(long)]
    pub verbose: bool,
}

pub trait Evict {
    /// Choose what goes.
    fn evict(&mut self, count: usize) -> Vec<u64>;
}

pub struct ~Cls~ {
    slots: HashMap<u64, usize>,
    capacity: usize,
}

impl ~Cls~ {
    pub fn new(capacity: usize) -> Self {
        Self { slots: HashMap::new(), capacity }
    }

    /// Find a place for a request.
    pub fn ~fn~(&mut self, rid: u64, tokens: usize) -> Result<usize> {
        if tokens > ~big~ {
            bail!("~noun~: {} tokens are too many", tokens);
        }
        let slot = self.slots.len() % self.capacity;
        self.slots.insert(rid, slot);
        Ok(slot)
    }

    pub fn release(&mut self, rid: u64) -> Option<usize> {
        self.slots.remove(&rid)
    }

    fn is_full(&self) -> bool {
        self.slots.len() >= self.capacity
    }
}

pub fn ~fn2~(weights: &[f32], scale: f32) -> Vec<f32> {
    weights.iter().map(|w| w * scale).collect()
}

pub fn ~fn3~(workers: usize, shards: usize) -> usize {
    let forced = std::env::var("ATLAS_~NOUN~_SHARDS").ok();
    if let Some(text) = forced {
        return text.parse().unwrap_or(shards);
    }
    (workers + shards - 1) / shards
}

pub fn routes() -> Router {
    Router::new()
        .route("/health", get(health))
        .route("/~noun~/flush", post(flush))
}

async fn health() -> &'static str {
    "ok"
}

async fn flush() -> &'static str {
    "flushed"
}
"""
