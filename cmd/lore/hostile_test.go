package main

import (
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ollama/ollama/api"

	"lore/cmd/lore/internal/store"
	"lore/local"
	"lore/local/ollama/hostile"
	"lore/local/ollama/ollamatest"
	"lore/local/published"
)

// Limits of a lore command, whatever a server sends it.
const (
	mostMemory = 300 << 20
	mostTime   = 100 * time.Second
	endless    = 512 << 20 // bytes of what is meant to have no end
)

// verb is a command that asks a model server.
type verb struct {
	name string
	asks string // the path of the requests that matter to it
	line string // the command line
	read func(t *testing.T, dir string) findings
}

// command is the verb in the words of the command line.
func (v verb) command() string {
	words := strings.Fields(v.line)
	if words[0] == "build" {
		return strings.Join(words[:2], " ")
	}
	return words[0]
}

// findings are what a command made of replies.
type findings struct {
	scored   map[string]string     // what counts, by what it is the answer to
	outcomes map[local.Outcome]int // of what was asked
}

// Parts of a command line that are the same for many verbs. {dir} is a fresh folder, {in}
// that of the inputs.
const (
	sample  = "run summhay --limit 2 --slots 2 --out {dir}/run "
	short   = sample + "--retriever oracle --budget-tokens 500 "
	long    = sample + "--retriever full --budget-tokens 3400 --num-ctx 4096 " // more than half the window
	patient = " --host {url} --cache {dir}/cache"
)

var hostileVerbs = []verb{
	{"generate", "/api/chat", long + "--generator ollama:fake --judge lexical" + patient, readAnswers},
	{"judge", "/api/chat", short + "--judge ollama:fake" + patient, readVerdicts},
	{"logprob", "/api/chat", short + "--judge ollama:fake --judge-mode logprob" + patient, readVerdicts},
	{"embed", "/api/embed", "retrieve {in}/corpus.jsonl {in}/queries.tsv --retriever dense:ollama:fake " +
		"--calls {dir}/calls --index-dir {dir}/index --out {dir}/out.trec" + patient, readFile("out.trec")},
	{"build", "/api/chat", "build long2rag --questions {in}/seeds.txt --docs {in}/docs --evolve 0 --rounds 1 " +
		"--slots 2 --model ollama:fake --out {dir}/built" + patient, readFile("built/questions.jsonl")},
	{"doctor", "/api/ps", "doctor --model fake --host {url}", readFile("nothing")},
}

func readAnswers(t *testing.T, dir string) findings {
	t.Helper()
	out := findings{map[string]string{}, map[local.Outcome]int{}}
	for _, a := range records[store.Answer](t, filepath.Join(dir, "run", "answers.jsonl")) {
		out.outcomes[a.Outcome]++
		if !a.Failed() {
			out.scored[a.Item] = a.Text
		}
	}
	return out
}

func readVerdicts(t *testing.T, dir string) findings {
	t.Helper()
	out := findings{map[string]string{}, map[local.Outcome]int{}}
	for _, task := range records[store.TaskVerdicts](t, filepath.Join(dir, "run", "verdicts.jsonl")) {
		for _, v := range task.Verdicts {
			if v.Outcome == "" || v.Outcome == local.OK {
				out.outcomes[local.OK]++
				out.scored[task.Item+" "+v.Question] = fmt.Sprint(v.Label, v.Value, v.Unit)
			} else {
				out.outcomes[v.Outcome]++
			}
		}
	}
	return out
}

// readFile takes a file that is made as a whole for an answer.
func readFile(name string) func(t *testing.T, dir string) findings {
	return func(_ *testing.T, dir string) findings {
		out := findings{map[string]string{}, map[local.Outcome]int{}}
		if data, err := os.ReadFile(filepath.Join(dir, name)); err == nil && len(data) > 0 {
			out.scored[name] = string(data)
		}
		return out
	}
}

// meeting is a verb that meets a server in one of its modes.
type meeting struct {
	verb  verb
	mode  string
	every int // one reply in so many is spoilt
	fate  fate
}

func (m meeting) String() string {
	if m.every > 1 {
		return fmt.Sprintf("%s, 1 in %d", m.mode, m.every)
	}
	return m.mode
}

