package summhay

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"lore/datasets"
	"lore/local/published"
)

// row is a haystack as a hub's table has it: every object a group, with fields that other rows have,
// and this one not.
type row struct {
	Topic     string `parquet:"topic"`
	Documents []struct {
		ID       string   `parquet:"document_id"`
		Text     string   `parquet:"document_text"`
		Insights []string `parquet:"insights_included,list"`
	} `parquet:"documents,list"`
	Subtopics []struct {
		ID       string `parquet:"subtopic_id"`
		Subtopic string `parquet:"subtopic"`
		Query    string `parquet:"query"`
		Insights []struct {
			ID      string `parquet:"insight_id"`
			Insight string `parquet:"insight"`
		} `parquet:"insights,list"`
		Retriever struct {
			Vect struct {
				D1 *float64 `parquet:"d1,optional"`
				D9 *float64 `parquet:"d9,optional"`
			} `parquet:"vect"`
		} `parquet:"retriever"`
		Summaries struct {
			M     []string `parquet:"summary_subtopic_m,list"`
			Other *string  `parquet:"summary_subtopic_other,optional"`
		} `parquet:"summaries"`
	} `parquet:"subtopics,list"`
}

const haystackJSON = `{"topic":"Ferry",
 "documents":[{"document_id":"d1","document_text":"It leaves at noon.","insights_included":["i1"]}],
 "subtopics":[{"subtopic_id":"s1","subtopic":"when","query":"When?","insights":[{"insight_id":"i1","insight":"It leaves at noon."}],
  "retriever":{"vect":{"d1":0.5}},"summaries":{"summary_subtopic_m":["Noon [1]."]}}]}`

// A hub's table in Parquet has the same haystacks as the published files.
func TestImportsTables(t *testing.T) {
	var r row
	score := 0.5
	if err := json.Unmarshal([]byte(`{"Topic":"Ferry","Documents":[{"ID":"d1","Text":"It leaves at noon.","Insights":["i1"]}],
		"Subtopics":[{"ID":"s1","Subtopic":"when","Query":"When?","Insights":[{"ID":"i1","Insight":"It leaves at noon."}]}]}`), &r); err != nil {
		t.Fatal(err)
	}
	r.Subtopics[0].Retriever.Vect.D1 = &score
	r.Subtopics[0].Summaries.M = []string{"Noon [1]."}
	var buf bytes.Buffer
	if err := parquet.Write(&buf, []row{r, r}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "train.parquet")
	if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}

	names, contents, err := toImport(nil, []string{filepath.Dir(path)})
	if err != nil || len(names) != 2 || names[1] != "haystack02.json" {
		t.Fatalf("%q, %v", names, err)
	}
	got, err := Parse(names[0], contents[0])
	if err != nil {
		t.Fatal(err)
	}
	want, err := Parse("x", []byte(haystackJSON))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// What an import writes of published haystacks scores as they do.
func TestImportKeepsRecordedScores(t *testing.T) {
	dir := published.Path(t, "data/summhay")
	names, contents, err := toImport(warnings{t: t}, []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	var paths []string
	for _, n := range names {
		paths = append(paths, filepath.Join(out, filepath.Base(n)))
	}
	if err := writeAll(paths, names, contents); err != nil {
		t.Fatal(err)
	}

	a, err := Benchmark{}.Load([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Benchmark{}.Load([]string{out})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Recorded(a), Recorded(b)); diff != "" || len(Recorded(a)) != 78 {
		t.Errorf("%d systems; %.2000s", len(Recorded(a)), diff)
	}
}

// warnings is a workshop that only warns.
type warnings struct {
	datasets.Workshop
	t *testing.T
}

func (w warnings) Warn(s string) { w.t.Log(s) }
