package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"

	"lore/cmd/lore/internal/forecast"
	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/rehearsal"
	"lore/cmd/lore/internal/report"
	"lore/cmd/lore/internal/run"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local"
	"lore/local/files"
	"lore/local/ollama"
)

// estimateFlags ask what work takes instead of doing it.
type estimateFlags struct{ on, noProbe bool }

func (f *estimateFlags) add(c *cobra.Command) {
	group(c, outputFlags, func(fl *pflag.FlagSet) {
		fl.BoolVar(&f.on, "estimate", false, "only say what this would take: calls, tokens and time; see lore help estimates")
	})
	topic(c, outputFlags, estimatesTopic, func(fl *pflag.FlagSet) {
		fl.BoolVar(&f.noProbe, "no-probe", false, "--estimate: count calls and tokens, and time no model")
	})
}

// check refuses what means nothing.
func (f estimateFlags) check() error {
	if f.noProbe && !f.on {
		return usage.Errorf("--no-probe is for --estimate")
	}
	return nil
}

// foresight is what an estimate needs to know besides.
type foresight struct {
	models models.Config
	probe  bool
	dir    string // that the work would write to
	json   bool
	// shorter is what to do about prompts that are too long.
	shorter string
	// erring is how many times the calls it takes if the model errs in a share of its replies; nil: nothing
	// hangs on that.
	erring func(share float64) float64
}

// look is open for a run that is only estimated: nothing is written to its folder.
func (p *prepared) look(out string) error {
	p.folder = store.Look(out)
	return p.settle(elsewhere(out, indexDir(out)))
}

// elsewhere is the folder of an index where nothing may be written to the work's own: there is no cache
// folder then, and the index goes with other temporary files.
func elsewhere(out, index string) string {
	if strings.HasPrefix(index, out) {
		return filepath.Join(os.TempDir(), "lore-index")
	}
	return index
}

// estimateRuns says what runs would take that go through the loop together.
func estimateRuns(c *cobra.Command, f estimateFlags, asJSON bool, runs ...*prepared) error {
	prepare := run.Preparation(func(ctx context.Context, change func(run.Options) run.Options) (jobs []*run.Job, err error) {
		windows := models.NewWindows()
		for _, p := range runs {
			opt := change(p.opt)
			opt.Models.Windows = windows
			j, err := run.Prepare(ctx, p.bench, p.data, opt, p.folder)
			if err != nil {
				return jobs, err
			}
			jobs = append(jobs, j)
		}
		return jobs, nil
	})
	return estimateJob(c, f, rehearsal.Config{Go: prepare.Rehearse}, foresight{
		models:  runs[0].opt.Models,
		dir:     runs[0].folder.Dir(),
		json:    asJSON,
		shorter: "show less with --budget-tokens",
	})
}

// sayStep shows on a terminal what an estimate is doing.
func sayStep(c *cobra.Command) func(string) {
	console := usage.NewConsole(c.ErrOrStderr())
	return func(what string) { console.Start(what, 1)(1) }
}

// sayProbe says which model is timed: it may take a minute each. Where there is no bar it is a line.
func sayProbe(c *cobra.Command) func(model, phase string, calls, of int) {
	console := usage.NewConsole(c.ErrOrStderr())
	step := sayStep(c)
	return func(model, phase string, calls, of int) {
		text := fmt.Sprintf("timing %d of %s to %s (%s)", calls, usage.Counted(of, "call"), model, phase)
		if !console.Tell(text) {
			step(text)
		}
	}
}

// tell prints an estimate. What cannot fit is an error, after all else has been said.
func (s foresight) tell(c *cobra.Command, o rehearsal.Outcome) error {
	problems := s.problems(c.Context(), o)
	w := c.OutOrStdout()
	if s.json {
		if err := report.WriteJSON(w, s.asJSON(o, problems)); err != nil {
			return err
		}
	} else {
		if g := s.grid(o); len(g.Rows) > 0 {
			report.Text(w, g)
			fmt.Fprintln(w)
		}
		for _, line := range s.words(o) {
			usage.Wrap(w, line)
		}
	}
	if len(problems) > 0 {
		return usage.Errorf("%s", strings.Join(problems, "\n"))
	}
	return nil
}

