package msrs

import (
	"fmt"
	"slices"

	"lore/datasets"
	"lore/judge"
	"lore/judge/metric"
	"lore/local"
	"lore/local/text"
	"lore/local/tokens"
)

// item is one query.
type item struct {
	set   *set
	query Query
	gold  []string // those that are in the corpus
}

func (it *item) ID() string               { return it.query.ID }
func (it *item) Title() string            { return it.query.Text }
func (it *item) Group() string            { return it.set.domain }
func (it *item) Corpus() *datasets.Corpus { return it.set.corpus }

// Query searches with the query.
func (it *item) Query() datasets.Query {
	return datasets.Query{Text: it.query.Text, Gold: goldGrades(it.gold), BestGold: it.bestGold}
}

// References are the texts that an answer is compared with.
func (it *item) References() []string { return it.query.References }

// Context takes the first K documents, whole while they fit into the budget; the
// next one is cut and the rest left out. Of the whole corpus every document is given, and so are
// the oracle's.
func (it *item) Context(found datasets.Retrieved, budget datasets.Budget) datasets.Context {
	if found.Whole {
		return it.everyDocument(found.IDs, budget)
	}
	if found.Gold {
		return it.everyGold(found, budget)
	}

	ctx := datasets.Take(it.Corpus(), found, it.set.k, budget, datasets.Numbered)
	ids := found.IDs[:min(it.set.k, len(found.IDs))]
	for _, id := range ids[len(ids)-ctx.Dropped:] {
		ctx.CutTokens += tokens.Count(found.Show(id, it.Corpus().Text(id)))
	}
	return ctx
}

// everyDocument shows every document whole, or its beginning: of meetings as many tokens as the authors showed of
// each. Where that is more than the budget, each document has the same share of it, and what short ones leave over
// goes to the others.
func (it *item) everyDocument(ids []string, budget datasets.Budget) datasets.Context {
	whole := make([]int, len(ids))
	for i, id := range ids {
		whole[i] = it.Corpus().Tokens(id)
	}
	each := fairShare(whole, budget.Tokens)
	if most := it.set.fullTokens; most > 0 {
		each = min(each, most)
	}

	var ctx datasets.Context
	for i, id := range ids {
		text, n := it.Corpus().Beginning(id, each)
		if n < whole[i] {
			ctx.CutTokens += whole[i] - n
			if n == 0 {
				ctx.Dropped++
				continue
			}
			ctx.Cut++
		}

		ctx.Tokens += n
		ctx.Passages = append(ctx.Passages, local.Passage{Label: datasets.Numbered(i, id), Document: id, Text: text})
	}
	return ctx
}

// fairShare is the most that each of some lengths may have so that all together have no more than total: the
// largest of them where all fit.
func fairShare(lengths []int, total int) int {
	sorted := slices.Sorted(slices.Values(lengths))
	left := total
	for i, n := range sorted {
		if share := left / (len(sorted) - i); n > share {
			return share
		}
		left -= n
	}
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)-1]
}

// Lengths that are asked for (section 4).
const (
	leastWords = 200
	mostWords  = 300
)

// Request asks for 200 to 300 words.
func (it *item) Request(ask datasets.Ask) ([]local.Message, *local.Source, error) {
	passages := ask.Context.Passages
	source := &local.Source{Query: it.query.Text, Passages: passages, Words: mostWords}
	messages, err := ask.Prompt.Render(map[string]any{
		"Query":    it.query.Text,
		"Passages": passages,
		"Least":    leastWords,
		"Most":     mostWords,
		"Domain":   it.set.domain,
		"Title":    it.query.Title,
	})
	return messages, source, err
}

// Plan asks for relevance and consistency.
func (it *item) Plan(e datasets.Evidence) []judge.Task {
	return []judge.Task{planTask(it.query, it.ID(), datasets.Uncited(it, e),
		judge.Question{ID: Relevance, Kind: judge.Relevance},
		judge.Question{ID: Consistency, Kind: judge.Consistency},
	)}
}

