package crux

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
)

// synthetic is a dataset as large per topic as CRUX-DUC: 34 relevant passages of 100 words and 15 questions.
// Every fourth grade is above 0.
func synthetic(topics int) fs.FS {
	const passages, questions = 34, 15
	rng := rand.New(rand.NewPCG(7, 7))
	words := strings.Fields("harbour wall council engineer quarry stone winter storm road lorry shop board money region report")
	var ps []Passage
	var ts []Topic
	for i := range topics {
		t := Topic{ID: fmt.Sprint("t", i), Query: "Write a report on " + words[i%len(words)], Grades: map[string][]int{}}
		for q := range questions {
			t.Questions = append(t.Questions, fmt.Sprintf("What of the %s of %d?", words[(i+q)%len(words)], q))
		}
		for p := range passages {
			var b strings.Builder
			for range 100 {
				b.WriteString(words[rng.IntN(len(words))] + " ")
			}
			id, row := fmt.Sprintf("t%d:%d", i, p), make([]int, questions)
			for q := range row {
				row[q] = max(0, rng.IntN(20)-14)
			}
			ps, t.Grades[id] = append(ps, Passage{ID: id, Text: b.String()}), row
		}
		ts = append(ts, t)
	}
	return folder(string(asLines(ts)), string(asLines(ps)))
}

// BenchmarkAnalysis shows that the time per topic stays the same. 5,000 topics are Multi-News.
func BenchmarkAnalysis(b *testing.B) {
	for _, topics := range []int{50, 500, 5000} {
		b.Run(fmt.Sprint(topics), func(b *testing.B) {
			ds, err := Benchmark{}.load(synthetic(topics), "synthetic")
			if err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			for b.Loop() {
				if got := (Benchmark{}).Analysis(ds, Contexts, 1); len(got) != 3 {
					b.Fatal(got)
				}
				(Benchmark{}).statistics(ds)
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*topics), "ms/topic")
		})
	}
}
