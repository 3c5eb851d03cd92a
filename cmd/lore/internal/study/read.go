package study

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"lore/cmd/lore/internal/yamlfile"
)

// Keys of a study besides settings.
const (
	keyBenchmarks  = "benchmarks"
	keyBenchmark   = "benchmark"
	keyData        = "data"
	keyTitle       = "title"
	keyDate        = "date"
	keyOut         = "out"
	keySeed        = "seed"
	keySeeds       = "seeds"
	keyRepetitions = "repetitions"
)

// mostRepetitions bounds what a slip of the finger can ask for.
const mostRepetitions = 1000

// entry is a key of a map with what it holds.
type entry struct {
	name  string // small letters, "-" for "_"
	key   *yaml.Node
	value *yaml.Node
}

// reading is a file while it is read.
type reading struct {
	Reader
	file  string
	wrong *[]error // what is wrong so far
}

// note keeps an error, if it is one, and reports whether it is.
func (in reading) note(err error) bool {
	if err != nil {
		*in.wrong = append(*in.wrong, err)
	}
	return err != nil
}

// Read reads a study. Errors name the line, and what would be right: all of them are told at once, and
// the study has what is right of it.
func (r Reader) Read(file string, data []byte) (Study, error) {
	in := reading{r, file, new([]error)}
	root, err := in.root(data)
	if err != nil {
		return Study{}, err
	}
	entries := in.entries(root)
	out, shared := in.head(entries)

	at := slices.IndexFunc(entries, func(e entry) bool { return e.name == keyBenchmarks })
	if at < 0 {
		meant := func(err error) bool {
			msg := err.Error()
			return strings.Contains(msg, "did you mean "+keyBenchmarks+"?") || strings.Contains(msg, "below "+keyBenchmarks+":")
		}
		if !slices.ContainsFunc(*in.wrong, meant) {
			in.note(failure(file, 0, remedy, "names no benchmarks; there are %s", strings.Join(r.Benchmarks, ", ")))
		}
		return out, Mistakes(*in.wrong)
	}

	before := len(*in.wrong)
	runs := in.benchmarks(entries[at], shared)
	if len(*in.wrong) == before { // else one that is misspelt may be the one
		in.allUsed(shared, runs)
	}
	if out.Runs, err = in.repeated(entries, runs); in.note(err) {
		out.Runs = runs
	}
	return out, Mistakes(*in.wrong)
}

// root is the map that the file is.
func (in reading) root(data []byte) (*yaml.Node, error) {
	root, err := yamlfile.Parse(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), "a study", "of a study")
	switch {
	case err != nil:
		return nil, in.broken(err)
	case root == nil:
		return nil, failure(in.file, 0, remedy, "is empty")
	case root.Kind != yaml.MappingNode:
		return nil, failure(in.file, root.Line, remedy, "is not a study: it should be names with values, such as benchmarks: [summhay]")
	}
	return root, nil
}

// yamlLine is how the library tells a place.
var yamlLine = regexp.MustCompile(`^(yaml: )?(?:line (\d+): )?`)

// broken words an error of the YAML library, or of its bounds.
func (in reading) broken(err error) error {
	m := yamlLine.FindStringSubmatch(err.Error())
	msg := err.Error()[len(m[0]):]
	line, _ := strconv.Atoi(m[2]) // 0 where there is none
	if m[1] == "" {
		return failure(in.file, line, remedy, "%s", msg)
	}
	help := "a value with a colon, a bracket or a # needs quotes; before names stand spaces, not tabs, and what belongs " +
		"together begins equally far in"
	return failure(in.file, max(line, 1), help, "is not valid YAML: %s", msg)
}

// entries are the keys of a map. A key that stands twice is refused: one of them would be lost.
func (in reading) entries(n *yaml.Node) []entry {
	const merge = "write out what it stands for, or put what holds for all beside " + keyBenchmarks
	var out []entry
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], resolved(n.Content[i+1])
		switch {
		case key.Value == "<<":
			in.note(failure(in.file, key.Line, merge, "<<, which takes over another map, is not read in a study"))
			continue
		case key.Kind != yaml.ScalarNode:
			in.note(failure(in.file, key.Line, remedy, "a name is wanted here"))
			continue
		}
		e := entry{strings.ReplaceAll(strings.ToLower(key.Value), "_", "-"), key, value}
		if at := slices.IndexFunc(out, func(o entry) bool { return o.name == e.name }); at >= 0 {
			in.note(failure(in.file, key.Line, "leave one of them out", "%s stands in line %d, too", key.Value, out[at].key.Line))
			continue
		}
		out = append(out, e)
	}
	return out
}

