package build

import (
	"fmt"
	"slices"
	"strings"

	"lore/datasets"
	"lore/datasets/summhay"
	"lore/local/tokens"
)

// Quality counts what each check of the synthesis found.
type Quality struct {
	SubtopicsNamed, OverlapWords, OverlapModel, NotExpandable, SubtopicsKept             int
	InsightsWritten, Unspecific, RepeatedWords, RepeatedModel, Misassigned, InsightsKept int

	DocumentsPlanned, AtOnce, Missing, Leaked, Edited, ChapterTries, Replaced, Lost, DocumentsKept int

	InsightsLost  int // that no document holds in the end
	SubtopicsLost int // of which no insight is left

	AsFound                     int // documents that are kept though they disagree with their plan
	Tried                       int // statements
	Reworded, Retired, Promoted int // of these on which checks failed, and those in their places

	// What the model that checks says wrongly of the others, by estimate: no where a document states
	// them, yes where it does not. 0 to 1.
	Misses, Agrees float64

	Errors LabelErrors

	Lists, ListsOpen int // lists of statements, and those without a reply, whose statements were all audited
	Audited          int // statements that were audited one by one
	AuditOpen        int // of these without an answer, which is no opinion
	Contradicted     int // of these in which the model contradicted itself, asked the other way round
	SecondLooks      int // statements that nothing had found in a document, audited all the same
	SecondFound      int // of these found
}

// Quality returns the counts.
func (b *Builder) Quality() Quality { return b.quality }

// add adds what became of a document.
func (q *Quality) add(o Quality) {
	q.AtOnce += o.AtOnce
	q.Missing += o.Missing
	q.Leaked += o.Leaked
	q.Edited += o.Edited
	q.ChapterTries += o.ChapterTries
	q.Replaced += o.Replaced
	q.Lost += o.Lost
	q.DocumentsKept += o.DocumentsKept
	q.AsFound += o.AsFound
	q.Lists += o.Lists
	q.ListsOpen += o.ListsOpen
	q.Audited += o.Audited
	q.AuditOpen += o.AuditOpen
	q.Contradicted += o.Contradicted
	q.SecondLooks += o.SecondLooks
	q.SecondFound += o.SecondFound
}

// Grid is the quality table.
func (q Quality) Grid() datasets.Grid {
	row := func(what string, n int, meaning string) []string { return []string{what, fmt.Sprint(n), meaning} }
	g := datasets.Grid{Title: "Quality", Head: []string{"check", "count", "what became of them"}}
	g.Rows = [][]string{
		row("subtopics named", q.SubtopicsNamed, ""),
		row("  share words with another", q.OverlapWords, "left out"),
		row("  overlap, says the model", q.OverlapModel, "left out"),
		row(fmt.Sprintf("  fewer than %d insights", LeastInsights), q.NotExpandable, "left out"),
		row("  more than were asked for", q.sparedSubtopics(), "left out"),
		row("  kept", q.SubtopicsKept, ""),

		row("insights written", q.InsightsWritten, ""),
		row("  without a number, date or name, or of a wrong length", q.Unspecific, "left out"),
		row("  share words with another", q.RepeatedWords, "left out"),
		row("  repeat another, says the model", q.RepeatedModel, "left out"),
		row("  sorted into another subtopic", q.Misassigned, "left out"),
		row("  of no subtopic that is kept, or in reserve", q.sparedInsights(), "left out"),
		row("  kept", q.InsightsKept, ""),

		row("documents planned", q.DocumentsPlanned, ""),
		row("  agreed with their plan at once", q.AtOnce, ""),
		row("  insights found missing", q.Missing, "added by an edit"),
		row("  insights found leaked", q.Leaked, "taken out by an edit"),
		row("  edits", q.Edited, ""),
		row("  chapters written again", q.ChapterTries, ""),
		row("  disagree with their plan after all edits", q.AsFound, "kept, with what the audit finds"),
		row("  drafts that could not be used", q.Replaced, "replaced by a new one"),
		row("  given up", q.Lost, "left out"),
		row("  kept", q.DocumentsKept, ""),

		row("statements on which checks failed", q.Reworded+q.Retired, fmt.Sprintf("of %d that were tried", q.Tried)),
		row("  worded anew", q.Reworded, "checks agree now"),
		row("  retired", q.Retired, "no insight any more"),
		row("  others in their places", q.Promoted, ""),

		row("insights that no document holds", q.InsightsLost, "left out"),
		row("subtopics without an insight", q.SubtopicsLost, "left out"),

		row("lists of statements asked about", q.Lists, ""),
		row("  without an answer", q.ListsOpen, "all their statements were audited"),
		row("statements audited one by one", q.Audited, ""),
		row("  without an answer", q.AuditOpen, "other opinions decide"),
		row("  contradicted when asked otherwise", q.Contradicted, "other opinions decide"),
		row("statements found nowhere, audited by chance", q.SecondLooks, ""),
		row("  found all the same", q.SecondFound, "stand in the data if other opinions agree"),
	}
	g.Rows = append(g.Rows,
		auditErrors("audits that miss what a document states", q.Misses),
		auditErrors("audits that find what it does not state", q.Agrees),
		row("labels: a document says an insight", q.Errors.Labels, ""),
		[]string{
			"  wrong or missing, by estimate", fmt.Sprintf("%.1f %%", 100*q.Errors.Rate),
			fmt.Sprintf("%.1f to %.1f; stay in the data; people tell by --export-validation", 100*q.Errors.Low, 100*q.Errors.High),
		},
	)
	g.Note = "wrong labels are estimated from how often two opinions on a text agree, the model's and that of its words, " +
		"with a 95 % interval; both can err alike"
	return g
}

