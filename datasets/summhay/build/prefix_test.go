package build

import (
	"strings"
	"testing"

	"lore/local/prompt"
)

// All questions about a document begin alike, so that a server reads the document once.
func TestChecksShareTheirBeginning(t *testing.T) {
	set := prompt.NewSet(nil, Prompts())
	begin := ""
	for _, name := range []string{"summhay/audit.txt", "summhay/present.txt", "summhay/reverse.txt"} {
		p, err := set.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		messages, err := p.Render(map[string]any{"Document": "What it says.", "Insight": "x", "Insights": nil, "Problem": ""})
		if err != nil {
			t.Fatal(err)
		}

		all := ""
		for _, m := range messages {
			all += string(m.Role) + m.Content + "\n"
		}
		upTo, _, _ := strings.Cut(all, "What it says.")
		if begin == "" {
			begin = upTo
		}
		if upTo != begin {
			t.Errorf("%s begins with\n%s\nnot with\n%s", name, upTo, begin)
		}
	}
}
