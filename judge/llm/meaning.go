package llm

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"lore/judge"
	"lore/local/prompt"
	"lore/local/text"
)

// meanings are what the labels of a header mean, by what the model writes, folded. All of them are labels of
// the kind, or all of them values: "1" is a grade and 1.0 the worth of the best one, so that a header which
// has both could mean either. Words cannot be mistaken, and may stand beside values.
func meanings(name string, kind judge.Kind, r *prompt.Reply) (map[string]string, error) {
	fail := failing(name)
	labels := judge.Labels[kind]
	out := map[string]string{}
	if r.Labels == nil {
		for _, l := range labels {
			out[fold(l)] = l
		}
	}

	read := meaningOf(kind, r)
	for _, said := range r.Said() {
		meant := read(r.Labels[said])
		if meant == "" {
			return nil, fail(r.LabelLine(said), "%q means %q%s; labels of %s are %s%s", said, r.Labels[said],
				text.DidYouMean(r.Labels[said], labels), kind, strings.Join(labels, ", "), numbersHint(kind))
		}
		if other, twice := out[fold(said)]; twice && other != meant {
			return nil, fail(r.LabelLine(said), "two labels are %q but for large letters and marks", said)
		}
		out[fold(said)] = meant
	}

	for _, needed := range []string{labels[0], labels[len(labels)-1]} {
		if !slices.Contains(slices.Collect(maps.Values(out)), needed) {
			return nil, fail(r.LineOf("labels"), "no label means %q; labels of %s are %s%s",
				needed, kind, strings.Join(labels, ", "), numbersHint(kind))
		}
	}
	return out, nil
}

// meaningOf reads what a header's labels mean: as labels where all are, else as values where all are. In words
// "full" and 0.5 may stand together. What means nothing is "".
func meaningOf(kind judge.Kind, r *prompt.Reply) func(string) string {
	byName := func(said string) string {
		if slices.Contains(judge.Labels[kind], said) {
			return said
		}
		return ""
	}
	byValue := func(said string) string {
		value, err := strconv.ParseFloat(said, 64)
		if err != nil {
			return ""
		}
		for _, l := range judge.Labels[kind] {
			if math.Abs(judge.Values[kind][l]-value) < 1e-9 {
				return l
			}
		}
		return ""
	}

	if !numbered(kind) {
		return func(said string) string { return cmp.Or(byName(said), byValue(said)) }
	}
	for _, said := range r.Labels {
		if byValue(said) == "" {
			return byName
		}
	}
	for _, said := range r.Labels {
		if byName(said) == "" {
			return byValue
		}
	}
	return byName
}

// numbered reports whether the labels of a kind are numbers themselves, which are not their values.
func numbered(kind judge.Kind) bool {
	_, err := strconv.Atoi(judge.Labels[kind][0])
	return err == nil
}

// numbersHint tells grades and values of a kind apart, where both are numbers.
func numbersHint(kind judge.Kind) string {
	if !numbered(kind) {
		return ""
	}
	values := make([]string, len(judge.Labels[kind]))
	for i, l := range judge.Labels[kind] {
		values[i] = strconv.FormatFloat(judge.Values[kind][l], 'f', -1, 64)
	}
	return ", worth " + strings.Join(values, ", ") + ": write labels alone, or what they are worth alone; " +
		"what lies between two of them, write as the nearer one"
}

// choice is a group that finds one of some words, as a pattern spells it.
var choice = regexp.MustCompile(`\(\?P?<label>([^()\[\]\\.*+?{}^$]+)\)`)

// checkPattern refuses a pattern whose group finds a word that is no label.
func (f *replyForm) checkPattern(name string) error {
	if f.Pattern == nil {
		return nil
	}
	m := choice.FindStringSubmatch(f.Pattern.String())
	if m == nil {
		return nil
	}
	for word := range strings.SplitSeq(m[1], "|") {
		if _, known := f.means[fold(word)]; !known {
			return failing(name)(f.LineOf("pattern"), "the pattern finds %q, which is no label%s; labels are %s",
				word, text.DidYouMean(word, f.said()), strings.Join(f.said(), ", "))
		}
	}
	return nil
}

// failing words errors about the header of a prompt.
func failing(name string) func(line int, format string, args ...any) error {
	return func(line int, format string, args ...any) error {
		return &prompt.Error{Name: name, Line: line, Msg: "in the header: " + fmt.Sprintf(format, args...)}
	}
}