// Every verb that asks a server meets every misbehaviour. Nothing of a faulty reply may
// count, and no reply may cost more memory or time than its limits.
func TestHostile(t *testing.T) {
	if testing.Short() {
		t.Skip("-short leaves out what only takes long")
	}
	t.Run("ours", func(t *testing.T) {
		h := newHostility(t, "")
		h.campaign(t, h.ours(t))
	})
	t.Run("python", func(t *testing.T) {
		script := published.Path(t, "tools/hostile/server.py")
		if _, err := exec.LookPath("python3"); err != nil {
			absent(t, "python3 runs the hostile server: "+err.Error())
		}
		h := newHostility(t, script)
		h.campaign(t, h.python(t))
	})
}

// campaign lets the verbs meet the servers, some at once, and prints a table.
func (h *hostility) campaign(t *testing.T, all []meeting) {
	t.Helper()
	slices.SortFunc(all, func(a, b meeting) int {
		return strings.Compare(a.verb.name+a.String(), b.verb.name+b.String())
	})
	if only := os.Getenv("LORE_MODE"); only != "" {
		all = slices.DeleteFunc(all, func(m meeting) bool { return m.mode != only })
	} else if !inFull() {
		all = draw(t, all, 8)
	}
	t.Logf("%d meetings", len(all))

	rows := make([]string, len(all))
	var wg sync.WaitGroup
	atOnce := make(chan struct{}, sized(4, 10))
	for i, m := range all {
		wg.Go(func() {
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			rows[i] = h.meet(t, m)
		})
	}
	wg.Wait()
	t.Logf("\n| mode | verb | outcomes | exit | MB | s | |\n|---|---|---|--:|--:|--:|---|\n%s",
		strings.Join(rows, "\n"))
}

// hostility is the campaign: its inputs, and what every verb finds with a good server.
type hostility struct {
	script string // server.py, or empty where the server is ours
	in     string
	calm   map[string]map[string]string // what counts, by server and verb
	code   map[string]int               // the exit code, by the same
}

func newHostility(t *testing.T, script string) *hostility {
	t.Helper()
	h := &hostility{script: script, in: t.TempDir(), calm: map[string]map[string]string{}, code: map[string]int{}}
	docs, err := filepath.Abs("../../docs/examples/town")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(docs, filepath.Join(h.in, "docs")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"seeds.txt":    "Why was the tramway closed, and what did the council do about the rails?\n",
		"queries.tsv":  "1\tWho pays for the sea wall?\n2\tWhat did the storm do to the boats?\n",
		"corpus.jsonl": corpusLines(),
	} {
		if err := os.WriteFile(filepath.Join(h.in, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}

	for _, v := range hostileVerbs {
		found, e := h.ask(t, meeting{verb: v, mode: "none"})
		h.calm[v.name], h.code[v.name] = found.scored, e.code
		dumb := v.name == "doctor" || script != "" && (v.name == "build" || v.name == "logprob")
		if len(found.scored) == 0 && !dumb {
			t.Fatalf("%s does nothing with a good server: %s", v.name, e.said())
		}
	}
	return h
}

// corpusLines are documents that share a long beginning and differ in their ends.
func corpusLines() string {
	var b strings.Builder
	start := strings.Repeat("The harbour of the town has a long story. ", 20)
	for i, end := range []string{"storm and stone", "council and money", "boats in winter", "sand and wall"} {
		fmt.Fprintf(&b, `{"id":"d%d","text":"%s%s."}`+"\n", i, start, end)
	}
	return b.String()
}

// python are the meetings with server.py, which answers no request of a build and gives
// no probabilities.
func (h *hostility) python(t *testing.T) []meeting {
	t.Helper()
	for _, mode := range pythonModes(t, h.script) {
		if _, ok := pythonFates[mode]; !ok {
			t.Errorf("server.py has a mode %q that has no fate in hostile_fates_test.go", mode)
		}
	}
	var out []meeting
	for mode, fates := range pythonFates {
		for _, v := range hostileVerbs {
			meets := strings.HasPrefix(mode, "emb_") == (v.asks == "/api/embed") && v.name != "doctor"
			if v.name != "logprob" && (meets || early(mode)) {
				out = append(out, meeting{verb: v, mode: mode, fate: fates.of(v.name)})
			}
		}
	}
	return out
}

// ours are the meetings with local/ollama/hostile. Modes about log-probabilities and the
// verb that asks for them meet each other only.
func (h *hostility) ours(t *testing.T) []meeting {
	t.Helper()
	var out []meeting
	for _, mode := range append(hostile.Modes(), hostile.None) {
		fates, ok := ourFates[string(mode)]
		if !ok {
			t.Errorf("local/ollama/hostile has a mode %q that has no fate in hostile_fates_test.go", mode)
		}
		for _, v := range hostileVerbs {
			about := strings.Contains(string(mode), "logprobs")
			if !concerns(mode, v) || about != (v.name == "logprob") && mode != hostile.None {
				continue
			}
			for _, every := range []int{1, 3} {
				out = append(out, meeting{verb: v, mode: string(mode), every: every, fate: fates.of(v.name)})
			}
		}
	}
	return out
}

// concerns reports whether a verb sends requests that a mode spoils.
func concerns(mode hostile.Mode, v verb) bool {
	if mode == hostile.None {
		return true
	}
	for _, path := range []string{"/api/version", "/api/tags", "/api/show", v.asks} {
		if hostile.Concerns(mode, path) {
			return true
		}
	}
	return false
}

// early reports whether a mode of server.py spoils what is asked before the first call.
func early(mode string) bool {
	return slices.Contains(strings.Fields("none bigversion verescape verhang tagsbig tagesc remote digestflip"), mode)
}

// pythonModes reads the modes from the text of the server.
func pythonModes(t *testing.T, script string) []string {
	t.Helper()
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	modes := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?:\bm|mode\(\))==?'([^']+)'`).FindAllStringSubmatch(string(text), -1) {
		modes[m[1]] = true
	}
	if len(modes) < 60 {
		t.Fatalf("%d modes were found in %s: the test proves nothing", len(modes), script)
	}
	return slices.Sorted(maps.Keys(modes))
}

