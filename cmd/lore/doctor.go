package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"lore/cmd/lore/internal/usage"
	"lore/datasets/all"
	"lore/local"
	"lore/local/files"
	"lore/local/ollama"
	"lore/local/tokens"
	"lore/local/wire"
)

func newDoctor() *cobra.Command {
	var d doctor
	c := &cobra.Command{
		Use:   "doctor [DATA...]",
		Short: "Check this machine, the model server and a model",
		Long: "doctor says what works here: the built-in parts, disk space, the model server and\n" +
			"its models. With --model it loads that model and probes what a run needs of it:\n" +
			"context window against the longest item of DATA, memory, schemas, log-probabilities,\n" +
			"refusal of over-long prompts, and slots. It connects to the model server only.\n\n" +
			"With --system it asks a system of your own one question instead, and shows what was sent,\n" +
			"what came, and what of it was read. Documents are looked up in DATA.",
		Example: "  lore doctor\n" +
			"  lore doctor --model qwen3:8b topic_news1.json\n" +
			"  lore doctor --host http://node1:8000 --model openai:meta-llama/Llama-3.1-8B-Instruct\n" +
			"  lore doctor --system rag.yaml topic_news1.json",
		RunE: func(c *cobra.Command, args []string) error {
			if d.slots < 1 {
				return usage.Errorf("--most-slots is at least 1, not %d", d.slots)
			}
			d.w, d.data = c.OutOrStdout(), args
			d.asked = c.Flags().Changed("host") || d.model != ""
			if d.system != "" {
				return d.trySystem(c.Context())
			}
			if d.question != "" {
				return usage.Errorf("--question is for --system")
			}
			return d.run(c.Context())
		},
	}

	group(c, dataFlags, func(fl *pflag.FlagSet) {
		namesVar(fl, &d.bench, "benchmark", all.Names(), all.Names()[0], "benchmark that DATA belongs to")
	})
	group(c, modelsFlags, func(fl *pflag.FlagSet) {
		d.hostFlags.add(fl)
		fl.StringVar(&d.model, "model", "", "model to load and probe: NAME, or openai:NAME of an engine")
		fl.IntVar(&d.slots, "most-slots", 8, "largest number of slots to look for")
	})
	group(c, systemFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&d.system, "system", "", "`file` that describes a system of your own, or its URL: ask it one question")
		fl.StringVar(&d.question, "question", "", "`words` to ask it (default: the first question of DATA, or of the sample)")
	})
	completeFiles(c, "system", "yaml", "yml", "json")
	return c
}

// doctor prints one line per finding: ok, note or PROBLEM.
type doctor struct {
	w io.Writer
	hostFlags
	model    string
	system   string
	question string
	bench    string
	data     []string
	slots    int
	asked    bool // the user named a server or a model, so its absence is an error
	client   *ollama.Client
	problems int
}

func (d *doctor) ok(what, format string, args ...any) {
	d.line("ok", usage.Fine, what, format, args...)
}

func (d *doctor) note(what, format string, args ...any) {
	d.line("note", usage.Caution, what, format, args...)
}

func (d *doctor) problem(what, format string, args ...any) {
	d.problems++
	d.line("PROBLEM", usage.Failure, what, format, args...)
}

func (d *doctor) line(mark string, style usage.Style, what, format string, args ...any) {
	usage.Beside(d.w, usage.Line(fmt.Sprintf(format, args...)),
		usage.Piece{Text: fmt.Sprintf("%-8s ", mark), Style: style}, usage.Piece{Text: fmt.Sprintf("%-14s ", what)})
}

