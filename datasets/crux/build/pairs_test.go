package build

import "testing"

// Ids are text or integers, in pairs as in documents.
func TestPairsWithIntegerIDs(t *testing.T) {
	pairs, err := ReadPairs("f", []byte(`{"id":7,"summary":"s","documents":[1,"b"]}`), map[string]string{"1": "x", "b": "y"})
	if err != nil || len(pairs) != 1 || pairs[0].ID != "7" || pairs[0].Documents[0] != "1" {
		t.Errorf("%+v, %v", pairs, err)
	}
}