// resolved is what an alias stands for.
func resolved(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// head reads what stands beside the benchmarks.
func (in reading) head(entries []entry) (Study, []Value) {
	var out Study
	var shared []Value
	words := map[string]*string{keyTitle: &out.Title, keyDate: &out.Date, keyOut: &out.Out}
	for _, e := range entries {
		switch into := words[e.name]; {
		case into != nil:
			text, err := in.scalar(e)
			in.note(err)
			*into = text
		case e.name == keyBenchmarks || e.name == keySeeds || e.name == keyRepetitions:
		default:
			if v, err := in.value(e, ""); !in.note(err) {
				shared = in.add(shared, v)
			}
		}
	}
	return out, shared
}

// add adds a value, whose setting must not stand there under its other name.
func (in reading) add(to []Value, v Value) []Value {
	if at := slices.IndexFunc(to, func(o Value) bool { return o.Setting.Name == v.Setting.Name }); at >= 0 {
		in.note(failure(in.file, v.Line, "leave one of them out", "%s stands in line %d, too", v.Setting.Plural(), to[at].Line))
		return to
	}
	return append(to, v)
}

// scalar is the text of a key that has one.
func (in reading) scalar(e entry) (string, error) {
	if e.value.Kind != yaml.ScalarNode || e.value.Tag == "!!null" {
		return "", failure(in.file, e.value.Line, "", "%s is one text, such as %s: May 2026", e.key.Value, e.key.Value)
	}
	return e.value.Value, nil
}

// value reads a setting. bench is the benchmark whose entry it stands in; empty beside them.
func (in reading) value(e entry, bench string) (Value, error) {
	of := slices.IndexFunc(in.Settings, func(s Setting) bool { return s.Name == e.name || s.Plural() == e.name })
	if of < 0 {
		return Value{}, in.unknown(e, bench)
	}
	s := in.Settings[of]
	v := Value{Setting: s, Line: e.key.Line}
	switch {
	case bench != "" && s.Whole:
		return v, failure(in.file, e.key.Line, "put it beside "+keyBenchmarks, "%s is for the whole study", e.key.Value)
	case bench != "" && len(s.Of) > 0 && !slices.Contains(s.Of, bench):
		return v, failure(in.file, e.key.Line, "", "%s is a setting of %s, not of %s", e.key.Value, strings.Join(s.Of, ", "), bench)
	}

	var err error
	if v.Texts, err = in.texts(e, s); err != nil {
		return v, err
	}
	if in.Check != nil {
		if err := in.Check(v); err != nil {
			return v, failure(in.file, e.value.Line, "", "%s: %v", e.key.Value, err)
		}
	}
	return v, nil
}

// texts are the values of a setting, as a command line would have them.
func (in reading) texts(e entry, s Setting) ([]string, error) {
	nodes := []*yaml.Node{e.value}
	many := s.List || s.Kind == Lines
	switch {
	case e.value.Kind == yaml.SequenceNode && many:
		nodes = e.value.Content
	case e.value.Kind == yaml.SequenceNode:
		return nil, failure(in.file, e.value.Line, "", "%s takes one value, not a list", e.key.Value)
	}
	if len(nodes) == 0 {
		return nil, failure(in.file, e.value.Line, "leave it out for the default", "%s is an empty list", e.key.Value)
	}

	var out []string
	for _, n := range nodes {
		n = resolved(n)
		switch {
		case n.Kind != yaml.ScalarNode:
			return nil, failure(in.file, n.Line, "", "%s takes %s, not a map or a list of lists", e.key.Value, s.Kind.words())
		case n.Tag == "!!null":
			return nil, failure(in.file, n.Line, `leave it out for the default; the name none needs no quotes, an empty text is ""`,
				"%s has no value", e.key.Value)
		}
		text := n.Value
		if s.Kind == Flag {
			text = strings.ToLower(text) // as YAML writes true in any case
		}
		out = append(out, text)
	}
	return out, nil
}

// words is what a kind of value is.
func (k Kind) words() string {
	switch k {
	case Whole:
		return "a whole number"
	case Number:
		return "a number"
	case Flag:
		return "true or false"
	}
	return "a text"
}

// unknown says what a wrong name may be meant to be.
func (in reading) unknown(e entry, bench string) error {
	known := []string{keyTitle, keyDate, keyOut, keyBenchmarks, keySeeds, keyRepetitions}
	if bench != "" {
		known = []string{keyBenchmark, keyData}
	}
	for _, s := range in.Settings {
		if bench == "" || !s.Whole && (len(s.Of) == 0 || slices.Contains(s.Of, bench)) {
			known = append(known, s.Plural())
		}
	}

	switch {
	case slices.Contains(in.Benchmarks, e.name):
		return failure(in.file, e.key.Line, "put it below "+keyBenchmarks+":", "%s is a benchmark", e.key.Value)
	case bench != "" && slices.Contains([]string{keySeeds, keyRepetitions, keyTitle, keyDate, keyOut}, e.name):
		return failure(in.file, e.key.Line, "put it beside "+keyBenchmarks, "%s is for the whole study", e.key.Value)
	case e.name == keyData || e.name == keyBenchmark:
		return failure(in.file, e.key.Line, "put it below the benchmark that it is for", "%s is for one benchmark", e.key.Value)
	}
	help := remedy
	return failure(in.file, e.key.Line, help, "a study has no %q%s", e.key.Value, orNearest(e.name, known))
}

// benchmarks reads the runs: a list of names, or a map of names to their settings.
func (in reading) benchmarks(e entry, shared []Value) []Run {
	var out []Run
	before := len(*in.wrong)
	take := func(name, settings *yaml.Node) {
		if run, ok := in.run(name, settings, shared); ok {
			out = append(out, run)
		}
	}
	switch e.value.Kind {
	case yaml.SequenceNode:
		for _, n := range e.value.Content {
			if n = resolved(n); n.Kind != yaml.ScalarNode {
				in.note(failure(in.file, n.Line, "with settings, write names with a colon instead of a list", "a name is wanted here"))
				continue
			}
			take(n, nil)
		}
	case yaml.MappingNode:
		for _, b := range in.entries(e.value) {
			take(b.key, b.value)
		}
	case yaml.ScalarNode:
		if e.value.Tag != "!!null" {
			take(e.value, nil)
		}
	}

	if len(out) == 0 && len(*in.wrong) == before {
		in.note(failure(in.file, e.key.Line, remedy, "names no benchmarks; there are %s", strings.Join(in.Benchmarks, ", ")))
	}
	return in.unique(out)
}

// unique are the runs without those whose name stands before.
func (in reading) unique(runs []Run) []Run {
	var out []Run
	for _, r := range runs {
		same := func(o Run) bool { return strings.EqualFold(o.Name, r.Name) }
		if slices.ContainsFunc(out, same) {
			in.note(failure(in.file, r.Line, "name one otherwise, and say benchmark: "+r.Benchmark+" below it",
				"%s is there twice", r.Name))
			continue
		}
		out = append(out, r)
	}
	return out
}

// run reads one benchmark: what it says itself, and what is said for all. nil settings are none. Without
// ok nobody knows which benchmark it is.
func (in reading) run(key, settings *yaml.Node, shared []Value) (run Run, ok bool) {
	run = Run{Name: key.Value, Benchmark: strings.ToLower(key.Value), Line: key.Line}
	var own []entry
	switch {
	case settings == nil || settings.Tag == "!!null":
	case settings.Kind != yaml.MappingNode:
		in.note(failure(in.file, settings.Line, "write data: and a path below the name", "%s takes settings", key.Value))
	default:
		own = in.entries(settings)
	}
	if !in.whose(&run, key, own) {
		return run, false
	}

	for _, e := range own {
		switch e.name {
		case keyBenchmark:
		case keyData:
			var err error
			run.DataLine = e.value.Line
			run.Data, err = in.texts(e, Setting{Name: keyData, List: true})
			in.note(err)
		default:
			if v, err := in.value(e, run.Benchmark); !in.note(err) {
				run.Values = in.add(run.Values, v)
			}
		}
	}
	run.inherit(shared)
	return run, true
}

// whose sets the benchmark of a run, and sees that its name can be that of a folder.
func (in reading) whose(run *Run, key *yaml.Node, own []entry) bool {
	line, name := key.Line, key.Value
	if at := slices.IndexFunc(own, func(e entry) bool { return e.name == keyBenchmark }); at >= 0 {
		text, err := in.scalar(own[at])
		if in.note(err) {
			return false
		}
		line, name = own[at].value.Line, text
	}
	run.Benchmark = strings.ToLower(name)
	if !slices.Contains(in.Benchmarks, run.Benchmark) {
		in.note(in.noBenchmark(line, name))
		return false
	}
	if run.Name == "" || !folderName.MatchString(run.Name) {
		in.note(failure(in.file, key.Line, "use letters, digits, . _ and -", "%q cannot name a folder", run.Name))
		return false
	}
	return true
}

// folderName is what names of runs consist of.
var folderName = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}._-]*$`)

func (in reading) noBenchmark(line int, name string) error {
	if strings.Contains(name, ",") {
		return failure(in.file, line, "write a list in brackets: ["+name+"]", "%q is no benchmark", name)
	}
	help := fmt.Sprintf("there are %s; for another name of your own, say benchmark: below it", strings.Join(in.Benchmarks, ", "))
	return failure(in.file, line, help, "%q is no benchmark%s", name, orNearest(strings.ToLower(name), in.Benchmarks))
}

// inherit adds what is said for all benchmarks, where the run says nothing itself, and has the
// setting at all.
func (r *Run) inherit(shared []Value) {
	for _, v := range shared {
		has := func(o Value) bool { return o.Setting.Name == v.Setting.Name }
		if len(v.Setting.Of) > 0 && !slices.Contains(v.Setting.Of, r.Benchmark) || slices.ContainsFunc(r.Values, has) {
			continue
		}
		r.Values = append(r.Values, v)
	}
}

// allUsed refuses a setting beside the benchmarks that none of them has.
func (in reading) allUsed(shared []Value, runs []Run) {
	for _, v := range shared {
		has := func(r Run) bool { return slices.Contains(v.Setting.Of, r.Benchmark) }
		if len(v.Setting.Of) > 0 && !slices.ContainsFunc(runs, has) {
			in.note(failure(in.file, v.Line, "leave it out", "%s is a setting of %s, and none of these benchmarks is one",
				v.Setting.Name, strings.Join(v.Setting.Of, ", ")))
		}
	}
}

// repeated makes a run of each for every seed.
func (in reading) repeated(entries []entry, runs []Run) ([]Run, error) {
	seeds, line, err := in.seeds(entries, runs)
	if err != nil || len(seeds) == 0 {
		return runs, err
	}
	var out []Run
	for _, r := range runs {
		if at := slices.IndexFunc(r.Values, isSeed); at >= 0 {
			return nil, failure(in.file, r.Values[at].Line, "leave one of them out", "seed is said here, and for all in line %d", line)
		}
		for _, seed := range seeds {
			one := r
			one.Name = fmt.Sprintf("%s-seed%d", r.Name, seed)
			one.Values = append(slices.Clone(r.Values), Value{
				Setting: Setting{Name: keySeed, Kind: Whole},
				Texts:   []string{strconv.FormatUint(seed, 10)},
				Line:    line,
			})
			out = append(out, one)
		}
	}
	return out, nil
}

func isSeed(v Value) bool { return v.Setting.Name == keySeed }

// seeds are those that every run is repeated with: a list, or as many as there are repetitions,
// from 1 on.
func (in reading) seeds(entries []entry, runs []Run) ([]uint64, int, error) {
	list := slices.IndexFunc(entries, func(e entry) bool { return e.name == keySeeds })
	count := slices.IndexFunc(entries, func(e entry) bool { return e.name == keyRepetitions })
	switch {
	case list >= 0 && count >= 0:
		return nil, 0, failure(in.file, entries[count].key.Line, "leave one of them out",
			"%s and %s say the same", keySeeds, keyRepetitions)
	case list >= 0:
		return in.listedSeeds(entries[list])
	case count < 0:
		return nil, 0, nil
	}

	e := entries[count]
	n, err := strconv.Atoi(e.value.Value)
	if err != nil || n < 1 || n > mostRepetitions {
		return nil, 0, failure(in.file, e.value.Line, "", "%s is a whole number from 1 to %d", keyRepetitions, mostRepetitions)
	}
	for _, r := range runs {
		if at := slices.IndexFunc(r.Values, isSeed); at >= 0 {
			return nil, 0, failure(in.file, r.Values[at].Line, "list the seeds: "+keySeeds+": [1, 2, 3]",
				"seed stands beside %s, which counts from 1", keyRepetitions)
		}
	}
	out := make([]uint64, n)
	for i := range out {
		out[i] = 1 + uint64(i)
	}
	return out, e.key.Line, nil
}

func (in reading) listedSeeds(e entry) ([]uint64, int, error) {
	if e.value.Kind == yaml.ScalarNode {
		return nil, 0, failure(in.file, e.value.Line, "for so many seeds write "+keyRepetitions+": "+e.value.Value,
			"%s is a list, such as [7, 8, 9]", keySeeds)
	}
	texts, err := in.texts(e, Setting{Name: keySeeds, List: true, Kind: Whole})
	if err != nil {
		return nil, 0, err
	}
	var out []uint64
	for _, t := range texts {
		seed, err := strconv.ParseUint(t, 10, 64)
		if err != nil || slices.Contains(out, seed) || seed > math.MaxInt64 {
			return nil, 0, failure(in.file, e.value.Line, "", "%s are different whole numbers, such as [1, 2, 3]", keySeeds)
		}
		out = append(out, seed)
	}
	return out, e.key.Line, nil
}
