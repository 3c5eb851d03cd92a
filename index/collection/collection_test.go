package collection

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"lore/index/trec"
	"lore/local/files"
)

// write puts files into a folder and returns it.
func write(t testing.TB, contents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range contents {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func gz(t testing.TB, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(s)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zst(t testing.TB, s string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(s), nil))
}

func table[T any](t testing.TB, rows []T) string {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// One corpus in every form that the field has for it.
func TestCorpusInEveryForm(t *testing.T) {
	type titled struct {
		DocID string `parquet:"doc_id"`
		Title string `parquet:"title"`
		Text  string `parquet:"text"`
	}
	beir := `{"_id": "a", "title": "Tides", "text": "The sea, and \"more\"."}` + "\n" + `{"_id": "b", "title": "", "text": "Seals\trest."}` + "\n"
	pyserini := `{"id": "a", "contents": "Tides\nThe sea, and \"more\"."}` + "\n" + `{"id": "b", "contents": "Seals\trest."}` + "\n"
	plain := "a\tTides The sea, and \"more\".\nb\tSeals rest.\n"
	exact := []files.Document{{ID: "a", Text: "Tides\nThe sea, and \"more\"."}, {ID: "b", Text: "Seals\trest."}}
	flat := []files.Document{{ID: "a", Text: "Tides The sea, and \"more\"."}, {ID: "b", Text: "Seals rest."}}

	dir := write(t, map[string]string{
		"beir/corpus.jsonl": beir, "beir/queries.jsonl": `{"_id":"1","text":"tide"}`, "beir/qrels/test.tsv": "query-id\tcorpus-id\tscore\n1\ta\t1\n",
		"packed/corpus.jsonl.gz": gz(t, beir),
		"pyserini.jsonl":         pyserini,
		"parts/docs00.jsonl":     strings.SplitAfter(pyserini, "\n")[0],
		"parts/docs01.jsonl.zst": zst(t, strings.SplitAfter(pyserini, "\n")[1]),
		"irds.jsonl":             strings.ReplaceAll(beir, `"_id"`, `"doc_id"`),
		"list.json":              "[\n" + strings.Replace(strings.TrimSpace(beir), "\n", ",\n", 1) + "\n]",
		"collection.tsv":         plain,
		"collection.tsv.gz":      gz(t, plain),
		"two.tsv.gz":             gz(t, "a\tTides The sea, and \"more\".\n") + gz(t, "b\tSeals rest.\n"),
		"headed.tsv":             "\xef\xbb\xbfid\ttext\r\n" + strings.ReplaceAll(plain, "\n", "\r\n"),
		"docs.tsv":               "a\thttp://x\tTides\tThe sea, and \"more\".\nb\thttp://y\t\tSeals rest.\n",
		"docs.csv":               "doc_id,title,text\na,Tides,\"The sea, and \"\"more\"\".\"\nb,,Seals\trest.\n",
		"docs.parquet":           table(t, []titled{{"a", "Tides", `The sea, and "more".`}, {"b", "", "Seals\trest."}}),
		"docs.csv.zst":           zst(t, "id,contents\na,\"Tides\nThe sea, and \"\"more\"\".\"\nb,Seals\trest.\n"),
	})
	for name, want := range map[string][]files.Document{
		"beir": exact, "packed": exact, "pyserini.jsonl": exact, "parts": exact, "irds.jsonl": exact, "list.json": exact,
		"collection.tsv": flat, "collection.tsv.gz": flat, "two.tsv.gz": flat, "headed.tsv": flat,
		"docs.tsv": {exact[0], flat[1]}, "docs.csv": exact, "docs.parquet": exact, "docs.csv.zst": exact,
	} {
		docs, warnings, err := Corpus(filepath.Join(dir, name))
		if err != nil || len(warnings) != 0 {
			t.Errorf("%s: %v %v", name, err, warnings)
			continue
		}
		if diff := cmp.Diff(want, docs); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

const trecTopics = `<top>
<num> Number: 301
<title> International Organized Crime

<desc> Description:
Identify organizations.

<narr> Narrative:
A relevant document.
</top>

<top>
<num> Number: 302 </num>
<title> Poliomyelitis &amp; Post-Polio </title>
<desc> Description: </desc>
</top>
`

func TestQueriesInEveryForm(t *testing.T) {
	type asked struct {
		ID   int64  `parquet:"query_id"`
		Text string `parquet:"text"`
	}
	dir := write(t, map[string]string{
		"q.jsonl":          `{"id":"301","query":"International Organized Crime"}` + "\n" + `{"_id":302,"text":"Poliomyelitis & Post-Polio"}` + "\n",
		"q.tsv":            "301\tInternational Organized Crime\n302\tPoliomyelitis & Post-Polio\n",
		"q.tsv.zst":        zst(t, "query_id\ttext\n301\tInternational Organized Crime\n302\tPoliomyelitis & Post-Polio\n"),
		"q.csv":            "qid,query\n301,International Organized Crime\n302,Poliomyelitis & Post-Polio\n",
		"q.parquet":        table(t, []asked{{301, "International Organized Crime"}, {302, "Poliomyelitis & Post-Polio"}}),
		"topics.301":       trecTopics,
		"topics.gz":        gz(t, trecTopics),
		"topics.xml":       "<?xml version='1.0'?>\n<topics>\n<topic number=\"301\"><query>International Organized Crime</query><question>Which?</question></topic>\n<topic number='302' type=\"faceted\">\n<query>Poliomyelitis &amp; Post-Polio</query><description>x</description>\n</topic></topics>",
		"list.json":        `[{"qid":"301","title":"International Organized Crime"},{"qid":"302","title":"Poliomyelitis & Post-Polio"}]`,
		"b/corpus.jsonl":   `{"_id":"d","text":"x"}`,
		"b/queries.jsonl":  `{"_id":"301","text":"International Organized Crime"}` + "\n" + `{"_id":"302","text":"Poliomyelitis & Post-Polio"}` + "\n" + `{"_id":"train","text":"x"}`,
		"b/qrels/test.tsv": "query-id\tcorpus-id\tscore\n301\td\t1\n302\td\t0\n",
	})
	want := []Query{{"301", "International Organized Crime"}, {"302", "Poliomyelitis & Post-Polio"}}
	for _, name := range strings.Fields("q.jsonl q.tsv q.tsv.zst q.csv q.parquet topics.301 topics.gz topics.xml list.json b") {
		got, notes, err := Queries(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if name == "b" && (len(notes) != 1 || !strings.Contains(notes[0], "2 of 3 queries are judged")) {
			t.Errorf("%v", notes)
		}
	}
}

func TestJudgementsAndRunsInEveryForm(t *testing.T) {
	type ranx struct {
		Topic string  `parquet:"q_id"`
		Doc   string  `parquet:"doc_id"`
		Score float64 `parquet:"score"`
	}
	dir := write(t, map[string]string{
		"trec.txt": "1 0 a 2\n1 0 b 0\n2 0 c 1\n", "trec.txt.zst": zst(t, "1 0 a 2\n1 0 b 0\n2 0 c 1\n"),
		"beir/corpus.jsonl": "{}", "beir/qrels/test.tsv": "query-id\tcorpus-id\tscore\n1\ta\t2\n1\tb\t0\n2\tc\t1\n",
		"pytrec.json": `{"1": {"a": 2, "b": 0}, "2": {"c": 1}}`, "pytrec.json.gz": gz(t, `{"1": {"a": 2, "b": 0}, "2": {"c": 1.0}}`),
		"q.csv": "query_id,doc_id,relevance\n1,a,2\n1,b,0\n2,c,1\n", "q.parquet": table(t, []ranx{{"1", "a", 2}, {"1", "b", 0}, {"2", "c", 1}}),

		"run.trec": "1 Q0 a 1 -1 x\n1 Q0 b 2 -2 x\n2 Q0 c 1 -1 x\n", "run.zst": zst(t, "1 Q0 a 1 -1 x\n1 Q0 b 2 -2 x\n2 Q0 c 1 -1 x\n"),
		"run.json": `{"1": {"a": -1, "b": -2.0}, "2": {"c": -1}}`, "marco.tsv": "1\ta\t1\n1\tb\t2\n2\tc\t1\n",
		"run.parquet": table(t, []ranx{{"1", "a", -1}, {"1", "b", -2}, {"2", "c", -1}}),
	})
	want := map[string][]trec.Judgement{
		"1": {{Iteration: "0", Document: "a", Relevance: 2}, {Iteration: "0", Document: "b"}}, "2": {{Iteration: "0", Document: "c", Relevance: 1}},
	}
	for _, name := range strings.Fields("trec.txt trec.txt.zst beir beir/qrels/test.tsv pytrec.json pytrec.json.gz q.csv q.parquet") {
		q, err := Judgements(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, q.Topics); diff != "" || fmt.Sprint(q.Order) != "[1 2]" {
			t.Errorf("%s: %s %v", name, diff, q.Order)
		}
	}
	ranked := map[string][]trec.Result{"1": {{Document: "a", Score: -1}, {Document: "b", Score: -2}}, "2": {{Document: "c", Score: -1}}}
	for _, name := range strings.Fields("run.trec run.zst run.json marco.tsv run.parquet") {
		r, err := Run(filepath.Join(dir, name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(ranked, r.Topics); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// What cannot be read is refused with its place and what to do.
func TestWhatIsRefused(t *testing.T) {
	dir := write(t, map[string]string{
		"empty.jsonl": "", "blank.tsv": "\n \n", "twice.jsonl": `{"id":"a","text":"x"}` + "\n" + `{"id":"a","text":"y"}`,
		"broken.jsonl": `{"id":"a","text":"x"}` + "\n{", "pretty.json": "{\n \"id\": \"a\",\n \"text\": \"x\"\n}", "space.jsonl": `{"id":"a b","text":"x"}`,
		"latin.jsonl": "{\"id\":\"a\",\"text\":\"caf\xe9\"}", "notab.tsv": "1 tides\n", "ragged.tsv": "1\tx\n2\ty\tz\n", "five.tsv": "1\t2\t3\t4\t5\n",
		"ragged.csv": "id,text\n1,x\n2,y,z\n", "names.csv": "ids,txt\n1,x\n", "x.lz4": "\x04\x22\x4d\x18xx", "x.gz": "\x1f\x8bxx", "x.xz": "\xfd7zXZ\x00",
		"broken.parquet": "PAR1xx", "docs.sgml": "<DOC>\n<DOCNO> a </DOCNO>\n</DOC>", "open.topics": "<top><num>1<title>x</title></top><top><num>2<title>y",
		"nonum.topics": "<top><title>x</title></top>", "mixed/a.txt": "x", "mixed/b.jsonl": `{"id":"a","text":"x"}`,
		"cut.gz":    gz(t, strings.Repeat("a\ttext\n", 1))[:20],
		"p/a.jsonl": `{"id":"a","text":"x"}`, "p/b.jsonl": `{"id":"a","text":"y"}`,
	})
	for name, want := range map[string]string{
		"empty.jsonl": "the file is empty", "blank.tsv": "the file is empty", "twice.jsonl": `line 2: the id "a" is already in line 1`,
		"broken.jsonl": "line 2: is not an object of JSON on one line", "pretty.json": "write one object a line, or a list", "space.jsonl": "white space",
		"latin.jsonl": "line 1: is not UTF-8", "notab.tsv": "line 1: has no tab and is no heading; write id, tab, text",
		"ragged.tsv": "line 2: has 3 cells parted by tabs where 2 belong", "five.tsv": "has 5 cells parted by tabs and is no heading",
		"ragged.csv": "line 3: has 3 cells, the heading 2", "names.csv": `rename "ids" to "id"`, "x.lz4": "compressed by lz4", "x.gz": "not a readable gzip",
		"x.xz": "compressed by xz", "broken.parquet": "Parquet", "docs.sgml": "documents of TREC in SGML", "open.topics": "opens 2 topics and closes 1",
		"nonum.topics": "id", "mixed": "holds texts, such as a.txt, and rows of documents, such as b.jsonl", "cut.gz": "unexpected EOF",
		"p": `the id "a" is already in a.jsonl, line 1`, "nowhere": "no such file",
	} {
		_, _, err := Corpus(filepath.Join(dir, name))
		if strings.HasSuffix(name, ".topics") {
			_, _, err = Queries(filepath.Join(dir, name))
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}

	pairs := write(t, map[string]string{
		"half.json": `{"1": {"a": 0.5}}`, "twice.tsv": "query-id\tcorpus-id\tscore\n1\ta\t1\n1\ta\t0\n", "list.json": `{"1": ["a"]}`, "cut.json": `{"1": {"a": 1}`,
		"text.csv": "query_id,doc_id,score\n1,a,good\n", "no.csv": "query_id,document,score\n1,a,1\n", "folder/x": "",
	})
	for name, want := range map[string]string{
		"half.json": "relevance 0.5 is not a whole number", "twice.tsv": "document a of topic 1 is already in line 2", "list.json": "topic 1 is not an object",
		"cut.json": "EOF", "text.csv": `"good" is not a number`, "no.csv": `there is no "doc_id": the record has the fields document, query_id, score`, "folder": "without qrels/test.tsv",
	} {
		if _, err := Judgements(filepath.Join(pairs, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// Whatever a file holds, it is read or refused, and what is read has ids.
func FuzzCollections(f *testing.F) {
	for _, s := range []string{`{"id":"a","text":"x"}`, "a\tx\n", "id\ttext\n1\tx\n", trecTopics, `[{"id":1,"text":"x"}]`, "<topic number='1'><query>x</query></topic>",
		`{"1":{"a":1}}`, "1\ta\t2\n", "1 0 a 2\n", gz(f, "a\tx\n"), zst(f, "a\tx\n"), table(f, []struct{ ID, Text string }{{"a", "x"}})} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, name := range []string{"x.jsonl", "x.csv", "x.parquet"} {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			docs, _, err := Corpus(path)
			if err == nil && (len(docs) == 0 || docs[0].ID == "") {
				t.Errorf("%q is read as %+v", data, docs)
			}
			queries, _, err := Queries(path)
			if err == nil && (len(queries) == 0 || queries[0].Text == "") {
				t.Errorf("%q is read as %+v", data, queries)
			}
			if q, err := Judgements(path); err == nil && len(q.Order) == 0 {
				t.Errorf("%q has no judgements and is no error", data)
			}
			if r, err := Run(path); err == nil && len(r.Order) == 0 {
				t.Errorf("%q has no results and is no error", data)
			}
		}
	})
}
