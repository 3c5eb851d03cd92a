package long2rag

import (
	"fmt"
	"maps"
	"slices"

	"lore/datasets"
	"lore/judge/metric"
	"lore/local/text"
)

// publishedCategories are the numbers of questions in the paper's Figure 11. Its Figure 10, by domain, has none that
// could be read.
var publishedCategories = map[string]int{
	"methodological": 29, "explanatory": 27, "factual": 25, "predictive": 41,
	"comparative": 21, "causal": 39, "hypothetical": 58, "subjective": 40,
}

// publishedWords is the mean length of a document in the paper's abstract, in words; its footnote 6 has 2,453.
const publishedWords = 2444

// statistics are the distributions of the paper's Figures 10 to 12, of any questions.
func statistics(questions []Question) []datasets.Grid {
	domains, categories := map[string]int{}, map[string]int{}
	for _, q := range questions {
		domains[q.Domain]++
		categories[q.Category]++
	}

	byDomain := distribution("Questions by domain (the paper's Figure 10)", "domain", domains, Domains, len(questions))
	byCategory := distribution("Questions by category (the paper's Figure 11)", "category", categories, categoryNames(), len(questions))
	byCategory.Head = append(byCategory.Head, "in the paper")
	for i, row := range byCategory.Rows {
		paper := datasets.NoValue
		if n, ok := publishedCategories[row[0]]; ok {
			paper = fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/publishedQuestions)
		}
		byCategory.Rows[i] = append(row, paper)
	}
	return datasets.Filled(byDomain, byCategory, lengths(questions), perQuestion(questions))
}

// distribution counts questions by the names in an order, then others, then those without one. It has no rows where
// no question has a name.
func distribution(title, what string, counts map[string]int, order []string, all int) datasets.Grid {
	g := datasets.Grid{Title: title, Head: []string{what, "questions", "share"}}
	if counts[""] == all {
		return g
	}
	var others []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if name != "" && !slices.Contains(order, name) {
			others = append(others, name)
		}
	}
	for _, name := range slices.Concat(order, others, []string{""}) {
		n := counts[name]
		shown := name
		if name == "" {
			if shown = "(none given)"; n == 0 {
				continue
			}
		}
		g.Rows = append(g.Rows, []string{shown, fmt.Sprint(n), percentOf(n, all)})
	}
	return g
}

func percentOf(n, all int) string { return fmt.Sprintf("%.1f %%", 100*float64(n)/float64(all)) }

// wordBands are lengths of documents in words.
var wordBands = []band{
	{500, "<500"}, {1_000, "500–1,000"}, {2_000, "1,000–2,000"}, {3_000, "2,000–3,000"}, {5_000, "3,000–5,000"},
	{10_000, "5,000–10,000"}, {1 << 62, ">10,000"},
}

// wordsOf are the lengths of all documents of all questions, in words and in order.
func wordsOf(questions []Question) []float64 {
	var out []float64
	for _, q := range questions {
		for _, d := range q.Documents {
			out = append(out, float64(text.Count(d.Text)))
		}
	}
	slices.Sort(out)
	return out
}

// lengths says how long documents are.
func lengths(questions []Question) datasets.Grid {
	words := wordsOf(questions)
	g := datasets.Grid{
		Title: "Documents by length (the paper's Figure 12)",
		Head:  []string{"words", "documents", "share", "share so far"},
	}
	if len(words) == 0 {
		return g
	}

	in := map[string]int{}
	for _, w := range words {
		in[bandOf(int(w), wordBands)]++
	}
	soFar := 0
	for _, b := range wordBands {
		soFar += in[b.name]
		g.Rows = append(g.Rows, []string{b.name, fmt.Sprint(in[b.name]), percentOf(in[b.name], len(words)), percentOf(soFar, len(words))})
	}
	g.Note = fmt.Sprintf("Mean %.1f words, median %.1f, from %.0f to %.0f, over %d documents of questions; the paper has a mean of %d.",
		metric.Mean(words), median(words), words[0], words[len(words)-1], len(words), publishedWords)
	return g
}

// median is the middle of sorted values, of which there is one at least.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// perQuestion says how much a question has.
func perQuestion(questions []Question) datasets.Grid {
	rows := []struct {
		what, paper string
		of          func(q Question) int
	}{
		{"documents", "5.0", func(q Question) int { return len(q.Documents) }},
		{"words of these", datasets.NoValue, func(q Question) int {
			n := 0
			for _, d := range q.Documents {
				n += text.Count(d.Text)
			}
			return n
		}},
		{"key points", fmt.Sprintf("%.1f", float64(publishedPoints)/publishedQuestions), func(q Question) int { return len(q.KeyPoints) }},
	}

	g := datasets.Grid{Title: "A question has", Head: []string{"", "mean", "median", "least", "most", "mean in the paper"}}
	for _, r := range rows {
		var values []float64
		for _, q := range questions {
			values = append(values, float64(r.of(q)))
		}
		slices.Sort(values)
		g.Rows = append(g.Rows, []string{
			r.what, fmt.Sprintf("%.1f", metric.Mean(values)), fmt.Sprintf("%.1f", median(values)),
			fmt.Sprintf("%.0f", values[0]), fmt.Sprintf("%.0f", values[len(values)-1]), r.paper,
		})
	}
	return g
}
