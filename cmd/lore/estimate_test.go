package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"lore/embed/testmodel"
	"lore/local/ollama/ollamatest"
)

// labelled writes files of labels: texts of several lengths with several statements each. One text
// is empty, which nobody is asked about, and one row asks again what another does.
func labelled(t *testing.T, dir string) {
	t.Helper()
	for file, texts := range map[string]int{"short": 4, "long": 8} {
		var b strings.Builder
		row := func(text, statement string) {
			fmt.Fprintf(&b, `{"group":"g","text":%q,"statement":%q,"label":"full"}`+"\n", text, statement)
		}
		for i := range texts {
			text := fmt.Sprintf("Text %d of the file %s. %s", i, file, strings.Repeat("It goes on and on. ", len(file)*i*60))
			for k := range 3 {
				row(text, fmt.Sprintf("Statement %d.", k))
			}
		}
		row("  ", "Nothing is said.")
		row("Text 0 of the file "+file+". ", "Statement 0.")
		if err := os.WriteFile(filepath.Join(dir, file+".jsonl"), []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// auditing runs lore judge audit on a folder of labels, and returns what it printed.
func auditing(t *testing.T, url, dir string, more ...string) string {
	t.Helper()
	args := append([]string{"judge", "audit", filepath.Join(dir, "labels"), "--judge", "ollama:fake", "--host", url,
		"--out", filepath.Join(dir, "out"), "--cache", filepath.Join(dir, "cache")}, more...)
	var out, errs bytes.Buffer
	if code := Main(args, &out, &errs); code != exitOK {
		t.Fatalf("%v: exit code %d\n%s%s", args, code, out.String(), errs.String())
	}
	return out.String()
}

// estimated asks for an estimate of an audit, and sums up its lines.
func estimated(t *testing.T, url, dir string, more ...string) (left, finished, tried int, said estimateJSON) {
	t.Helper()
	if err := json.Unmarshal([]byte(auditing(t, url, dir, append(more, "--estimate", "--json")...)), &said); err != nil {
		t.Fatal(err)
	}
	for _, l := range said.Lines {
		left, finished, tried = left+l.Calls, finished+l.Finished, tried+l.Tried
	}
	return left, finished, tried, said
}

// An estimate counts the calls that an audit then makes, those of the estimate among them, and says
// about how long they take: alone, in batches, and at once.
func TestEstimateIsWhatIsAsked(t *testing.T) {
	for name, c := range map[string]struct {
		calls, guessed int // guessed: calls about what a batch leaves out, which nobody knows before
		flags          []string
	}{
		"one by one": {36, 0, nil}, // 12 texts of 3 statements
		"at once":    {36, 0, []string{"--slots", "3"}},
		"batches":    {12, 2, []string{"--batch"}},
	} {
		t.Run(name, func(t *testing.T) {
			const delay = 20 * time.Millisecond
			dir := t.TempDir()
			if err := os.Mkdir(filepath.Join(dir, "labels"), 0o777); err != nil {
				t.Fatal(err)
			}
			labelled(t, filepath.Join(dir, "labels"))
			server := &ollamatest.Server{Slots: 3, Delay: delay, Answer: batched}
			url := server.Start(t).URL

			left, finished, tried, said := estimated(t, url, dir, c.flags...)
			over, guesses := left+tried-c.calls, server.Count()-tried
			if over < 0 || over > c.guessed || finished != tried || tried < 4 || guesses < 0 || guesses > c.guessed {
				t.Errorf("%d calls left, %d tried, %d finished; the server was asked %d times; want %d calls", left, tried, finished,
					server.Count(), c.calls)
			}

			start := time.Now()
			auditing(t, url, dir, c.flags...)
			took := time.Since(start)
			if made := server.Count() - guesses; made != c.calls {
				t.Errorf("%d calls were to be made, and %d were", c.calls, made)
			}
			if r := said.Total; took.Seconds() > 3*r.High+10 || r.Low > 3*took.Seconds()+10 { // the machine does other work, too
				t.Errorf("it took %s; the estimate was %+v", took, r)
			}

			left, finished, _, said = estimated(t, url, dir, c.flags...)
			if left != 0 || finished != c.calls || said.Total.High > said.Here+said.Loading.High+0.01 {
				t.Errorf("afterwards: %d left, %d finished, %+v", left, finished, said)
			}
		})
	}
}

// batched answers a batch for each of its statements, and a single question.
func batched(req api.ChatRequest) string {
	if !strings.Contains(string(req.Format), "verdicts") {
		return ollamatest.Plausible(req)
	}
	last := req.Messages[len(req.Messages)-1].Content
	var out []string
	for n := 1; strings.Contains(last, fmt.Sprintf("\n%d. Statement", n)); n++ {
		out = append(out, fmt.Sprintf(`{"statement":%d,"coverage":"none","bullet":0}`, n))
	}
	return `{"verdicts":[` + strings.Join(out, ",") + `]}`
}

// What was finished before is not in an estimate: neither in its calls nor, as calls that took no
// time, in its times.
func TestEstimateGoesOn(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "labels"), 0o777); err != nil {
		t.Fatal(err)
	}
	labelled(t, filepath.Join(dir, "labels"))
	url := (&ollamatest.Server{Delay: 10 * time.Millisecond, Answer: ollamatest.Plausible}).Start(t).URL
	_, _, tried, _ := estimated(t, url, dir)
	left, finished, _, said := estimated(t, url, dir)
	if left+finished != 36 || finished < tried || said.Total.Low < 0.01*float64(left)/2 {
		t.Errorf("%d left, %d finished of which %d were tried, %+v", left, finished, tried, said.Total)
	}

	// A pair asks its second part about what the first one doubts; lexical verdicts are no calls.
	_, _, _, said = estimated(t, url, dir, "--judge", "lexical+ollama:fake,lexical")
	for _, l := range said.Lines {
		if l.Model != "ollama:fake" || l.Phase != "judge by lexical+ollama:fake" || l.Calls+l.Finished > 36 {
			t.Errorf("%+v", l)
		}
	}
}

// A server that only fails is told.
func TestEstimateOfFailures(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "labels"), 0o777); err != nil {
		t.Fatal(err)
	}
	labelled(t, filepath.Join(dir, "labels"))
	url := (&ollamatest.Server{Answer: func(api.ChatRequest) string { return "no JSON" }}).Start(t).URL
	if _, _, _, said := estimated(t, url, dir); len(said.Failed) != 1 || said.Failed[0].Failed == 0 {
		t.Errorf("%+v", said.Failed)
	}
}

// A judge that is no server's model is timed, too, also where its values are kept.
func TestEstimateOfEncoders(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "labels"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "labels", "a.csv"), []byte("text,statement,label\nThe bridge opened.,The bridge opened.,full\nShips pass.,It rained.,none\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := testmodel.Write(filepath.Join(dir, "nli"), testmodel.NLIBERT); err != nil {
		t.Fatal(err)
	}
	judge := "nli:" + filepath.Join(dir, "nli")
	for range 2 { // what the first has computed is not kept
		_, _, _, said := estimated(t, "http://127.0.0.1:1", dir, "--index-dir", filepath.Join(dir, "kept"), "--judge", judge)
		if len(said.Lines) != 1 || said.Lines[0].Texts == 0 || said.Lines[0].Time == nil {
			t.Errorf("%+v", said)
		}
	}
}