// Score measures the answer and the ranking.
func (it *item) Score(e datasets.Evidence, v datasets.Verdicts) []datasets.Score {
	scores := it.scoreAnswer(e, v[judge.Answer])
	if e.Retrieved != nil && !e.Retrieved.Whole {
		k := it.set.k
		if e.Retrieved.Gold {
			k = len(e.Retrieved.IDs) // all are shown
		}
		scores = append(scores, it.scoreRanking(e.Retrieved.IDs, k)...)
	}
	return scores
}

// scoreAnswer computes ROUGE and lexical recall, and takes over grades and what was
// measured by an encoder.
func (it *item) scoreAnswer(e datasets.Evidence, verdicts []judge.Verdict) []datasets.Score {
	out := e.Output
	var scores []datasets.Score
	if out.Outcome != local.OK {
		reason := fmt.Sprintf("%s: %s", out.Outcome, out.Reason)
		for _, m := range []string{Rouge1, Rouge2, RougeL, Recall, Relevance, Consistency, Words} {
			scores = append(scores, datasets.Score{Metric: m, Unscored: reason})
		}
		return scores
	}

	add := func(m string, v float64) { scores = append(scores, datasets.Score{Metric: m, Value: v}) }
	answer := datasets.Uncited(it, e)
	row := it.set.scorer.scoreItem(e.Language, answer, it.query.References)
	for i, name := range Metrics {
		switch name {
		case Rouge1, Rouge2, RougeL, Recall:
			add(name, row[i])
		}
	}

	for i, m := range []string{Relevance, Consistency} {
		if v := verdicts[i]; v.Scored() {
			add(m, (1+4*v.Value)/5)
		} else {
			reason := fmt.Sprintf("%s: %s", v.Outcome, v.Reason)
			scores = append(scores, datasets.Score{Metric: m, Unscored: reason})
		}
	}

	for _, m := range []string{
		datasets.BERTScoreP, datasets.BERTScoreR, datasets.BERTScoreF, datasets.BERTScoreAll, GEvalRecorded,
	} {
		if v, ok := out.Measures[m]; ok {
			add(m, v)
		}
	}

	add(Words, float64(text.Count(answer)))
	add(WordsAsked, mostWords)
	return scores
}

// scoreRanking measures a ranking of which k documents are shown; a query without gold
// documents has no score.
func (it *item) scoreRanking(ids []string, k int) []datasets.Score {
	names := []string{PrecisionAtK, RecallAtK, NDCGAtK, MAPAtK, MAPUncut, NDCGUncut, RecipRank}
	var scores []datasets.Score
	if len(it.gold) == 0 {
		for _, m := range names {
			scores = append(scores, datasets.Score{Metric: m, Unscored: "no gold document is in the corpus"})
		}
		return scores
	}

	t := topic(ids, it.gold)
	for i, v := range []float64{
		metric.Precision(t, 1, k),
		metric.Recall(t, 1, k),
		metric.NDCG(t, k, metric.LinearGain),
		metric.AveragePrecision(t, 1, k),
		metric.AveragePrecision(t, 1, 0),
		metric.NDCG(t, 0, metric.LinearGain),
		metric.ReciprocalRank(t, 1, 0),
	} {
		scores = append(scores, datasets.Score{Metric: names[i], Value: v})
	}
	return scores
}

// topic is a ranking with binary grades.
func topic(ids, gold []string) *metric.Topic {
	judged := map[string]int{}
	for _, g := range gold {
		judged[g] = 1
	}
	return metric.NewTopic(metric.Ranked(ids), judged)
}

// Facets are none.
func (it *item) Facets(datasets.Evidence) map[string]string { return nil }

// Notes say what is odd about an answer's length.
func (it *item) Notes(e datasets.Evidence, v datasets.Verdicts) []string {
	if v != nil || e.Output.Outcome != local.OK {
		return nil
	}

	if n := text.Count(e.Output.Text); n < leastWords/2 || n > mostWords*2 {
		return []string{fmt.Sprintf("has %d words where %d to %d were asked for", n, leastWords, mostWords)}
	}
	return nil
}
