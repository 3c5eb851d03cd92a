package collection

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/local/published"
)

// endings of files by their forms.
var endings = map[Form]string{
	BEIR: "", JSONL: ".jsonl", JSON: ".json", Pyserini: ".jsonl", MSMARCO: ".tsv", TSV: ".tsv", CSV: ".csv", Parquet: ".parquet", TREC: ".trec",
}

// converted writes a file in another form and returns its path: that of the folder where it is one of BEIR.
func converted(t testing.TB, in string, kind Kind, form Form, packing string) (string, Converted) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "out"+endings[form])
	if form != BEIR {
		name += packing
	}
	got, err := Convert(context.Background(), Conversion{In: in, Out: name, Kind: kind, Form: form})
	if err != nil {
		t.Fatalf("%s as %s to %s: %v", in, kind, form, err)
	}
	return name, got
}

// passagesOf reads a corpus or queries with titles of their own.
func passagesOf(t testing.TB, path string, kind Kind) (out []passage) {
	t.Helper()
	w := writing{Conversion: Conversion{In: path, Kind: kind}, losses: &losses{fields: map[string]int{}}}
	if err := w.eachPassage(func(p passage) error {
		out = append(out, p)
		return nil
	}); err != nil {
		t.Fatalf("%s as %s: %v", path, kind, err)
	}
	return out
}

func passageLines(t testing.TB, docs []passage) string {
	t.Helper()
	var b strings.Builder
	for _, d := range docs {
		line, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	path := filepath.Join(t.TempDir(), "in.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// nasty are texts that every form holds.
var nasty = []passage{
	{ID: "z-1", Text: `a "quoted", text; with 'marks'`}, {ID: "10", Text: "Ärger, 東京 & <b>bold</b> &amp; &lt;top> </top>"},
	{ID: "{a}", Text: "Topic: a label, <title> and </num>"}, {ID: "<x>", Text: `back\slash \n \t "" ,,`}, {ID: "&amp;", Text: "[1] {x}"},
	{ID: "0010", Text: "1e5"}, {ID: "true", Text: "null"}, {ID: "é\u200d", Text: "title"}, {ID: "#7", Text: "=1+1"},
}

// titled are documents that tables without titles or line ends do not hold.
var titled = []passage{
	{ID: "b", Title: "Ein Titel", Text: "two\nlines\tand a tab "}, {ID: "a", Text: " \n\"quoted\"\r and a lone return"},
	{ID: "c", Title: "only a title"}, {ID: "d", Title: "x, y", Text: "\u0000\u0085\u2028 controls"},
}

// Every form of a kind goes to every other and back: ids, texts and order are the same.
func TestConvertRoundTrips(t *testing.T) {
	for _, kind := range []Kind{CorpusKind, QueriesKind} {
		in := passageLines(t, nasty)
		for i, a := range FormsOf(kind) {
			first, got := converted(t, in, kind, a, []string{"", ".gz", ".zst"}[i%3])
			if got.Rows != len(nasty) || got.Notes != nil {
				t.Errorf("%s as %s: %+v", kind, a, got)
			}
			for j, b := range FormsOf(kind) {
				second, _ := converted(t, first, kind, b, []string{"", ".gz", ".zst"}[(i+j)%3])
				back, _ := converted(t, second, kind, JSONL, "")
				if d := cmp.Diff(nasty, passagesOf(t, back, kind)); d != "" {
					t.Errorf("%s: %s, %s and back:\n%s", kind, a, b, d)
				}
			}
		}
	}
}

// Titles, line ends and tabs go through the forms that hold them, and nothing is written in the others.
func TestConvertTitles(t *testing.T) {
	in := passageLines(t, titled)
	holds := []Form{BEIR, JSONL, JSON, CSV, Parquet}
	for _, a := range holds {
		for _, b := range holds {
			first, _ := converted(t, in, CorpusKind, a, "")
			second, _ := converted(t, first, CorpusKind, b, "")
			if d := cmp.Diff(titled, passagesOf(t, second, CorpusKind)); d != "" {
				t.Errorf("%s, %s:\n%s", a, b, d)
			}
		}
	}

	joined, got := converted(t, in, CorpusKind, Pyserini, "")
	before, _, _ := Corpus(in)
	after, _, err := Corpus(joined)
	if d := cmp.Diff(before, after); err != nil || d != "" || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "one text a document: 3") {
		t.Errorf("%v, %q\n%s", err, got.Notes, d)
	}
}

// What a form cannot hold is refused with its place, or changed and counted.
func TestConvertRefusesWhatIsNotHeld(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		form Form
		rows []passage
		want string
		flat string // text afterwards; empty: refused with Flatten, too
	}{
		{CorpusKind, MSMARCO, []passage{{ID: "a", Text: "x"}, {ID: "b", Text: "x\ty\r\nz"}}, `line 2: a text of b holds a tab or line end`, "x y z"},
		{CorpusKind, MSMARCO, []passage{{ID: "b", Title: "t", Text: "x"}}, "--to tsv", "t x"},
		{CorpusKind, TSV, []passage{{ID: "b", Text: "x\ny"}}, "--flatten", "x y"},
		{CorpusKind, CSV, []passage{{ID: "b", Text: "x\r\ny"}}, "line ends of Windows", "x\ny"},
		{QueriesKind, TREC, []passage{{ID: "b", Text: "x  y"}}, "single spaces", "x y"},
		{QueriesKind, MSMARCO, []passage{{ID: "id", Text: "text"}}, "read as a heading", ""},
		{QueriesKind, MSMARCO, []passage{{ID: "{id", Text: "x"}}, "another form", ""},
		{CorpusKind, MSMARCO, []passage{{ID: "BZh", Text: "x"}}, "another form", ""},
		{CorpusKind, MSMARCO, []passage{{ID: "x", Text: strings.Repeat("y", 255) + "ustar"}}, "another form", ""},
	} {
		in := passageLines(t, c.rows)
		out := filepath.Join(t.TempDir(), "out"+endings[c.form])
		plan := Conversion{In: in, Out: out, Kind: c.kind, Form: c.form}
		if _, err := Convert(context.Background(), plan); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.form, err, c.want)
		}
		plan.Flatten = true
		got, err := Convert(context.Background(), plan)
		if left, _ := filepath.Glob(filepath.Join(filepath.Dir(out), "*")); err != nil && len(left) > 0 {
			t.Errorf("%s left %v behind", c.form, left)
		}
		if c.flat == "" {
			if err == nil {
				t.Errorf("%s: %s is written", c.form, c.rows[0].Text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.form, err)
			continue
		}
		if rows := passagesOf(t, out, c.kind); rows[len(rows)-1].Text != c.flat || !strings.Contains(fmt.Sprint(got.Notes), "became a space") {
			t.Errorf("%s: %q, %q", c.form, rows, got.Notes)
		}
	}
}

