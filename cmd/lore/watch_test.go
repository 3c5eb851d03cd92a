package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"lore/datasets/all"
	"lore/datasets/all/testdata/trivia"
	"lore/local/ollama/ollamatest"
)

// screen is what a watch prints, with somebody who reads along.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
	read func(so string) // is told all that was printed so far
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(p)
	if s.read != nil {
		s.read(s.text.String())
	}
	return len(p), nil
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// watchWorld is a folder with 48 questions and versions of a prompt, and a model that answers by these:
// to "copy" with the sentence that is wanted for every other question, to "all" for all, else with nothing.
func watchWorld(t *testing.T) *ollamatest.Server {
	t.Helper()
	before := all.Entries
	all.Entries = append(slices.Clone(before), all.Entry{Benchmark: trivia.Benchmark{}, Verbs: trivia.Verbs()})
	t.Cleanup(func() { all.Entries = before })
	t.Chdir(t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())

	var data strings.Builder
	for i := range 48 {
		town := fmt.Sprintf("Town%c%c", 'A'+i%26, 'a'+i/26)
		fmt.Fprintf(&data, `{"id":"q%d","question":"What was the wall of %s built of?","reference":"The wall of %s was built of granite.",`+
			`"text":"The wall of %s was built of granite. Ships come on %s days."}`+"\n", i, town, town, town, []string{"even", "odd"}[i%2])
	}
	writeText(t, "data.jsonl", data.String())
	writeText(t, "prompts/v2/trivia/answer.txt", "Please copy. {{.Question}}{{range .Passages}}\n[{{.Label}}] {{.Text}}{{end}}")

	server := &ollamatest.Server{Slots: 4, Answer: func(req api.ChatRequest) string {
		if len(req.Format) > 0 {
			return ollamatest.Plausible(req)
		}
		text := req.Messages[len(req.Messages)-1].Content
		_, document, _ := strings.Cut(text, "[1] ")
		sentence, _, _ := strings.Cut(document, ".")
		if strings.Contains(text, "all.") || strings.Contains(text, "copy.") && strings.Contains(text, "on even days") {
			return sentence + "."
		}
		return "Nothing is known of that."
	}}
	t.Setenv("OLLAMA_HOST", server.Start(t).URL)
	return server
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func watchTrivia(out *screen, more ...string) int {
	args := []string{"run", "trivia", "data.jsonl", "--retriever", "oracle", "--generator", "ollama:fake", "--prompts", "v2", "--watch"}
	return Main(append(args, more...), out, out)
}

// asked is how many items the last look had.
func lookedAt(out string) (n int) {
	for _, m := range regexp.MustCompile(`(?m)^ +(\d+) of \d+ items`).FindAllStringSubmatch(out, -1) {
		fmt.Sscan(m[1], &n)
	}
	return n
}

// A watch looks at more and more items, and asks each once by each version; a second one asks nothing.
// An edit asks for the edited version alone.
func TestWatchAsksOnlyWhatChanged(t *testing.T) {
	server := watchWorld(t)
	out := &screen{}
	if code := watchTrivia(out, "--watch-for", "1"); code != exitOK {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	n := lookedAt(out.String())
	for _, want := range []string{
		"v2 against builtin: oracle, ollama:fake, judge lexical\n", "  8 of 48 items: Right +", "Clear: v2 is better than builtin, +",
		"Changed most:\n", ": Right 0.0 → 100.0\n", "    builtin  Nothing is known of that.\n    v2       The wall of Town", "Judged in ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing:\n%s", want, out)
		}
	}
	if n <= 8 || n >= 48 || server.Count() != 2*n {
		t.Errorf("%d calls for %d items:\n%s", server.Count(), n, out)
	}

	again := &screen{}
	if code := watchTrivia(again, "--watch-for", "1", "--out", "other"); code != exitOK || server.Count() != 2*n {
		t.Errorf("exit code %d, and %d calls after %d:\n%s", code, server.Count(), 2*n, again)
	}
	if _, err := linesOf[struct{}]("other", "answers.jsonl"); err != nil {
		t.Error(err)
	}

	// While it is watched, the prompt is edited; a broken file is told of, and its repair judged.
	const file = "prompts/v2/trivia/answer.txt"
	steps := 0
	third := &screen{}
	third.read = func(so string) {
		switch {
		case steps == 0 && strings.Contains(so, "Watching; Ctrl-C ends it."):
			steps++
			go func() {
				_ = os.WriteFile(file+".new", []byte("{{if .Question}} half"), 0o666)
				_ = os.Rename(file+".new", file)
			}()
		case steps == 1 && strings.Contains(so, "cannot be used: "+file+": line 1: is not a valid template"):
			steps++
			go func() {
				_ = os.WriteFile(file, []byte("Answer all. {{.Question}}{{range .Passages}}\n[{{.Label}}] {{.Text}}{{end}}"), 0o666)
			}()
		}
	}
	if code := watchTrivia(third, "--watch-for", "2"); code != exitOK || steps != 2 {
		t.Fatalf("exit code %d after %d steps:\n%s", code, steps, third)
	}
	_, second, _ := strings.Cut(third.String(), "\nEdited at ")
	m := lookedAt(second)
	if m != 8 || server.Count() != 2*n+m || !strings.Contains(second, file) {
		t.Errorf("%d calls more for %d items of an edited version:\n%s", server.Count()-2*n, m, third)
	}
	t.Logf("an edit was judged: %s", regexp.MustCompile(`Judged in .* s`).FindString(second))
}

