package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"lore/cmd/lore/internal/prompts"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/datasets/all"
	"lore/judge"
	"lore/judge/llm"
	"lore/local"
	"lore/local/extractive"
	"lore/local/prompt"
)

// showFlags say which prompt is shown, and with what.
type showFlags struct{ item, version string }

func newPromptsShow() *cobra.Command {
	var f showFlags
	c := &cobra.Command{
		Use:   "show NAME [DATA...]",
		Short: "Print a prompt, or what a model is given by it",
		Long: "show prints lore's own prompt, or that of --prompts. With --item it is filled in for an item of the\n" +
			"sample, or of DATA: an answer is asked for with the item's gold documents, and a judge is shown the\n" +
			"answer that the generator extractive gives.",
		Example: "  lore prompts show summhay/answer.txt\n  lore prompts show judge/coverage.txt --item skellan_bay/money",
		Args:    usageArgs(cobra.MinimumNArgs(1)),
		RunE:    func(c *cobra.Command, args []string) error { return showPrompt(c, f, args[0], args[1:]) },
	}
	group(c, dataFlags, func(fl *pflag.FlagSet) {
		fl.StringVar(&f.item, "item", "", "fill it in for the item with this `id`")
		fl.StringVar(&f.version, "prompts", "", "the prompt of this `folder`, by path or by name below prompts/")
	})
	return c
}

func showPrompt(c *cobra.Command, f showFlags, name string, data []string) error {
	lib, err := prompts.All()
	if err != nil {
		return err
	}
	if _, ok := lib.Texts[name]; !ok {
		if near := lib.Nearest(name); near != "" {
			return usage.Errorf("unknown prompt %q; did you mean %s? lore prompts list names all prompts", name, near)
		}
		return usage.Unknown("prompt", name, lib.Names)
	}
	versions, err := prompts.Parse(prompts.List(cmp.Or(f.version, prompts.Builtin)), ".", "")
	if err != nil {
		return err
	}
	if len(versions) != 1 {
		return usage.Errorf("--prompts takes one folder here; lore prompts diff shows in what two differ")
	}
	if f.item == "" {
		text, _ := versions[0].Text(lib, name)
		_, err := io.WriteString(c.OutOrStdout(), text)
		return err
	}

	s, err := openShown(name, f.item, data)
	if err != nil {
		return err
	}
	messages, err := s.fill(c.Context(), versions[0], name)
	if other, ok := errors.AsType[*notFilled](err); ok {
		return usage.Errorf("%v", other)
	}
	if err != nil {
		return versions[0].Locate(err)
	}
	for _, m := range messages {
		fmt.Fprintf(c.OutOrStdout(), "--- %s\n%s\n", m.Role, usage.Plain(m.Content))
	}
	return nil
}

// shownItem is an item that a prompt is filled in for.
type shownItem struct {
	bench datasets.Benchmark
	item  datasets.Item
}

// openShown finds an item of a benchmark's sample, or of data. A prompt of a judge belongs to no
// benchmark: then the first one whose items include it is the one.
func openShown(name, id string, data []string) (shownItem, error) {
	folder, _, _ := strings.Cut(name, "/")
	benches := all.Benchmarks()
	if bench, err := find(folder); err == nil {
		benches = []datasets.Benchmark{bench}
	}

	var known []string
	var failed error
	for _, bench := range benches {
		ds, err := bench.Load(data)
		if err != nil {
			failed = cmp.Or(failed, err) // it may be data of another one
			continue
		}
		for _, it := range ds.Items {
			if it.ID() == id {
				return shownItem{bench, it}, nil
			}
			known = append(known, it.ID())
		}
	}
	if len(known) == 0 && failed != nil {
		return shownItem{}, failed
	}
	return shownItem{}, unknownItem(id, known)
}

// notFilled says that a prompt is none that an item of a run fills in.
type notFilled struct{ msg string }

func (e *notFilled) Error() string { return e.msg }

// isOther reports whether an error says that a prompt is filled in by others than items.
func isOther(err error) bool {
	_, other := errors.AsType[*notFilled](err)
	return other
}

