package collection

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"
)

// pair is a judgement as tables hold it.
type pair struct {
	Query string `parquet:"q_id"`
	Doc   string `parquet:"doc_id"`
	Score int64  `parquet:"score"`
}

func written(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// The same judgements come out of every format; zeros stay.
func TestJudgementsHoldTheSame(t *testing.T) {
	pairs := []pair{{"1", "a", 2}, {"1", "b", 0}, {"q-2", "7", 1}}
	want := map[string]map[string]int{"1": {"a": 2, "b": 0}, "q-2": {"7": 1}}
	var columns bytes.Buffer
	if err := parquet.Write(&columns, pairs); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"trec.txt":        "1 0 a 2\n1 0 b 0\nq-2 0 7 1\n",
		"windows.txt":     "1 0 a 2\r\n1 0 b 0\r\nq-2 0 7 1\r\n",
		"msmarco.tsv":     "1\t0\ta\t2\n1\t0\tb\t0\nq-2\t0\t7\t1\n",
		"beir.tsv":        "query-id\tcorpus-id\tscore\n1\ta\t2\n1\tb\t0\nq-2\t7\t1\n",
		"pytrec_eval":     `{"1": {"a": 2, "b": 0}, "q-2": {"7": 1}}`,
		"ranx.csv":        "q_id,doc_id,score\n1,a,2\n1,b,0\nq-2,7,1\n",
		"ranx.parquet":    columns.String(),
		"packed.trec.gz":  string(gzipped([]byte("1 0 a 2\n1 0 b 0\nq-2 0 7 1\n"))),
		"packed.json.zst": string(zstandard(t, []byte(`{"1": {"a": 2, "b": 0}, "q-2": {"7": 1}}`))),
		"bare.tsv":        "1\ta\t2\n1\tb\t0\nq-2\t7\t1\n",
		"irds.tsv":        "query_id\tdoc_id\trelevance\titeration\n1\ta\t2\t0\n1\tb\t0\t0\nq-2\t7\t1\t0\n",
		"short.tsv":       "qid\tdocid\trel\n1\ta\t2.0\n1\tb\t0\nq-2\t7\t1\n",
		"spaces.txt":      "qid docid rel\r\n1 a 2\r\n1 b 0\r\nq-2 7 1\r\n",
		"irds.csv":        "query_id,doc_id,relevance,iteration\n1,a,2,0\n1,b,0,0\nq-2,7,1,0\n",
		"points.txt":      "1 0 a 2.0\n1 0 b 0.0\nq-2 0 7 1\n",
		"mark.txt":        "\uFEFF1 0 a 2\n1 0 b 0\nq-2 0 7 1\n",
	} {
		q, err := Judgements(written(t, name, []byte(data)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := map[string]map[string]int{}
		for topic, judged := range q.Topics {
			got[topic] = map[string]int{}
			for _, j := range judged {
				got[topic][j.Document] = j.Relevance
			}
		}
		if d := cmp.Diff(want, got); d != "" || !cmp.Equal(q.Order, []string{"1", "q-2"}) {
			t.Errorf("%s: %v\n%s", name, q.Order, d)
		}
	}
}

// The same run comes out of every format that has scores, and the same order where there are ranks alone.
func TestRunsHoldTheSame(t *testing.T) {
	want := map[string][]string{"1": {"a", "b"}, "q-2": {"7"}}
	for name, data := range map[string]string{
		"trec.txt":    "1 Q0 a 1 2.5 x\n1 Q0 b 2 -0.25 x\nq-2 Q0 7 1 1e-3 x\n",
		"ranks.tsv":   "1\ta\t1\n1\tb\t2\nq-2\t7\t1\n",
		"ranx.json":   `{"1": {"a": 2.5, "b": -0.25}, "q-2": {"7": 0.001}}`,
		"ranx.csv":    "q_id,doc_id,score\n1,a,2.5\n1,b,-0.25\nq-2,7,0.001\n",
		"packed.gz":   string(gzipped([]byte("1 Q0 a 1 2.5 x\n1 Q0 b 2 -0.25 x\nq-2 Q0 7 1 0.001 x\n"))),
		"windows.txt": "1 Q0 a 1 2.5 x\r\n1 Q0 b 2 -0.25 x\r\nq-2 Q0 7 1 0.001 x\r\n",
	} {
		r, err := Run(written(t, name, []byte(data)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, scores := map[string][]string{}, []float64{}
		for _, topic := range r.Order {
			for _, one := range r.Topics[topic] {
				got[topic] = append(got[topic], one.Document)
				scores = append(scores, one.Score)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
		if name != "ranks.tsv" && !cmp.Equal(scores, []float64{2.5, -0.25, 0.001}) {
			t.Errorf("%s: %v", name, scores)
		}
	}
}

// ir_datasets' tables have four columns in another order, which would be read as judgements of documents named 1 and 0.
func TestTablesOfIRDatasets(t *testing.T) {
	_, err := Judgements(written(t, "qrels.tsv", []byte("1\ta\t1\t0\n1\tb\t0\t0\n2\tc\t2\t0\n")))
	if err == nil || !strings.Contains(err.Error(), "--format trec") {
		t.Error(err)
	}
	if _, err := Judgements(written(t, "zeros.txt", []byte("1 0 1 0\n1 0 2 0\n2 0 3 0\n"))); err != nil {
		t.Error(err)
	}
}

func TestTopicsOfTREC(t *testing.T) {
	for name, text := range map[string]string{
		"open fields":   "<top>\n<num> Number: 301\n<title> sea & storm\n\n<desc> Description:\nx\n</top>\n",
		"closed fields": "<top>\r\n<num>301</num>\r\n<title>sea &amp; storm</title>\r\n<desc>x</desc>\r\n</top>\r\n",
		"Web":           `<?xml version="1.0"?><webtrack2012><topic number="301" type="faceted"><query>sea &amp; storm</query><description>x</description></topic></webtrack2012>`,
	} {
		got, _, err := Queries(written(t, "topics", []byte(text)))
		if d := cmp.Diff([]Query{{ID: "301", Text: "sea & storm"}}, got); err != nil || d != "" {
			t.Errorf("%s: %v\n%s", name, err, d)
		}
	}
	if _, _, err := Queries(written(t, "topics", []byte("<top>\n<num> 1\n<title> a\n"))); err == nil ||
		!strings.Contains(err.Error(), "opens 1 topics and closes 0") {
		t.Error(err)
	}
}

// Three columns that count up are ranks or grades: which, only their owner knows.
func TestRanksAreNoJudgements(t *testing.T) {
	ranks := "1\ta\t1\n1\tb\t2\n1\tc\t3\n2\ta\t1\n"
	if _, err := Judgements(written(t, "x.tsv", []byte(ranks))); !errors.Is(err, ErrRanks) || !strings.Contains(err.Error(), "heading") {
		t.Error(err)
	}
	if _, err := Judgements(written(t, "x.tsv", []byte("query-id\tcorpus-id\tscore\n"+ranks))); err != nil {
		t.Error(err)
	}
	if q, err := Judgements(written(t, "x.tsv", []byte("1\ta\t1\n2\tb\t1\n"))); err != nil || q.Topics["2"][0].Relevance != 1 {
		t.Error(q, err)
	}
	for _, bad := range []string{"1\ta\t0.5\n", "1 0 a 2.5\n", "1 0 a NaN\n", "1 0 a 1e9\n"} {
		if _, err := Judgements(written(t, "x.tsv", []byte(bad))); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// MS MARCO's passages of version 2 name the document they are of, too.
func TestPassagesOfMSMARCO2(t *testing.T) {
	const lines = `{"pid":"p_0","passage":"tides","spans":"(0,5)","docid":"d_0"}` + "\n" + `{"pid":"p_1","passage":"fog","spans":"(6,9)","docid":"d_0"}`
	docs, _, err := Corpus(written(t, "passages.jsonl", []byte(lines)))
	if err != nil || len(docs) != 2 || docs[0].ID != "p_0" || docs[1].ID != "p_1" {
		t.Error(docs, err)
	}
}
