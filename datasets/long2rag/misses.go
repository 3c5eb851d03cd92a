package long2rag

import (
	"fmt"
	"slices"
	"strings"

	"lore/datasets"
	"lore/judge"
	"lore/judge/lexical"
	"lore/local"
	"lore/local/text"
)

// Kinds of missed key points (the paper's section 6.1).
const (
	Incomplete = "incomplete" // a part of it is said
	General    = "general"    // its subject is mentioned, and no more
	Missing    = "missing"
)

// incompleteFrom is the share of a key point's content words that must stand near the
// nearest sentence for a part of it to be said.
const incompleteFrom = 1.0 / 3

// miss types a key point that an answer does not entail, by a rule: it is incomplete if
// the nearest sentence with its two neighbours has at least a third of the point's
// content words; else general if the nearest sentence shares two neighbouring content
// words with it; else missing. nearest is 0-based, -1 for none.
func miss(point string, sentences []string, nearest int) string {
	if nearest < 0 {
		return Missing
	}

	l := text.Of(text.Auto, sentences[nearest], point)
	near := map[string]bool{}
	for _, t := range l.Terms(strings.Join(sentences[max(0, nearest-1):min(len(sentences), nearest+2)], " ")) {
		near[t] = true
	}
	words := l.Terms(point)
	all := map[string]bool{}
	found := 0
	for _, w := range words {
		if !all[w] && near[w] {
			found++
		}
		all[w] = true
	}
	if float64(found) >= incompleteFrom*float64(len(all)) {
		return Incomplete
	}

	said := l.Terms(sentences[nearest])
	for i := 1; i < len(words); i++ {
		for k := 1; k < len(said); k++ {
			if words[i-1] == said[k-1] && words[i] == said[k] {
				return General
			}
		}
	}
	return Missing
}

// Notes type every missed key point and quote the nearest sentence of the answer.
func (it *item) Notes(e datasets.Evidence, v datasets.Verdicts) []string {
	missed := func(v judge.Verdict) bool { return v.Scored() && v.Label != judge.Yes }
	verdicts := v[judge.Answer]
	if e.Output.Outcome != local.OK || !slices.ContainsFunc(verdicts, missed) {
		return nil
	}

	task := it.planAnswer(e)
	links := lexical.Link(task)
	var notes []string
	for i, v := range verdicts {
		if !missed(v) {
			continue
		}

		nearest := "no sentence shares a word with it"
		if links[i] > 0 {
			nearest = "nearest sentence: " + task.Units[links[i]-1]
		}
		point := task.Questions[i].Text
		kind := miss(point, task.Units, links[i]-1)
		notes = append(notes, fmt.Sprintf("%s: %s: %s — %s", kind, v.Question, point, nearest))
	}
	return notes
}
