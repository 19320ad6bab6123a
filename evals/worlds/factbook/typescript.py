"""TypeScript: exports, interfaces, options, routes, variables, errors."""

from evals.worlds.factbook.case import Case, Said, change

SOURCE = """\
// The console talks to the ~noun~ service.
import { Command } from "commander";
import express from "express";

export const MAX_~NOUN~S = ~big~;
const retryDelay = ~small~;

export enum ~Noun~State {
  Waiting = "waiting",
  Running = "running",
  Finished = "finished",
}

export interface ~Noun~Options {
  model: string;
  retries: number;
  graph?: boolean;
}

export class Base~Noun~ {
  close(): void {}
}

export class Traced~Noun~ extends Base~Noun~ {}

export class ~Cls~ extends Base~Noun~ {
  private slots = new Map<string, number>();

  constructor(private capacity: number) {
    super();
  }

  /** Find a place for a request. */
  ~fnC~(rid: string, tokens: number, pinned = false): number {
    if (tokens > ~big~) {
      throw new RangeError(`${tokens} tokens are too many`);
    }
    const slot = this.slots.size % this.capacity;
    this.slots.set(rid, slot);
    return pinned ? -slot : slot;
  }

  release(rid: string): void {
    this.slots.delete(rid);
  }
}

export function ~fn2C~(weights: number[], scale = 1.0): number[] {
  return weights.map((w) => w * scale);
}

export function ~fn3C~(workers: number, shards: number): number {
  const forced = process.env.ATLAS_~NOUN~_SHARDS;
  if (forced) {
    return Number(forced);
  }
  return Math.ceil(workers / shards);
}

export function program(): Command {
  return new Command()
    .option("--host <address>", "where to listen", "127.0.0.1")
    .option("--max-~noun~s <count>", "how many may be in flight", "~small~")
    .option("--verbose", "say more");
}

export function routes(): express.Express {
  const app = express();
  app.get("/health", (_req, res) => res.send("ok"));
  app.post("/~noun~/flush", (_req, res) => res.sendStatus(204));
  return app;
}
"""


def cases() -> list[Case]:
    """List the changes."""
    return [*_symbols(), *_parameters(), *_data(), *_server()]


def _of(title: str, swaps: tuple[tuple[str, str], ...], *said: Said) -> Case:
    return change(f"typescript {title}", f"web/src/{title.replace(' ', '_')}_~v~.ts", SOURCE, swaps, *said)


def _symbols() -> list[Case]:
    scaled = SOURCE[SOURCE.index("export function ~fn2C~") : SOURCE.index("export function ~fn3C~")]
    fresh = "export function clampLoad(load: number, ceiling: number): number {\n"
    fresh += "  return Math.min(load, ceiling);\n}\n\n"
    release = SOURCE[SOURCE.index("\n  release(rid") : SOURCE.index("}\n\nexport function ~fn2C~")]
    return [
        _of("function added", ((scaled, scaled + fresh),), Said("symbol-added", "clampLoad", severity="additive")),
        _of("function removed", ((scaled, ""),), Said("symbol-removed", "~fn2C~", severity="breaking")),
        _of(
            "function renamed",
            (("function ~fn2C~(", "function ~fn2C~All("),),
            Said("symbol-renamed", "~fn2C~All", "~fn2C~", "~fn2C~All", severity="breaking"),
        ),
        _of("method removed", ((release, ""),), Said("symbol-removed", "~Cls~.release", severity="breaking")),
        _of(
            "base changed",
            (("class ~Cls~ extends Base~Noun~", "class ~Cls~ extends Traced~Noun~"),),
            Said("base-changed", "~Cls~", "Base~Noun~", "Traced~Noun~"),
        ),
        _of(
            "constant changed",
            (("MAX_~NOUN~S = ~big~;", "MAX_~NOUN~S = ~small~;"),),
            Said("constant-changed", "MAX_~NOUN~S", "~big~", "~small~", severity="behaviour"),
        ),
        _of("comment changed", (("/** Find a place for a", "/** Make room for a"),), Said("only-comments", "")),
    ]