// pairsOf reads judgements or a run as lines.
func pairsOf(t testing.TB, path string, kind Kind, scores bool) (out []string) {
	t.Helper()
	if kind == JudgementsKind {
		q, err := Judgements(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, topic := range q.Order {
			for _, j := range q.Topics[topic] {
				out = append(out, fmt.Sprint(topic, " ", j.Document, " ", j.Relevance))
			}
		}
		return out
	}
	r, err := Run(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, topic := range r.Order {
		for _, one := range r.Topics[topic] {
			line := topic + " " + one.Document
			if scores {
				line = fmt.Sprint(line, " ", one.Score)
			}
			out = append(out, line)
		}
	}
	return out
}

// Judgements and runs go from every form to every other and back: pairs, grades, scores and order.
func TestConvertPairs(t *testing.T) {
	for kind, text := range map[Kind]string{
		JudgementsKind: "q-2 0 z 2\nq-2 0 é& -1\nq-2 0 a,b 0\n1 0 {x} 1\n1 0 \"7\" 3\n",
		RunKind:        "q-2 Q0 z 1 2.5 x\nq-2 Q0 é& 2 0.1 x\nq-2 Q0 a,b 3 -1e-300 x\n1 Q0 {x} 1 1e21 x\n1 Q0 \"7\" 2 0.3333333333333333 x\n",
	} {
		in := written(t, "in.trec", []byte(text))
		scored, bare := pairsOf(t, in, kind, true), pairsOf(t, in, kind, false)
		for i, a := range FormsOf(kind) {
			first, got := converted(t, in, kind, a, []string{"", ".gz", ".zst"}[i%3])
			if got.Rows != len(scored) {
				t.Errorf("%s as %s: %d rows of %d", kind, a, got.Rows, len(scored))
			}
			for _, b := range FormsOf(kind) {
				second, _ := converted(t, first, kind, b, "")
				want, scores := scored, true
				if kind == RunKind && (a == MSMARCO || b == MSMARCO) {
					want, scores = bare, false // ranks alone
				}
				if d := cmp.Diff(want, pairsOf(t, second, kind, scores)); d != "" {
					t.Errorf("%s: %s, %s and back:\n%s", kind, a, b, d)
				}
			}
		}
	}
}

// Published runs, judgements, queries and passages go through every form and back.
func TestConvertPublished(t *testing.T) {
	lancer := []string{"data", "crux_released", "lancer", "data"}
	run := published.Path(t, append(lancer, "crux-mds-duc04-runs", "bm25-crux-mds-duc04.run")...)
	for kind, in := range map[Kind]string{RunKind: run, JudgementsKind: publishedQrels(t)} {
		for _, form := range FormsOf(kind) {
			if form == MSMARCO && kind == RunKind {
				continue // ranks alone
			}
			out, _ := converted(t, in, kind, form, "")
			if d := cmp.Diff(pairsOf(t, in, kind, true), pairsOf(t, out, kind, true)); d != "" {
				t.Errorf("%s as %s:\n%s", kind, form, d)
			}
		}
	}

	for kind, in := range map[Kind]string{
		QueriesKind: publishedQueries(t),
		CorpusKind:  published.Path(t, "data", "crux_released", "crux-labeling", "documents.jsonl"),
	} {
		want := passagesOf(t, in, kind)
		for _, form := range FormsOf(kind) {
			out := filepath.Join(t.TempDir(), "out"+endings[form])
			_, err := Convert(context.Background(), Conversion{In: in, Out: out, Kind: kind, Form: form})
			if err != nil {
				t.Errorf("%s as %s: %v", kind, form, err)
			} else if d := cmp.Diff(want, passagesOf(t, out, kind)); d != "" {
				t.Errorf("%s as %s differ", kind, form)
			}
		}
	}
}

// publishedQrels are judgements of CRUX's annotators: the best grade of a document for any question.
func publishedQrels(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(published.Path(t, "data", "crux_released", "crux-labeling", "annotations", "annotator1", "qrels.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		var row struct {
			ID, Document string
			Relevances   map[string]int
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s 0 %s %d\n", row.ID, row.Document, slices.Max(slices.Collect(maps.Values(row.Relevances))))
	}
	return written(t, "qrels.txt", []byte(b.String()))
}

// publishedQueries are those of MSRS as lines of JSON.
func publishedQueries(t *testing.T) string {
	t.Helper()
	data, err := os.ReadFile(published.Path(t, "data", "msrs", "meeting", "queries_test.json"))
	if err != nil {
		t.Fatal(err)
	}
	var queries map[string]struct{ Query string }
	if err := json.Unmarshal(data, &queries); err != nil {
		t.Fatal(err)
	}
	var rows []passage
	for _, id := range slices.Sorted(maps.Keys(queries)) {
		rows = append(rows, passage{ID: id, Text: queries[id].Query})
	}
	return passageLines(t, rows)
}

// Ranks of MS MARCO are those of trec_eval: by score, and of equal scores the greater id first.
func TestConvertRanks(t *testing.T) {
	in := written(t, "in.trec", []byte("1 Q0 a 1 0.5 x\n1 Q0 b 2 0.5 x\n1 Q0 c 3 2 x\n"))
	out, got := converted(t, in, RunKind, MSMARCO, "")
	data, err := os.ReadFile(out)
	if err != nil || string(data) != "1\tc\t1\n1\tb\t2\n1\ta\t3\n" || len(got.Notes) != 2 {
		t.Errorf("%q, %v, %q", data, err, got.Notes)
	}
}

// Iterations, fields and names are counted where they are left out, and judgements that would fall together are refused.
func TestConvertCountsWhatIsLeftOut(t *testing.T) {
	in := written(t, "qrels.txt", []byte("1 0 a 1\n1 2 b 1\n"))
	if _, got := converted(t, in, JudgementsKind, JSON, ""); !strings.Contains(fmt.Sprint(got.Notes), "iteration is left out, since json has none: 1") {
		t.Error(got.Notes)
	}
	if out, got := converted(t, in, JudgementsKind, MSMARCO, ""); got.Notes != nil {
		t.Error(got.Notes)
	} else if data, _ := os.ReadFile(out); string(data) != "1\t0\ta\t1\n1\t2\tb\t1\n" {
		t.Errorf("%q", data)
	}
	in = written(t, "qrels.txt", []byte("1 1 a 1\n1 2 a 0\n"))
	_, err := Convert(context.Background(), Conversion{In: in, Out: filepath.Join(t.TempDir(), "x.csv")})
	if err == nil || !strings.Contains(err.Error(), "iterations 1 and 2") {
		t.Error(err)
	}

	in = written(t, "docs.jsonl", []byte(`{"id":1,"text":"a","url":"u","metadata":{}}`+"\n"+`{"id":"2","text":"b","contents":"c","url":"v"}`))
	if _, got := converted(t, in, CorpusKind, CSV, ""); !strings.Contains(fmt.Sprint(got.Notes), "contents 1, url 2") {
		t.Error(got.Notes)
	}
	in = written(t, "topics", []byte("<top>\n<num> 7\n<title> a\n<desc> long\n</top>\n"))
	if _, got := converted(t, in, QueriesKind, JSONL, ""); !strings.Contains(fmt.Sprint(got.Notes), "desc 1") {
		t.Error(got.Notes)
	}
	in = written(t, "two.run", []byte("1 Q0 a 1 2 x\n1 Q0 b 2 1 y\n"))
	if _, got := converted(t, in, RunKind, TREC, ""); !strings.Contains(fmt.Sprint(got.Notes), "several names") {
		t.Error(got.Notes)
	}
}

// What a file holds is told by its beginning, or else by its name, or it is asked for.
func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       Kind
	}{
		{"a.tsv", "1\ttext\n", ""}, {"queries.dev.tsv", "1\ttext\n", QueriesKind}, {"collection.tsv", "1\ttext\n", CorpusKind},
		{"docs4.tsv", "D1\thttp://x\tA title\tA text of 5\n", CorpusKind}, {"a.txt", "1 0 a 1\n", JudgementsKind},
		{"a.tsv", "1\t0\ta\t1\n", JudgementsKind}, {"a.txt", "1 Q0 a 1 2.5 x\n", RunKind}, {"a.tsv", "1\ta\t1\n", ""}, {"run.tsv", "1\ta\t1\n", RunKind},
		{"qrels.tsv", "1\ta\t1\n", JudgementsKind}, {"a.tsv", "query_id\tdoc_id\trelevance\titeration\n1\ta\t1\t0\n", JudgementsKind},
		{"a.tsv", "query-id\tcorpus-id\tscore\n1\ta\t1\n", JudgementsKind}, {"a.tsv", "qid\tdocid\tscore\n1\ta\t1\n", ""},
		{"a", `{"1": {"a": 1}}`, ""}, {"qrels.json", `{"1": {"a": 1}}`, JudgementsKind}, {"a", `{"1": {"a": 0.5}}`, RunKind},
		{"my.run.json", `{"1": {"a": 1}}`, RunKind}, {"a.csv", "q_id,doc_id,score\n1,a,1\n", ""},
		{"a.csv", "q_id,doc_id,relevance\n1,a,1\n", JudgementsKind}, {"a.jsonl", `{"_id":"1","title":"","text":"x"}`, CorpusKind},
		{"a.jsonl", `{"qid":"1","query":"x"}`, QueriesKind}, {"a.jsonl", `{"id":"1","text":"x"}`, ""},
		{"a", "<top>\n<num> 1\n<title> x\n</top>\n", QueriesKind}, {"a.json", `[{"id":"1","contents":"x"}]`, CorpusKind},
		{"a.jsonl", `{"metadata":{"n":1},"id":"1","title":"x","text":"y"}`, CorpusKind},
	} {
		got, err := KindOf(written(t, c.name, []byte(c.text)))
		var choice *ChoiceError
		if got != c.want || (c.want == "") != errors.As(err, &choice) {
			t.Errorf("%s %q: %q, %v, want %q", c.name, c.text, got, err, c.want)
		}
	}
}

// Nothing is written over what is read, over what is there, or as a form by another's ending.
func TestConvertRefusesPlaces(t *testing.T) {
	dir := t.TempDir()
	corpus := passageLines(t, nasty)
	folder := filepath.Join(dir, "scifact")
	steps := []struct {
		c    Conversion
		want string
	}{
		{Conversion{In: corpus, Out: corpus, Kind: CorpusKind, Force: true}, "is what is read"},
		{Conversion{In: corpus, Out: folder, Kind: CorpusKind}, ""},
		{Conversion{In: corpus, Out: folder, Kind: CorpusKind}, "--force"},
		{Conversion{In: corpus, Out: folder, Kind: CorpusKind, Force: true}, ""},
		{Conversion{In: folder, Out: folder, Force: true}, "is what is read"},
		{Conversion{In: folder, Out: filepath.Join(dir, "x.tsv")}, ""},
		{Conversion{In: corpus, Out: folder, Kind: QueriesKind}, ""},
		{Conversion{In: folder, Out: filepath.Join(dir, "y.tsv")}, "--as corpus, --as queries"},
		{Conversion{In: corpus, Out: filepath.Join(dir, "x.pq"), Kind: CorpusKind}, "give --to"},
		{Conversion{In: corpus, Out: filepath.Join(dir, "x.csv"), Kind: CorpusKind, Form: JSONL}, "do not go together"},
		{Conversion{In: corpus, Out: filepath.Join(dir, "x.dat"), Kind: CorpusKind, Form: Parquet}, "do not go together"},
		{Conversion{In: corpus, Out: filepath.Join(dir, "x.trec"), Kind: CorpusKind}, "not written as trec"},
		{Conversion{In: filepath.Dir(corpus), Out: filepath.Join(filepath.Dir(corpus), "x.csv")}, "would be read with it"},
		{Conversion{In: corpus, Out: dir, Kind: CorpusKind, Form: JSONL, Force: true}, "not a file"},
	}
	for i, s := range steps {
		_, err := Convert(context.Background(), s.c)
		var choice *ChoiceError
		if (s.want == "") != (err == nil) || err != nil && (!errors.As(err, &choice) || !strings.Contains(err.Error(), s.want)) {
			t.Errorf("step %d: %v, want %q", i, err, s.want)
		}
	}
}

// One who ends the command leaves nothing behind.
func TestConvertStops(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	stop()
	out := filepath.Join(t.TempDir(), "x.csv")
	_, err := Convert(ctx, Conversion{In: passageLines(t, nasty), Out: out, Kind: CorpusKind})
	if left, _ := filepath.Glob(filepath.Dir(out) + "/*"); !errors.Is(err, context.Canceled) || len(left) > 0 {
		t.Error(err, left)
	}
}

// What is written is read again as it was, or refused.
func FuzzConvert(f *testing.F) {
	f.Add("a", "", "x", uint8(0))
	f.Add("{a", "t", "x\r\ny\t", uint8(6))
	f.Add("<b>", "", "Topic: &lt; <desc> x", uint8(17))
	f.Fuzz(func(t *testing.T, id, title, text string, n uint8) {
		kind := CorpusKind
		if n >= 100 {
			kind, title = QueriesKind, ""
		}
		in := passageLines(t, []passage{{ID: id, Title: title, Text: text}})
		w := writing{Conversion: Conversion{In: in, Kind: kind}, losses: &losses{fields: map[string]int{}}}
		var want []passage
		if err := w.eachPassage(func(p passage) error { want = append(want, p); return nil }); err != nil {
			return
		}
		form := FormsOf(kind)[int(n)%len(FormsOf(kind))]
		out := filepath.Join(t.TempDir(), "out"+endings[form])
		if _, err := Convert(context.Background(), Conversion{In: in, Out: out, Kind: kind, Form: form}); err != nil {
			return
		}
		got := passagesOf(t, out, kind)
		if form == Pyserini {
			want = []passage{{ID: want[0].ID, Text: w.joinedText(want[0])}}
		}
		if strings.TrimSpace(want[0].Title) == "" && form == MSMARCO {
			want[0].Title = "" // of white space alone
		}
		if strings.TrimSpace(want[0].Text) == "" {
			want[0].Text, got[0].Text = "", strings.TrimSpace(got[0].Text)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s:\n%s", form, d)
		}
	})
}
