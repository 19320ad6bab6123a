"""Go: exported names, flags, routes, variables, errors."""

from evals.worlds.factbook.case import Case, Said, change

PACKAGE = """\
// Package gateway spreads a ~noun~ over workers.
package gateway

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"time"
)

// Max~Noun~s is how many may wait.
const Max~Noun~s = ~big~

const defaultDelay = ~small~ * time.Millisecond

// ~Noun~State says where it is in its life.
type ~Noun~State int

const (
	StateWaiting ~Noun~State = iota
	StateRunning
	StateFinished
)

// ~Noun~Options is what a caller may choose.
type ~Noun~Options struct {
	Model   string `json:"model"`
	Retries int    `json:"retries"`
	Graph   bool   `json:"graph"`
}

// ~Cls~ keeps the books.
type ~Cls~ struct {
	slots    map[uint64]int
	capacity int
}

var (
	addr    = flag.String("addr", ":8080", "where to listen")
	maxOpen = flag.Int("max-~noun~s", ~small~, "how many may be in flight")
	verbose = flag.Bool("verbose", false, "say more")
)

// New~Cls~ makes an empty one.
func New~Cls~(capacity int) *~Cls~ {
	return &~Cls~{slots: map[uint64]int{}, capacity: capacity}
}

// ~fnP~ finds a place for a request.
func (p *~Cls~) ~fnP~(rid uint64, tokens int) (int, error) {
	if tokens > ~big~ {
		return 0, fmt.Errorf("~noun~: %d tokens are too many", tokens)
	}
	slot := len(p.slots) % p.capacity
	p.slots[rid] = slot
	return slot, nil
}

// Release gives a place back.
func (p *~Cls~) Release(rid uint64) {
	delete(p.slots, rid)
}

// ~fn2P~ scales the weights.
func ~fn2P~(weights []float64, scale float64) []float64 {
	out := make([]float64, len(weights))
	for i, w := range weights {
		out[i] = w * scale
	}
	return out
}

// ~fn3P~ finds the number of shards.
func ~fn3P~(workers, shards int) int {
	if forced := os.Getenv("ATLAS_~NOUN~_SHARDS"); forced != "" {
		return len(forced)
	}
	return (workers + shards - 1) / shards
}

func register(mux *http.ServeMux) {
	mux.HandleFunc("/health", health)
	mux.HandleFunc("/~noun~/flush", flush)
}

func health(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }

func flush(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }

var errFull = errors.New("~noun~: full")
"""


def cases() -> list[Case]:
    """List the changes."""
    return [*_symbols(), *_data(), *_server()]


def _of(title: str, swaps: tuple[tuple[str, str], ...], *said: Said) -> Case:
    return change(f"go {title}", f"gateway/{title.replace(' ', '_')}_~v~.go", PACKAGE, swaps, *said)


def _symbols() -> list[Case]:
    scaled = PACKAGE[PACKAGE.index("// ~fn2P~ scales") : PACKAGE.index("// ~fn3P~ finds")]
    fresh = "// ClampLoad keeps a load below a ceiling.\nfunc ClampLoad(load, ceiling float64) float64 {\n"
    fresh += "\tif load > ceiling {\n\t\treturn ceiling\n\t}\n\treturn load\n}\n\n"
    release = PACKAGE[PACKAGE.index("// Release gives") : PACKAGE.index("// ~fn2P~ scales")]
    return [
        _of("function added", ((scaled, scaled + fresh),), Said("symbol-added", "ClampLoad", severity="additive")),
        _of("function removed", ((scaled, ""),), Said("symbol-removed", "~fn2P~", severity="breaking")),
        _of(
            "function renamed",
            (("// ~fn2P~ scales", "// ~fn2P~All scales"), ("func ~fn2P~(", "func ~fn2P~All(")),
            Said("symbol-renamed", "~fn2P~All", "~fn2P~", "~fn2P~All", severity="breaking"),
        ),
        _of("method removed", ((release, ""),), Said("symbol-removed", "~Cls~.Release", severity="breaking")),
        _of(
            "constant changed",
            (("const Max~Noun~s = ~big~\n", "const Max~Noun~s = ~small~\n"),),
            Said("constant-changed", "Max~Noun~s", "~big~", "~small~", severity="behaviour"),
        ),
        _of(
            "parameter added",
            (("scale float64) []float64 {", "scale, bias float64) []float64 {"), ("w * scale", "w*scale + bias")),
            Said("parameter-added", "~fn2P~", detail="bias", severity="breaking"),
        ),
        _of(
            "parameter removed",
            (("weights []float64, scale float64)", "weights []float64)"), ("w * scale", "w * 2")),
            Said("parameter-removed", "~fn2P~", detail="scale", severity="breaking"),
        ),
        _of(
            "parameter type changed",
            (("rid uint64, tokens int)", "rid uint64, tokens int64)"),),
            Said("signature-changed", "~Cls~.~fnP~"),
        ),
        _of(
            "comment changed", (("// Release gives a place back.", "// Release frees it."),), Said("only-comments", "")
        ),
    ]


