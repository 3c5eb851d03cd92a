package long2rag

import "testing"

// Case and one letter make near twins (two that changed places count as one); short names and other words do not.
func TestTwins(t *testing.T) {
	names := map[string]bool{"": true, "causal": true, "Causal": true, "casual": true, "film": true, "AI": true, "IT": true}
	got := twinsOf("categories", names)
	want := `categories that differ by case or one letter are counted apart: "Causal" and "casual", "Causal" and "causal", ` +
		`"casual" and "causal"; are they the same?`
	if len(got) != 1 || got[0] != want {
		t.Errorf("%q", got)
	}
}
