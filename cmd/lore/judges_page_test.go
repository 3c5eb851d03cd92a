package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"lore/judge/agreement"
)

// docs/judges.md holds every measurement that is compiled in.
func TestJudgesPageHasWhatIsKnown(t *testing.T) {
	page, err := os.ReadFile("../../docs/judges.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range agreement.AllKnown() {
		row := fmt.Sprintf("| %s | %s | %s | %s | %s | %s |", k.Judge, k.Kind, k.Texts, k, k.Worth, k.Set)
		if !strings.Contains(string(page), row) {
			t.Errorf("docs/judges.md lacks %s", row)
		}
	}
}
