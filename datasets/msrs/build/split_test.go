package build

import (
	"regexp"
	"strings"
	"testing"

	"lore/datasets"
	"lore/datasets/stage"
)

// A title belongs to what it is the title of: it is no part by itself.
func TestTitlesAreNoParts(t *testing.T) {
	chapter := At(regexp.MustCompile(`(?m)^CHAPTER`))
	for text, c := range map[string]struct {
		at   Splitter
		want string
	}{
		"THE TIDE\n\n# Part one\n\n# Sand\n\nIt sank.\n\n# Stone\nIt held.\n# The end": {
			Headings, "THE TIDE\n\n# Part one\n\n# Sand\n\nIt sank.|# Stone\nIt held.\n\n# The end",
		},
		"CHAPTER I\nCHAPTER II\n\nCHAPTER I\nIt sank.\nCHAPTER II\nIt held.": {
			chapter, "CHAPTER I\n\nCHAPTER II\n\nCHAPTER I\nIt sank.|CHAPTER II\nIt held.",
		},
		"It began.\n\n# Sand\nIt sank.":                 {Headings, "It began.|# Sand\nIt sank."},
		"CHAPTER I. It sank.\nCHAPTER II. And it held.": {chapter, "CHAPTER I. It sank.|CHAPTER II. And it held."},
		"# Only":                        {Headings, "# Only"},
		"No heading is here, in prose.": {Headings, "No heading is here, in prose."},
		"":                              {Headings, ""},
	} {
		if got := strings.Join(partsOf(text, c.at(text)), "|"); got != c.want {
			t.Errorf("%q: %q, want %q", text, got, c.want)
		}
	}
}

// Stories in which no part begins are named.
func TestWholeStories(t *testing.T) {
	b := &Builder{Session: &stage.Session{}}
	docs := b.Split([]datasets.Document{{ID: "a", Text: "# One\nIt sank."}, {ID: "b", Text: "It held."}}, Headings)
	if len(docs) != 2 || docs[1].ID != "b-1" {
		t.Errorf("%+v", docs)
	}
	const want = "--headings finds no beginning of a chapter in 1 of 2 stories, each of which stays one document: b"
	if got := b.wholeWarning("--headings", 2); got != want {
		t.Error(got)
	}
	if got := (&Builder{}).wholeWarning("--headings", 2); got != "" {
		t.Error(got)
	}
}

// A text loses none of its words where it is split.
func FuzzParts(f *testing.F) {
	f.Add("THE TIDE\n\n# Part one\n\n# Sand\n\nIt sank.\n\n# The end")
	f.Add("Chapter 1\na\n\nIV.\n\n# b")
	f.Fuzz(func(t *testing.T, text string) {
		parts := strings.Join(partsOf(text, Headings(text)), "\n")
		if got, want := strings.Fields(parts), strings.Fields(text); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
