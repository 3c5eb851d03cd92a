package crux

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/datasets"
	"lore/judge"
	"lore/judge/lexical"
	"lore/judge/metric"
	"lore/local"
	"lore/local/published"
)

// released writes the released topics as a folder of this benchmark. The study's oracle
// passages are the required ones, of which each answers the questions in its turn.
func releasedFile(t *testing.T) string {
	t.Helper()
	root := published.Path(t, "data/crux_released/crux-labeling")
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}

	dir := t.TempDir()
	var passages, topics bytes.Buffer
	for line := range bytes.Lines(read("documents.jsonl")) {
		var d struct{ ID, Contents string }
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatal(err)
		}
		writeLine(t, &passages, Passage{ID: d.ID, Text: d.Contents})
	}
	for line := range bytes.Lines(read("example/testb-oracle_k-1:3_n-1.jsonl")) {
		var d struct {
			QID, Topic, Report string
			Questions          []*string
			Docids             []string
		}
		if err := json.Unmarshal(line, &d); err != nil {
			t.Fatal(err)
		}
		topic := Topic{ID: d.QID, Query: d.Topic, Summary: d.Report, Grades: map[string][]int{}}
		for _, q := range d.Questions {
			if q != nil {
				topic.Questions = append(topic.Questions, strings.TrimSpace(*q))
			}
		}
		for i, id := range d.Docids {
			grades := make([]int, len(topic.Questions))
			for q := range grades {
				if q%len(d.Docids) == i {
					grades[q] = MaxGrade
				}
			}
			topic.Grades[id] = grades
		}
		writeLine(t, &topics, topic)
	}
	for name, data := range map[string][]byte{PassagesFile: passages.Bytes(), TopicsFile: topics.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func writeLine(t *testing.T, buf *bytes.Buffer, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	buf.Write(append(data, '\n'))
}

// A report that only repeats the sub-questions gets less coverage than the human-written
// one, in whichever words it says that it does not know. The figures stand in
// docs/gaming.md.
func TestRepeatingTheQuestionsDoesNotPay(t *testing.T) {
	ds, err := Benchmark{}.Load([]string{releasedFile(t)})
	if err != nil {
		t.Fatal(err)
	}
	forms := []struct{ name, form string }{
		{"human-written report", ""},
		{"unknown", "The documents do not say: It is unknown %s. "},
		{"unanswered", "It is unclear from the passages %s. "},
		{"questions", "%s? "},
		{"open", "One question that remains open is %s. "},
	}
	scores := map[string]map[string]float64{}
	for _, f := range forms {
		sum := map[string][]float64{}
		for _, it := range ds.Items {
			it := it.(*item)
			text := it.topic.Summary
			if f.form != "" {
				text = ""
				for _, q := range it.topic.Questions {
					text += fmt.Sprintf(f.form, strings.TrimSuffix(q, "?"))
				}
			}
			e := datasets.Evidence{Output: datasets.Output{Text: text, Outcome: local.OK}}
			plain := it.Plan(e)[0]
			plain.Units = []string{text} // as it was judged before
			v, err := lexical.Judge{}.Judge(context.Background(), []judge.Task{it.Plan(e)[0], plain}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, suffix := range []string{"", " before"} {
				for _, s := range it.Score(e, datasets.Verdicts{judge.Answer: v[i]}) {
					if s.Unscored == "" {
						sum[s.Metric+suffix] = append(sum[s.Metric+suffix], s.Value)
					}
				}
			}
		}
		scores[f.name] = map[string]float64{}
		for m, v := range sum {
			scores[f.name][m] = 100 * metric.Mean(v)
		}
		t.Logf("%-22s coverage %5.1f density %5.1f repeated %5.1f; before: coverage %5.1f density %5.1f", f.name,
			scores[f.name]["cov_answer@3"], scores[f.name]["den_answer@3"], scores[f.name][Repeated],
			scores[f.name]["cov_answer@3 before"], scores[f.name]["den_answer@3 before"])
	}
	gold := scores[forms[0].name]
	if math.Abs(gold["cov_answer@3"]-gold["cov_answer@3 before"]) > 1 {
		t.Errorf("human-written reports have coverage %.1f, before %.1f", gold["cov_answer@3"], gold["cov_answer@3 before"])
	}
	for _, f := range forms[1:] {
		if s := scores[f.name]; s["cov_answer@3"] >= gold["cov_answer@3"]/2 || s[Repeated] < 80 {
			t.Errorf("%s: coverage %.1f, %.1f %% repeated", f.name, s["cov_answer@3"], s[Repeated])
		}
	}
}
