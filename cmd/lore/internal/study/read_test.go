package study

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func reader() Reader {
	return Reader{
		Benchmarks: []string{"summhay", "crux", "msrs"},
		Settings: []Setting{
			{Name: "retriever", List: true},
			{Name: "limit", Kind: Whole},
			{Name: "temperature", Kind: Number},
			{Name: "batch", Kind: Flag},
			{Name: "seed", Kind: Whole},
			{Name: "num-predict", Kind: Whole},
			{Name: "system-header", Kind: Lines},
			{Name: "slots", Kind: Whole, Whole: true},
			{Name: "eta", Of: []string{"crux"}},
		},
		Check: func(v Value) error {
			if v.Setting.Kind == Whole && strings.Trim(v.Joined(), "0123456789") != "" {
				return errors.New("takes a whole number, not \"" + v.Joined() + "\"")
			}
			return nil
		},
	}
}

// plain is a run without places, for comparisons: "setting=value".
func plain(s Study) map[string][]string {
	out := map[string][]string{}
	for _, r := range s.Runs {
		lines := []string{r.Benchmark, strings.Join(r.Data, "|")}
		for _, v := range r.Values {
			lines = append(lines, v.Setting.Name+"="+v.Joined())
		}
		out[r.Name] = lines
	}
	return out
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want map[string][]string
	}{
		"a list": {"benchmarks: [summhay, CRUX]\nretrievers: [bm25, 'rrf(bm25,dense:x)']\n", map[string][]string{
			"summhay": {"summhay", "", "retriever=bm25,rrf(bm25,dense:x)"},
			"CRUX":    {"crux", "", "retriever=bm25,rrf(bm25,dense:x)"},
		}},
		"one":             {"benchmarks: crux", map[string][]string{"crux": {"crux", ""}}},
		"a mark in front": {"\xef\xbb\xbfbenchmarks: crux\r\nlimit: 3\r\n", map[string][]string{"crux": {"crux", "", "limit=3"}}},
		"JSON": {`{"benchmarks": {"crux": {"data": ["a", "b"], "limit": 2}}, "slots": 4}`, map[string][]string{
			"crux": {"crux", "a|b", "limit=2", "slots=4"},
		}},
		"its own before all": {"limit: 9\nbatch: True\nbenchmarks:\n  summhay: {limit: 1}\n  stories:\n    benchmark: msrs\n    data: x\n  crux:\n",
			map[string][]string{
				"summhay": {"summhay", "", "limit=1", "batch=true"},
				"stories": {"msrs", "x", "limit=9", "batch=true"},
				"crux":    {"crux", "", "limit=9", "batch=true"},
			}},
		"settings of one benchmark": {"eta: 3,5\nnum_predict: 7\nbenchmarks: [crux, msrs]", map[string][]string{
			"crux": {"crux", "", "eta=3,5", "num-predict=7"}, "msrs": {"msrs", "", "num-predict=7"},
		}},
		"seeds": {"benchmarks: crux\nseeds: [7, 9]", map[string][]string{
			"crux-seed7": {"crux", "", "seed=7"}, "crux-seed9": {"crux", "", "seed=9"},
		}},
		"repetitions": {"benchmarks: crux\nrepetitions: 2", map[string][]string{
			"crux-seed1": {"crux", "", "seed=1"}, "crux-seed2": {"crux", "", "seed=2"},
		}},
		"an alias": {"retrievers: &r [bm25, none]\nbenchmarks:\n  crux:\n    retriever: *r\n", map[string][]string{
			"crux": {"crux", "", "retriever=bm25,none"},
		}},
		"lines": {"benchmarks: crux\nsystem-header: ['A: $B, c', 'D: $E']", map[string][]string{
			"crux": {"crux", "", "system-header=A: $B, c,D: $E"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := reader().Read("s.yaml", []byte(c.text))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, plain(s)); d != "" {
				t.Error(d)
			}
		})
	}
}