// draw is a seeded sample. A failure in transport is repeated for most of a minute, and a
// silence before the first call is waited out: these are left to the long form.
func draw(t *testing.T, all []meeting, n int) []meeting {
	t.Helper()
	quick := slices.DeleteFunc(slices.Clone(all), func(m meeting) bool {
		return slices.Contains(m.fate.why, local.Transport) || len(m.fate.why) == 0 && m.fate.verdict == fail ||
			strings.Contains(m.mode, "huge") ||
			m.verb.name == "build" && strings.Contains(m.mode, "utf8") ||
			slices.Contains([]string{"hang-tags", "hang-show", "never-accepts", "verhang"}, m.mode)
	})
	dice(t).Shuffle(len(quick), func(i, k int) { quick[i], quick[k] = quick[k], quick[i] })
	return quick[:n]
}

// meet lets a verb meet a server, checks what came of it, and returns its row.
func (h *hostility) meet(t *testing.T, m meeting) string {
	t.Helper()
	found, e := h.ask(t, m)
	problems := strings.Join(h.judge(m, found, e), "; ")
	if problems != "" {
		t.Errorf("%s meets %s: %s\nit ends with: %s", m.verb.name, m, problems, tail(e.stderr))
	}

	var outcomes []string
	for _, o := range local.Outcomes {
		if n := found.outcomes[o]; n > 0 {
			outcomes = append(outcomes, fmt.Sprintf("%s %d", o, n))
		}
	}
	return fmt.Sprintf("| %s | %s | %s | %d | %d | %.1f | %s |", m, m.verb.name,
		strings.Join(outcomes, ", "), e.code, e.mb(), e.took.Seconds(), problems)
}

// judge lists what is wrong with how a verb met a server.
func (h *hostility) judge(m meeting, found findings, e ended) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	switch {
	case panics(e.said()):
		add("it panics")
	case e.code == -1:
		add("it did not end within %s", mostTime)
	case !slices.Contains(h.exits(m), e.code):
		add("exit code %d, want one of %v", e.code, h.exits(m))
	}
	if e.peak > mostMemory {
		add("it took %d MB", e.mb())
	}
	if strings.ContainsAny(e.said(), "\x1b\x07\x00") || strings.Contains(e.said(), "\u202e") {
		add("it prints characters that steer a terminal")
	}

	calm := h.calm[m.verb.name]
	for key, text := range found.scored {
		was, ok := calm[key]
		lost := m.verb.name == "build" && e.code == exitPartial && partOf(text, was)
		if !m.own() && !lost && (!ok || was != text) {
			add("%s counts with %.60q, and is %.60q of a good server", key, text, was)
			break
		}
	}
	if m.every < 2 {
		out = append(out, m.every1(found, e, len(calm))...)
	}
	return out
}

