package run

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"lore/cmd/lore/internal/models"
	"lore/cmd/lore/internal/prompts"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local"
	"lore/local/extractive"
	"lore/local/prompt"
)

// AnswerPrompt is a version of the prompt that answers are asked by. Lore's own has a name alone:
// its text is a setting. The others keep theirs, so that a folder can be extended after its
// prompts have moved on.
type AnswerPrompt struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256,omitempty"`
	Text   string `json:"text,omitempty"`
}

func (p AnswerPrompt) name() string { return p.Name }

// prompted reports whether a generator is asked in words.
func prompted(generator string) bool { return generator != extractive.BackendName && generator != Gold }

// effective are the prompts of a run by name, as one version has them.
func effective(bench datasets.Benchmark, v prompts.Version) (map[string]string, error) {
	out := map[string]string{}
	for _, dir := range prompts.OfRun(bench) {
		names, err := prompts.Names(dir)
		if err != nil {
			return nil, fmt.Errorf("list the prompts: %w", err)
		}
		for _, name := range names {
			data, err := fs.ReadFile(dir, name)
			if err != nil {
				return nil, fmt.Errorf("read the prompt %s: %w", name, err)
			}
			out[name] = string(data)
			if text, own := v.Texts[name]; own {
				out[name] = text
			}
		}
	}
	return out, nil
}

// addPrompts adds the hash of every prompt that a run of the benchmark may use, and the versions
// of the one for answers.
func (c *Configuration) addPrompts(bench datasets.Benchmark, versions []prompts.Version) error {
	var err error
	if c.Prompts, err = answerPrompts(bench, versions); err != nil {
		return err
	}
	var first prompts.Version
	if len(versions) > 0 {
		first = versions[0]
	}
	all, err := effective(bench, first.Without(bench.Protocol().AnswerPrompt))
	for name, text := range all {
		c.Settings["prompt "+name] = hashOf([]byte(text))[:16]
	}
	return err
}

// answerPrompts are the versions of the prompt for answers; nil for lore's own alone. What else
// versions replace must be the same in all of them: it bears on all systems of a table.
func answerPrompts(bench datasets.Benchmark, versions []prompts.Version) ([]AnswerPrompt, error) {
	var out []AnswerPrompt
	lore, err := effective(bench, prompts.Version{})
	if err != nil {
		return nil, err
	}
	answer := bench.Protocol().AnswerPrompt

	for i, v := range versions {
		all, err := effective(bench, v)
		if err != nil {
			return nil, err
		}
		if err := sameElse(bench, versions[0], v); err != nil {
			return nil, err
		}
		p := AnswerPrompt{Name: prompts.Builtin}
		if all[answer] != lore[answer] {
			p = AnswerPrompt{Name: v.Name, SHA256: hashOf([]byte(all[answer])), Text: all[answer]}
		}

		same := slices.IndexFunc(out, func(o AnswerPrompt) bool { return o.Text == p.Text })
		if same >= 0 && p.Name == prompts.Builtin {
			return nil, usage.Errorf("the prompts %s and %s both have lore's own %s, so that they would be one system; "+
				"what they replace is for other benchmarks, or the same as lore's: leave one of them out, or write a %[3]s into it",
				versions[same].Name, versions[i].Name, answer)
		}
		if same >= 0 {
			return nil, usage.Errorf("the prompts %s and %s have the same %s, so that they would be one system; leave one of them out",
				versions[same].Name, versions[i].Name, answer)
		}
		out = append(out, p)
	}
	if len(out) == 1 && out[0].Name == prompts.Builtin {
		return nil, nil
	}
	return out, nil
}

// sameElse refuses two versions whose other prompts differ.
func sameElse(bench datasets.Benchmark, a, b prompts.Version) error {
	x, err := effective(bench, a.Without(bench.Protocol().AnswerPrompt))
	if err != nil {
		return err
	}
	y, err := effective(bench, b.Without(bench.Protocol().AnswerPrompt))
	if err != nil {
		return err
	}
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(x)) {
		if x[name] != y[name] {
			file := b.Place(name)
			if _, own := b.Texts[name]; !own {
				file = a.Place(name)
			}
			differ = append(differ, file)
		}
	}
	if len(differ) == 0 {
		return nil
	}
	return usage.Errorf("the prompts %s and %s differ in more than how they ask for answers: %s. The prompts of judges, and all "+
		"others that are not for answers, must be the same for all systems of a table: run each version by itself, then `lore compare`",
		a.Name, b.Name, strings.Join(differ, ", "))
}

// versions are those of the grid: none where no generator is asked in words.
func (c Configuration) versions() []AnswerPrompt {
	if len(c.Prompts) > 0 {
		return c.Prompts
	}
	if slices.ContainsFunc(c.Generators, prompted) {
		return []AnswerPrompt{{Name: prompts.Builtin}}
	}
	return nil
}

