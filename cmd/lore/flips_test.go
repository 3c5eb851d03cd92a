package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"lore/local/ollama/ollamatest"
)

// damage changes the text of a file in one place.
type damage struct {
	name string
	do   func(rng *rand.Rand, text string) string
}

// damages are what disks, editors and people do to a file.
var damages = []damage{
	{"flips a bit", flipBit},
	{"cuts the end off", func(rng *rand.Rand, s string) string { return s[:rng.IntN(len(s))] }},
	{"cuts a few bytes off", func(rng *rand.Rand, s string) string { return s[:max(0, len(s)-1-rng.IntN(40))] }},
	{"takes a piece out", func(rng *rand.Rand, s string) string {
		from := rng.IntN(len(s))
		return s[:from] + s[min(len(s), from+1+rng.IntN(80)):]
	}},
	{"writes zeros", func(rng *rand.Rand, s string) string {
		from := rng.IntN(len(s))
		n := min(len(s)-from, 1+rng.IntN(512))
		return s[:from] + strings.Repeat("\x00", n) + s[from+n:]
	}},
	{"adds a line of something else", func(rng *rand.Rand, s string) string {
		lines := []string{"garbage", "{}", "null", `{"key":"x"}`, "[1,2]", "\xef\xbb\xbf"}
		return insertLine(rng, s, lines[rng.IntN(len(lines))]+"\n")
	}},
	{"removes a line", func(rng *rand.Rand, s string) string {
		lines := strings.SplitAfter(s, "\n")
		at := rng.IntN(len(lines))
		return strings.Join(slices.Delete(lines, at, at+1), "")
	}},
	{"swaps two lines", func(rng *rand.Rand, s string) string {
		lines := strings.SplitAfter(s, "\n")
		a, b := rng.IntN(len(lines)), rng.IntN(len(lines))
		lines[a], lines[b] = lines[b], lines[a]
		return strings.Join(lines, "")
	}},
	{"repeats a line", func(rng *rand.Rand, s string) string {
		lines := strings.SplitAfter(s, "\n")
		return insertLine(rng, s, lines[rng.IntN(len(lines))])
	}},
	{"repeats a line with another reply", otherReply},
	{"swaps the values of a key", swapValues},
	{"swaps two names", swapNames},
	{"changes a label", func(rng *rand.Rand, s string) string {
		labels := []string{`"full"`, `"partial"`, `"none"`, `"ok"`, `"cut"`}
		return replaceOne(rng, s, anyLabel, func(string) string { return labels[rng.IntN(len(labels))] })
	}},
	{"changes a number", func(rng *rand.Rand, s string) string {
		return replaceOne(rng, s, anyNumber, func(string) string { return fmt.Sprint(rng.IntN(100)) })
	}},
	{"changes a letter of a text", func(rng *rand.Rand, s string) string {
		return replaceOne(rng, s, anyWord, func(w string) string { return w[:len(w)-1] + "x" })
	}},
	{"gives a value another type", func(rng *rand.Rand, s string) string {
		types := []string{":[]", ":{}", ":null", `:"7"`, ":7", ":-1", ":1e999", ":true"}
		return replaceOne(rng, s, anyValue, func(string) string { return types[rng.IntN(len(types))] })
	}},
}

var (
	anyLabel  = regexp.MustCompile(`"(?:full|partial|none|ok)"`)
	anyNumber = regexp.MustCompile(`\b[0-9]+(?:\.[0-9]+)?\b`)
	anyWord   = regexp.MustCompile(`[a-z]{4,}`)
	anyValue  = regexp.MustCompile(`:\s*(?:-?[0-9.]+|true|false|null|"[^"\\]*")`)
	anyName   = regexp.MustCompile(`"[a-z_]+":`)
	anyKey    = regexp.MustCompile(`"(?:key|item|question|digest|hash|label)":"[^"]*"`)
	afterCall = `"reply":`
)

func flipBit(rng *rand.Rand, s string) string {
	b := []byte(s)
	b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
	return string(b)
}

func insertLine(rng *rand.Rand, s, line string) string {
	lines := strings.SplitAfter(s, "\n")
	return strings.Join(slices.Insert(lines, rng.IntN(len(lines)), line), "")
}

