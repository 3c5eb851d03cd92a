package datasets

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPositive(t *testing.T) {
	for value, want := range map[string]int{"": 0, "1": 1, "12": 12} {
		if n, err := Positive("k", value); err != nil || n != want {
			t.Errorf("%q: %d, %v", value, n, err)
		}
	}
	for _, value := range []string{"0", "-1", "x", "1.5", " "} {
		if _, err := Positive("k", value); err == nil || !strings.Contains(err.Error(), "--k") {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestList(t *testing.T) {
	for text, want := range map[string][]string{
		"":          nil,
		" , ":       nil,
		"a":         {"a"},
		"a, b c,,d": {"a", "b c", "d"},
	} {
		if d := cmp.Diff(want, List(text, ",")); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

// An offset beyond the data is the last line: decoders give such, too.
func TestLineAt(t *testing.T) {
	for offset, want := range map[int]string{-1: "line 1", 0: "line 1", 2: "line 2", 3: "line 2", 99: "line 2"} {
		if got := LineAt([]byte("a\nb"), offset); got != want {
			t.Errorf("%d: %s, want %s", offset, got, want)
		}
	}
}

func TestCells(t *testing.T) {
	s := Scored{Value: func(metric string) (float64, bool) { return 0.25, metric == "known" }}
	got := []string{s.Percent("known"), s.Percent("other"), Coefficient(0.5, 7), Coefficient(math.NaN(), 7)}
	if d := cmp.Diff([]string{"25.0", NoValue, "0.50 (n 7)", NoValue}, got); d != "" {
		t.Error(d)
	}

	metrics := []Metric{{Name: "map", Title: "MAP"}}
	if Title(metrics, "map") != "MAP" || Title(metrics, "ndcg") != "ndcg" {
		t.Errorf("%s, %s", Title(metrics, "map"), Title(metrics, "ndcg"))
	}

	full := Grid{Rows: [][]string{{"x"}}}
	if got := Filled(Grid{}, full, Grid{}); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// Where one sheet is there already, it stays as it is and no other is written.
func TestWriteSheets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "sheets")
	one, two := Sheet{"a.csv", []byte("1")}, Sheet{"b.csv", []byte("2")}
	paths, err := WriteSheets(dir, []Sheet{two}, "move it")
	if err != nil || len(paths) != 1 || filepath.Base(paths[0]) != "b.csv" {
		t.Fatalf("%v, %v", paths, err)
	}
	if err := os.WriteFile(paths[0], []byte("filled in"), 0o666); err != nil {
		t.Fatal(err)
	}

	var usage *UsageError
	_, err = WriteSheets(dir, []Sheet{one, two}, "move it")
	if !errors.As(err, &usage) || !strings.Contains(err.Error(), "b.csv") || !strings.Contains(err.Error(), "move it") {
		t.Errorf("%v", err)
	}
	if data, err := os.ReadFile(paths[0]); err != nil || string(data) != "filled in" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "a.csv")); err == nil {
		t.Error("the other sheet was written")
	}
}
