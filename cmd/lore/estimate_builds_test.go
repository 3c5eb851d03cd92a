package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"lore/local/ollama/ollamatest"
)

// Builds ask about as many calls, and take about as long, as was foretold; nothing is written for an
// estimate, and what it tried is not asked again.
func TestEstimatesOfBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long; scripts estimate, too")
	}
	seeds := filepath.Join(t.TempDir(), "seeds.txt")
	text := "Why was the tramway closed, and what did the council do about the rails and the men?\n" +
		"How was the concert hall repaired, and what did it cost in the end?\n" +
		"Who paid for the new harbour wall, and how long did the work on it take?\n"
	if err := os.WriteFile(seeds, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}

	for name, b := range map[string]struct {
		answer func(api.ChatRequest) string
		args   []string
	}{
		"crux": {goodParts, []string{"--msrs", "../../datasets/msrs/sample/story", "--questions", "2", "--judge", "ollama:fake"}},
		"long2rag": {careful, []string{"--questions", seeds, "--docs", "../../docs/examples/town", "--evolve", "1",
			"--domains", "history,biology"}},
		"summhay": {careful, []string{"--docs", "../../docs/examples/town", "--subtopics", "3", "--insights", "3",
			"--documents", "12", "--words", "80", "--repeat", "3"}},
		"msrs": {careful, []string{"--domain", "story", "--headings", "--docs", storiesWithHeadings(t), "--queries", storyQueries(t)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			dir := t.TempDir()
			server := &ollamatest.Server{Slots: 2, Answer: b.answer, Logprobs: true, Speeds: &ollamatest.Speeds{
				Load: 100 * time.Millisecond, Prompt: 40_000, Output: 2_000, Call: 8 * time.Millisecond,
			}}
			args := slices.Concat([]string{"build", name}, b.args,
				[]string{"--model", "ollama:fake", "--host", server.Start(t).URL, "--slots", "2", "--out", filepath.Join(dir, "mine")})

			var said estimateJSON
			if err := json.Unmarshal(mustRun(t, append(slices.Clone(args), "--estimate", "--json")...), &said); err != nil {
				t.Fatal(err)
			}
			if left := filesUnder(t, dir); len(left) > 0 {
				t.Errorf("the estimate has written %v", left)
			}
			tried := server.Count()

			start := time.Now()
			mustRun(t, args...)
			took := time.Since(start).Seconds()
			made, foretold := server.Count()-tried, 0
			for _, l := range said.Lines {
				foretold += l.Calls
				t.Logf("%s %s: %d calls, %d finished, %d prompt and %d output tokens", l.Phase, l.Model, l.Calls, l.Finished, l.Prompt, l.Output)
			}
			t.Logf("%d calls foretold, %d made; foretold %.2f s (%.2f to %.2f), took %.2f s; %d tried", foretold, made,
				said.Total.Expected, said.Total.Low, said.Total.High, took, tried)
			if math.Abs(float64(foretold-made)) > 0.2*float64(made)+2 {
				t.Errorf("%d calls were foretold, and %d made", foretold, made)
			}
			if off := said.Total.Expected / took; off < 0.4 || off > 2.5 { // the machine does other work
				t.Errorf("%.2f s were foretold, and it took %.2f s", said.Total.Expected, took)
			}
		})
	}
}

// mustRun runs lore, and returns what it printed.
func mustRun(t *testing.T, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	if code := Main(args, &out, &errs); code != exitOK && code != exitPartial {
		t.Fatalf("%v: exit code %d\n%s%s", args, code, out.String(), errs.String())
	}
	return out.Bytes()
}

// storiesWithHeadings writes stories of several chapters.
func storiesWithHeadings(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for s := range 3 {
		var b strings.Builder
		for c := range 3 {
			fmt.Fprintf(&b, "CHAPTER %d\n\n", c+1)
			for n := range 20 {
				fmt.Fprintf(&b, "In the story %d Ines climbed the lighthouse for the %d. time and lit the lamp of Hollow Point %d.\n", s, n, c)
			}
			b.WriteString("\n")
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("story%d.txt", s)), []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// storyQueries writes queries on these stories.
func storyQueries(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for i := range 12 {
		fmt.Fprintf(&b, `{"id":"q%d","story":"story%d","query":"What happens to Ines (%d)?","summary":"Ines climbs the lighthouse %d times and lights the lamp."}`+"\n",
			i, i%3, i, i)
	}
	file := filepath.Join(t.TempDir(), "queries.jsonl")
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// Of 30 files of five kinds every builder takes all that have text, and names the others with the reason.
func TestBuildersNameEveryFile(t *testing.T) {
	dir := t.TempDir()
	docs := filepath.Join(dir, "docs")
	if err := os.Mkdir(docs, 0o777); err != nil {
		t.Fatal(err)
	}
	sentence := "CHAPTER 1\nThe harbour wall number %d held through the storm of the year, and the masons of the town were paid %d crowns for it in May."
	for i := range 6 {
		text := fmt.Sprintf(sentence, i, 100+i)
		for name, content := range map[string][]byte{
			"a%d.txt": []byte(text), "b%d.md": []byte("# Wall\n\n" + text), "c%d.html": []byte("<h1>Page</h1><p>" + text),
			"d%d.docx": wordFile(t, text+" So it is said."), "e%d.xlsx": []byte("PK\x03\x04"),
		} {
			if err := os.WriteFile(filepath.Join(docs, fmt.Sprintf(name, i)), content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	write := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	url := (&ollamatest.Server{Slots: 2, Answer: careful, Logprobs: true}).Start(t).URL

	for name, args := range map[string][]string{
		"crux":     {"--pairs", write("pairs.jsonl", `{"id":"p","summary":"The wall held, and masons were paid.","documents":["a1","b2","c3","d4"]}`), "--judge", "lexical"},
		"long2rag": {"--questions", write("seeds.txt", "Why did the harbour wall hold through the storm, and who was paid for it?\n")},
		"summhay":  {"--subtopics", "2", "--insights", "3", "--documents", "6", "--words", "80", "--repeat", "2"},
		"msrs": {"--domain", "meeting", "--queries",
			write("queries.jsonl", `{"id":"q","query":"Who was paid?","summary":"The masons.","documents":["a1","d4.docx"]}`)},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			mine := filepath.Join(dir, name)
			all := slices.Concat([]string{"build", name, "--docs", docs, "--model", "ollama:fake", "--host", url, "--out", mine}, args)
			if code := Main(all, &out, &errs); code != exitOK && code != exitPartial {
				t.Fatalf("exit code %d\n%s%s", code, out.String(), errs.String())
			}
			log, err := os.ReadFile(filepath.Join(mine, "build-log.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(log, []byte(`"stage":"read"`)); n != 6 {
				t.Errorf("%d files are left out, want 6\n%s", n, log)
			}
			if said := strings.Join(strings.Fields(errs.String()), " "); !strings.Contains(said, "left out 6 files, each of which is a table") {
				t.Error(said)
			}
		})
	}
}

// wordFile is an office file with a paragraph.
func wordFile(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("word/document.xml")
	if err == nil {
		_, err = fmt.Fprintf(w, "<document><body><p><r><t>%s</t></r></p></body></document>", text)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
