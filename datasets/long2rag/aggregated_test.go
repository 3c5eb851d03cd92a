package long2rag

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// folderOf writes files into a folder.
func folderOf(t *testing.T, content map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range content {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Points are counted over documents in the order of the file, which is not that of their names: the third original is
// the second of document a. What several points share is in each, and a number beyond all is counted.
func TestAggregated(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"key_point/4.json": `{"question": "q", "key_points": {
			"b": [{"point_number": 1, "point_content": "x", "spans": ["In b."]}],
			"a": [{"point_number": 1, "point_content": "y", "spans": ["In a.", " Twice in a. "]}, {"point_content": "z", "spans": ["In a."]}],
			"c": []}}`,
		"key_point/4_aggregated.json": `{"question": "Which?", "key_points": [
			{"point_number": 2, "point_content": "First.", "original_point_number": [3, 1]},
			{"point_number": 5, "point_content": "Second.", "original_point_number": [1, 4, 0]}]}`,
		"key_point/9_aggregated.json": `{"question": "Nothing?", "key_points": null}`,
		"reports/x/4.q":               "Which?",
	})
	folders, err := aggregatedBelow(dir)
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	got, err := readAggregated(folders[0], map[string]string{"b": "All of b. In b."})
	if err != nil {
		t.Fatal(err)
	}
	want := []Question{{ID: "4", Text: "Which?", Source: relatedSet,
		Documents: []Document{{ID: "b", Text: "All of b. In b."}, {ID: "a", Text: "In a.\nTwice in a.", Extract: true}},
		KeyPoints: []KeyPoint{
			{ID: "p2", Text: "First.", Spans: []string{"In a.", "In b."}, Documents: []string{"a", "b"}},
			{ID: "p5", Text: "Second.", Spans: []string{"In b."}, Documents: []string{"b"}},
		}}}
	if d := cmp.Diff(want, got.questions); d != "" {
		t.Error(d)
	}
	said := strings.Join(got.warnings, "\n")
	for _, word := range []string{
		"left out, as without key points: 9", "of 3 extracted points 1 were put into several key points and 1 into none",
		"2 numbers of extracted points name none: 4: key point 5 names 4 of 3, 4: key point 5 names 0 of 3",
		"1 questions are worded otherwise in ID.json", "the texts of 1 of the 2 documents of questions are not there",
	} {
		if !strings.Contains(said, word) {
			t.Errorf("%q is not said: %s", word, said)
		}
	}
}

func TestBadAggregated(t *testing.T) {
	for word, content := range map[string]map[string]string{
		`4_aggregated.json: is not valid JSON: unexpected end`: {"4_aggregated.json": "{"},
		"has no text": {"4_aggregated.json": `{"question":"q","key_points":[{"point_number":1}]}`},
		`no key point has the field "original_point_number", and 1 have "original_point_numbers"`: {
			"4_aggregated.json": `{"question":"q","key_points":[{"point_number":1,"point_content":"x","original_point_numbers":[1]}]}`},
		`no extracted point has the field "spans", and 1 have "span"`: {
			"4_aggregated.json": `{"question":"q","key_points":[{"point_number":1,"point_content":"x","original_point_number":[1]}]}`,
			"4.json":            `{"question":"q","key_points":{"a":[{"point_content":"x","span":["y"]}]}}`},
		`two key points "p1"`: {"4_aggregated.json": `{"question":"q","key_points":[{"point_number":1,"point_content":"x"},
			{"point_number":1,"point_content":"y"}]}`},
		"holds no question with key points":                    {"4_aggregated.json": `{"question":"q"}`},
		"4.json: key_points is not an object":                  {"4_aggregated.json": `{"question":"q"}`, "4.json": `{"key_points":[]}`},
		"4.json: document a: is a number where a list belongs": {"4_aggregated.json": `{"question":"q"}`, "4.json": `{"key_points":{"a":7}}`},
		`4.json: "a" is there twice`:                           {"4_aggregated.json": `{"question":"q"}`, "4.json": `{"key_points":{"a":[],"a":[]}}`},
	} {
		if _, err := readAggregated(folderOf(t, content), nil); err == nil || !strings.Contains(err.Error(), word) {
			t.Errorf("%s: %v", word, err)
		}
	}
}

func FuzzOriginals(f *testing.F) {
	f.Add([]byte(`{"key_points":{"a":[{"spans":["x"]}],"b":[]}}`), []byte(`[{"point_number":1,"original_point_number":[1,9]}]`))
	f.Fuzz(func(t *testing.T, data, _ []byte) {
		originals, err := parseOriginals(data)
		if err != nil {
			return
		}
		var count aggregatedCounts
		points := originals.points
		documents := documentsOf(points, nil, &count)
		p := aggregatedPoint{Number: 1, Content: "x", Originals: []int{1, len(points), len(points) + 1}}
		if k := p.keyPoint("q", points, &count); (len(count.unknown) == 0) == (len(points) > 0) || len(k.Documents) > len(documents) {
			t.Errorf("%+v", k)
		}
	})
}
