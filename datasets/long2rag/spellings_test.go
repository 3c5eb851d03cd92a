package long2rag

import "testing"

// Questions, documents and the documents of key points may have integer ids, and texts
// other names.
func TestSpellings(t *testing.T) {
	line := `{"qid":7,"query":"Why?","category":"causal","documents":[{"docid":1,"contents":"x"},{"_id":"2","title":"T","body":"y"}],` +
		`"key_points":[{"id":3,"text":"k","documents":[1,"2"]}]}`
	q, err := ReadQuestions("f", []byte(line))
	if err != nil {
		t.Fatal(err)
	}
	got := q[0]
	if got.ID != "7" || got.Text != "Why?" || got.Category != "causal" || got.Documents[1].whole() != "T\ny" ||
		got.KeyPoints[0].ID != "3" || got.KeyPoints[0].Documents[0] != "1" {
		t.Errorf("%+v", got)
	}
}