// replaceOne replaces one of the matches.
func replaceOne(rng *rand.Rand, s string, what *regexp.Regexp, by func(string) string) string {
	all := what.FindAllStringIndex(s, -1)
	if len(all) == 0 {
		return s
	}
	at := all[rng.IntN(len(all))]
	return s[:at[0]] + by(s[at[0]:at[1]]) + s[at[1]:]
}

// swapTwo swaps two matches.
func swapTwo(rng *rand.Rand, s string, what *regexp.Regexp) string {
	all := what.FindAllStringIndex(s, -1)
	if len(all) < 2 {
		return s
	}
	a, b := all[rng.IntN(len(all))], all[rng.IntN(len(all))]
	if a[0] == b[0] {
		return s
	}
	if a[0] > b[0] {
		a, b = b, a
	}
	return s[:a[0]] + s[b[0]:b[1]] + s[a[1]:b[0]] + s[a[0]:a[1]] + s[b[1]:]
}

func swapValues(rng *rand.Rand, s string) string { return swapTwo(rng, s, anyKey) }

func swapNames(rng *rand.Rand, s string) string { return swapTwo(rng, s, anyName) }

// otherReply adds a line of the journal with the reply of another line.
func otherReply(rng *rand.Rand, s string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(s, "\n"), "\n")
	call, _, ok1 := strings.Cut(lines[rng.IntN(len(lines))], afterCall)
	_, reply, ok2 := strings.Cut(lines[rng.IntN(len(lines))], afterCall)
	if !ok1 || !ok2 {
		return s
	}
	return s + call + afterCall + strings.TrimSuffix(reply, "\n") + "\n"
}

// flipped are the files that are damaged. The journal is what all others are made of.
var flipped = []string{"calls/journal.jsonl", "calls/journal.jsonl", "verdicts.jsonl", "answers.jsonl", "scores.json",
	"manifest.json", "configuration.json", "shown.jsonl.gz"}

// What became of a damage.
const (
	harmless = "harmless" // the same figures
	repaired = "repaired" // the rerun gives the files of the undamaged run
	told     = "told"     // an exit code, or a warning that names the file
	silent   = "SILENT"   // other figures, and not a word
)

// TestFlips damages a finished run in every way. What reads it must say so, and what runs
// it again must repair it or refuse: never give other figures without a word.
func TestFlips(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	f := newFlips(t)
	rng := dice(t)
	n := sized(60, 2000)
	if testing.Short() {
		n = 15
	}

	counts := map[string]int{}
	for i := range n {
		file := flipped[rng.IntN(len(flipped))]
		how := damages[rng.IntN(len(damages))]
		text := how.do(rng, f.files[file])
		if text == f.files[file] {
			continue // there is no such thing in the file
		}
		readers := slices.Sorted(maps.Keys(f.says))
		if !inFull() {
			rng.Shuffle(len(readers), func(a, b int) { readers[a], readers[b] = readers[b], readers[a] })
			readers = readers[:2]
		}
		var quiet []string
		for _, r := range f.damaged(t, file, text, readers) {
			counts[r.by+"\t"+r.was]++
			if r.was == silent {
				quiet = append(quiet, r.by+" "+r.note)
			}
		}
		if len(quiet) > 0 {
			f.keep(t, i, file, text)
			t.Errorf("%d: somebody %s in %s, and nothing is said by %s", i, how.name, file, strings.Join(quiet, "; "))
		}
	}

	if len(counts) == 0 {
		t.Error("nothing was damaged: the test proves nothing")
	}
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%s\t%d", key, counts[key])
	}
}

// flips is a finished run and what is said of it.
type flips struct {
	dir   string // the run folder
	run   []string
	files map[string]string
	says  map[string]string // what each reader prints of the whole folder
}

// seen is what a command made of a damaged folder.
type seen struct{ by, was, note string }