def _parameters() -> list[Case]:
    return [
        _of(
            "parameter added",
            (("scale = 1.0)", 'scale = 1.0, ~extraC~ = "")'),),
            Said("parameter-added", "~fn2C~", detail="~extraC~", severity="additive"),
        ),
        _of(
            "parameter removed",
            (("weights: number[], scale = 1.0)", "weights: number[])"), ("w * scale", "w * 2")),
            Said("parameter-removed", "~fn2C~", detail="scale", severity="breaking"),
        ),
        _of(
            "default changed",
            (("scale = 1.0)", "scale = 0.5)"),),
            Said("parameter-default-changed", "~fn2C~", "1.0", "0.5", detail="scale", severity="behaviour"),
        ),
        _of(
            "parameters reordered",
            (("workers: number, shards: number)", "shards: number, workers: number)"),),
            Said("parameter-reordered", "~fn3C~", severity="breaking"),
        ),
        _of(
            "parameter required",
            (("scale = 1.0)", "scale: number)"),),
            Said("parameter-required", "~fn2C~", detail="scale", severity="breaking"),
        ),
    ]


def _data() -> list[Case]:
    return [
        _of(
            "enum member added",
            (('  Running = "running",\n', '  Running = "running",\n  Paused = "paused",\n'),),
            Said("enum-member-added", "~Noun~State.Paused", severity="additive"),
        ),
        _of(
            "enum member removed",
            (('  Running = "running",\n', ""),),
            Said("enum-member-removed", "~Noun~State.Running", severity="breaking"),
        ),
        _of(
            "enum value changed",
            (('  Running = "running",\n', '  Running = "active",\n'),),
            Said("enum-member-changed", "~Noun~State.Running", '"running"', '"active"'),
        ),
        _of(
            "field added",
            (("  graph?: boolean;\n", "  graph?: boolean;\n  trace?: string;\n"),),
            _field("added", "trace"),
        ),
        _of("field removed", (("  graph?: boolean;\n", ""),), _field("removed", "graph")),
        _of("field type changed", (("  retries: number;\n", "  retries: bigint;\n"),), _field("changed", "retries")),
    ]


def _server() -> list[Case]:
    host = '    .option("--host <address>", "where to listen", "127.0.0.1")\n'
    health = '  app.get("/health", (_req, res) => res.send("ok"));\n'
    divided = "  return Math.ceil(workers / shards);\n"
    return [
        _of(
            "flag added",
            ((host, host + '    .option("--~extraK~ <text>", "for the traces")\n'),),
            Said("flag-added", "--~extraK~", severity="additive"),
        ),
        _of("flag removed", ((host, ""),), Said("flag-removed", "--host", severity="breaking")),
        _of(
            "flag default changed",
            (('in flight", "~small~")', 'in flight", "~big~")'),),
            Said("flag-default-changed", "--max-~noun~s", '"~small~"', '"~big~"', severity="behaviour"),
        ),
        _of(
            "env added",
            ((divided, '  if (process.env["ATLAS_SINGLE_~NOUN~"]) return 1;\n' + divided),),
            Said("env-added", "ATLAS_SINGLE_~NOUN~", severity="additive"),
        ),
        _of(
            "env renamed",
            (("process.env.ATLAS_~NOUN~_SHARDS", "process.env.ATLAS_SHARDS"),),
            Said("env-renamed", "ATLAS_SHARDS", "ATLAS_~NOUN~_SHARDS", "ATLAS_SHARDS", severity="breaking"),
        ),
        _of(
            "route added",
            ((health, health + '  app.get("/ready", (_req, res) => res.send("ok"));\n'),),
            Said("route-added", "/ready", severity="additive"),
        ),
        _of("route removed", ((health, ""),), Said("route-removed", "/health", severity="breaking")),
        _of(
            "limit lowered",
            (("tokens > ~big~)", "tokens > ~small~)"),),
            Said("limit-changed", "tokens", "> ~big~", "> ~small~"),
        ),
        _of(
            "error added",
            ((divided, '  if (shards === 0) throw new Error("no shards");\n' + divided),),
            Said("error-added", "Error"),
        ),
        _of(
            "function deprecated",
            (("export function ~fn2C~(", "/** @deprecated use mathjs */\nexport function ~fn2C~("),),
            Said("deprecated", "~fn2C~"),
        ),
    ]


def _field(what: str, name: str) -> Said:
    return Said(f"field-{what}", f"~Noun~Options.{name}")
