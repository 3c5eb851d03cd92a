package agreement

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"lore/judge"
	"lore/local/files"
)

// look remembers what notes are made of.
func (b *builder) look(kind judge.Kind, row Row, human judge.Verdict) {
	if b.asked == nil {
		b.asked, b.strange = map[[6]string]judge.Verdict{}, map[string]bool{}
	}
	key := [6]string{row.Kind, row.Group, row.System, row.About, row.Text, row.Statement}
	if before, twice := b.asked[key]; twice {
		b.again++
		if before.Label != human.Label || before.Value != human.Value {
			b.differ++
		}
	} else {
		b.asked[key] = human
	}

	for name, cell := range row.Columns {
		isLabel := !graded(kind) && slices.Contains(labelsOf(kind), strings.ToLower(cell))
		if all, seen := b.strange[name]; !seen || all {
			b.strange[name] = isLabel
		}
	}
}

// spelling refuses None beside labels in small letters: programs write it for what is missing.
func (b *builder) spelling(row Row) error {
	if b.spelt == nil {
		b.spelt = map[string]bool{}
	}
	said := []string{row.written}
	for _, r := range row.Annotators {
		said = append(said, r.Label)
	}
	for _, s := range said {
		b.spelt[s] = true
	}

	small := b.spelt[judge.Full] || b.spelt[judge.Partial] || b.spelt[judge.None]
	if b.spelt["None"] && small {
		return &files.Error{
			Msg:    "labels are spelt in small letters and as None, which programs also write for what is missing",
			Remedy: "write none for the label, and leave the cell empty where there is none",
		}
	}
	return nil
}

// nothing is the error of a file in which no row has a label.
func (b *builder) nothing(name string) error {
	if b.blank == 0 {
		return &files.Error{File: name, Msg: "no labels: there is no row", Remedy: headingForm}
	}
	return &files.Error{
		File:   name,
		Msg:    fmt.Sprintf("no labels: none of %d rows has a label, a value or ratings of annotators", b.blank),
		Remedy: "fill in the column label, value or annotators",
	}
}

// notes say how the file was read where that is not plain.
func (b *builder) notes(scales map[field]scale) []string {
	var out []string
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	rows := b.blank
	for _, r := range b.rows {
		rows += len(r)
	}
	if b.blank > 0 {
		say("%d of %d rows have no label, and are left out", b.blank, rows)
	}
	if b.again > 0 {
		say("%d of %d rows ask what an earlier row asks of the same text, %d with another label; ratings of several people "+
			"belong in one row, in the column annotators or in columns %sNAME", b.again, rows, b.differ, annotatorPrefix)
	}

	var labels []string
	for _, name := range slices.Sorted(maps.Keys(b.strange)) {
		if b.strange[name] {
			labels = append(labels, name)
		}
	}
	if len(labels) > 0 {
		say("labels in columns to group by are not read: %s; where they are what one person, or one judge, says, name them "+
			"%sNAME or %sNAME", strings.Join(labels, ", "), annotatorPrefix, recordedPrefix)
	}
	return append(out, b.scaleNotes(scales)...)
}

// scaleNotes say where grades were taken for values, or may have been.
func (b *builder) scaleNotes(scales map[field]scale) []string {
	whole := map[field]bool{}
	for f, n := range b.numbers() {
		all, seen := whole[f]
		whole[f] = (all || !seen) && n.Number == math.Trunc(n.Number)
	}

	var out []string
	for _, kind := range judge.Kinds {
		for _, f := range []field{{kind, false}, {kind, true}} {
			if graded(kind) && whole[f] && scales[f].high == 1 {
				column := "annotators"
				if f.recorded {
					column = "recorded"
				}
				out = append(out, fmt.Sprintf("%s of %s hold nothing but 0 and 1, which are read as values, not as grades", column, kind))
			}
		}
	}
	return out
}
