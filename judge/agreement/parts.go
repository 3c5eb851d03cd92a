package agreement

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lore/judge"
	"lore/local/text"
)

// TextsColumn names the kind of text, such as news, and LanguageColumn its language.
const (
	TextsColumn    = "texts"
	LanguageColumn = "language"
)

// Names that labels can be grouped by besides their columns.
const (
	byKind   = "kind"
	byGroup  = "group"
	bySystem = "system"
)

// Column is what question k of an item has in a column; empty for nothing.
func (it Item) Column(k int, name string) string {
	switch name {
	case byKind:
		return string(it.Task.Questions[k].Kind)
	case byGroup:
		return it.Group
	case bySystem:
		return it.System
	}
	if k < len(it.Columns) {
		return it.Columns[k][name]
	}
	return ""
}

// Part is the agreement on the labels with one value in a column.
type Part struct {
	Column, Value string
	Report        Report
}

// columnOf reads a column. The language is told from the texts where no column has it.
func columnOf(column string, items []Item) func(it Item, k int) string {
	if column != LanguageColumn {
		return func(it Item, k int) string { return it.Column(k, column) }
	}
	languages := toldOf(items)
	return func(it Item, k int) string {
		return cmp.Or(it.Column(k, LanguageColumn), it.Column(k, "lang"), languages[it.Task.ID])
	}
}

// toldOf are the languages of the items' texts, by task.
func toldOf(items []Item) map[string]string {
	out := map[string]string{}
	for _, it := range items {
		out[it.Task.ID] = told(it)
	}
	return out
}

// fewTexts is the share of texts up to which those in other languages are taken for mistakes.
const fewTexts = 0.05

// InLanguages tells whether the texts of labels are in several languages.
func InLanguages(items []Item) bool {
	counts := map[string]int{}
	for _, name := range toldOf(items) {
		counts[name]++
	}
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	return float64(len(items)-most) > fewTexts*float64(len(items))
}

// CheckColumn refuses a column that no label has a value in.
func CheckColumn(column string, items []Item) error {
	if column == LanguageColumn {
		return nil
	}
	for _, it := range items {
		for k := range it.Human {
			if it.Column(k, column) != "" {
				return nil
			}
		}
	}
	return unknownColumn(column, items)
}

// By measures a judge apart for every value in a column, in alphabetical order.
func By(column, name string, items []Item, verdicts [][]judge.Verdict, seed uint64) ([]Part, error) {
	if err := CheckColumn(column, items); err != nil {
		return nil, err
	}
	of := columnOf(column, items)
	values := map[string]bool{}
	for _, it := range items {
		for k := range it.Human {
			values[of(it, k)] = true
		}
	}

	var out []Part
	for _, value := range slices.Sorted(maps.Keys(values)) {
		some, theirs := Only(items, verdicts, func(it Item, k int) bool { return of(it, k) == value })
		out = append(out, Part{column, value, Measure(name, some, theirs, seed)})
	}
	return out, nil
}

// Only keeps the labels that are such. Items without any are left out.
func Only(items []Item, verdicts [][]judge.Verdict, keep func(it Item, k int) bool) ([]Item, [][]judge.Verdict) {
	var some []Item
	var theirs [][]judge.Verdict
	for i, it := range items {
		part, any := it, false
		part.Human = slices.Clone(it.Human)
		for k, h := range part.Human {
			if !keep(it, k) {
				part.Human[k] = Unlabelled(h.Question)
			} else if h.Scored() {
				any = true
			}
		}
		if any {
			some = append(some, part)
			if verdicts != nil {
				theirs = append(theirs, verdicts[i])
			}
		}
	}
	return some, theirs
}

// unknownColumn names the columns that there are.
func unknownColumn(column string, items []Item) error {
	names := map[string]bool{byKind: true, byGroup: true, bySystem: true}
	for _, it := range items {
		for _, c := range it.Columns {
			for n := range c {
				names[n] = true
			}
		}
	}
	known := slices.Sorted(maps.Keys(names))
	if near := text.Nearest(column, known); near != "" {
		return fmt.Errorf("the labels have no column %q; did you mean %q?", column, near)
	}
	return fmt.Errorf("the labels have no column %q; they have %s", column, strings.Join(known, ", "))
}
