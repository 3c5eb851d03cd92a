package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lore/datasets/all"
	"lore/datasets/all/testdata/trivia"
)

// A fifth benchmark is one folder and one line: every verb knows it.
func TestFifthBenchmark(t *testing.T) {
	folder, err := os.ReadFile("../../datasets/all/testdata/trivia/trivia.go")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the folder has %d lines; the list one more", bytes.Count(folder, []byte("\n")))
	before := all.Entries
	t.Cleanup(func() { all.Entries = before })
	all.Entries = append(slices.Clone(before), all.Entry{Benchmark: trivia.Benchmark{}, Verbs: trivia.Verbs()})

	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	write := func(name, content string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("texts/ferry.txt", "The ferry leaves at noon. It carries forty cars.")
	write("texts/old/mill.md", "The mill closed in 1903. Nobody bought it.")
	write("table.csv", "question,reference,text\nWho keeps the light?,Ada keeps the light.,Ada keeps the light. It burns all night.\n")
	write("recorded.jsonl", `{"id":"a","question":"q?","reference":"The wall was built of granite.","text":"x",`+
		`"recorded":{"good":"The wall was built of granite.","bad":"Nobody knows."}}`)

	for _, c := range []struct {
		args string
		code int
		want []string // in what is printed
	}{
		{"data list", 0, []string{"trivia "}},
		{"run -h", 0, []string{"long2rag, trivia"}},
		{"run trivia --out r1", 0, []string{"oracle", "Right", "100.0 [100.0, 100.0]"}},
		{"run trivia --retriever random --out r2", 0, []string{"random"}},
		{"report r1 r2 --format md", 0, []string{"| r1: oracle |", "| r2: random |"}},
		{"compare r1 r2 --metric right", 0, []string{"Differences on shared units"}},
		{"retrieve --bench trivia --retriever bm25 --k 1", 0, []string{"wall Q0 wall 1"}},
		{"score trivia recorded.jsonl --judge lexical", 0, []string{"good    lexical  100.0", "bad     lexical    0.0"}},
		{"score trivia recorded.jsonl", 3, []string{"recorded"}},
		{"build trivia --docs texts --out built", 0, []string{"Next: lore run trivia built", "built/build-log.jsonl"}},
		{"build trivia --docs nowhere --out other", 4, []string{"nowhere: cannot be read: no such"}},
		{"data verify built", 0, []string{"2          2", "lore run trivia built"}},
		{"data import trivia table.csv --out imported", 0, []string{"Next: lore run trivia imported"}},
		{"data verify trivia imported", 0, []string{"1          1"}},
		{"data verify summhay imported", 4, []string{"says that this is data of trivia"}},
		{"run trivia built --retriever oracle --generator gold --out r3", 0, []string{"gold"}},
		{"prompts show trivia/answer.txt", 0, []string{"{{.Question}}"}},
		{"run trivio", 2, []string{"did you mean trivia?"}},
	} {
		var out bytes.Buffer
		code := Main(strings.Fields(c.args), &out, &out)
		if code != c.code {
			t.Errorf("lore %s ends with %d, want %d:\n%s", c.args, code, c.code, out.String())
		}
		for _, w := range c.want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("lore %s does not print %q:\n%s", c.args, w, out.String())
			}
		}
	}

	// Data that was changed after it was written is told.
	write("built/trivia.jsonl", `{"id":"x","question":"q","reference":"r","text":"t"}`)
	var out bytes.Buffer
	if code := Main([]string{"data", "verify", "built"}, &out, &out); code != exitInput || !strings.Contains(out.String(), "has changed") {
		t.Errorf("changed data: %d, %s", code, out.String())
	}
}