// joinPrompts are the versions of a folder and those asked for. Their other prompts are the same.
func (c Configuration) joinPrompts(old Configuration, bench datasets.Benchmark, mine []prompts.Version) []prompts.Version {
	all := union(old.versions(), c.versions(), AnswerPrompt.name)
	if len(all) == 0 {
		return mine
	}
	answer := bench.Protocol().AnswerPrompt
	var others prompts.Version
	if len(mine) > 0 {
		others = mine[0].Without(answer)
	}

	var out []prompts.Version
	for _, p := range all {
		at := slices.IndexFunc(mine, func(v prompts.Version) bool { return v.Name == p.Name })
		if at >= 0 {
			out = append(out, mine[at])
			continue
		}
		v := prompts.Version{Name: p.Name, Texts: maps.Clone(others.Texts)}
		if p.Name != prompts.Builtin {
			if v.Texts == nil {
				v.Texts = map[string]string{}
			}
			v.Texts[answer] = p.Text
		}
		out = append(out, v)
	}
	return out
}

// answering is a version of the prompt for answers, as it is used.
type answering struct {
	own     bool // it is not lore's
	version prompts.Version
	prompt  *prompt.Prompt
	hash    string
}

// name is the system that a model makes of what a retriever shows, asked by this version in one of
// the benchmark's ways.
func (a *answering) name(retriever string, m *models.Model, variant string) datasets.System {
	s := datasets.System{Retriever: retriever, Generator: m.Spec}
	if a.own && !m.Structured() {
		s = s.WithPrompts(a.version.Name)
	}
	if variant != "" {
		s.Generator += " (" + variant + ")"
	}
	return s
}

// resolvePrompts reads the prompts, and sees that those for answers can be filled in.
func (e *engine) resolvePrompts() error {
	versions := e.opt.Prompts
	if len(versions) == 0 {
		versions = []prompts.Version{{Name: prompts.Builtin}}
	}
	known, err := answerPrompts(e.bench, versions)
	if err != nil {
		return err
	}
	lib, err := prompts.Of(e.bench)
	if err != nil {
		return err
	}
	name := e.protocol.AnswerPrompt
	e.prompts = prompt.NewSet(versions[0].FS(), prompts.OfRun(e.bench)...)

	for i, v := range versions {
		set := prompt.NewSet(v.FS(), e.bench.Prompts())
		p, err := set.Load(name)
		if err != nil {
			return v.Locate(err)
		}
		a := answering{version: v, prompt: p, hash: set.Hashes()[name]}
		if i < len(known) && known[i].Name != prompts.Builtin {
			a.own = true
		} else if v.Name != prompts.Builtin && v.Dir != "" {
			e.opt.Console.Note(fmt.Sprintf("the prompts %s leave %s as it is: their systems are those of lore's own", v.Name, name))
		}
		if err := e.fill(a); err != nil {
			return v.Locate(err)
		}
		for _, lack := range v.Lacks(lib) {
			e.opt.Console.Warn(lack)
		}
		e.answers = append(e.answers, a)
	}
	return nil
}

// fill asks a version's prompt for the first item, with a document and without, so that what is
// wrong with it is told before anything is done.
func (e *engine) fill(a answering) error {
	if len(e.items) == 0 {
		return nil
	}
	var variant string
	if len(e.protocol.Variants) > 0 {
		variant = e.protocol.Variants[0]
	}
	some := datasets.Context{Passages: []local.Passage{{Label: "1", Text: "A document."}}}
	_, _, err := e.items[0].Request(datasets.Ask{Context: some, Variant: variant, Prompt: a.prompt})
	_, _, bare := e.items[0].Request(datasets.Ask{Variant: variant, Prompt: a.prompt})
	return cmp.Or(err, bare)
}

// answersOf are the versions by which a model is asked: one that is not asked in words stands once.
func (e *engine) answersOf(m *models.Model) []*answering {
	var out []*answering
	for i := range e.answers {
		if i == 0 || !m.Structured() {
			out = append(out, &e.answers[i])
		}
	}
	return out
}

// tellUnprompted notes generators on which the versions do not bear.
func (e *engine) tellUnprompted() {
	for _, g := range e.generators {
		if g.Structured() && (len(e.answers) > 1 || e.answers[0].own) {
			e.opt.Console.Note(fmt.Sprintf("the generator %s is asked without a prompt: it stands once, for all of --prompts", g.Spec))
		}
	}
}

// promptHashes are those of the prompts that were used. A version's has its name behind it.
func (e *engine) promptHashes() map[string]string {
	out := e.prompts.Hashes()
	for _, a := range e.answers {
		name := e.protocol.AnswerPrompt
		if a.own {
			name += " (" + a.version.Name + ")"
		}
		out[name] = a.hash
	}
	return out
}

// locate gives an error of a prompt the place of its file.
func (o Options) locate(err error) error {
	var bad *prompt.Error
	if !errors.As(err, &bad) {
		return err
	}
	for _, v := range o.Prompts {
		err = v.Locate(err)
	}
	return err
}
