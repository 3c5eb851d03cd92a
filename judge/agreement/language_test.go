package agreement

import (
	"strings"
	"testing"

	"lore/judge"
)

// Cards and columns go by the language of the texts, where no column says it.
func TestByLanguage(t *testing.T) {
	labels := `{"kind":"entailment","text":"Die Brücke wurde gesperrt, weil sie Risse hatte.","statement":"Sie ist zu.","label":"yes"}
{"kind":"entailment","text":"这座旧桥在三月关闭了。","statement":"桥关了。","label":"yes"}
{"kind":"entailment","text":"The bridge was closed in March.","statement":"It is closed.","label":"no","language":"Scots"}
`
	read, err := ReadJSONL("f", []byte(labels))
	if err != nil {
		t.Fatal(err)
	}
	items := read.Items
	verdicts := make([][]judge.Verdict, len(items))
	for i, it := range items {
		verdicts[i] = []judge.Verdict{{Question: it.Task.Questions[0].ID, Label: judge.Yes, Value: 1}}
	}

	parts, err := By(LanguageColumn, "j", items, verdicts, 1)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, p := range parts {
		said = append(said, p.Value)
	}
	if got := strings.Join(said, " "); got != "Chinese German Scots" || !InLanguages(items) || InLanguages(items[:1]) {
		t.Errorf("parts %q", got)
	}
	rows := NewRows("j", "f", items, verdicts, 1)
	if len(rows) != 3 || rows[0].Language != "Chinese" || rows[1].Language != "German" || rows[2].Language != "Scots" {
		t.Errorf("rows %+v", rows)
	}
}
