package crux

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lore/datasets"
	"lore/local/published"
)

// table5Data is the paper's example as a dataset of its own.
func table5Data(t *testing.T) *datasets.Dataset {
	t.Helper()
	it := table5Item(t)
	return &datasets.Dataset{Items: []datasets.Item{it}, Corpora: []*datasets.Corpus{it.set.corpus}}
}

func writeRun(t *testing.T, lines string, parts ...string) string {
	t.Helper()
	file := filepath.Join(parts...)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// A run with a passage that is not there, between two that are: by hand, both ways. c answers questions
// 5, 6 and 10, a answers 3, 4 and 9, of eight.
func TestRunsWithAbsentPassages(t *testing.T) {
	ds := table5Data(t)
	dir := t.TempDir()
	writeRun(t, "t Q0 a 3 1 x\nt Q0 c 1 3 x\nt Q0 gone 2 2 x\nother Q0 a 1 1 x\n", dir, "first.run")
	writeRun(t, "t Q0 b 1 1 x\nt Q0 a 2 1 x\n", dir, "below", "second.trec")
	names, err := runFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := readRuns(ds, names)
	if err != nil {
		t.Fatal(err)
	}
	if len(runs) != 2 || runs[0].name != "first" || runs[0].passages != 3 || runs[0].there != 2 || fmt.Sprint(runs[1].topics["t"].all) != "[b a]" {
		t.Fatalf("%+v", runs)
	}

	all := measureRuns(ds, runs, []Size{0, 2})
	get := func(k Size, how reading, run int, name string) float64 {
		v, ok := chosen(all, k, how)[run].Topics["t"][name]
		if !ok {
			return math.NaN()
		}
		return v
	}
	ideal := 3 + 3/math.Log2(3)
	for _, c := range []struct {
		k    Size
		how  reading
		name string
		want float64
	}{
		{2, leftOut, at(CovContext, 3), 6.0 / 8},
		{2, inPlace, at(CovContext, 3), 3.0 / 8},
		{0, inPlace, at(CovContext, 3), 6.0 / 8}, // three are required
		{2, leftOut, at(AlphaNDCG, 3), 1},
		{2, inPlace, at(AlphaNDCG, 3), 3 / ideal},
		{2, leftOut, RecallAtK, 2.0 / 3},
		{2, inPlace, RecallAtK, 1.0 / 3},
		{2, leftOut, MAP, 2.0 / 3},
		{2, inPlace, MAP, (1 + 2.0/3) / 3},
		{2, inPlace, at(DenContext, 3), math.NaN()},
	} {
		got := get(c.k, c.how, 0, c.name)
		if math.Abs(got-c.want) > 1e-12 || math.IsNaN(got) != math.IsNaN(c.want) {
			t.Errorf("k %s, %s: %s is %v, want %v", c.k, c.how, c.name, got, c.want)
		}
	}

	tables := fmt.Sprint(Benchmark{}.runTables(all, []Size{0, 2}))
	for _, want := range []string{"2 of 3", "Spread over runs, k 2", "[2 3 first 75.0 100.0 "} {
		if !strings.Contains(tables, want) {
			t.Errorf("no %q in %s", want, tables)
		}
	}
	if strings.Contains(tables, "order runs alike") || strings.Contains(tables, "2 of 2") {
		t.Error("a correlation over two runs, or a run without absent passages among those with some")
	}
}

// Three runs have correlations, by hand: Cov(Z) orders them as α-nDCG does.
func TestRunsInOrder(t *testing.T) {
	ds := table5Data(t)
	var runs []recordedRun
	for i, ids := range []string{"a b c", "a d d2", "d a"} {
		var lines []runLine
		for rank, id := range strings.Fields(ids) {
			lines = append(lines, runLine{topic: "t", passage: id, score: -float64(rank)})
		}
		r := placeRun(lines, namesIn(ds))
		r.name = fmt.Sprint(i)
		runs = append(runs, r)
	}
	g := Benchmark{}.runTau("", chosen(measureRuns(ds, runs, []Size{2}), 2, leftOut))
	if len(g.Rows) != 6 || g.Rows[0][1] != "1.00" || g.Rows[0][2] != "0.82" || g.Rows[1][1] != "0.82" {
		t.Errorf("%v", g.Rows)
	}
}

func TestRunsThatCannotBeRead(t *testing.T) {
	ds := table5Data(t)
	dir := t.TempDir()
	for name, c := range map[string]struct{ lines, says string }{
		"short":  {"t Q0 a 1 1\n", "line 1: has 5 fields"},
		"score":  {"\nt Q0 a 1 high x\n", `line 2: has the score "high"`},
		"nan":    {"t Q0 a 1 NaN x\n", `has the score "NaN"`},
		"twice":  {"t Q0 a 1 2 x\nt Q0 a 2 1 x\n", `line 2: ranks the passage "a" of topic t again`},
		"absent": {"t Q0 z 1 2 x\n", "ranks no passage of the data; topics are called like t, and passages like a"},
		"others": {"u Q0 a 1 2 x\n", "ranks nothing for any topic of the data"},
	} {
		_, err := readRuns(ds, []string{writeRun(t, c.lines, dir, name+".run")})
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	for list, says := range map[string]string{"nowhere.run": "nowhere.run", empty: "holds no run", ",b": "empty name"} {
		if _, err := runFiles(list); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", list, err)
		}
	}
	for _, list := range []string{"", "0", "ideal,x", "10,10", "-1"} {
		if _, err := readSizes(list); err == nil {
			t.Errorf("--k %q was taken", list)
		}
	}
	if got, err := readSizes("ideal, 10"); err != nil || !slices.Equal(got, []Size{0, 10}) {
		t.Errorf("%v, %v", got, err)
	}
}

// Files of one name in two folders keep their paths apart.
func TestRunsOfOneName(t *testing.T) {
	dir := t.TempDir()
	a, b := writeRun(t, "t Q0 a 1 1 x\n", dir, "a", "r.run"), writeRun(t, "t Q0 b 1 1 x\n", dir, "b", "r.run")
	runs, err := readRuns(table5Data(t), []string{a, b})
	if err != nil || runs[0].name != a || runs[1].name != b {
		t.Errorf("%+v, %v", runs, err)
	}
}

// draw gives every number once, and each equally often first.
func TestDraw(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	first := make([]int, 5)
	for range 5000 {
		d, seen := newDraw(5), map[int]bool{}
		for n := 0; ; n++ {
			i, ok := d.next(rng)
			if !ok {
				break
			}
			if n == 0 {
				first[i]++
			}
			seen[i] = true
		}
		if len(seen) != 5 {
			t.Fatalf("drew %v", seen)
		}
	}
	if slices.Min(first) < 850 || slices.Max(first) > 1150 {
		t.Errorf("first numbers %v", first)
	}
}

// Whatever a run holds, it is refused or placed, each passage once.
func FuzzRun(f *testing.F) {
	f.Add([]byte("t Q0 a 1 2.5 x\nt Q0 b 2 1 x\n"))
	f.Add([]byte("t Q0 a 1 Inf x"))
	f.Add([]byte("duc04-testb-0 Q0 duc04-testb-0:1#1 1 1 x\nt Q0"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, err := parseRun("r", data)
		if err != nil {
			return
		}
		r := placeRun(lines, named{func(id string) bool { return id == "t" }, func(id string) bool { return id != "b" }})
		there, all := 0, 0
		for _, ranked := range r.topics {
			there, all = there+len(ranked.there), all+len(ranked.all)
		}
		if there != r.there || all != r.passages || there > all || all > len(lines) {
			t.Errorf("%d of %d of %d lines: %+v", there, all, len(lines), r)
		}
	})
}

// Imported runs give the figures that the released ones give, by both readings of what is absent.
func TestReleasedRunsImported(t *testing.T) {
	root := published.Path(t, "data/crux_released")
	put, err := putTogether([]string{root})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := put.placeRuns()
	if err != nil {
		t.Fatal(err)
	}
	if there, all := ranked(runs); len(runs) != 11 || all != 55000 || there != 3*(1016+1444+1481)+1444+1481 {
		t.Errorf("%d runs with %d of %d passages", len(runs), there, all)
	}
	dir := t.TempDir()
	if err := put.write(dir, runs); err != nil {
		t.Fatal(err)
	}

	ds, err := Benchmark{}.Load([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	names, err := runFiles(filepath.Join(dir, RunsFolder))
	if err != nil {
		t.Fatal(err)
	}
	again, err := readRuns(ds, names)
	if err != nil {
		t.Fatal(err)
	}
	for i := range again {
		at := slices.IndexFunc(runs, func(o recordedRun) bool { return strings.ReplaceAll(o.name, ":", "_") == again[i].name })
		for topic, ranked := range again[i].topics {
			if !slices.Equal(ranked.there, runs[at].topics[topic].there) {
				t.Errorf("%s, %s: %v, want %v", again[i].name, topic, ranked.there, runs[at].topics[topic].there)
			}
		}
		if again[i].passages != runs[at].passages || again[i].there != runs[at].there {
			t.Errorf("%s: %d of %d passages, want %d of %d", again[i].name, again[i].there, again[i].passages, runs[at].there, runs[at].passages)
		}
		for _, how := range []reading{leftOut, inPlace} {
			got, want := again[i].at(ds, 10, how), runs[at].at(ds, 10, how)
			if diff := cmp.Diff(want.figures, got.figures, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("%s, %s: %s", again[i].name, how, diff)
			}
		}
	}
}

// What a command may think of runs is said.
func TestRunDoubts(t *testing.T) {
	ds := table5Data(t)
	run := func(name string, topics ...string) recordedRun {
		out := recordedRun{name: name, topics: map[string]ranking{}}
		for _, id := range topics {
			out.topics[id] = ranking{all: []string{"a", "b"}, there: []string{"a", "b"}}
		}
		return out
	}
	ds.Items = append(ds.Items, ds.Items[0])
	for _, c := range []struct {
		runs []recordedRun
		k    Size
		want string
	}{
		{[]recordedRun{run("x", "t", "u")}, 2, ""},
		{[]recordedRun{run("x", "t")}, 0, "not all 2 topics are ranked by: x (1); each mean is over the topics that the run has"},
		{[]recordedRun{run("x", "t"), run("y", "u")}, 0, "not all 2 topics are ranked by: x (1), y (1); each mean is over the topics that the run has, " +
			"so that these figures and those of the other runs, their spread and τ are over different topics"},
		{[]recordedRun{run("x", "t", "u")}, 3, "k 3 is more passages than are ranked for any topic by: x (2); their contexts hold what there is"},
	} {
		if got := strings.Join(runDoubts(ds, c.runs, []Size{0, c.k}), "; "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}

	dir := t.TempDir()
	file := writeRun(t, "t Q0 a 1 1 x\n", dir, "a.run")
	if _, err := runFiles(file + "," + dir); err == nil || !strings.Contains(err.Error(), "--run has one file twice") {
		t.Error(err)
	}
}
