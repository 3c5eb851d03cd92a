package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/usage"
	"lore/local/gate"
	"lore/local/wire"
)

// serverFlags are the flags of every verb that may wait for a model server.
type serverFlags struct {
	timeout     string
	maxFailures int
	keepTrying  bool
	retryFailed bool
}

func (f *serverFlags) add(c *cobra.Command) {
	topic(c, modelsFlags, serversTopic, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.timeout, "timeout", "", "`limits` of a reply's time, such as first=10m,idle=2m,total=1h "+
			"(default: found from what the model shows)")
		fl.IntVar(&f.maxFailures, "max-failures", gate.DefaultFailures, "calls in a row that fail for the server's reasons, "+
			"after their repeats, and end the run; 0: none do")
		fl.BoolVar(&f.keepTrying, "keep-trying", false, "wait for a server that fails, and go on when it is back")
		fl.BoolVar(&f.retryFailed, "retry-failed", false, "ask again what is still empty or malformed after three tries")
	})
}

// set puts the flags into a configuration.
func (f serverFlags) set(cfg *models.Config) error {
	if f.maxFailures < 0 {
		return usage.Errorf("--max-failures cannot be negative")
	}
	cfg.Patience = gate.Patience{Failures: f.maxFailures, Keep: f.keepTrying}
	if f.maxFailures == 0 {
		cfg.Patience.Failures = -1
	}
	cfg.Again.Always = f.retryFailed

	var err error
	cfg.Limits, err = parseLimits(f.timeout)
	return err
}

// mostTimeout is the longest limit: nobody waits for more.
const mostTimeout = 1000 * time.Hour

// parseLimits reads a list such as "first=10m,total=1h".
func parseLimits(list string) (wire.Limits, error) {
	var out wire.Limits
	const form = "first=10m,idle=2m,total=1h"
	limits := map[string]*time.Duration{"first": &out.First, "idle": &out.Idle, "total": &out.Total}
	for _, part := range usage.List(list) {
		name, value, ok := strings.Cut(part, "=")
		limit := limits[strings.TrimSpace(name)]
		d, err := time.ParseDuration(strings.TrimSpace(value))
		switch {
		case !ok:
			return out, usage.Errorf("--timeout %q is not of the form %s", part, form)
		case limit == nil:
			return out, usage.Unknown("limit of --timeout", name, []string{"first", "idle", "total"})
		case *limit != 0:
			return out, usage.Errorf("--timeout names %s twice", name)
		case err != nil || d <= 0 || d > mostTimeout:
			return out, usage.Errorf("--timeout %q is not a time up to %s, in the form %s", part, "1000h", form)
		}
		*limit = d
	}
	return out, nil
}

var serversText = `ollama:NAME is a model of an Ollama server. openai:NAME is one of an engine that speaks
OpenAI's protocol: vLLM (also behind Ray Serve), SGLang, llama.cpp's server, LM Studio. They
are where --host says; without it, Ollama on this machine, and engines at port 8000 of it.

  --host http://node1:8000 --host http://node2:8000   two share the work, the least busy first
  --host ollama=URL --host openai=URL                 where models of both kinds are asked

Hosts that share the work must serve the same weights. One that is lost is passed over, and
looked for now and then. A key that an engine wants is taken from LORE_API_KEY alone. An
engine fixes its window itself; --num-ctx can only say that it is smaller.

Every reply of a model server is checked before it counts:

  - The server says how many tokens of the prompt it has read. Far too few, or as many as
    are left where servers cut, and the prompt is counted again; if it was cut, the call
    has failed (truncated). Before the first call a canary finds out how the model counts.
  - Another model's name, another machine, or another digest than at the start is a failure
    (wrong_model). The digest is looked up again every minute and at the end.
  - A reply that is larger than its limits (oversized), or later (timeout), has failed.

Limits of time, with --timeout, are found from what the model has shown so far: until the
reply begins (first), between two pieces of it (idle), and of the whole (total).

A failed call is tried again after a pause, or after the time that the server asks for. When
the server fails call after call, the run ends with code 5 and keeps what is finished; or it
waits with --keep-trying. The same command again goes on. It asks again what the server
did wrong; a reply that was empty or malformed has three tries over all runs. What is too
long, or reached its limit, is not asked again.`