// sparedSubtopics are those that nothing was wrong with.
func (q Quality) sparedSubtopics() int {
	return q.SubtopicsNamed - q.OverlapWords - q.OverlapModel - q.NotExpandable - q.SubtopicsKept
}

// sparedInsights are those that passed all checks and are in no subtopic that is kept.
func (q Quality) sparedInsights() int {
	return q.InsightsWritten - q.Unspecific - q.RepeatedWords - q.RepeatedModel - q.Misassigned - q.InsightsKept
}

// auditErrors is the row of a rate. Of a checker that erred nowhere leastError is assumed.
func auditErrors(what string, rate float64) []string {
	by := "by estimate; other opinions decide"
	if rate <= leastError {
		by = "at most, " + by
	}
	return []string{what, fmt.Sprintf("%.1f %%", 100*rate), by}
}

// meanWords is how many words a document has on average.
func meanWords(f *summhay.File) float64 {
	n := 0
	for _, d := range f.Documents {
		n += len(strings.Fields(d.DocumentText))
	}
	return float64(n) / float64(max(1, len(f.Documents)))
}

// Assignment shows how insights are spread over the documents, and how long these are; about
// so many words were asked for.
func Assignment(f *summhay.File, asked int) datasets.Grid {
	perInsight := map[string]int{}
	subtopicOf := map[string]string{}
	for _, s := range f.Subtopics {
		for _, in := range s.Insights {
			subtopicOf[in.InsightID] = s.SubtopicID
			perInsight[in.InsightID] = 0
		}
	}

	var perDocument, mixed, repeats, words, long []int
	all := 0
	for _, d := range f.Documents {
		words = append(words, len(strings.Fields(d.DocumentText)))
		long = append(long, tokens.Count(d.DocumentText))
		all += long[len(long)-1]

		perDocument = append(perDocument, len(d.InsightsIncluded))
		of := map[string]bool{}
		for _, id := range d.InsightsIncluded {
			perInsight[id]++
			of[subtopicOf[id]] = true
		}
		mixed = append(mixed, len(of))
	}
	for _, n := range perInsight {
		repeats = append(repeats, n)
	}

	g := datasets.Grid{Title: "Insights and documents", Head: []string{"", "least", "mean", "most"}}
	for _, r := range []struct {
		what   string
		counts []int
	}{
		{"insights in a document", perDocument},
		{"subtopics in a document", mixed},
		{"documents that hold an insight", repeats},
		{"words in a document", words},
		{"tokens in a document", long},
	} {
		if len(r.counts) > 0 {
			g.Rows = append(g.Rows, spread(r.what, r.counts))
		}
	}
	g.Note = fmt.Sprintf("documents of about %d words were asked for; the haystack has %d tokens", asked, all)
	return g
}

// spread is the row of some counts: the least, their mean, and the most.
func spread(what string, counts []int) []string {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	mean := float64(sum) / float64(len(counts))
	return []string{what, fmt.Sprint(slices.Min(counts)), fmt.Sprintf("%.1f", mean), fmt.Sprint(slices.Max(counts))}
}