def _data() -> list[Case]:
    graph = '	Graph   bool   `json:"graph"`\n'
    return [
        _of(
            "enum member added",
            (("	StateFinished\n", "	StateFinished\n	StateAborted\n"),),
            Said("enum-member-added", "~Noun~State.StateAborted"),
        ),
        _of(
            "enum member removed",
            (("	StateRunning\n", ""),),
            Said("enum-member-removed", "~Noun~State.StateRunning", severity="breaking"),
        ),
        _of("field added", ((graph, graph + '	Trace   string `json:"trace"`\n'),), Said("field-added", "Trace")),
        _of("field removed", ((graph, ""),), Said("field-removed", "~Noun~Options.Graph", severity="breaking")),
        _of(
            "field renamed",
            ((graph, '	Capture bool   `json:"graph"`\n'),),
            Said("field-renamed", "~Noun~Options.Capture", "Graph", "Capture", severity="breaking"),
        ),
        _of(
            "field type changed",
            (("	Retries int    `", "	Retries uint   `"),),
            Said("field-changed", "~Noun~Options.Retries"),
        ),
    ]


def _server() -> list[Case]:
    verbose = '	verbose = flag.Bool("verbose", false, "say more")\n'
    division = "	return (workers + shards - 1) / shards\n"
    return [
        _of(
            "flag added",
            ((verbose, verbose + '	dryRun  = flag.Bool("~extraK~", false, "for the traces")\n'),),
            Said("flag-added", "--~extraK~", severity="additive"),
        ),
        _of("flag removed", ((verbose, ""),), Said("flag-removed", "--verbose", severity="breaking")),
        _of(
            "flag renamed",
            (('flag.Int("max-~noun~s"', 'flag.Int("max-running-~noun~s"'),),
            Said("flag-renamed", "--max-running-~noun~s", "--max-~noun~s", "--max-running-~noun~s"),
        ),
        _of(
            "flag default changed",
            (('"max-~noun~s", ~small~,', '"max-~noun~s", ~big~,'),),
            Said("flag-default-changed", "--max-~noun~s", "~small~", "~big~", severity="behaviour"),
        ),
        _of(
            "env added",
            ((division, '	if os.Getenv("ATLAS_SINGLE_~NOUN~") == "1" {\n		return 1\n	}\n' + division),),
            Said("env-added", "ATLAS_SINGLE_~NOUN~", severity="additive"),
        ),
        _of(
            "env removed",
            (
                (PACKAGE[PACKAGE.index("	if forced :=") : PACKAGE.index("	return (workers")], ""),
                ('	"os"\n', ""),
            ),
            Said("env-removed", "ATLAS_~NOUN~_SHARDS", severity="breaking"),
        ),
        _of(
            "route added",
            (
                (
                    '	mux.HandleFunc("/health", health)\n',
                    '	mux.HandleFunc("/health", health)\n	mux.HandleFunc("/ready", health)\n',
                ),
            ),
            Said("route-added", "/ready", severity="additive"),
        ),
        _of(
            "route removed",
            (('	mux.HandleFunc("/~noun~/flush", flush)\n', ""),),
            Said("route-removed", "/~noun~/flush", severity="breaking"),
        ),
        _of(
            "limit lowered",
            (("tokens > ~big~ {", "tokens > ~small~ {"),),
            Said("limit-changed", "tokens", "> ~big~", "> ~small~"),
        ),
        _of(
            "error added",
            ((division, '	if shards == 0 {\n		panic("~noun~: no shards")\n	}\n' + division),),
            Said("error-added", "panic"),
        ),
        _of(
            "function deprecated",
            (("// ~fn2P~ scales the weights.\n", "// ~fn2P~ scales the weights.\n//\n// Deprecated: use gonum.\n"),),
            Said("deprecated", "~fn2P~"),
        ),
    ]