// Nothing is asked twice in the same words and with the same options, by a judge neither, however often
// the sample grows and the prompt is edited.
func TestWatchAsksNothingTwice(t *testing.T) {
	server := watchWorld(t)
	for _, text := range []string{"", "Please, please copy. {{.Question}}{{range .Passages}}\n[{{.Label}}] {{.Text}}{{end}}"} {
		if text != "" {
			writeText(t, "prompts/v2/trivia/answer.txt", text)
		}
		out := &screen{}
		if code := watchTrivia(out, "--watch-for", "1", "--judge", "ollama:fake", "--watch-items", "24"); code != exitOK {
			t.Fatalf("exit code %d:\n%s", code, out)
		}
	}

	seen := map[string]int{}
	for _, req := range server.Chats() {
		data, err := json.Marshal(req)
		if err != nil {
			t.Fatal(err)
		}
		seen[string(data)]++
		if seen[string(data)] == 2 {
			t.Errorf("asked twice: %.300s", data)
		}
	}
	if len(seen) < 48 {
		t.Errorf("%d calls: the test proves nothing", len(seen))
	}
}

// An edit ends what is going on, and an interruption ends a watch: with 0 between rounds, with 130 in one.
func TestWatchIsInterrupted(t *testing.T) {
	server := watchWorld(t)
	server.Delay = 100 * time.Millisecond
	edited := false
	out := &screen{}
	out.read = func(so string) {
		if !edited && strings.Contains(so, "8 of 48 items") {
			edited = true
			go func() {
				_ = os.WriteFile("prompts/v2/trivia/answer.txt", []byte("Say all. {{.Question}}{{range .Passages}} [1] {{.Text}}{{end}}"), 0o666)
			}()
		}
	}
	if code := watchTrivia(out, "--watch-for", "1"); code != exitOK {
		t.Fatalf("exit code %d:\n%s", code, out)
	}
	first, second, _ := strings.Cut(out.String(), "\nEdited at ")
	if strings.Contains(first, "Clear") || !strings.Contains(second, "Clear: v2 is better") {
		t.Errorf("the edit did not end the first round:\n%s", out)
	}

	interrupt := func(at string) (*screen, int) {
		out := &screen{}
		done := false
		out.read = func(so string) {
			if !done && strings.Contains(so, at) {
				done = true
				go func() { _ = syscall.Kill(os.Getpid(), syscall.SIGINT) }()
			}
		}
		return out, watchTrivia(out)
	}
	if out, code := interrupt("Watching; Ctrl-C ends it."); code != exitOK {
		t.Errorf("exit code %d between rounds:\n%s", code, out)
	}
	writeText(t, "prompts/v2/trivia/answer.txt", "Once more, copy. {{.Question}}{{range .Passages}} [1] {{.Text}}{{end}}")
	if out, code := interrupt("8 of 48 items"); code != exitInterrupted {
		t.Errorf("exit code %d in a round:\n%s", code, out)
	}

	// What was printed is on disk, though the watch had not come to its end.
	dirs, err := filepath.Glob("lore-runs/trivia-watch-v2-*")
	if err != nil || len(dirs) != 1 {
		t.Fatal(dirs, err)
	}
	if answers, err := linesOf[struct{}](dirs[0], "answers.jsonl"); err != nil || len(answers) != 2*8 {
		t.Errorf("%d answers, %v", len(answers), err)
	}
	report := &screen{}
	if code := Main([]string{"report", dirs[0]}, report, report); code != exitOK || !strings.Contains(report.String(), "ollama:fake+prompts:v2") {
		t.Errorf("exit code %d:\n%s", code, report)
	}
}