// grid is the table of phases and models.
func (s foresight) grid(o rehearsal.Outcome) datasets.Grid {
	g := datasets.Grid{
		Title: fmt.Sprintf("What this takes with --slots %d", max(1, s.models.Slots)),
		Head:  []string{"phase", "model", "to ask", "finished", "prompt tokens", "output tokens", "at most", "time"},
	}
	for _, l := range o.Lines {
		took := datasets.NoValue
		if l.Time != nil {
			took = fromTo(*l.Time)
		}
		row := []string{l.Phase, l.Model, fmt.Sprint(l.Calls), fmt.Sprint(l.Finished), thousands(l.Prompt), thousands(l.Output),
			thousands(l.Most), took}
		if l.Texts > 0 {
			row = []string{l.Phase, l.Model, usage.Counted(l.Texts, "text"), datasets.NoValue, datasets.NoValue,
				datasets.NoValue, datasets.NoValue, took}
		}
		g.Rows = append(g.Rows, row)
	}
	return g
}

// thousands writes thousands apart.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

func fromTo(r forecast.Range) string { return brief(r.Low) + " to " + brief(r.High) }

// words say what the table does not.
func (s foresight) words(o rehearsal.Outcome) []string {
	asked, tried := 0, 0
	for _, l := range o.Lines {
		asked, tried = asked+l.Calls+l.Texts, tried+l.Tried
	}
	var out []string
	switch {
	case asked == 0:
		out = append(out, "No calls to models are left to make.")
	case !s.probe:
		out = append(out, "Nothing was timed, because of --no-probe.")
	case len(o.Unknown) > 0 && o.Total.Low <= o.Here:
		out = append(out, fmt.Sprintf("There is no total: none of these calls could be timed. What needs no model takes %s.",
			brief(o.Here)))
	case len(o.Unknown) > 0:
		out = append(out, fmt.Sprintf("Total: at least %s, and what was not timed besides; of this %s without models.",
			brief(o.Total.Low), brief(o.Here)))
	default:
		out = append(out, fmt.Sprintf("Total: %s, most likely %s; of this %s without models. "+
			"If every reply reached its limit: %s.", fromTo(o.Total), brief(o.Total.Expected), brief(o.Here), brief(o.Longest)))
	}
	if parts := withoutModels(o); parts != "" {
		out = append(out, "Without models: "+parts+".")
	}
	if o.Loads.High >= 100*time.Millisecond && asked > 0 {
		out = append(out, fmt.Sprintf("Loading models is in it with %s.", fromTo(o.Loads)))
	}
	if tried > 0 {
		out = append(out, fmt.Sprintf("%s tried and kept in the cache: the work does not ask them again.",
			were(tried, "call")))
	}
	if o.MadeUp && asked > 0 {
		why := "Some of these calls are about replies that are not there yet: their number and their length are guessed"
		if tried > 0 {
			why += " from those that are"
		}
		out = append(out, why+".")
	}
	if line := s.ifItErrs(o, asked); line != "" {
		out = append(out, line)
	}
	return append(out, s.doubts(o, asked)...)
}

// assumed are the shares of errors for which an estimate says what they cost: those of a good model, and
// of a weak one.
var assumed = []float64{0.05, 0.15}

// ifItErrs says what errors of the model cost, of which a stand-in makes none.
func (s foresight) ifItErrs(o rehearsal.Outcome, asked int) string {
	if s.erring == nil || asked == 0 {
		return ""
	}
	var parts []string
	for i, share := range assumed {
		times := s.erring(share)
		part := fmt.Sprintf("if %.0f %% are, %.1f times", 100*share, times)
		if i == 0 {
			part = fmt.Sprintf("If %.0f %% of its replies are wrong, always the same ones, it takes %.1f times the calls", 100*share, times)
		}
		if s.probe && len(o.Unknown) == 0 {
			calls := o.Total.Expected - o.Here
			part += ", " + brief(o.Here+time.Duration(times*float64(calls))) + " in all"
		}
		parts = append(parts, part)
	}
	return "This is for a model without errors. " + strings.Join(parts, "; ") + "."
}

// withoutModels lists what is computed here, phase by phase, as far as it takes time.
func withoutModels(o rehearsal.Outcome) string {
	var parts []string
	for _, h := range o.Phases {
		if h.Took >= time.Millisecond && h.Phase != "" {
			parts = append(parts, h.Phase+" "+brief(h.Took))
		}
	}
	return strings.Join(parts, ", ")
}

