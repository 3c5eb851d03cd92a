package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lore/local/ollama/ollamatest"
)

// vectors are the JSON of one vector per text.
func vectors(texts []string, of func(i int, text string) string) string {
	var out []string
	for i, t := range texts {
		out = append(out, of(i, t))
	}
	return "[" + strings.Join(out, ",") + "]"
}

// honest are the vectors that the server gives by itself.
func honest(_ int, text string) string {
	data, err := json.Marshal(ollamatest.HashedWords(text))
	if err != nil {
		panic(err) // numbers
	}
	return string(data)
}

// validating runs lore judge validate with an embedder of a server as judge.
func validating(t *testing.T, s *ollamatest.Server, kept, row string) (code int, out, errs string) {
	t.Helper()
	labels := filepath.Join(t.TempDir(), "labels.csv")
	text := "group,text,statement,label\n" +
		"g,The red bridge opened in 1901.,The red bridge was opened in 1901.,full\n" +
		"g,Ships pass at noon.,The tower is made of glass.,none\n" +
		"h,\"A bridge of some colour opened.\n\n  \nIt was old.\",The bridge was opened by the king.,partial\n" + row
	if err := os.WriteFile(labels, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	args := []string{"judge", "validate", labels, "--judge", "embed:ollama:fake", "--host", s.Start(t).URL,
		"--index-dir", kept, "--cache", "none", "--out", t.TempDir(), "--max-failures", "1"}
	code = Main(args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// An embedder of a server judges by cosine: what is worded alike scores more, and what was computed
// once is not asked for again.
func TestServedEmbedderAsJudge(t *testing.T) {
	kept, s := t.TempDir(), &ollamatest.Server{}
	code, out, errs := validating(t, s, kept, "")
	// People say 1, 0, ½ and the judge full, none, none; its scores are in people's order.
	if code != exitOK || !strings.Contains(out, "embed:ollama:fake    0.866  0.866 to 1.000     1.000 ") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	asked := len(s.Embeds())
	if code, again, errs := validating(t, s, kept, ""); code != exitOK || len(s.Embeds()) != asked+1 {
		t.Errorf("exit code %d, %d more requests than the trial\n%s%s", code, len(s.Embeds())-asked-1, again, errs)
	}
}

// Vectors that say nothing are refused, when the judge is opened and later: with the model's name and
// what to do, and without a figure.
func TestServedEmbedderOfGarbage(t *testing.T) {
	bad := map[string]struct {
		vectors func(texts []string) string
		want    string
	}{
		"no JSON":           {func([]string) string { return "[[0.1, 0.2" }, "the vectors cannot be read"},
		"NaN":               {func(texts []string) string { return vectors(texts, func(int, string) string { return "[NaN,1]" }) }, "the vectors cannot be read"},
		"overflow":          {func(texts []string) string { return vectors(texts, func(int, string) string { return "[1e39,1]" }) }, "the vectors cannot be read"},
		"words":             {func(texts []string) string { return vectors(texts, func(int, string) string { return `["a"]` }) }, "the vectors cannot be read"},
		"zeros":             {func(texts []string) string { return vectors(texts, func(int, string) string { return "[0,0]" }) }, "gives a vector of zeros"},
		"nothing":           {func(texts []string) string { return vectors(texts, func(int, string) string { return "[]" }) }, "gives an empty vector"},
		"too few":           {func(texts []string) string { return vectors(texts[1:], honest) }, "vectors for "},
		"products overflow": {func(texts []string) string { return vectors(texts, func(int, string) string { return "[1e20,1]" }) }, "whose products overflow"},
		"another dimension": {func(texts []string) string { return vectors(texts, func(i int, _ string) string { return "[1,2,3]" }) }, "dimensions"},
		"dimensions by text": {func(texts []string) string {
			return vectors(texts, func(i int, text string) string {
				return honest(i, text)[:len(honest(i, text))-1] + strings.Repeat(",1", len(text)%3) + "]"
			})
		}, "dimensions"},
	}
	for name, c := range bad {
		for _, later := range []bool{false, true} {
			if name == "another dimension" && !later {
				continue // the first is the one that others are compared with
			}
			s := &ollamatest.Server{Vectors: func(n int, texts []string) string {
				if later && n == 0 || strings.HasPrefix(texts[0], "The bird") {
					return vectors(texts, honest)
				}
				return c.vectors(texts)
			}}
			code, out, errs := validating(t, s, t.TempDir(), "")
			if code != exitServer || out != "" || !strings.Contains(errs, c.want) || !strings.Contains(errs, "fake") ||
				!strings.Contains(errs, "choose another") {
				t.Errorf("%s, later %t: exit code %d, want %d\n%s%s", name, later, code, exitServer, out, errs)
			}
		}
	}
}

// All texts with one vector are no judge, either.
func TestServedEmbedderOfOneVector(t *testing.T) {
	s := &ollamatest.Server{Vectors: func(_ int, texts []string) string {
		return vectors(texts, func(int, string) string { return "[1,1]" })
	}}
	if code, out, errs := validating(t, s, t.TempDir(), ""); code != exitServer || !strings.Contains(errs, "gives the same vector for 3 different texts") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// Vectors that were kept do not hide that the model gives others by now.
func TestServedEmbedderThatChanged(t *testing.T) {
	kept := t.TempDir()
	if code, _, errs := validating(t, &ollamatest.Server{}, kept, ""); code != exitOK {
		t.Fatal(errs)
	}
	s := &ollamatest.Server{Vectors: func(_ int, texts []string) string {
		return vectors(texts, func(i int, text string) string { return strings.Replace(honest(i, text), "[", "[0.5,", 1) })
	}}
	code, out, errs := validating(t, s, kept, "i,Rain fell.,It was dry.,none\n")
	if code != exitInput || out != "" || !strings.Contains(errs, "gives vectors of 64 and of 65 dimensions; remove ") {
		t.Errorf("vectors of 64 dimensions from the folder, and of 65 from the server\n%s%s", out, errs)
	}
}
