// Package study reads study files: several benchmarks, systems and judges that are run together.
//
// A study says what a command line would say, once for all benchmarks and where wanted for one. Its
// settings are the flags of `lore run`, so that whatever can be run can be studied. Who reads a study
// tells it which settings there are; what they mean is not known here.
package study

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lore/local/files"
	"lore/local/text"
)

// Setting is a flag of `lore run` that a study may hold.
type Setting struct {
	Name    string // as on the command line, without dashes before it
	Kind    Kind
	List    bool // several values with commas between them; its name may be in the plural
	Help    string
	Default string   // empty: none, or one that depends
	Of      []string // benchmarks that have it; empty: all
	Whole   bool     // for the whole study, not for one benchmark
}

// Kind is what values of a setting are.
type Kind int

// Kinds of values.
const (
	Text Kind = iota
	Whole
	Number
	Flag
	Lines // texts that each stand by themselves, such as headers
)

// Plural is the name of a list as a study is expected to write it.
func (s Setting) Plural() string {
	if s.List && !strings.HasSuffix(s.Name, "s") && s.Name != "retrieval" && s.Name != "order" {
		return s.Name + "s"
	}
	return s.Name
}

// Study is what a file says.
type Study struct {
	Title, Date string
	Out         string // folder; empty: the default
	Runs        []Run
}

// Run is one run of a study.
type Run struct {
	Name      string // unique, and fit for a folder
	Benchmark string
	Data      []string // empty: the sample
	Line      int      // where the benchmark stands in the file; 0: in none
	DataLine  int      // where its data does; 0: nowhere
	Values    []Value  // in the order of the file; a setting stands once
}

// Give sets a value, instead of what the file says.
func (r *Run) Give(v Value) {
	if len(v.Setting.Of) > 0 && !slices.Contains(v.Setting.Of, r.Benchmark) {
		return
	}
	same := func(o Value) bool { return o.Setting.Name == v.Setting.Name }
	r.Values = append(slices.DeleteFunc(slices.Clone(r.Values), same), v)
}

// Without is the run without the values that stand in a line of the file, whose settings are named.
func (r Run) Without(line int) (rest Run, dropped []string) {
	rest = r
	rest.Values = nil
	for _, v := range r.Values {
		if v.Line > 0 && v.Line == line {
			dropped = append(dropped, v.Setting.Name)
		} else {
			rest.Values = append(rest.Values, v)
		}
	}
	return rest, dropped
}

// Blame is the line that an error is about: where a setting stands whose flag, or one of whose
// values, it names; else that of the benchmark.
func (r Run) Blame(msg string) int {
	for _, v := range r.Values {
		if v.Line > 0 && strings.Contains(msg+" ", "--"+v.Setting.Name+" ") {
			return v.Line
		}
	}
	for _, v := range r.Values {
		for _, t := range v.Texts {
			if v.Line > 0 && len(t) > 1 && (strings.Contains(msg, strconv.Quote(t)) || strings.Contains(msg+" ", " "+t+" ")) {
				return v.Line
			}
		}
	}
	return r.Line
}

// LineOf is the line that an error about a file or folder is about: where a setting stands that names it
// or a folder that it lies in, else that of the data, or of the benchmark.
func (r Run) LineOf(file string) int {
	named := func(t string) bool { return strings.Contains("/"+file+"/", "/"+strings.Trim(t, "/")+"/") }
	if slices.ContainsFunc(r.Data, named) {
		return r.DataLine
	}
	for _, v := range r.Values {
		if v.Line > 0 && slices.ContainsFunc(v.Texts, named) {
			return v.Line
		}
	}
	return cmp.Or(r.DataLine, r.Line)
}

// Value is what a setting was given.
type Value struct {
	Setting Setting
	Texts   []string // one, or those of a list
	Line    int      // 0: in no file
}

// Joined is a value as a command line has it.
func (v Value) Joined() string { return strings.Join(v.Texts, ",") }

// Reader says what a study may hold.
type Reader struct {
	Settings   []Setting
	Benchmarks []string
	Check      func(Value) error // of one value; its error says what is wrong, without a place
}

// remedy of errors that no other is better for.
const remedy = "`lore help study` shows what a study holds, `lore study init` writes one"

// failure is an error with its place.
func failure(file string, line int, help, format string, args ...any) error {
	place := ""
	if line > 0 {
		place = fmt.Sprintf("line %d", line)
	}
	return &files.Error{File: file, Place: place, Msg: fmt.Sprintf(format, args...), Remedy: help}
}

// orNearest asks for the right name that a wrong one is near to, if any is.
func orNearest(name string, known []string) string {
	for _, k := range known {
		if len(name) > 2 && (strings.HasPrefix(k, name) || strings.HasPrefix(name, k)) {
			return fmt.Sprintf("; did you mean %s?", k)
		}
	}
	return text.DidYouMean(name, known)
}