// Every error names the file, the line where the matter stands, and what would be right.
func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":            {"", "s.yaml: is empty; `lore help study`"},
		"no map":             {"- summhay\n", "line 1: is not a study"},
		"no benchmarks":      {"limit: 3\n", "names no benchmarks; there are summhay, crux, msrs"},
		"empty benchmarks":   {"benchmarks:\nlimit: 3\n", "line 1: names no benchmarks"},
		"a wrong benchmark":  {"benchmarks:\n  - crux\n  - sumhay\n", `line 3: "sumhay" is no benchmark; did you mean summhay?`},
		"a wrong name":       {"benchmarks: crux\n\nretreivers: [bm25]\n", `line 3: a study has no "retreivers"; did you mean retrievers?`},
		"a misplaced name":   {"crux:\n  limit: 3\n", "line 1: crux is a benchmark; put it below benchmarks:"},
		"twice":              {"benchmarks: crux\nlimit: 1\nlimit: 2\n", "line 3: limit stands in line 2, too"},
		"two names":          {"benchmarks: crux\nretriever: bm25\nretrievers: [bm25]\n", "line 3: retrievers stands in line 2, too"},
		"two spellings":      {"benchmarks: crux\nnum-predict: 1\nnum_predict: 1\n", "line 3: num_predict stands in line 2, too"},
		"a benchmark twice":  {"benchmarks: [crux, crux]\n", "line 1: crux is there twice"},
		"not its setting":    {"benchmarks:\n  msrs:\n    eta: 3\n", "line 3: eta is a setting of crux, not of msrs"},
		"nobody's setting":   {"eta: 3\nbenchmarks: msrs\n", "line 1: eta is a setting of crux, and none of these benchmarks is one"},
		"for the whole":      {"benchmarks:\n  msrs:\n    slots: 3\n", "line 3: slots is for the whole study; put it beside benchmarks"},
		"title below":        {"benchmarks:\n  msrs:\n    title: x\n", "line 3: title is for the whole study; put it beside benchmarks"},
		"a wrong value":      {"benchmarks: crux\nlimit: many\n", `line 2: limit: takes a whole number, not "many"`},
		"no value":           {"benchmarks: crux\nlimit:\n", "line 2: limit has no value"},
		"null in a list":     {"benchmarks: crux\nretrievers: [bm25, ~]\n", "line 2: retrievers has no value"},
		"a list for one":     {"benchmarks: crux\nlimit: [1, 2]\n", "line 2: limit takes one value, not a list"},
		"an empty list":      {"benchmarks: crux\nretrievers: []\n", "line 2: retrievers is an empty list"},
		"a map for a value":  {"benchmarks: crux\nretrievers: {bm25: 1}\n", "line 2: retrievers takes a text, not a map"},
		"text for settings":  {"benchmarks:\n  crux: data.json\n", "line 2: crux takes settings; write data:"},
		"a folder outside":   {"benchmarks:\n  ../x:\n    benchmark: crux\n", `line 2: "../x" cannot name a folder`},
		"seeds and a number": {"benchmarks: crux\nseeds: [1]\nrepetitions: 2\n", "line 3: seeds and repetitions say the same"},
		"one seed twice":     {"benchmarks: crux\nseeds: [1, 1]\n", "line 2: seeds are different whole numbers"},
		"seeds and a seed":   {"benchmarks: crux\nseeds: [1, 2]\nseed: 4\n", "line 3: seed is said here, and for all in line 2"},
		"a number of seeds":  {"benchmarks: crux\nseeds: 3\n", "line 2: seeds is a list, such as [7, 8, 9]; for so many seeds write repetitions: 3"},
		"a list without []":  {"benchmarks: crux, msrs\n", "write a list in brackets: [crux, msrs]"},
		"data beside":        {"benchmarks: crux\ndata: x\n", "line 2: data is for one benchmark; put it below"},
		"a beginning":        {"benchmarks: crux\nnum: 3\n", `line 2: a study has no "num"; did you mean num-predict?`},
		"no repetitions":     {"benchmarks: crux\nrepetitions: 0\n", "line 2: repetitions is a whole number from 1"},
		"a tab":              {"benchmarks:\n\tcrux:\n", "line 2: is not valid YAML"},
		"a colon":            {"benchmarks: crux\ntitle: a: b\n", "line 2: is not valid YAML"},
		"two documents":      {"benchmarks: crux\n---\nlimit: 1\n", "begins a second document; put all of a study into one"},
		"a merge":            {"a: &a {limit: 1}\nbenchmarks: crux\n<<: *a\n", "line 3: <<, which takes over another map, is not read in a study; write out what it stands for"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := reader().Read("s.yaml", []byte(c.text))
			if err == nil {
				t.Fatal("it is read")
			}
			if !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "s.yaml: ") {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
}

