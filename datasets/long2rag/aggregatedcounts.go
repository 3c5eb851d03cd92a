package long2rag

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"lore/datasets"
	"lore/local/text"
)

// aggregatedCounts are what is odd about a folder.
type aggregatedCounts struct {
	folder             string
	documents, spanned int      // documents, and those of which only spans are known
	unknown            []string // numbers of originals that are not there, in words
	originals          int
	several, none      int      // of these: put into several points, or into none
	empty              []string // questions without key points
	differing          []string // questions that are worded in another way in ID.json
	inFiles, inPoints  fieldNames
	inOriginals        fieldNames
}

// add counts how the points of a question were put together.
func (c *aggregatedCounts) add(points []aggregatedPoint, originals []original) {
	uses := make([]int, len(originals))
	for _, p := range points {
		for _, n := range p.Originals {
			if n >= 1 && n <= len(uses) {
				uses[n-1]++
			}
		}
	}
	c.originals += len(uses)
	for _, n := range uses {
		switch {
		case n == 0:
			c.none++
		case n > 1:
			c.several++
		}
	}
}

func (c *aggregatedCounts) warnings() []string {
	var out []string
	say := func(n int, format string, args ...any) {
		if n > 0 {
			out = append(out, c.folder+": "+fmt.Sprintf(format, args...))
		}
	}
	say(len(c.empty), "left out, as without key points: %s", datasets.Some(c.empty))
	say(len(c.differing), "%d questions are worded otherwise in ID.json than in ID_aggregated.json, whose words are taken; are they of "+
		"the same question? %s", len(c.differing), datasets.Some(c.differing))
	say(c.several+c.none, "of %d extracted points %d were put into several key points and %d into none",
		c.originals, c.several, c.none)
	say(len(c.unknown), "%d numbers of extracted points name none: %s", len(c.unknown), datasets.Some(c.unknown))
	say(c.spanned, "the texts of %d of the %d documents of questions are not there: each stands for the spans that points "+
		"were extracted from, where key points are easier to find than in whole texts; give these with --documents FILE",
		c.spanned, c.documents)
	if c.documents == 0 {
		out = append(out, c.folder+": no documents are named: run with --corpus FILE, or import with the ID.json files beside these")
	}
	return out
}

// fieldNames counts in how many records a field stands.
type fieldNames map[string]int

func (f *fieldNames) see(record map[string]json.RawMessage) {
	if *f == nil {
		*f = fieldNames{}
	}
	for name := range record {
		(*f)[name]++
	}
}

func (f *fieldNames) add(others fieldNames) {
	if *f == nil {
		*f = fieldNames{}
	}
	for name, n := range others {
		(*f)[name] += n
	}
}

// seeNames notes the fields of ID_aggregated.json, to find those that are misspelt.
func (c *aggregatedCounts) seeNames(data []byte) {
	var file map[string]json.RawMessage
	var points []map[string]json.RawMessage
	if json.Unmarshal(data, &file) != nil {
		return
	}
	c.inFiles.see(file)
	if json.Unmarshal(file["key_points"], &points) == nil {
		for _, p := range points {
			c.inPoints.see(p)
		}
	}
}

// misnamed refuses a set of which no record has a field, where one of nearly its name is there.
func (c *aggregatedCounts) misnamed() error {
	for _, expected := range []struct {
		what, field string
		seen        fieldNames
	}{
		{"question", "question", c.inFiles},
		{"question", "key_points", c.inFiles},
		{"key point", "point_content", c.inPoints},
		{"key point", "original_point_number", c.inPoints},
		{"extracted point", "spans", c.inOriginals},
	} {
		near := text.Nearest(expected.field, slices.Sorted(maps.Keys(expected.seen)))
		if expected.seen[expected.field] == 0 && near != "" {
			return &datasets.InputError{
				File:   c.folder,
				Msg:    fmt.Sprintf("no %s has the field %q, and %d have %q", expected.what, expected.field, expected.seen[near], near),
				Remedy: fmt.Sprintf("rename it to %q in these files", expected.field),
			}
		}
	}
	return nil
}
