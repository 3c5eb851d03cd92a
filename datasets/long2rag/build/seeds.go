package build

import (
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

		if s.Text = strings.TrimSpace(s.Text); err != nil || s.Text == "" {
			return bad("is not a question")
		}

		if s.ID == "" {
			s.ID = fmt.Sprintf("s%d", len(out)+1)
		}
		switch {
		case seen[s.ID] || strings.ContainsAny(s.ID, " \t"):
			return bad(fmt.Sprintf("has the id %q, which is taken or has spaces", s.ID))
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