// A watch keeps its folder as long as it goes on: a second one of the same version is refused, and one of
// another version has another folder.
func TestWatchKeepsItsFolder(t *testing.T) {
	watchWorld(t)
	writeText(t, "prompts/v3/trivia/answer.txt", "Copy all. {{.Question}}{{range .Passages}}\n[{{.Label}}] {{.Text}}{{end}}")
	out, same, other := &screen{}, &screen{}, &screen{}
	codes := make(chan [2]int, 1)
	out.read = func(so string) {
		if strings.HasSuffix(so, "Watching; Ctrl-C ends it.\n") {
			go func() {
				code := watchTrivia(same, "--watch-for", "1")
				codes <- [2]int{code, watchTrivia(other, "--watch-for", "1", "--prompts", "v3")}
				_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
			}()
		}
	}
	if code := watchTrivia(out, "--watch-items", "8"); code != exitOK {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	got := <-codes
	if got[0] != exitUsage || !regexp.MustCompile(`lore-runs/trivia-watch-v2-\w+: another lore works in this folder.*--out`).MatchString(same.String()) {
		t.Errorf("exit code %d for a second watch of the same version:\n%s", got[0], same)
	}
	if got[1] != exitOK || !strings.Contains(other.String(), "Run folder: lore-runs/trivia-watch-v3-") {
		t.Errorf("exit code %d for a watch of another version:\n%s", got[1], other)
	}
}

// A file that is deleted is waited for: lore's own prompt does not take its place.
func TestWatchWaitsForFile(t *testing.T) {
	watchWorld(t)
	const file = "prompts/v2/trivia/answer.txt"
	steps := 0
	out := &screen{}
	out.read = func(so string) {
		switch {
		case steps == 0 && strings.HasSuffix(so, "Watching; Ctrl-C ends it.\n"):
			steps++
			go func() { _ = os.Remove(file) }()
		case steps == 1 && strings.HasSuffix(so, "\n"+file+" is gone; waiting for it.\nWatching; Ctrl-C ends it.\n"):
			steps++
			go func() { _ = os.RemoveAll("prompts/v2") }()
		case steps == 2 && strings.HasSuffix(so, "\nprompts/v2 is gone; waiting for it.\nWatching; Ctrl-C ends it.\n"):
			steps++
			go func() {
				_ = os.MkdirAll(filepath.Dir(file), 0o777)
				_ = os.WriteFile(file, []byte("Answer all. {{.Question}}{{range .Passages}}\n[{{.Label}}] {{.Text}}{{end}}"), 0o666)
			}()
		}
	}
	if code := watchTrivia(out, "--watch-for", "2", "--watch-items", "8"); code != exitOK || steps != 3 {
		t.Fatalf("exit code %d after %d steps:\n%s", code, steps, out)
	}
	if n := strings.Count(out.String(), "v2 against builtin: oracle"); n != 2 || !strings.Contains(out.String(), "\nEdited at ") {
		t.Errorf("judged %d times:\n%s", n, out)
	}
}

// What cannot be watched is refused, with the remedy.
func TestWatchRefuses(t *testing.T) {
	watchWorld(t)
	for flags, want := range map[string]string{
		"--prompts v2,builtin,v2 --watch": "two versions are called v2",
		"--watch":                         "--watch needs --prompts",
		"--prompts v2 --watch --generator extractive":          "no such generator",
		"--prompts v2 --watch --retriever bm25,oracle":         "one retriever, one generator",
		"--prompts v2 --watch --judge lexical,ollama:fake":     "one retriever, one generator",
		"--prompts v2 --watch-items 5":                         "--watch-items and --watch-for need --watch",
		"--prompts v2 --watch --json":                          "--watch has no --json",
		"--prompts v2 --watch --generator ollama:fake,gold":    "leave --answers and gold out",
		"--prompts v3 --watch":                                 "v3: is not a folder; a version is a folder",
		"--prompts v22 --watch":                                "v22: is not a folder; did you mean v2?",
		"--prompts builtin --watch --watch-for 1":              "the prompts builtin and builtin",
		"--prompts v2 --watch --watch-items -1":                "cannot be negative",
		"--prompts v2 --watch --retriever none --generator =x": "unknown generator",
	} {
		out := &screen{}
		args := append([]string{"run", "trivia", "data.jsonl", "--generator", "ollama:fake", "--retriever", "oracle"}, strings.Fields(flags)...)
		if code := Main(args, out, out); (code != exitUsage && code != exitInput) || !strings.Contains(out.String(), want) {
			t.Errorf("%s: exit code %d, without %q:\n%s", flags, code, want, out)
		}
	}

	// The run of another command is not overwritten.
	other := &screen{}
	if code := Main([]string{"run", "trivia", "--generator", "ollama:fake", "--retriever", "oracle", "--out", "kept"}, other, other); code != exitOK {
		t.Fatal(other)
	}
	over := &screen{}
	if code := watchTrivia(over, "--out", "kept"); code != exitUsage || !strings.Contains(over.String(), "kept holds another run, which this watch would overwrite") {
		t.Errorf("exit code %d:\n%s", code, over)
	}

	// Items that are named are the only ones.
	named := &screen{}
	if code := watchTrivia(named, "--watch-for", "1", "--item", "q1,q2,q3,q5,q7,q9,q11,q13,q15,q17"); code != exitOK ||
		!strings.Contains(named.String(), "  8 of 10 items") || !strings.Contains(named.String(), " 10 of 10 items") {
		t.Errorf("exit code %d:\n%s", code, named)
	}

	// A budget of items ends in words, and not with a difference that is not there.
	out := &screen{}
	if code := watchTrivia(out, "--watch-for", "1", "--watch-items", "4"); code != exitOK ||
		!strings.Contains(out.String(), "Not clear after 4 items, which is as many as --watch-items allows: v2 against builtin") {
		t.Errorf("exit code %d:\n%s", code, out)
	}
}