// An error of the engine is placed where the study says what it is about.
func TestBlame(t *testing.T) {
	s, err := reader().Read("s.yaml", []byte("limit: 2\nbenchmarks:\n  crux:\n    retrievers: [bm25, bn25]\n    num-predict: 4\n"))
	if err != nil {
		t.Fatal(err)
	}
	for msg, want := range map[string]int{
		"--num-predict cannot be negative": 5,
		`unknown retriever "bn25"`:         4,
		"--limit is too large":             1,
		"the data has no reference":        3,
	} {
		if got := s.Runs[0].Blame(msg); got != want {
			t.Errorf("%s: line %d, want %d", msg, got, want)
		}
	}
}

// All that is wrong is told at once, in the order of the lines, and nothing that only follows from it.
func TestReadTellsAll(t *testing.T) {
	text := "benchmarks:\n  sumhay:\n  crux:\n    limit: few\n    batch: [true]\n    benchmark: crx\n  msrs:\n    limit: many\n    eta: 3\n  crux2: 5\n" +
		"retreivers: [bm25]\ntitle: [a]\neta: 4\nslots: 1\nslots: 2\n<<: {limit: 1}\nseeds: 3\n"
	s, err := reader().Read("s.yaml", []byte(text))
	if err == nil {
		t.Fatal("it is read")
	}
	var got []string
	for _, line := range strings.Split(err.Error(), "\n") {
		got = append(got, line[:min(len(line), 40)])
	}
	want := []string{
		`s.yaml: line 2: "sumhay" is no benchmark; did`[:40],
		`s.yaml: line 6: "crx" is no benchmark; did you`[:40],
		`s.yaml: line 8: limit: takes a whole number, no`[:40],
		`s.yaml: line 9: eta is a setting of crux, not`[:40],
		`s.yaml: line 10: crux2 takes settings; write da`[:40],
		`s.yaml: line 10: "crux2" is no benchmark; did`[:40],
		`s.yaml: line 11: a study has no "retreivers"; `[:40],
		`s.yaml: line 12: title is one text, such as ti`[:40],
		`s.yaml: line 15: slots stands in line 14, too;`[:40],
		`s.yaml: line 16: <<, which takes over another`[:40],
		`s.yaml: line 17: seeds is a list, such as [7, `[:40],
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if len(s.Runs) != 1 || s.Runs[0].Benchmark != "msrs" {
		t.Errorf("what is right of it: %+v", s.Runs)
	}
	var many strings.Builder
	for i := range 2 * mostTold {
		fmt.Fprintf(&many, "x%d: 1\n", i)
	}
	if _, err := reader().Read("s.yaml", []byte(many.String()+"benchmarks: crux\n")); !strings.HasSuffix(err.Error(), "\nand 20 more like these") {
		t.Errorf("of many: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"benchmarks: [summhay]", "benchmarks:\n  crux: {eta: 3}\nseeds: [1]", "a: &a [*a]", "? x\n: y", "benchmarks: &b {crux: *b}", "{", "\x00",
		"benchmarks: crux\nrepetitions: 3\ntitle: x",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := reader().Read("s.yaml", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "s.yaml: ") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		names := map[string]bool{}
		for _, r := range s.Runs {
			if names[strings.ToLower(r.Name)] || !folderName.MatchString(r.Name) {
				t.Errorf("the run %q cannot have a folder of its own", r.Name)
			}
			names[strings.ToLower(r.Name)] = true
		}
		if len(s.Runs) == 0 {
			t.Error("a study of nothing")
		}
	})
}
