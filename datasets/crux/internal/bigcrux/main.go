// Command bigcrux writes a CRUX dataset of the paper's size from real text, for
// measuring: passages of 100 words, and topics whose questions are sentences of some
// passages. The same seed gives the same files.
//
//	go run ./datasets/crux/internal/bigcrux -text DIR -out DIR
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"

	"lore/datasets/crux"
	"lore/local/realtext"
)

func main() {
	dir := flag.String("text", "", "folder of .txt files")
	out := flag.String("out", "", "folder to write")
	passages := flag.Int("passages", 500_000, "passages")
	topics := flag.Int("topics", 100, "topics")
	questions := flag.Int("questions", 10, "questions per topic")
	flag.Parse()
	if err := write(*dir, *out, *passages, *topics, *questions); err != nil {
		fmt.Fprintln(os.Stderr, "bigcrux:", err)
		os.Exit(1)
	}
}

const passageWords = 100

func write(dir, out string, passages, topics, questions int) error {
	sentences, err := realtext.Sentences(dir)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(20261121, 7))
	ps := make([]crux.Passage, passages)
	members := make([][]string, passages)
	for i := range ps {
		var b strings.Builder
		for n := 0; n < passageWords; {
			s := sentences[rng.IntN(len(sentences))]
			members[i] = append(members[i], s)
			b.WriteString(s + " ")
			n += len(strings.Fields(s))
		}
		ps[i] = crux.Passage{ID: fmt.Sprintf("p%06d", i), Text: strings.TrimSpace(b.String())}
	}
	var ts []crux.Topic
	for i := range topics {
		t := crux.Topic{ID: fmt.Sprintf("t%03d", i), Grades: map[string][]int{}}
		for len(t.Questions) < questions {
			p := rng.IntN(passages)
			if t.Grades[ps[p].ID] != nil {
				continue
			}
			row := make([]int, questions)
			for k := 0; k < 2 && len(t.Questions) < questions && k < len(members[p]); k++ {
				row[len(t.Questions)] = crux.MaxGrade
				t.Questions = append(t.Questions, members[p][k])
				t.Query += strings.Join(strings.Fields(members[p][k])[:min(8, len(strings.Fields(members[p][k])))], " ") + " "
			}
			t.Grades[ps[p].ID] = row
		}
		ts = append(ts, t)
	}
	return crux.Write(out, ts, ps)
}