// doubts say what could not be measured, and by whose count tokens are.
func (s foresight) doubts(o rehearsal.Outcome, asked int) []string {
	var out []string
	if s.probe && len(o.Unknown) > 0 {
		out = append(out, fmt.Sprintf("Not timed: %s.", strings.Join(o.Unknown, ", ")))
	}
	for _, f := range o.Failed {
		out = append(out, fmt.Sprintf("%d of %d calls to %s that were tried (%s) failed: %s", f.Failed, f.Of, f.Model,
			f.Phase, usage.Line(f.Detail)))
	}
	var ours []string
	for _, l := range o.Lines {
		if !l.Counted && l.Calls > 0 && !slices.Contains(ours, l.Model) {
			ours = append(ours, l.Model)
		}
	}
	if len(ours) > 0 && asked > 0 {
		out = append(out, fmt.Sprintf("Prompt tokens of %s are by lore's own count, which may be a fifth off.",
			strings.Join(ours, ", ")))
	}
	return out
}

// brief rounds to what matters.
func brief(d time.Duration) string {
	switch {
	case d >= 10*time.Minute:
		return d.Round(time.Minute).String()
	case d >= 10*time.Second:
		return d.Round(time.Second).String()
	case d >= 10*time.Millisecond:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(time.Microsecond).String()
}

// were words how many there were.
func were(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " was"
	}
	return fmt.Sprintf("%d %ss were", n, noun)
}

// problems are what cannot fit, each with what to do about it.
func (s foresight) problems(ctx context.Context, o rehearsal.Outcome) []string {
	var out []string
	for _, t := range o.TooLong {
		about := ""
		if len(t.About) > 0 {
			about = ", such as " + strings.Join(t.About, "; ")
		}
		out = append(out, fmt.Sprintf("%d of %d prompts of %s (%s) are longer than its window of %d tokens: the longest has "+
			"about %d%s; %s, raise --num-ctx if the model was trained for more, or choose another model",
			t.Calls, t.Of, t.Model, t.Phase, t.Window, t.Longest, about, s.shorter))
	}
	for _, f := range o.Failed {
		switch detail := usage.Line(f.Detail); {
		case strings.HasPrefix(f.Detail, string(local.TooLong)):
			out = append(out, fmt.Sprintf("%d of %d prompts of %s (%s) that were tried do not fit its window (%s): %s, "+
				"raise --num-ctx, or choose another model", f.Failed, f.Of, f.Model, f.Phase, detail, s.shorter))
		case strings.Contains(f.Detail, "memory"):
			out = append(out, fmt.Sprintf("%s does not fit the server's memory (%s): choose a smaller model or quantisation, "+
				"or lower --num-ctx", f.Model, detail))
		}
	}
	out = append(out, s.tooLarge(ctx, o)...)

	const perCall, perToken, perText = 2000, 6, 4096
	need := int64(0)
	for _, l := range o.Lines {
		need += int64(l.Calls)*perCall + int64(l.Prompt+l.Output)*perToken + int64(l.Texts)*perText
	}
	for _, dir := range []string{s.dir, s.models.Cache} {
		if free, ok := freeAt(dir); ok && free < need {
			out = append(out, fmt.Sprintf("the journal of calls takes about %s, and there are %s free at %s: make room, "+
				"or choose another folder with --out or --cache", size(need), size(free), dir))
		}
	}
	return out
}

// tooLarge are models that were not seen to answer, and are larger than the memory here.
func (s foresight) tooLarge(ctx context.Context, o rehearsal.Outcome) []string {
	if other, err := ollama.OtherMachine(s.models.Server.URL); err != nil || other != "" {
		return nil // nobody knows that machine
	}
	memory, ok := memoryHere()
	if !ok {
		return nil
	}
	var open []string
	for _, w := range o.Works {
		if len(w.Calls) > 0 && len(w.Tries) == 0 && !w.Untimed && !slices.Contains(open, w.Model) {
			open = append(open, w.Model)
		}
	}
	if len(open) == 0 {
		return nil
	}

	var out []string
	sizes := models.Sizes(ctx, s.models)
	for _, name := range open {
		if n := sizes[name]; n > memory {
			out = append(out, fmt.Sprintf("%s has %s, and this machine has %s of memory, besides that of a graphics card "+
				"if there is one: choose a smaller model or quantisation", name, size(n), size(memory)))
		}
	}
	return out
}

// freeAt is the room on the disk of a folder, which need not be there yet; nothing is written.
func freeAt(dir string) (int64, bool) {
	if dir == "" {
		return 0, false
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return 0, false
	}
	for {
		var st unix.Statfs_t
		if err := unix.Statfs(abs, &st); err == nil {
			return int64(st.Bavail) * int64(st.Bsize), true
		}
		if abs == filepath.Dir(abs) {
			return 0, false
		}
		abs = filepath.Dir(abs)
	}
}

