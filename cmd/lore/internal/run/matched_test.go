package run

import (
	"testing"

	"lore/datasets"
)

func TestMatcher(t *testing.T) {
	m := NewMatcher(&datasets.Corpus{Documents: []datasets.Document{
		{ID: "d1", Text: "The harbour\n\nrepairs  cost nine million. It was long."},
		{ID: "d2", Text: "The ferry stops in winter. It was long."},
		{ID: "d3", Text: "It was long."},
		{ID: "d4", Text: "Twice."}, {ID: "d5", Text: " Twice.\n"},
	}})
	for text, want := range map[string][2]string{
		"The harbour repairs cost nine million. It was long.": {"d1", matched},
		"\tThe ferry stops\r\nin winter.":                     {"d2", matched}, // a passage of one
		"… repairs cost nine ...":                             {"d1", matched},
		"...The ferry…":                                       {"d2", matched},
		"It was long.":                                        {"d3", matched}, // one is this text whole, whatever holds it
		"was long.":                                           {"", ambiguous},
		"Twice.":                                              {"", ambiguous},
		"the ferry stops":                                     {"", unmatched},
		"":                                                    {"", unmatched},
		"…":                                                   {"", unmatched},
	} {
		if id, fate := m.Match(text); id != want[0] || fate != want[1] {
			t.Errorf("%q: %q %s, want %v", text, id, fate, want)
		}
	}
	for in, want := range map[[2]string]Named{
		{"d2", "Twice."}:      {ID: "d2"},
		{"x", "It was long."}: {ID: "d3", Fate: matched},
		{"", "Twice."}:        {Fate: ambiguous},
		{"x", "nowhere"}:      {Fate: unmatched},
		{"x", ""}:             {},
		{"", ""}:              {Fate: unmatched},
	} {
		if got := m.Name(in[0], in[1]); got != want {
			t.Errorf("%q: %+v, want %+v", in, got, want)
		}
	}
}
