package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
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

var estimateLine = regexp.MustCompile(`ollama:fake: (\d+) calls(?:, (\d+) of them finished before)?; ` +
	`(\d+) were tried and are kept, (\S+) to (\S+) a call; the other (\d+) take (\S+) to (\S+), with --slots (\d)\n`)

// estimated reads the sentence.
func estimated(t *testing.T, text string) (calls, done, tried, rest int, low, high time.Duration) {
	t.Helper()
	m := estimateLine.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%q is no estimate", text)
	}
	number := func(s string) int {
		n, err := strconv.Atoi("0" + s)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	times := make([]time.Duration, 2)
	for i, s := range m[7:9] {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		times[i] = d
	}
	return number(m[1]), number(m[2]), number(m[3]), number(m[6]), times[0], times[1]
}

// An estimate counts the calls that an audit then makes, those of the estimate among them, and says
// about how long they take: alone, in batches, and at once.
func TestEstimateIsWhatIsAsked(t *testing.T) {
	for name, c := range map[string]struct {
		calls, tried int
		flags        []string
	}{
		"one by one": {36, 4, nil}, // 12 texts of 3 statements
		"at once":    {36, 10, []string{"--slots", "3"}},
		"batches":    {12, 4, []string{"--batch"}},
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

			calls, done, tried, rest, low, high := estimated(t, auditing(t, url, dir, append(c.flags, "--estimate")...))
			if calls != c.calls || done != 0 || tried != c.tried || rest != calls-tried || server.Count() != tried {
				t.Errorf("%d calls, %d done, %d tried, %d left; the server was asked %d times; want %d calls, %d tried",
					calls, done, tried, rest, server.Count(), c.calls, c.tried)
			}

			start := time.Now()
			auditing(t, url, dir, c.flags...)
			took := time.Since(start)
			if server.Count() != calls {
				t.Errorf("%d calls were estimated, and %d made", calls, server.Count())
			}
			start = time.Now()
			auditing(t, url, dir, c.flags...) // asks nothing: what is left is not the server's
			without := time.Since(start)
			if took < low/2 || took-without > 6*high+5*time.Second { // other work on the machine takes time, too
				t.Errorf("it took %s, %s of it without calls; the estimate was %s to %s", took, without, low, high)
			}
			if least := delay * time.Duration(rest) / 4; low < least/2 || high < low {
				t.Errorf("%s to %s for %d calls of %s", low, high, rest, delay)
			}

			again := auditing(t, url, dir, append(c.flags, "--estimate")...)
			if want := fmt.Sprintf("ollama:fake: %d calls, %d of them finished before; nothing is left to ask\n", calls, calls); again != want {
				t.Errorf("afterwards: %q, want %q", again, want)
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
	auditing(t, url, dir, "--estimate")
	calls, done, tried, rest, low, _ := estimated(t, auditing(t, url, dir, "--estimate"))
	if calls != 36 || done != 4 || tried != 4 || rest != 28 || low < 280*time.Millisecond {
		t.Errorf("%d calls, %d done, %d tried, %d left, at least %s", calls, done, tried, rest, low)
	}

	if got := auditing(t, url, dir, "--estimate", "--judge", "lexical+ollama:fake,lexical"); !strings.HasPrefix(got,
		"lexical: no calls\nollama:fake: at most 36 calls, 8 of them finished before; 4 were tried") || strings.Count(got, "\n") != 2 {
		t.Errorf("%q", got)
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
	if got := auditing(t, url, dir, "--estimate"); !strings.Contains(got, "  4 of the 4 that were tried failed, and their times say little\n") {
		t.Errorf("%q", got)
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
	for range 2 {
		got := auditing(t, "http://127.0.0.1:1", dir, "--index-dir", filepath.Join(dir, "kept"), "--judge", judge, "--estimate")
		if !regexp.MustCompile(`nli: no calls; 2 texts of 2 questions took \S+ to \S+ for a question and unit: \S+ to \S+ in all\n$`).MatchString(got) {
			t.Errorf("%q", got)
		}
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "kept")); err == nil && len(entries) > 0 {
		t.Errorf("an estimate keeps %d files", len(entries))
	}
}