// estimateJSON is an estimate for programs. Times are seconds.
type estimateJSON struct {
	Slots    int                 `json:"slots"`
	Lines    []lineJSON          `json:"lines"`
	Total    *secondsJSON        `json:"total_seconds"`    // null: not all was timed
	Least    *float64            `json:"at_least_seconds"` // where some was timed, and not all
	Longest  *float64            `json:"longest_seconds"`  // null: not all was timed
	Loading  secondsJSON         `json:"loading_seconds"`
	Here     float64             `json:"here_seconds"`
	Unknown  []string            `json:"not_timed"`
	Failed   []rehearsal.Failure `json:"failed"`
	Problems []string            `json:"problems"`
}

type lineJSON struct {
	Phase    string       `json:"phase"`
	Model    string       `json:"model"`
	Calls    int          `json:"calls"`
	Finished int          `json:"finished"`
	Tried    int          `json:"tried"`
	Texts    int          `json:"texts"`
	Prompt   int          `json:"prompt_tokens"`
	Counted  bool         `json:"prompt_tokens_by_the_model"`
	Output   int          `json:"output_tokens"`
	Most     int          `json:"most_output_tokens"`
	Time     *secondsJSON `json:"seconds"` // null: not timed
}

type secondsJSON struct {
	Low      float64 `json:"low"`
	Expected float64 `json:"expected"`
	High     float64 `json:"high"`
}

func inSeconds(r forecast.Range) secondsJSON {
	return secondsJSON{r.Low.Seconds(), r.Expected.Seconds(), r.High.Seconds()}
}

func (s foresight) asJSON(o rehearsal.Outcome, problems []string) estimateJSON {
	out := estimateJSON{
		Slots:    max(1, s.models.Slots),
		Lines:    []lineJSON{},
		Loading:  inSeconds(o.Loads),
		Here:     o.Here.Seconds(),
		Unknown:  append([]string{}, o.Unknown...),
		Failed:   append([]rehearsal.Failure{}, o.Failed...),
		Problems: append([]string{}, problems...),
	}
	total, longest := inSeconds(o.Total), o.Longest.Seconds()
	switch {
	case len(o.Unknown) == 0:
		out.Total, out.Longest = &total, &longest
	case o.Total.Low > o.Here:
		out.Least = &total.Low
	}
	for _, l := range o.Lines {
		line := lineJSON{
			Phase: l.Phase, Model: l.Model, Calls: l.Calls, Finished: l.Finished, Tried: l.Tried, Texts: l.Texts,
			Prompt: l.Prompt, Counted: l.Counted, Output: l.Output, Most: l.Most,
		}
		if l.Time != nil {
			took := inSeconds(*l.Time)
			line.Time = &took
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}

// memoryFile is where Linux says how much memory there is.
const memoryFile = "/proc/meminfo"

// memoryHere is the memory of this machine, where it is told.
func memoryHere() (int64, bool) {
	data, err := files.ReadFile(memoryFile)
	if err != nil {
		return 0, false
	}
	var kib int64
	_, err = fmt.Sscanf(string(data), "MemTotal: %d kB", &kib)
	return kib << 10, err == nil
}

// estimatesText is the page of help on estimates.
const estimatesText = `An estimate says what work takes without doing it: calls, tokens and time, by phase and
model, with a range of 90 %. Runs, studies, builds and judge audit have --estimate. It
goes through the phases with stand-ins for the models:

  - What is finished, in the folder's journal or in the cache, is not counted again.
  - Retrieval, the built-in generator and the lexical judge really run, and are timed.
  - Some calls to each model are made and timed at the --slots of the run: a dozen with
    one slot, short ones, long ones, and calls in a row whose prompts begin alike, for a
    minute at most, and half of what is left at most (of a build, of all its calls). The
    replies are kept in the cache, so that the run does not ask them again.
    --no-probe leaves this out: calls and tokens are counted, and no time is given.
  - Prompt tokens are by the model's own count, as the server tells it for these calls.
  - Verdicts on answers that are not there yet are planned on stand-ins of the length that
    the replies have, and their number is corrected by those answers that are.
  - A build's prompts are followed as a careful model would. What a real one gets wrong and
    is asked for again comes on top.
  - Embedders, cross-encoders and judges with models of their own compute for some seconds.

Nothing is written to the run folder. Systems of --system are counted, and not asked. What
cannot fit is named with what to do about it, after all else, and the code is 2: prompts
longer than the window, a model larger than the memory, a disk without room.`
