package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/cmd/lore/internal/pipeline"
	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/table"
	"lore/datasets"
	"lore/judge"
	"lore/local/tokens"
)

// contextLines lists the verdicts on documents by judge, item and document.
func (e *engine) contextLines(cells []cell) []store.ContextVerdicts {
	var out []store.ContextVerdicts
	for j, name := range e.judgeNames {
		type place struct{ item, document string }
		lines := map[place][]judge.Verdict{}
		for _, c := range cells {
			for subject, v := range c.verdicts[j] {
				if subject.Part == judge.ADocument {
					lines[place{c.item.ID(), subject.ID}] = v
				}
			}
		}

		byPlace := func(a, b place) int {
			if c := strings.Compare(a.item, b.item); c != 0 {
				return c
			}
			return strings.Compare(a.document, b.document)
		}
		for _, p := range slices.SortedFunc(maps.Keys(lines), byPlace) {
			line := store.ContextVerdicts{Judge: name, Item: p.item, Document: p.document, Verdicts: lines[p]}
			out = append(out, line)
		}
	}
	return out
}

// manifest says what was run.
func (e *engine) manifest() store.Manifest {
	m := store.Manifest{
		Format:     store.Format,
		Lore:       e.opt.Version,
		Benchmark:  e.bench.Name(),
		Data:       e.ds.Files,
		DataHash:   e.ds.Hash,
		Prompts:    e.promptHashes(),
		Retrievers: pipeline.Names(e.opt.Retrievers),
		Retrieval:  e.retrieval,
		Server:     e.models.Server(),
		Tokenizer:  tokens.Name,
		Seed:       e.opt.Seed,
		Items:      len(e.items),
		Texts:      e.ds.Texts,
		Warnings:   slices.Concat(e.ds.Warnings, e.models.Warnings(), e.leftOut, e.misread),
		Settings:   e.settings(),
		Forged:     e.forged.counts(),
		Languages:  e.languages,
	}

	if len(e.items) < len(e.ds.Items) {
		m.ItemsOf, m.Chosen = len(e.ds.Items), e.opt.Chosen(e.ds)
	}
	for _, a := range e.opt.Answers {
		from := strings.Join(slices.Concat([]string{a.File}, a.More), ", ")
		if a.Ranking != "" {
			from += " with the ranking " + a.Ranking
		}
		m.Answers = append(m.Answers, from)
	}
	m.Answers = append(m.Answers, e.opt.Models.Systems.Names()...)
	for _, g := range e.generators {
		m.Generators = append(m.Generators, g.Manifest())
	}
	for _, j := range e.judges {
		m.Judges = append(m.Judges, j.Manifest(e.opt.Judging)...)
	}
	return m
}

// settings are what else bears on the figures.
func (e *engine) settings() map[string]any {
	s := map[string]any{
		"limit":     e.opt.Limit,
		"resamples": table.Resamples,
		"level":     table.Level,
	}
	if e.opt.Subset > 0 {
		s["subset"] = e.opt.Subset
	}
	if len(e.opt.OnlyItems) > 0 {
		s["only_items"] = e.opt.OnlyItems
	}
	if len(e.opt.Retrievers) > 0 { // else nothing was searched, and nothing shown
		s["budget_tokens"] = e.opt.Budget.Tokens
		s["bm25"] = e.opt.Pipelines.BM25.Describe()
		s["bm25_analyzer"] = e.opt.Pipelines.Analyzer
	}
	if e.opt.Language != "" {
		s["language"] = e.opt.Language
	}
	if d, ok := e.bench.(datasets.Describer); ok {
		s["notes"] = d.Describe(e.ds, e.opt.Budget, e.opt.Language)
	}
	if least, most := e.answerTokens(); most > 0 {
		s["answer_tokens"] = fmt.Sprintf("limit of each item, %d to %d", least, most)
	}
	if len(e.pairs) > 0 {
		s["judges together"] = e.pairs
	}
	if c := e.opt.Judging.Calibration; c != nil {
		s["calibration"] = fmt.Sprintf("%s of %s, by %d labels with SHA-256 %s", c.Short(), c.Spec(), c.N, c.Data)
	}
	if e.opt.StrictCut {
		s["cut"] = "unscored"
	}
	if read := e.readBy(); len(read) > 0 {
		s["systems"] = read
	}
	if len(e.opt.Bench) > 0 {
		s["benchmark"] = e.opt.Bench
	}
	if e.opt.BERTScore != nil {
		s["bertscore"] = e.opt.BERTScore.notes
	}
	return s
}

// save stages the derived files. Whoever commits them adds what people read.
func (e *engine) save(r *Result) error {
	config, err := Configure(e.bench, e.ds, e.opt)
	if err != nil {
		return err
	}
	if err := e.folder.WriteJSON(ConfigurationFile, config); err != nil {
		return err
	}

	if err := store.WriteLines(e.folder, store.AnswersFile, r.Answers); err != nil {
		return err
	}
	if err := store.WriteLines(e.folder, store.VerdictsFile, r.Verdicts); err != nil {
		return err
	}
	if len(r.Contexts) > 0 {
		if err := store.WriteLines(e.folder, store.ContextsFile, r.Contexts); err != nil {
			return err
		}
	}
	if err := e.folder.WriteShown(r.Shown); err != nil {
		return err
	}
	return e.folder.WriteJSON(table.File, r.Table)
}
