package trec

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/local/published"
)

const run = "1 Q0 d1 1 2.5 tag\n1\tQ0\td2\t2\t-1e3\ttag\n\n2 Q0 d1 1 0 tag\n"

func gz(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(s))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReadRunInEveryShape(t *testing.T) {
	want := &Run{Tag: "tag", Order: []string{"1", "2"}, Topics: map[string][]Result{"1": {{"d1", 2.5}, {"d2", -1000}}, "2": {{"d1", 0}}}}
	for name, in := range map[string]string{
		"plain": run, "windows": strings.ReplaceAll(run, "\n", "\r\n"), "bom": "\xef\xbb\xbf" + run,
		"gzip": gz(t, run), "gzip bom windows": gz(t, "\xef\xbb\xbf"+strings.ReplaceAll(run, "\n", "\r\n")), "no last newline": strings.TrimSpace(run),
	} {
		got, err := ReadRun(strings.NewReader(in), name)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestErrorsNameTheLine(t *testing.T) {
	for in, want := range map[string]string{
		"1 Q0 d1 1 2.5 tag\n1 Q0 d2 2\n":              "f:2: a run line has 6 fields",
		"1 Q0 d1 1 abc tag\n":                         `f:1: score "abc" is not a number`,
		"1 Q0 d1 1 NaN tag\n":                         `f:1: score "NaN" is not a number`,
		"1 Q0 d1 1 1 tag\n\n1 Q0 d1 2 1 tag\n":        "f:3: document d1 of topic 1 is already in line 1",
		"1 Q0 d\u00a01 1 1 tag\n":                     "f:1: the id \"d\\u00a01\" holds white space (U+00A0)",
		"1\u0085 Q0 d1 1 1 tag\n":                     "f:1: the id",
		"1 Q0 d1 1 1 t\x1b[2J\n":                      "cannot be seen (U+001B)",
		"1 Q0 \xff 1 1 t\n":                           "is not UTF-8",
		"":                                            "f: the file is empty",
		"\x1f\x8bxx":                                  "f: not a readable gzip file",
		"1 Q0 d1 1 1 " + strings.Repeat("x", 1<<20+1): "f:1: the line is longer",
	} {
		_, err := ReadRun(strings.NewReader(in), "f")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: got %v, want %q", in, err, want)
		}
	}
	for in, want := range map[string]string{
		"1 0 d1 x\n":         `f:1: relevance "x" is not a whole number`,
		"1 0 d\u00a0 1\n":    "f:1: the id",
		"1 0 d1\n":           "f:1: a qrels line has 4 fields",
		"1 0 d 1\n1 0 d 0\n": "f:2: the judgement of document d for topic 1 is already in line 1",
	} {
		_, err := ReadQrels(strings.NewReader(in), "f")
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", in, err, want)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	in, err := ReadRun(strings.NewReader(run), "f")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteRun(&b, "tag", []string{"1", "2"}, in.Topics); err != nil {
		t.Fatal(err)
	}
	out, err := ReadRun(&b, "f")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in, out); diff != "" {
		t.Error(diff)
	}
	if err := WriteRun(&b, "tag", []string{"1"}, map[string][]Result{"1": {{"a b", 1}}}); err == nil {
		t.Error("a document id with a space was written")
	}
}

func TestQrelsRoundTrip(t *testing.T) {
	in, err := ReadQrels(strings.NewReader("2 0 d1 1\n1 s d2 -1\n2 0 d3 0\n"), "f")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteQrels(&b, in); err != nil {
		t.Fatal(err)
	}
	out, err := ReadQrels(&b, "f")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in, out); diff != "" {
		t.Error(diff)
	}
}

func FuzzReadRun(f *testing.F) {
	f.Add([]byte(run))
	f.Add([]byte("1 Q0 d 1 inf t"))
	f.Add(published.Seed(2000, "golden/ir", "run.trec"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadRun(bytes.NewReader(data), "f")
		if err == nil && len(r.Topics) == 0 {
			t.Error("an empty run is no error")
		}
	})
}

func FuzzReadQrels(f *testing.F) {
	f.Add([]byte("1 0 d1 1\n1 0 d2 -1\n"))
	f.Add(published.Seed(2000, "golden/ir", "qrels.txt"))
	f.Add(published.Seed(2000, "golden/ir", "diversity_qrels.txt"))
	f.Fuzz(func(t *testing.T, data []byte) {
		q, err := ReadQrels(bytes.NewReader(data), "f")
		if err == nil && len(q.Topics) == 0 {
			t.Error("empty qrels are no error")
		}
	})
}

// A run of a million lines: 1,000 topics of 1,000 documents.
func BenchmarkReadRunMillion(b *testing.B) {
	var file bytes.Buffer
	for topic := range 1000 {
		for rank := range 1000 {
			fmt.Fprintf(&file, "%d Q0 clueweb09-en%04d-%02d-%05d %d %g lore\n", topic, rank%133, topic%99, rank*7, rank+1, 30-float64(rank)/100)
		}
	}
	b.SetBytes(int64(file.Len()))
	for b.Loop() {
		if _, err := ReadRun(bytes.NewReader(file.Bytes()), "f"); err != nil {
			b.Fatal(err)
		}
	}
}
