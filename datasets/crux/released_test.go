package crux

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lore/local/published"
)

// The study and its follow-up, as they are cloned, make the topics and grades that this package's
// other tests put together by hand.
func TestReleasedFilesTogether(t *testing.T) {
	root := published.Path(t, "data/crux_released")
	got, err := Benchmark{}.Load([]string{root})
	if err != nil {
		t.Fatal(err)
	}
	apart, err := Benchmark{}.Load([]string{filepath.Join(root, "lancer"), filepath.Join(root, "crux-labeling")})
	if err != nil {
		t.Fatal(err)
	}
	want := released(t, Benchmark{})
	if len(got.Items) != 50 || got.Documents() != 1931 || got.Hash != apart.Hash {
		t.Fatalf("%d items, %d passages, hashes %s and %s", len(got.Items), got.Documents(), got.Hash, apart.Hash)
	}

	// Where rows of one passage differ, one takes the first and the other the last.
	differ := 0
	for i, it := range want.Items {
		a, b := it.(*item).topic, got.Items[i].(*item).topic
		if a.ID != b.ID || a.Query != b.Query || !slices.Equal(a.Questions, b.Questions) {
			t.Errorf("topic %s: %q, %q", a.ID, a.Query, b.Query)
		}
		if b.Summary == "" {
			t.Errorf("topic %s has no report", b.ID)
		}
		for id, row := range a.Grades {
			if !slices.Equal(row, b.Grades[id]) {
				differ++
			}
		}
	}
	said := fmt.Sprint(got.Warnings)
	if differ == 0 || differ > 248 || !strings.Contains(said, "248 of 15000 rows of grades differ from an earlier row") {
		t.Errorf("%d rows differ: %s", differ, said)
	}
}

func TestNaturally(t *testing.T) {
	names := []string{"a:10#2", "a:2#10", "a:2#9", "a", "b", "a:02#9", "a:2"}
	slices.SortStableFunc(names, naturally)
	if diff := cmp.Diff([]string{"a", "a:2", "a:2#9", "a:02#9", "a:2#10", "a:10#2", "b"}, names); diff != "" {
		t.Error(diff)
	}
}

// Whatever a released file holds, it is put together or refused, and what is put together loads.
func FuzzReleased(f *testing.F) {
	if testing.Short() {
		f.Skip("it only takes long under the race detector: the run without -short has it")
	}
	f.Add([]byte(`{"id":"p","contents":"x"}`+"\n"+`{"id":"t","request":"r"}`+"\n"+`{"id":"t","subquestions":["q",null]}`+"\n"+
		`{"id":"t","docid":"p","rating":[5,null]}`), []byte(`{"t":["q"]}`))
	f.Add([]byte(`{"qid":"t","topic":"r","questions":["q"],"report":"w"}`), []byte(`{"t":[[1],[2,3]]}`))
	f.Add([]byte("{"), []byte(`{"id":7}`))
	f.Fuzz(func(t *testing.T, lines, object []byte) {
		dir := t.TempDir()
		for name, data := range map[string][]byte{"a.jsonl": lines, "ratings.x.json": object, "x-1.run": []byte("t Q0 p 1 1 x\n")} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		put, err := putTogether([]string{dir})
		if err != nil {
			return
		}
		for _, topic := range put.topics {
			for id, row := range topic.Grades {
				if len(row) != len(topic.Questions) {
					t.Errorf("topic %s: %d grades of %s for %d questions", topic.ID, len(row), id, len(topic.Questions))
				}
			}
		}
		_, _ = Benchmark{}.Load([]string{dir})
	})
}
