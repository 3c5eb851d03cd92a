package build

import "testing"

// Ids are text or integers, in pairs as in documents.
func TestPairsWithIntegerIDs(t *testing.T) {
	pairs, err := ReadPairs("f", []byte(`{"id":7,"summary":"s","documents":[1,"b"]}`), reading("1", "b"))
	if err != nil || len(pairs) != 1 || pairs[0].ID != "7" || pairs[0].Documents[0] != "1" {
		t.Errorf("%+v, %v", pairs, err)
	}
}

// A document may be named by its file.
func TestPairsWithFiles(t *testing.T) {
	pairs, err := ReadPairs("f", []byte(`{"id":"p","summary":"s","documents":["mill report","sub/b.txt"]}`), reading("mill_report", "sub/b"))
	if err != nil || pairs[0].Documents[0] != "mill_report" || pairs[0].Documents[1] != "sub/b" {
		t.Errorf("%+v, %v", pairs, err)
	}
}
