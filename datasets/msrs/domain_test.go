package msrs

import (
	"strings"
	"testing"
)

// The domain is what the data says; who says another one is refused, and so are answers of another domain's folder.
func TestDomainsAreNotMixed(t *testing.T) {
	for _, c := range []struct{ told, given, want, refused string }{
		{"story", "", "story", ""},
		{"", "meeting", "meeting", ""},
		{"story", "story", "story", ""},
		{"story", "meeting", "", "is of the domain story, not of meeting"},
		{"", "", "", "does not say which domain"},
	} {
		got, err := chosenDomain("data", c.told, c.given)
		if got != c.want || (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}

	for path, refused := range map[string]bool{
		"outputs/meeting/bm25/summary/m_summary.json": true,
		"outputs/Meeting/bm25/summary/m_summary.json": true,
		"outputs/story/bm25/summary/m_summary.json":   false,
		"meeting/answers.json":                        false, // not as published: the folder may be anything
	} {
		if err := checkDomain(path, "story"); (err != nil) != refused {
			t.Errorf("%s: %v, want refused: %v", path, err, refused)
		}
	}
}

// A domain that is given and does not fit the data is doubted: by several references, and by the size of the
// released data.
func TestGivenDomainIsDoubted(t *testing.T) {
	ds, err := Benchmark{}.Load(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := ds.Items[0].(*item).set
	four := []Query{{References: []string{"a", "b"}}, {References: []string{"a"}}}
	if got := s.doubts("d", "", four); got != nil {
		t.Errorf("no domain given: %q", got)
	}
	if got := s.doubts("d", "story", four); got != nil {
		t.Errorf("a story: %q", got)
	}
	if got := s.doubts("d", "meeting", four); len(got) != 1 || !strings.Contains(got[0], "1 of 2 queries have several") {
		t.Errorf("a meeting: %q", got)
	}

	was := released["story"]
	defer func() { released["story"] = was }()
	small := was
	small.documents, small.queries = len(s.corpus.Documents), map[string]int{"test": 1}
	released["story"] = small
	if got := s.doubts("d", "meeting", four[1:]); len(got) != 1 || !strings.Contains(got[0], "as the published data of the domain story") {
		t.Errorf("sizes: %q", got)
	}
}