func newFlips(t *testing.T) *flips {
	t.Helper()
	url := (&ollamatest.Server{Answer: ollamatest.Plausible}).Start(t).URL
	f := &flips{dir: filepath.Join(t.TempDir(), "run"), says: map[string]string{}}
	f.run = strings.Fields("run summhay --limit 2 --retriever oracle,bm25 --budget-tokens 500 --slots 4 --cache none " +
		"--generator ollama:fake --judge lexical,ollama:fake --host " + url + " --out " + f.dir)
	if code, _, errs := mainly(f.run); code != exitOK {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	f.files = tree(t, f.dir)

	for _, format := range append(slices.Clone(formats), "json") {
		f.says["report --format "+format] = ""
	}
	f.says["report --html page.html"] = ""
	f.says["compare"] = ""
	for by := range f.says {
		code, out, errs := f.ask(t, by)
		if code != exitOK || out == "" {
			t.Fatalf("lore %s: exit code %d: %s", by, code, errs)
		}
		f.says[by] = out
	}
	return f
}

// mainly runs a command in this process. A panic is an exit code that no command has.
func mainly(args []string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	defer func() {
		if p := recover(); p != nil {
			code, errs = -1, fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	code = Main(args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// ask lets a reader read the folder, and returns what it prints or writes.
func (f *flips) ask(t *testing.T, by string) (code int, out, errs string) {
	t.Helper()
	page := filepath.Join(filepath.Dir(f.dir), "page.html")
	args := strings.Fields(strings.ReplaceAll(by, "page.html", page))
	code, out, errs = mainly(append(args, f.dir))
	if data, err := os.ReadFile(page); err == nil {
		out += string(data)
		if err := os.Remove(page); err != nil {
			t.Fatal(err)
		}
	}
	return code, out, errs
}

// put makes the folder as it was, but for one file.
func (f *flips) put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.RemoveAll(f.dir); err != nil {
		t.Fatal(err)
	}
	for name, data := range f.files {
		if name == file {
			data = text
		}
		path := filepath.Join(f.dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// keep leaves a damaged file where a person can look at it, if LORE_KEEP names a folder.
func (f *flips) keep(t *testing.T, i int, file, text string) {
	t.Helper()
	dir := os.Getenv("LORE_KEEP")
	if dir == "" {
		return
	}
	path := filepath.Join(dir, fmt.Sprintf("%d-%s", i, filepath.Base(file)))
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// damaged lets all that reads the folder meet a damaged file.
func (f *flips) damaged(t *testing.T, file, text string, readers []string) []seen {
	t.Helper()
	f.put(t, file, text)
	var out []seen
	names := func(errs string) bool { return strings.Contains(errs, filepath.Base(file)) }
	for _, by := range readers {
		code, said, errs := f.ask(t, by)
		out = append(out, classify(by, code, errs, names(errs), said == f.says[by]))
	}

	verified := ""
	if knows("runs verify", "") {
		code, _, errs := mainly([]string{"runs", "verify", f.dir})
		v := classify("runs verify", code, errs, false, false)
		verified = v.was
		if verified == silent && (file == flipped[0] || sameJSON(text, f.files[file])) {
			v.was = harmless // the rerun will say whether the journal was whole
		}
		out = append(out, v)
	}

	// What was written by a reader is not what a rerun starts from.
	f.put(t, file, text)
	code, _, errs := mainly(f.run)
	files := tree(t, f.dir)
	other := unlike(derived(f.files), derived(files))
	r := classify("run", code, errs, names(errs), len(other) == 0)
	if r.was == harmless {
		r.was = repaired
	} else if r.was == silent {
		r.note = fmt.Sprintf("(other files: %v; runs verify: %s)", other, verified)
	}
	if left := leftovers(files); len(left) > 0 {
		r.was, r.note = silent, fmt.Sprintf("it leaves %v", left)
	}
	return append(out, r)
}

// sameJSON reports whether two texts differ in white space only.
func sameJSON(a, b string) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, []byte(a)) == nil && json.Compact(&y, []byte(b)) == nil && x.String() == y.String()
}

// classify says what a command did.
func classify(by string, code int, errs string, named, same bool) seen {
	switch {
	case code == -1 || panics(errs):
		return seen{by, silent, "it panics: " + tail(errs)}
	case same && code == exitOK:
		return seen{by, harmless, ""}
	case code != exitOK || named:
		return seen{by, told, ""}
	}
	return seen{by, silent, fmt.Sprintf("(exit code %d)", code)}
}
