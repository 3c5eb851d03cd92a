package crux

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"lore/local/published"
	"lore/local/text"
)

// On the released topics, a report of nothing but the questions loses all its sentences,
// and human-written reports lose none.
func TestRepeatsOnPublishedReports(t *testing.T) {
	data, err := os.ReadFile(published.Path(t, "data/crux_released/crux-labeling/example/testb-oracle_k-1:3_n-1.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	gold, lost := 0, 0
	for line := range bytes.Lines(data) {
		var topic struct {
			Questions []*string
			Report    string
		}
		if err := json.Unmarshal(line, &topic); err != nil {
			t.Fatal(err)
		}
		var questions []string
		for _, q := range topic.Questions {
			if q != nil {
				questions = append(questions, *q)
			}
		}
		gold += len(text.Sentences(topic.Report))
		rest, share := repeats(topic.Report, questions)
		if share > 0 {
			n := len(text.Sentences(topic.Report)) - len(text.Sentences(rest))
			lost += n
			for _, s := range text.Sentences(topic.Report) {
				if !strings.Contains(rest, s) {
					t.Log(s)
				}
			}
		}
		for _, form := range []string{
			"The documents do not say: It is unknown %s", "It is unknown: %s", "%s", "The text does not answer the question \"%s\"",
			"Not mentioned in the passages: %s",
		} {
			var b strings.Builder
			for _, q := range questions {
				b.WriteString(strings.Replace(form, "%s", strings.TrimSuffix(strings.TrimSpace(q), "?"), 1) + ".\n")
			}
			if rest, share := repeats(b.String(), questions); share < 0.85 {
				t.Errorf("%s: %.2f repeated; left: %s", form, share, rest)
			}
		}
	}
	if lost > 3 {
		t.Errorf("%d sentences of human-written reports are taken for repetitions", lost)
	}
	t.Logf("%d of %d sentences of human-written reports are taken for repetitions", lost, gold)
}
