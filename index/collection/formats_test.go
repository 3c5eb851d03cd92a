package collection

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// row is a document or query as every format can hold it: no tabs, no line ends.
type row struct {
	ID   string `json:"id" parquet:"id"`
	Text string `json:"text" parquet:"text"`
}

var made = []row{{"10", `a "quoted", text`}, {"d-2", "Ärger, 東京 & <b>"}, {"x", "plain"}, {"y", "a text's end"}}

// jsonLines writes rows under the names that a tool has for their fields.
func jsonLines(id, text string) []byte {
	var b bytes.Buffer
	for _, r := range made {
		line, _ := json.Marshal(map[string]string{id: r.ID, text: r.Text})
		b.Write(append(line, '\n'))
	}
	return b.Bytes()
}

func cellTable(comma rune, heading ...string) []byte {
	var b bytes.Buffer
	if comma == '\t' {
		for _, r := range made {
			fmt.Fprintf(&b, "%s\t%s\n", r.ID, r.Text)
		}
		return append([]byte(headingLine(heading)), b.Bytes()...)
	}
	w := csv.NewWriter(&b)
	_ = w.Write(heading)
	for _, r := range made {
		_ = w.Write([]string{r.ID, r.Text})
	}
	w.Flush()
	return b.Bytes()
}

func headingLine(heading []string) string {
	if len(heading) == 0 {
		return ""
	}
	return strings.Join(heading, "\t") + "\n"
}

func parquetTable(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := parquet.Write(&b, made); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(data []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}

func zstandard(t *testing.T, data []byte) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll(data, nil)
}

// The same rows come out of every format, as corpus and as queries: ids, texts and order.
func TestFormatsHoldTheSame(t *testing.T) {
	list, _ := json.Marshal(made)
	for name, data := range map[string][]byte{
		"pyserini.jsonl":      jsonLines("id", "contents"),
		"beir.jsonl":          jsonLines("_id", "text"),
		"ir_datasets.jsonl":   jsonLines("doc_id", "text"),
		"list.json":           list,
		"msmarco.tsv":         cellTable('\t'),
		"heading.tsv":         cellTable('\t', "id", "text"),
		"table.csv":           cellTable(',', "id", "text"),
		"table.parquet":       parquetTable(t),
		"packed.jsonl.gz":     gzipped(jsonLines("id", "text")),
		"packed.tsv.zst":      zstandard(t, cellTable('\t')),
		"windows.tsv":         bytes.ReplaceAll(cellTable('\t', "id", "text"), []byte("\n"), []byte("\r\n")),
		"windows.csv":         bytes.ReplaceAll(cellTable(',', "id", "text"), []byte("\n"), []byte("\r\n")),
		"windows.jsonl":       bytes.ReplaceAll(jsonLines("id", "text"), []byte("\n"), []byte("\r\n")),
		"mark.jsonl":          append([]byte("\uFEFF"), jsonLines("id", "text")...),
		"mark.tsv":            append([]byte("\uFEFF"), cellTable('\t', "id", "text")...),
		"mark.csv":            append([]byte("\uFEFF"), cellTable(',', "id", "text")...),
		"no_final_line.jsonl": bytes.TrimSpace(jsonLines("id", "text")),
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		docs, _, err := Corpus(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var got []row
		for _, d := range docs {
			got = append(got, row{d.ID, d.Text})
		}
		if d := cmp.Diff(made, got); d != "" {
			t.Errorf("%s as a corpus:\n%s", name, d)
		}

		if name == "pyserini.jsonl" || name == "ir_datasets.jsonl" {
			continue // names of a document's fields
		}
		queries, _, err := Queries(path)
		got = nil
		for _, q := range queries {
			got = append(got, row(q))
		}
		if d := cmp.Diff(made, got); err != nil || d != "" {
			t.Errorf("%s as queries: %v\n%s", name, err, d)
		}
	}
}

func utf16Of(text string, bigEndian bool) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune("\uFEFF" + text)) {
		if bigEndian {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

// What is not read is refused with what it is and what to do.
func TestOtherPackingsAndEncodings(t *testing.T) {
	var tarred, zipped bytes.Buffer
	tw := tar.NewWriter(&tarred)
	_ = tw.WriteHeader(&tar.Header{Name: "corpus.jsonl", Size: int64(len(jsonLines("id", "text"))), Mode: 0o600})
	_, _ = tw.Write(jsonLines("id", "text"))
	_ = tw.Close()
	zw := zip.NewWriter(&zipped)
	f, _ := zw.Create("corpus.jsonl")
	_, _ = f.Write(jsonLines("id", "text"))
	_ = zw.Close()

	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"corpus.tar":    {tarred.Bytes(), "tar"},
		"corpus.tar.gz": {gzipped(tarred.Bytes()), "tar"},
		"corpus.zip":    {zipped.Bytes(), "zip"},
		"little.tsv":    {utf16Of("id\ttext\n1\ta\n", false), "UTF-16"},
		"big.jsonl":     {utf16Of(`{"id":"1","text":"a"}`, true), "UTF-16"},
		"big.csv":       {utf16Of("id,text\n1,a\n", true), "UTF-16"},
		"latin.tsv":     {[]byte("1\tna\xefve\n"), "UTF-8"},
		"latin.csv":     {[]byte("id,text\n1,na\xefve\n"), "UTF-8"},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		for what, read := range map[string]func() error{
			"corpus":     func() error { _, _, err := Corpus(path); return err },
			"queries":    func() error { _, _, err := Queries(path); return err },
			"judgements": func() error { _, err := Judgements(path); return err },
			"run":        func() error { _, err := Run(path); return err },
		} {
			if err := read(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s as %s: %v, want %s", name, what, err, c.want)
			}
		}
	}
}
