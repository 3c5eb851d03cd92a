package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"lore/cmd/lore/internal/store"
	"lore/cmd/lore/internal/usage"
	"lore/datasets"
	"lore/local/text"
)

// LanguageLines say which languages the judged texts are in, and warn of those that the lexical
// judge does not know well. They say nothing where all is English. of counts the texts.
func LanguageLines(w io.Writer, l store.Languages) {
	for _, said := range languageTexts(l) {
		usage.Wrap(w, said)
	}
}

func languageTexts(l store.Languages) []string {
	if len(l.Texts) == 0 {
		return nil
	}
	out := []string{fmt.Sprintf("Languages of the judged texts: %s. --language sets one for all.", counted(l.Texts))}
	for _, p := range languageProblems(l) {
		out = append(out, p+"; see "+judgesPage)
	}
	return out
}

// languageProblems warn of texts that the lexical judge does not know well.
func languageProblems(l store.Languages) []string {
	all := 0
	for _, n := range l.Texts {
		all += n
	}
	var out []string
	for _, p := range ordered(l.Problems) {
		out = append(out, fmt.Sprintf("Warning: the lexical judge on %d of %d texts: %s", l.Problems[p], all, p))
	}
	return out
}

// languageGrid is the same as a table; empty where all is English.
func languageGrid(l store.Languages) datasets.Grid {
	g := datasets.Grid{
		Title: "Languages of the judged texts",
		Head:  []string{"language", "texts"},
	}
	for _, name := range ordered(l.Texts) {
		g.Rows = append(g.Rows, []string{name, fmt.Sprint(l.Texts[name])})
	}

	var notes []string
	for _, p := range ordered(l.Problems) {
		notes = append(notes, fmt.Sprintf("The lexical judge on %d: %s.", l.Problems[p], p))
	}
	g.Note = strings.Join(notes, " ")
	return g
}

func counted(of map[string]int) string {
	var out []string
	for _, name := range ordered(of) {
		out = append(out, fmt.Sprintf("%s %d", name, of[name]))
	}
	return strings.Join(out, ", ")
}

// ordered are the keys, those with the highest counts first.
func ordered(of map[string]int) []string {
	return slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		return cmp.Or(cmp.Compare(of[b], of[a]), strings.Compare(a, b))
	})
}

// described is a note of the benchmark on its figures, by its key, as it was set or as it comes back from JSON.
func described(m store.Manifest, key string) string {
	switch notes := m.Settings["notes"].(type) {
	case map[string]string:
		return notes[key]
	case map[string]any:
		said, _ := notes[key].(string)
		return said
	}
	return ""
}

// analyzerLine says that BM25 takes texts for English most of which are not; empty where it does
// not, or is not used.
func analyzerLine(m store.Manifest) string {
	english, all := m.Languages.Texts[text.English.Name], 0
	for _, n := range m.Languages.Texts {
		all += n
	}
	bm25 := slices.ContainsFunc(m.Retrievers, func(name string) bool { return strings.Contains(name, "bm25") })
	inEnglish := m.Settings["bm25_analyzer"] == text.English.Code || m.Settings["bm25_analyzer"] == luceneEnglish
	if !bm25 || 2*english >= all || !inEnglish {
		return ""
	}
	return "Warning: BM25 read these texts as English; --bm25-analyzer names another language, or cjk"
}

// luceneEnglish is Lucene's analyser of English among those of BM25.
const luceneEnglish = "lucene-en"
