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

	ts := make([]crux.Topic, topics)
	for i := range ts {
		ts[i] = topic(fmt.Sprintf("t%03d", i), questions, ps, members, rng)
	}
	return crux.Write(out, ts, ps)
}

// topic takes its questions from passages that are drawn, at most two from each.
func topic(id string, questions int, ps []crux.Passage, members [][]string, rng *rand.Rand) crux.Topic {
	t := crux.Topic{ID: id, Grades: map[string][]int{}}
	for len(t.Questions) < questions {
		p := rng.IntN(len(ps))
		if t.Grades[ps[p].ID] != nil {
			continue
		}

		row := make([]int, questions)
		for k := 0; k < 2 && len(t.Questions) < questions && k < len(members[p]); k++ {
			row[len(t.Questions)] = crux.MaxGrade
			t.Questions = append(t.Questions, members[p][k])
			words := strings.Fields(members[p][k])
			t.Query += strings.Join(words[:min(8, len(words))], " ") + " "
		}
		t.Grades[ps[p].ID] = row
	}
	return t
}
