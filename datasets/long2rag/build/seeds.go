package build

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"lore/datasets"
	"lore/datasets/long2rag"
	"lore/local/files"
	"lore/local/text"
)

// Seed is a question to start from.
type Seed struct {
	ID       string `json:"id,omitempty"`
	Text     string `json:"question"`
	Category string `json:"category,omitempty"`
	Domain   string `json:"domain,omitempty"`
}

// UnmarshalJSON reads id and question under any of the usual names; a seed need not have
// an id.
func (s *Seed) UnmarshalJSON(data []byte) error {
	type plain Seed
	var rest struct {
		plain
		ID   json.RawMessage `json:"id"` // read below
		Text json.RawMessage `json:"question"`
	}
	var r files.Record
	err := cmp.Or(json.Unmarshal(data, &rest), json.Unmarshal(data, &r))
	if err != nil {
		return err
	}

	*s = Seed(rest.plain)
	if r.HasID() {
		if s.ID, err = r.QueryID(); err != nil {
			return err
		}
	}
	s.Text, err = r.QueryText()
	return err
}

// given is a question as a file has it.
type given struct {
	place string // "line 3"
	seed  Seed
}

// ReadSeeds reads questions in any of the forms that people have them in: lines of text, perhaps with the marks of
// a list, lines of JSON, a JSON list, and tables with a heading. A question that is there again is left out. notes
// say what was done. What looks like a table or JSON and cannot be read so is an error.
func ReadSeeds(name string, data []byte) (seeds []Seed, notes []string, err error) {
	list, notes, err := formOf(name, data)
	if err != nil {
		return nil, nil, err
	}

	ids, asked := map[string]bool{}, map[string]string{} // asked has the places by what is asked there
	again, example := 0, ""
	for _, g := range list {
		s := g.seed
		s.Text = strings.Join(strings.Fields(s.Text), " ")
		if before, twice := asked[strings.ToLower(s.Text)]; twice && s.Text != "" {
			again++
			example = cmp.Or(example, fmt.Sprintf("%q (%s, like %s)", text.Beginning(s.Text, 80), g.place, before))
			continue
		}

		if s.ID == "" {
			s.ID = fmt.Sprintf("s%d", len(seeds)+1)
		}
		if wrong := s.wrong(ids); wrong != "" {
			return nil, nil, badSeed(name, g.place, wrong, nil)
		}
		ids[s.ID], asked[strings.ToLower(s.Text)] = true, g.place
		seeds = append(seeds, s)
	}

	if len(seeds) == 0 {
		return nil, nil, &datasets.InputError{File: name, Msg: "holds no questions", Remedy: "give a question per line"}
	}
	if again > 0 {
		notes = append(notes, fmt.Sprintf("%s: %d of %d questions are there already, and each is asked once: %s",
			name, again, len(list), example))
	}
	return seeds, notes, nil
}

// wrong says what is wrong with a question; empty where nothing is.
func (s Seed) wrong(taken map[string]bool) string {
	switch {
	case !strings.ContainsFunc(s.Text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
		return "is not a question"
	case taken[s.ID]:
		return fmt.Sprintf("has the id %q, which is taken", s.ID)
	case files.CheckID(s.ID) != nil:
		return "has no id of one word: " + files.CheckID(s.ID).Error()
	case s.Category != "" && categoryOf(s.Category) == nil:
		return fmt.Sprintf("has the unknown category %q", s.Category)
	}
	return ""
}

// badSeed is the error of a question that cannot be read.
func badSeed(name, place, msg string, err error) error {
	return &datasets.InputError{
		File:  name,
		Place: place,
		Msg:   msg,
		Remedy: `a line is {"id", "question", "category", "domain"}, ` +
			`all but the question optional, or the question alone`,
		Err: err,
	}
}

// categoryOf finds a category by its name, nil for none.
func categoryOf(name string) *long2rag.Category {
	i := slices.IndexFunc(long2rag.Categories, func(c long2rag.Category) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &long2rag.Categories[i]
}