// partOf reports whether every text in lines of JSON stands in others: a build that lost
// some on the way has said so, and must hold nothing else.
func partOf(part, whole string) bool {
	texts := regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	known := map[string]bool{}
	for _, s := range texts.FindAllString(whole, -1) {
		known[s] = true
	}
	for _, s := range texts.FindAllString(part, -1) {
		if !known[s] {
			return false
		}
	}
	return true
}

// own reports whether what counts may be other than with a good server: what the model
// says, or said when it was asked to repair a reply.
func (m meeting) own() bool {
	return m.fate.verdict == words || m.every > 1 && slices.Contains(m.fate.why, local.BadFormat)
}

// every1 checks a verb that got nothing but faulty replies.
func (m meeting) every1(found findings, e ended, calm int) []string {
	var out []string
	scored := len(found.scored)
	switch m.fate.verdict {
	case fail, no:
		if scored > 0 {
			out = append(out, fmt.Sprintf("%d of %d faulty replies count", scored, calm))
		}
		for o := range found.outcomes {
			if len(m.fate.why) > 0 && !slices.Contains(m.fate.why, o) && e.code != exitServer {
				out = append(out, fmt.Sprintf("outcome %s, want one of %v", o, m.fate.why))
			}
		}
	case count:
		if scored < calm {
			out = append(out, fmt.Sprintf("only %d of %d right replies count", scored, calm))
		}
	}
	return out
}

// exits are the exit codes that a meeting may end with.
func (h *hostility) exits(m meeting) []int {
	partly := []int{exitOK, exitUsage, exitPartial, exitInput, exitServer}
	switch {
	case m.verb.name == "doctor":
		return []int{exitOK, exitError, exitPartial, exitServer} // 1: it has found problems
	case m.verb.name == "build" && h.script != "": // no build gets past its probe of schemas
		return []int{exitUsage, exitServer}
	case m.every > 1 && m.fate.verdict != count:
		return partly
	}
	switch m.fate.verdict {
	case count:
		return []int{h.code[m.verb.name]}
	case no:
		return []int{exitServer}
	case fail:
		if m.verb.name == "build" { // a model that fails the probe of schemas is the wrong choice
			return []int{exitUsage, exitPartial, exitInput, exitServer}
		}
		return []int{exitPartial, exitServer}
	}
	return partly
}

// ask starts the server, runs the verb, and reads what it made.
func (h *hostility) ask(t *testing.T, m meeting) (findings, ended) {
	t.Helper()
	dir := t.TempDir()
	var over cleanups
	defer over.do()
	url := h.start(t, &over, m)
	var args []string
	fill := strings.NewReplacer("{dir}", dir, "{in}", h.in, "{url}", url)
	for _, a := range strings.Fields(m.verb.line) {
		args = append(args, fill.Replace(a))
	}
	for _, f := range [][2]string{{"timeout", "first=3s,idle=2s,total=6s"}, {"max-failures", "5"}} {
		if knows(m.verb.command(), f[0]) {
			args = append(args, "--"+f[0], f[1])
		}
	}
	e := process{args: args, cache: filepath.Join(dir, "home"), most: mostTime}.run(t)
	return m.verb.read(t, dir), e
}

// start starts a server until the meeting is over, and returns its URL.
func (h *hostility) start(t *testing.T, over *cleanups, m meeting) string {
	t.Helper()
	if h.script == "" {
		good := &ollamatest.Server{Answer: counted(graded), Logprobs: true}
		return (&hostile.Server{Good: good, Mode: hostile.Mode(m.mode), Every: m.every, Size: endless}).Start(over)
	}

	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	cmd := exec.Command("python3", h.script, "--mode", m.mode,
		"--port", fmt.Sprint(port), "--size", fmt.Sprint(endless))
	cmd.SysProcAttr = mortal()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	over.Cleanup(func() {
		_ = cmd.Process.Kill() // it never ends by itself
		_ = cmd.Wait()
	})
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return "http://" + addr
		}
	}
	t.Fatal("server.py does not listen")
	return ""
}

// graded answers with a digit where one is asked for, and like a careful model elsewhere.
func graded(req api.ChatRequest) string {
	if strings.Contains(req.Messages[len(req.Messages)-1].Content, "one digit and nothing else") {
		return "2"
	}
	return careful(req)
}
