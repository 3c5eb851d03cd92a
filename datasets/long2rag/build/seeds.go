package build

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"lore/datasets"
	"lore/datasets/long2rag"
	"lore/local/files"
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
	if err := cmp.Or(json.Unmarshal(data, &rest), json.Unmarshal(data, &r)); err != nil {
		return err
	}

	*s = Seed(rest.plain)
	if r.HasID() {
		id, err := r.QueryID()
		if err != nil {
			return err
		}
		s.ID = id
	}
	text, err := r.QueryText()
	s.Text = text
	return err
}

// ReadSeeds reads lines of JSON with question, or lines of text.
func ReadSeeds(name string, data []byte) ([]Seed, error) {
	var out []Seed
	seen := map[string]bool{}
	err := files.EachLine(data, func(place string, line []byte) error {
		s := Seed{Text: string(line)}
		var err error
		if line[0] == '{' {
			s = Seed{}
			err = json.Unmarshal(line, &s)
		}
		bad := func(msg string) error {
			return &datasets.InputError{
				File:  name,
				Place: place,
				Msg:   msg,
				Remedy: `a line is {"id", "question", "category", "domain"}, ` +
					`all but the question optional, or the question alone`,
				Err: err,
			}
		}

		if err != nil {
			return bad("is not a question: " + err.Error())
		}
		if s.Text = strings.TrimSpace(s.Text); s.Text == "" {
			return bad("is not a question")
		}

		if s.ID == "" {
			s.ID = fmt.Sprintf("s%d", len(out)+1)
		}
		switch {
		case seen[s.ID]:
			return bad(fmt.Sprintf("has the id %q, which is taken", s.ID))
		case files.CheckID(s.ID) != nil:
			return bad("has no id of one word: " + files.CheckID(s.ID).Error())
		case s.Category != "" && categoryOf(s.Category) == nil:
			return bad(fmt.Sprintf("has the unknown category %q", s.Category))
		}

		seen[s.ID] = true
		out = append(out, s)
		return nil
	})

	if err == nil && len(out) == 0 {
		err = &datasets.InputError{File: name, Msg: "holds no questions", Remedy: "give a question per line"}
	}
	return out, err
}

// categoryOf finds a category by its name, nil for none.
func categoryOf(name string) *long2rag.Category {
	i := slices.IndexFunc(long2rag.Categories, func(c long2rag.Category) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &long2rag.Categories[i]
}