// fill words a prompt for the item.
func (s shownItem) fill(ctx context.Context, v prompts.Version, name string) ([]local.Message, error) {
	set := prompt.NewSet(v.FS(), prompts.OfRun(s.bench)...)
	protocol := s.bench.Protocol()
	shown := s.item.Context(s.gold(), protocol.Budget)

	switch folder, base, _ := strings.Cut(name, "/"); {
	case name == protocol.AnswerPrompt:
		p, err := set.Load(name)
		if err != nil {
			return nil, err
		}
		messages, _, err := s.item.Request(datasets.Ask{Context: shown, Variant: firstOf(protocol.Variants), Prompt: p})
		return messages, err
	case protocol.Points != nil && name == protocol.Points.Prompt:
		answer, err := s.answer(ctx, set, shown)
		if err != nil {
			return nil, err
		}
		p, err := set.Load(name)
		if err != nil {
			return nil, err
		}
		return p.Render(map[string]any{"Query": s.item.Title(), "Answer": answer.Text})
	case folder == "judge":
		return s.judged(ctx, set, shown, judge.Kind(strings.TrimSuffix(base, ".txt")))
	}
	return nil, &notFilled{name + " is not filled in for an item of a run: only prompts for answers and for judges are; " +
		"without --item it is printed as it is"}
}

// gold is what the oracle finds: the best documents first. Without any, all are shown.
func (s shownItem) gold() datasets.Retrieved {
	grades := s.item.Query().Gold
	ids := slices.Sorted(maps.Keys(grades))
	ids = slices.DeleteFunc(ids, func(id string) bool { return grades[id] <= 0 })
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(grades[b], grades[a]) })
	if len(ids) > 0 {
		return datasets.Retrieved{IDs: ids, Gold: true}
	}
	for _, d := range s.item.Corpus().Documents {
		ids = append(ids, d.ID)
	}
	return datasets.Retrieved{IDs: ids, Whole: true}
}

// answer is that of the extractive generator.
func (s shownItem) answer(ctx context.Context, set *prompt.Set, shown datasets.Context) (datasets.Output, error) {
	protocol := s.bench.Protocol()
	p, err := set.Load(protocol.AnswerPrompt)
	if err != nil {
		return datasets.Output{}, err
	}
	_, source, err := s.item.Request(datasets.Ask{Context: shown, Variant: firstOf(protocol.Variants), Prompt: p})
	if err != nil {
		return datasets.Output{}, err
	}
	source.Language = extractive.Language("", source.Passages)
	reply, err := extractive.New().Do(ctx, local.Call{Backend: extractive.BackendName, Source: source})
	out := datasets.Output{Text: reply.Text, Outcome: reply.Outcome, Reason: reply.Detail}
	if rule := protocol.Points; rule != nil {
		out.Points = &datasets.Points{Outcome: local.OK, List: rule.Plain(reply.Text)}
	}
	return out, err
}

// judged words the first question of a kind about the answer, or about a document.
func (s shownItem) judged(ctx context.Context, set *prompt.Set, shown datasets.Context, kind judge.Kind) ([]local.Message, error) {
	out, err := s.answer(ctx, set, shown)
	if err != nil {
		return nil, err
	}
	by, err := llm.New(llm.Config{Backend: "shown"}, nil, set)
	if err != nil {
		return nil, err
	}

	for _, t := range s.item.Plan(datasets.Evidence{Context: shown, Output: out}) {
		at := slices.IndexFunc(t.Questions, func(q judge.Question) bool { return q.Kind == kind })
		if at < 0 {
			continue
		}
		t.Questions = t.Questions[at : at+1]
		words, err := by.Words(t, make([]judge.Verdict, 1))
		if err != nil {
			return nil, err
		}
		if len(words) > 0 {
			return words[0], nil
		}
	}
	return nil, &notFilled{fmt.Sprintf("judges of %s are asked nothing of the kind %s", s.bench.Name(), kind)}
}

// firstOf is the first of some words; empty for none.
func firstOf(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}
