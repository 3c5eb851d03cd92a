package msrs

import (
	"strings"
	"testing"

	"lore/datasets"
)

// A reference without text scores 0 against every answer, and is refused.
func TestBlankReference(t *testing.T) {
	s := &set{corpus: &datasets.Corpus{Documents: []datasets.Document{{ID: "a", Text: "x"}}}}
	_, _, err := s.items("f", []Query{{ID: "3", Text: "q", Gold: []string{"a"}, References: []string{"one", " "}}})
	if err == nil || !strings.Contains(err.Error(), "row 3: has no text in reference 2 of 2") {
		t.Errorf("%v", err)
	}
}