func (d *doctor) run(ctx context.Context) error {
	d.ok("lore", "%s, %s/%s, %d processors", versionText(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	d.ok("built in", "generator extractive, judge lexical, tokeniser %s: these need nothing else", tokens.Name)
	longest, err := d.longestItem()
	if err != nil {
		return err
	}
	d.disk("run folders", ".")
	d.disk("indexes", indexDir("."))

	if err := d.server(ctx, longest); err != nil {
		return err
	}
	if d.problems > 0 {
		return fmt.Errorf("%s found", usage.Counted(d.problems, "problem"))
	}
	return nil
}

// server looks at the model server and its models. longest is the tokens of the largest
// corpus.
func (d *doctor) server(ctx context.Context, longest int) error {
	server := d.hostFlags.server()
	if server.Refused != nil {
		return server.Refused
	}
	if d.wantsEngines(ctx, server) {
		return d.engines(ctx, server, longest)
	}
	client, err := ollama.NewClient(ollama.Config{Host: server.Of(ollama.BackendName)[0], Limits: wire.Limits{First: 10 * time.Minute}})
	if err != nil {
		return usage.Errorf("%v", err)
	}
	d.client = client
	if server.Elsewhere != "" {
		d.note("network", "%s", server.Notice())
	}
	d.ok("network", "lore connects to %s and to nothing else", client.Host())

	version, err := client.Version(ctx)
	switch {
	case err != nil && d.asked:
		return err
	case err != nil:
		d.note("model server", "none at %s; "+
			"runs with --generator extractive --judge lexical work without one", client.Host())
		return nil
	}
	d.ok("model server", "Ollama %s at %s", version, client.Host())

	if err := d.listModels(ctx, longest); err != nil {
		return err
	}
	if d.model == "" {
		return nil
	}
	return d.probe(ctx, longest)
}

// longestItem returns the tokens of the largest corpus of the data: what the
// full-context setting needs.
func (d *doctor) longestItem() (int, error) {
	bench, err := find(d.bench)
	if err != nil {
		return 0, err
	}
	ds, err := bench.Load(d.data)
	if err != nil {
		return 0, err
	}

	longest := 0
	for _, c := range ds.Corpora {
		n := 0
		for _, doc := range c.Documents {
			n += tokens.Count(doc.Text)
		}
		longest = max(longest, n)
	}
	d.ok("data", "%s: %d items; the largest corpus has %d tokens, a retrieved context at most %d",
		strings.Join(ds.Files, ", "), len(ds.Items), longest, bench.Protocol().Budget.Tokens)
	return longest, nil
}

// disk reports whether a folder can be written, and the space left there.
func (d *doctor) disk(what, dir string) {
	free, err := freeSpace(dir)
	switch {
	case err != nil:
		d.problem(what, "cannot write in %s: %v", dir, err)
	case free < 1:
		d.problem(what, "only %.2f GiB free in %s", free, dir)
	default:
		d.ok(what, "%.0f GiB free in %s", free, dir)
	}
}

// freeSpace makes a folder, writes a file there, and returns the GiB left on its disk.
func freeSpace(dir string) (float64, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return 0, err
	}
	if err := files.MkdirAll(abs); err != nil {
		return 0, err
	}
	var st unix.Statfs_t
	if err := unix.Statfs(abs, &st); err != nil {
		return 0, err
	}

	// Permissions alone do not tell: a disk may be full, or mounted to be read only.
	probe, err := os.CreateTemp(abs, ".lore-doctor-*")
	if err != nil {
		return 0, err
	}
	probe.Close()
	return float64(st.Bavail) * float64(st.Bsize) / (1 << 30), os.Remove(probe.Name())
}

func (d *doctor) listModels(ctx context.Context, longest int) error {
	list, err := d.client.Models(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		d.note("models", "none; fetch one with `ollama pull NAME` while online")
	}

	for _, m := range list {
		info, err := d.client.Model(ctx, m.Name)
		if err != nil {
			d.note("model", "%s: %v", m.Name, err)
			continue
		}
		fits := "holds the largest corpus"
		if info.Context < longest {
			fits = "too small for the largest corpus (full context), fine for retrieved contexts that fit"
		}
		d.ok("model", "%s %s %s, trained for %d tokens: %s; digest %.12s",
			info.Name, info.Parameters, info.Quantization, info.Context, fits, info.Digest)
	}
	return nil
}

// doctorOptions are those of a probe: a short answer that is the same each time.
var doctorOptions = local.Options{NumCtx: 4096, NumPredict: 32, TopP: 1, Seed: 1, RepeatPenalty: 1}

func (d *doctor) call(model ollama.Model, text string) local.Call {
	o := doctorOptions
	if model.Context > 0 {
		o.NumCtx = min(o.NumCtx, model.Context)
	}
	if model.Thinks {
		o.Think = "false"
	}
	return local.Call{
		Backend:  ollama.BackendName,
		Model:    model.Name,
		Messages: []local.Message{{Role: local.User, Content: text}},
		Options:  o,
	}
}

// answered reports whether the model produced tokens, wanted or not: for a probe
// of the server the text does not matter.
func answered(r local.Reply) bool { return r.Outcome == local.OK || r.Outcome == local.Cut }

func (d *doctor) probe(ctx context.Context, longest int) error {
	m, err := d.client.Model(ctx, strings.TrimPrefix(d.model, ollama.BackendName+":"))
	if err != nil {
		return err
	}
	r, err := d.client.Do(ctx, d.call(m, "Say hello."))
	if err != nil {
		return err
	}
	if !answered(r) && r.Outcome != local.Empty {
		d.problem("load", "%s does not answer: %s: %s", m.Name, r.Outcome, r.Detail)
		return nil
	}
	d.ok("load", "%s answered in %s, %s of it loading",
		m.Name, r.Usage.Duration.Round(time.Millisecond), r.Usage.Load.Round(time.Millisecond))

	if err := d.offload(ctx, m); err != nil {
		return err
	}
	if err := d.promises(ctx, subject{d.client, func(text string) local.Call { return d.call(m, text) }}); err != nil {
		return err
	}
	if err := d.measureSlots(ctx, m); err != nil {
		return err
	}

	if m.Context > 0 && m.Context < longest {
		d.note("context", "trained for %d tokens; %d would be needed for full context, "+
			"so those items will be too_long", m.Context, longest)
	}
	return nil
}

// offload tells how much of the model is on the GPU.
func (d *doctor) offload(ctx context.Context, m ollama.Model) error {
	running, err := d.client.Running(ctx)
	if err != nil {
		return err
	}

	for _, p := range running {
		if p.Name != m.Name {
			continue
		}
		switch {
		case p.Size == 0:
			d.note("memory", "the server does not say how much memory %s takes", m.Name)
		case p.SizeVRAM >= p.Size:
			d.ok("memory", "%s, all on the GPU; context %d", size(p.Size), p.ContextLength)
		case p.SizeVRAM == 0:
			d.note("memory", "%s, all on the CPU: slow; context %d", size(p.Size), p.ContextLength)
		default:
			d.problem("memory", "%.0f %% of %s spills to the CPU: lower --num-ctx or choose a smaller quantisation",
				100*(1-float64(p.SizeVRAM)/float64(p.Size)), size(p.Size))
		}
		return nil
	}
	d.note("memory", "the server does not list %s as loaded", m.Name)
	return nil
}

func size(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

// yesOrNo is the schema of a reply that a judge could give.
const yesOrNo = `{"type":"object",` +
	`"properties":{"answer":{"type":"string","enum":["yes","no"]}},` +
	`"required":["answer"]}`

// subject is a model with its server, and how it is asked.
type subject struct {
	server local.Backend
	call   func(text string) local.Call
}

// promises tries what runs need of any server.
func (d *doctor) promises(ctx context.Context, p subject) error {
	for _, try := range []func(context.Context, subject) error{d.schema, d.logprobs, d.overlong} {
		if err := try(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// schema tells whether replies obey a JSON schema, which judges rely on.
func (d *doctor) schema(ctx context.Context, p subject) error {
	call := p.call("Is water wet? Answer as JSON.")
	call.Schema = json.RawMessage(yesOrNo)
	r, err := p.server.Do(ctx, call)
	if err != nil {
		return err
	}
	var v struct{ Answer string }
	if json.Unmarshal([]byte(r.Text), &v) != nil || (v.Answer != "yes" && v.Answer != "no") {
		d.problem("schema", "the reply does not obey a JSON schema (%s: %.60q): this model cannot judge here",
			r.Outcome, r.Text)
		return nil
	}
	d.ok("schema", "replies obey a JSON schema")
	return nil
}

// logprobs tells whether the server gives the probabilities of tokens.
func (d *doctor) logprobs(ctx context.Context, p subject) error {
	call := p.call("Count: one, two,")
	call.TopLogprobs = 20
	call.Options.NumPredict = 8 // one token may be half a character and come without text
	r, err := p.server.Do(ctx, call)
	if err != nil {
		return err
	}
	if len(r.Logprobs) == 0 || len(r.Logprobs[0].Top) == 0 {
		d.note("logprobs", "none (%s): Ollama gives them from 0.12.11 on; "+
			"modes that read token probabilities will refuse to run", r.Outcome)
		return nil
	}
	d.ok("logprobs", "%d alternatives per token", len(r.Logprobs[0].Top))
	return nil
}

// overlong tells whether the server refuses a prompt that does not fit, as it is asked to.
func (d *doctor) overlong(ctx context.Context, p subject) error {
	call := p.call("")
	call.Messages[0].Content = strings.Repeat("many words that will not fit ", call.Options.NumCtx)
	r, err := p.server.Do(ctx, call)
	if err != nil {
		return err
	}
	if r.Outcome != local.TooLong {
		d.problem("long prompts", "one over the window is not refused (outcome %s): this server may cut prompts; "+
			"lore checks each reply for it", r.Outcome)
		return nil
	}
	d.ok("long prompts", "are refused, not cut")
	return nil
}

// measureSlots sends several equal calls at once. Those that found a slot free
// did not wait; the server's own times tell.
func (d *doctor) measureSlots(ctx context.Context, m ollama.Model) error {
	waits := make([]time.Duration, d.slots)
	works := make([]time.Duration, d.slots)
	errs := make([]error, d.slots)
	var wg sync.WaitGroup
	for i := range d.slots {
		wg.Go(func() {
			call := d.call(m, fmt.Sprintf("Tell a story about the number %d.", i))
			r, err := d.client.Do(ctx, call)
			errs[i], waits[i], works[i] = err, r.Usage.Queue, r.Usage.Duration-r.Usage.Queue
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}

	// A call that found no slot free waited for at least one other to end.
	free := 0
	shortest := slices.Min(works)
	for _, w := range waits {
		if w < shortest/2 {
			free++
		}
	}
	d.ok("slots", "%d of %d calls at once ran without waiting: "+
		"use --slots %d (set on the server by OLLAMA_NUM_PARALLEL)", free, d.slots, max(free, 1))
	return nil
}
