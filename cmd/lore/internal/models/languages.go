package models

import (
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/judge"
	"lore/judge/lexical"
	"lore/local/text"
)

// fewUntold is the share of texts up to which those whose language is not told are no news:
// lists of names and numbers are in none.
const fewUntold = 0.1

// Languages counts the languages of judged texts, and what a judge said of them. code is that of
// all texts; empty: each is told.
func Languages(code string, tasks []judge.Task, verdicts [][]judge.Verdict) store.Languages {
	texts := map[string]int{}
	for _, t := range tasks {
		texts[text.Of(code, joined(t)).Name]++
	}
	foreign := len(tasks) - texts[text.English.Name] - texts[text.Unknown.Name]

	problems := lexical.Problems(verdicts)
	if foreign == 0 && float64(problems[lexical.LanguageFlag]) <= fewUntold*float64(len(tasks)) {
		delete(problems, lexical.LanguageFlag)
	}
	if foreign == 0 && len(problems) == 0 {
		return store.Languages{}
	}
	return store.Languages{Texts: texts, Problems: problems}
}

// joined is the text of a task with its questions behind it, which tell where it is short.
func joined(t judge.Task) string {
	parts := append([]string{}, t.Units...)
	for _, q := range t.Questions {
		parts = append(parts, q.Text)
	}
	return strings.Join(parts, "\n")
}
